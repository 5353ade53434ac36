"""Previews are answered by the host itself."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.support import documents, wire
from tests.support.agent import FakeAgent
from tests.test_commands import only, until_offline

pytestmark = pytest.mark.anyio


def plan(**changes: Any) -> dict[str, Any]:
    answer = {
        "ok": True,
        "refusals": [],
        "warnings": [documents.reason("mixed_media", "SSDs and hard disks.")],
        "plan_digest": "f00d",
        "level": "raid5",
        "size_bytes": 6 * documents.GIB,
        "raw_bytes": 8 * documents.GIB,
        "wasted_bytes": 10,
        "wasted": [{"drive": "d1", "bytes": 10}],
        "drive_failures_tolerated": 1,
        "tolerance": "Any one drive may fail.",
        "span_count": 1,
        "drives_per_span": 4,
        "strip_bytes": 65536,
        "row_bytes": 196608,
        "block_bytes": 512,
        "init_seconds": 30,
        "cli": "arrayctl /c0 add vd r5 drives=252:0-3",
        **changes,
    }
    wire.validator("commands", "preview_answer").validate(answer)
    return answer


async def wish(client: httpx.AsyncClient) -> dict[str, Any]:
    controller = await only(client, "/controllers")
    drives = (await client.get("/drives")).json()["items"]
    ids = [item["id"] for item in drives[:4]]
    return {
        "controller_id": controller["id"],
        "level": "raid5",
        "drive_ids": ids,
        "size_bytes": "all",
    }


async def test_answer_comes_from_the_host(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    body = await wish(viewer)
    asked = asyncio.create_task(viewer.post("/virtual-drives/preview", json=body))
    query = await agent.answer_query(plan())
    assert query["name"] == "preview_vd_create"
    assert query["args"] == {
        "controller": "c0",
        "level": "raid5",
        "drives": ["d0", "d1", "d2", "d3"],
    }
    answer = (await asked).json()
    assert answer["ok"] is True
    assert answer["plan_digest"] == "f00d"
    assert answer["wasted"] == [{"drive_id": body["drive_ids"][1], "bytes": 10}]
    assert (await viewer.get("/commands")).json()["total"] == 0


async def test_refused_wish_is_an_answer_too(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    asked = asyncio.create_task(viewer.post("/virtual-drives/preview", json=await wish(viewer)))
    why = documents.reason("too_few_drives", "raid5 needs at least 3 drives; 2 were given.")
    await agent.answer_query(plan(ok=False, refusals=[why]))
    answer = await asked
    assert answer.status_code == 200
    assert answer.json()["refusals"] == [why]


async def test_host_cannot_answer(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    body = await wish(viewer)
    asked = asyncio.create_task(viewer.post("/virtual-drives/preview", json=body))
    why = documents.reason("not_online", "The controller is not online yet.")
    await agent.answer_query(None, reason=why)
    problem = (await asked).json()
    assert (problem["status"], problem["code"]) == (422, "not_online")
    asked = asyncio.create_task(viewer.post("/virtual-drives/preview", json=body))
    await agent.answer_query({"ok": True})
    problem = (await asked).json()
    assert (problem["status"], problem["code"]) == (502, "host_answer_bad")


async def test_silent_host_times_out(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    answer = await viewer.post("/virtual-drives/preview", json=await wish(viewer))
    assert (answer.status_code, answer.json()["code"]) == (504, "host_timeout")


async def test_host_leaves_while_asked(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    asked = asyncio.create_task(viewer.post("/virtual-drives/preview", json=await wish(viewer)))
    await agent.expect("query")
    await agent.abort()
    answer = await asked
    assert (answer.status_code, answer.json()["code"]) == (409, "host_offline")


async def test_offline_host(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    body = await wish(viewer)
    await raid5.close()
    await until_offline(viewer, raid5)
    answer = await viewer.post("/virtual-drives/preview", json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "host_offline")


def outcome(**changes: Any) -> dict[str, Any]:
    as_requested = documents.reason("as_requested", "As requested.")
    answer = {
        "ok": True,
        "refusals": [],
        "policies": {
            name: {"requested": word, "effective": word, "reason": as_requested}
            for name, word in (
                ("write_policy", "write_back"),
                ("read_policy", "adaptive_read_ahead"),
                ("io_policy", "direct"),
                ("drive_cache_policy", "on"),
                ("degraded_policy", "write_through"),
            )
        },
        "risks": [documents.reason("risk_drive_cache", "The drives' own caches hold it.")],
        "cli": "arrayctl /c0/v0 set wrcache=wb",
        **changes,
    }
    wire.validator("commands", "policy_answer").validate(answer)
    return answer


async def test_policies_of_a_preset_are_the_hosts_answer(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    await agent.connect()
    await agent.report_all(documents.raid5_host())
    virtual_drive = await only(viewer, "/virtual-drives")
    assert virtual_drive["degraded_policy"] == "keep"
    assert virtual_drive["effective_degraded_policy"] is None  # its host does not say
    url = f"/virtual-drives/{virtual_drive['id']}/policy-preview"
    assert (await viewer.post(url, json={})).status_code == 422
    body = {"preset": "maximum-performance", "read_policy": "adaptive_read_ahead"}
    asked = asyncio.create_task(viewer.post(url, json=body))
    query = await agent.answer_query(outcome())
    assert query["name"] == "preview_vd_set"
    assert query["args"] == {"virtual_drive": "v0", **body}
    answer = (await asked).json()
    assert answer["policies"]["drive_cache_policy"]["effective"] == "on"
    assert answer["policies"]["degraded_policy"]["effective"] == "write_through"
    assert [risk["code"] for risk in answer["risks"]] == ["risk_drive_cache"]
    assert (await viewer.get("/commands")).json()["total"] == 0


@pytest.mark.parametrize("size", [0, -1, None, "", "0", "everything", 2**53, 1.5, True, [], "ALL"])
async def test_no_size_is_never_all_there_is(
    raid5: FakeAgent, operator: httpx.AsyncClient, size: Any
) -> None:
    """A field that was left empty in a script must not take the whole of the drives."""
    body = await wish(operator) | {"size_bytes": size}
    without = {name: value for name, value in body.items() if name != "size_bytes"}
    for path in ("/virtual-drives/preview", "/virtual-drives"):
        for wrong in (body, without):
            answer = await operator.post(path, json=wrong)
            assert answer.status_code == 422, (path, wrong, answer.text)
            assert [item["pointer"] for item in answer.json()["errors"]] == ["/size_bytes"]
    assert (await operator.get("/commands")).json()["items"] == []


async def test_a_size_reaches_the_host(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    body = await wish(operator)
    for size, told in (("all", {}), (1, {"size_bytes": 1}), (2**40, {"size_bytes": 2**40})):
        answer = await operator.post("/virtual-drives", json=body | {"size_bytes": size})
        assert answer.status_code == 202, answer.text
        args = (await raid5.expect("command", op="vd_create"))["args"]
        assert {name: args[name] for name in args if name == "size_bytes"} == told
