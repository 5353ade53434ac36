"""The revision a caller looked at never names another configuration."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.support import documents
from tests.support.agent import FakeAgent
from tests.test_identity import fenced

__all__ = ["fenced"]
pytestmark = pytest.mark.anyio


async def first_drive(client: httpx.AsyncClient) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get("/drives")).json()["items"][0]
    return found


async def locate(client: httpx.AsyncClient, seen: dict[str, Any]) -> httpx.Response:
    return await client.post(
        f"/drives/{seen['id']}/actions/locate",
        json={"on": True},
        headers={"If-Match": f'"{seen["config_rev"]}"'},
    )


def failed(rev: int) -> list[dict[str, Any]]:
    """Other content, counted as the first report was."""
    host = documents.blank_host(rev)
    host[3]["doc"]["state"] = "failed"
    return host


async def test_a_restored_host_does_not_repeat_revisions(
    fenced: FakeAgent, operator: httpx.AsyncClient
) -> None:
    backup = fenced.state_fence
    seen = await first_drive(operator)
    await fenced.close()
    await fenced.connect()
    await fenced.close()
    fenced.state_fence = backup
    await fenced.connect()
    # What it has now is not known before it has reported it: nothing fits what was looked at.
    waiting = await locate(operator, seen)
    assert (waiting.status_code, waiting.json()["code"]) == (412, "stale_precondition")
    await fenced.report_all(failed(1))
    present = await first_drive(operator)
    assert present["config_rev"] != seen["config_rev"]
    stale = await locate(operator, seen)
    assert (stale.status_code, stale.json()["code"]) == (412, "stale_precondition")
    assert (await locate(operator, present)).status_code == 202
    command = await fenced.expect("command")
    assert command["preconditions"] == [{"kind": "drive", "key": "d0", "config_rev": 1}]
    single = await operator.get(f"/drives/{present['id']}")
    assert single.headers["ETag"].startswith(f'"{present["config_rev"]}')
    host = (await operator.get(f"/hosts/{present['host_id']}")).json()
    assert host["config_rev"].startswith(present["config_rev"].partition("-")[0])


async def test_a_restart_keeps_revisions(fenced: FakeAgent, operator: httpx.AsyncClient) -> None:
    seen = await first_drive(operator)
    for _ in range(3):
        await fenced.close()
        await fenced.connect()
    assert (await first_drive(operator))["config_rev"] == seen["config_rev"]
    assert (await locate(operator, seen)).status_code == 202


async def test_a_new_state_directory_does_not_repeat_revisions(
    agent: FakeAgent, operator: httpx.AsyncClient
) -> None:
    """Of an agent that keeps no fences: its state has another epoch."""
    await agent.connect()
    await agent.report_all(documents.blank_host())
    seen = await first_drive(operator)
    await agent.close()
    agent.state_epoch = str(uuid4())
    await agent.connect()
    await agent.report_all(failed(1))
    assert (await first_drive(operator))["config_rev"] != seen["config_rev"]
    assert (await locate(operator, seen)).status_code == 412


async def test_a_command_is_not_sent_into_another_life(
    agent: FakeAgent, operator: httpx.AsyncClient
) -> None:
    """Its number would fit a configuration that nobody looked at."""
    await agent.connect()
    await agent.report_all(documents.blank_host())
    seen = await first_drive(operator)
    sent = await locate(operator, seen)
    assert sent.status_code == 202
    await agent.expect("command")  # and the host dies
    await agent.close()
    agent.state_epoch = str(uuid4())
    await agent.connect()
    await agent.report_all(failed(1))
    path = sent.headers["Location"].removeprefix("/api/v1")
    command = (await operator.get(path)).json()
    assert (command["state"], command["reason"]["code"]) == ("indeterminate", "command_unanswered")
    present = await first_drive(operator)
    assert (await locate(operator, present)).status_code == 202
    async with asyncio.timeout(10):
        assert (await agent.expect("command"))["number"] == 2  # the first is not repeated
