"""Two hosts with one name are told apart wherever a host is named."""

from collections.abc import AsyncIterator
from uuid import UUID

import httpx
import pytest

from arraywright.kit.roles import Role
from tests.conftest import Callers, enrolled_agent
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.server import Running
from tests.test_token_hosts import PARAMETERS, items, told

pytestmark = pytest.mark.anyio


@pytest.fixture
async def twins(
    server: Running, cached: FakeAgent, callers: Callers
) -> AsyncIterator[list[FakeAgent]]:
    twin = await enrolled_agent(server, callers.role(Role.ADMINISTRATOR), "alpha")
    await twin.connect()
    await twin.report_all(documents.cached_host())
    operator = callers.role(Role.OPERATOR)
    for agent in (cached, twin):
        await told(agent)
        drives = await operator.get("/drives", params={"host_id": agent.agent_id})
        path = f"/drives/{drives.json()['items'][0]['id']}/actions/locate"
        assert (await operator.post(path, json={"on": True})).status_code == 202
        await agent.expect("command")
    yield [cached, twin]
    await twin.close()


async def test_every_list_tells_namesakes_apart(
    twins: list[FakeAgent], administrator: httpx.AsyncClient
) -> None:
    labels = {agent.agent_id: f"alpha ({agent.agent_id[:8]})" for agent in twins}
    hosts = {item["id"]: item["label"] for item in await items(administrator, "/hosts")}
    assert hosts == labels
    for path in (*PARAMETERS, "events"):
        found = await items(administrator, f"/{path}")
        assert {item["host_id"]: item["host_name"] for item in found} == labels, path
        if path != "events":
            single = await administrator.get(f"/{path}/{found[0]['id']}")
            assert single.json()["host_name"] == found[0]["host_name"]
    wish = {"name": "limited", "role": "viewer", "host_ids": list(labels)}
    made = await administrator.post("/api-tokens", json=wish)
    assert [host["name"] for host in made.json()["hosts"]] == list(labels.values())


async def test_pages_of_namesakes_leave_nothing_out(
    twins: list[FakeAgent], administrator: httpx.AsyncClient
) -> None:
    """Lists are in the order of the hosts' own names."""
    everything = [item["id"] for item in await items(administrator, "/drives")]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = (await administrator.get("/drives", params={"limit": 3, **cursor})).json()
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == everything


async def test_the_name_is_plain_again_when_it_is_alone(
    twins: list[FakeAgent], administrator: httpx.AsyncClient
) -> None:
    gone, stays = twins
    retired = await administrator.delete(
        f"/hosts/{gone.agent_id}", params={"confirm": f"alpha ({gone.agent_id[:8]})"}
    )
    assert retired.status_code == 204, retired.text
    assert {item["host_name"] for item in await items(administrator, "/drives")} == {"alpha"}
    # What is left of the other is not taken for this one's.
    events = {item["host_id"]: item["host_name"] for item in await items(administrator, "/events")}
    assert events == {
        gone.agent_id: f"alpha ({gone.agent_id[:8]})",
        stays.agent_id: "alpha",
    }


async def searched(client: httpx.AsyncClient, words: str) -> list[str]:
    found = (await client.get("/drives", params={"q": words})).json()["items"]
    return [item["serial"] for item in found]


async def test_labels_are_changed_and_found_by(
    raid5: FakeAgent, administrator: httpx.AsyncClient, callers: Callers
) -> None:
    path = f"/hosts/{raid5.agent_id}"
    before = (await administrator.get(path)).json()
    body = {"labels": ["site:b", "rack:7", "site:b"]}
    for role in (Role.VIEWER, Role.OPERATOR):
        assert (await callers.role(role).patch(path, json=body)).status_code == 403
    changed = await administrator.patch(path, json=body)
    assert changed.status_code == 200, changed.text
    assert changed.json()["labels"] == ["rack:7", "site:b"]
    assert changed.json()["rev"] > before["rev"]
    assert changed.headers["ETag"].startswith(f'"{before["config_rev"]}')
    assert (await administrator.get(path)).json()["labels"] == ["rack:7", "site:b"]
    found = await administrator.get("/hosts", params={"label": "site:b"})
    assert [item["id"] for item in found.json()["items"]] == [raid5.agent_id]
    assert len(await searched(administrator, "rack:7")) == 8
    # What the host reports afterwards is found by them too.
    await raid5.change("drive", "d0", documents.drive(0, serial="NEWONE"))
    (drive,) = await searched(administrator, "newone")
    assert drive in await searched(administrator, "site:b")
    audit = (await administrator.get("/audit", params={"action": "host.label"})).json()["items"]
    assert [entry["detail"]["labels"] for entry in audit] == ["rack:7 site:b"]
    again = await administrator.patch(path, json=body)
    assert again.json()["rev"] == (await administrator.get(path)).json()["rev"]
    assert (await administrator.patch(path, json={"labels": []})).json()["labels"] == []
    assert await searched(administrator, "rack:7") == []
    for wrong in ({}, {"labels": ["a b"]}, {"labels": None}, {"labels": [], "name": "x"}):
        assert (await administrator.patch(path, json=wrong)).status_code == 422, wrong
    missing = f"/hosts/{UUID(int=1)}"
    assert (await administrator.patch(missing, json=body)).status_code == 404
