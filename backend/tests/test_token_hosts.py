"""Tokens limited to hosts: of the others they learn nothing at all."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from arraywright.kit.roles import Role
from arraywright.models import Base
from tests.conftest import Callers, enrolled_agent
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.server import Running
from tests.test_routes import routes

pytestmark = pytest.mark.anyio
LISTS = (
    *("hosts", "controllers", "enclosures", "drives", "drive-groups", "virtual-drives"),
    *("batteries", "operations", "commands", "events", "alerts"),
)

PARAMETERS = {
    "controllers": "controller_id",
    "enclosures": "enclosure_id",
    "drives": "drive_id",
    "drive-groups": "drive_group_id",
    "virtual-drives": "virtual_drive_id",
    "batteries": "battery_id",
    "operations": "operation_id",
    "commands": "command_id",
}


@pytest.fixture
async def beta(server: Running, administrator: httpx.AsyncClient) -> AsyncIterator[FakeAgent]:
    made = await enrolled_agent(server, administrator, "beta")
    await made.connect()
    await made.report_all(documents.cached_host())
    yield made
    await made.close()


async def told(agent: FakeAgent) -> None:
    """An event, an operation and an alert."""
    agent.event_seq = 1
    await agent.report_events([documents.event(1)], acked=1)
    await agent.change("operation", "o1", documents.operation())


@pytest.fixture
async def both(cached: FakeAgent, beta: FakeAgent, callers: Callers) -> list[FakeAgent]:
    operator = callers.role(Role.OPERATOR)
    for agent in (cached, beta):
        await told(agent)
        drives = await operator.get("/drives", params={"host_id": agent.agent_id})
        drive = drives.json()["items"][0]
        asked = await operator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
        assert asked.status_code == 202, asked.text
        await agent.expect("command")
    return [cached, beta]


async def limited(
    callers: Callers, host_ids: list[str], role: Role = Role.ADMINISTRATOR
) -> httpx.AsyncClient:
    body = {"name": "limited", "role": role.value, "host_ids": host_ids}
    made = await callers.role(role).post("/api-tokens", json=body)
    assert made.status_code == 201, made.text
    client = callers.anonymous()
    client.headers["Authorization"] = f"Bearer {made.json()['token']}"
    return client


async def items(client: httpx.AsyncClient, path: str) -> list[dict[str, Any]]:
    answer = await client.get(path, params={"limit": 500})
    assert answer.status_code == 200, (path, answer.text)
    found: list[dict[str, Any]] = answer.json()["items"]
    assert answer.json()["total"] == len(found), path
    return found


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")


async def test_lists_and_figures_are_those_of_the_hosts(
    both: list[FakeAgent], callers: Callers
) -> None:
    alpha = both[0].agent_id
    client = await limited(callers, [alpha])
    for path in LISTS:
        everything = await items(callers.role(Role.ADMINISTRATOR), f"/{path}")
        mine = [item for item in everything if item.get("host_id", item["id"]) == alpha]
        if path != "alerts":
            assert 0 < len(mine) < len(everything), path
        assert [item["id"] for item in await items(client, f"/{path}")] == [
            item["id"] for item in mine
        ]
    whole = (await callers.role(Role.VIEWER).get("/fleet")).json()
    part = (await client.get("/fleet")).json()
    assert (whole["hosts"], part["hosts"], part["hosts_online"]) == (2, 1, 1)
    assert part["raw_bytes"] * 2 == whole["raw_bytes"]
    told = (await client.get("/metrics")).text
    assert told.count("arraywright_host_online{") == 1
    drives = await items(client, "/drives")
    assert sum(line["count"] for line in part["drives_by_state"]) == len(drives)


async def test_other_hosts_do_not_exist(both: list[FakeAgent], callers: Callers) -> None:
    """Whatever is asked of them is answered as if they had never been."""
    alpha, beta = (agent.agent_id for agent in both)
    client = await limited(callers, [alpha])
    everything = callers.role(Role.ADMINISTRATOR)
    ids = {"host_id": beta}
    for path, name in PARAMETERS.items():
        found = [item for item in await items(everything, f"/{path}") if item["host_id"] == beta]
        ids[name] = found[0]["id"]
    tried = 0
    for method, path, _ in routes():
        names = [name for name in ids if f"{{{name}}}" in path]
        if not names:
            continue
        tried += 1
        there = path.replace(f"{{{names[0]}}}", ids[names[0]])
        nowhere = path.replace(f"{{{names[0]}}}", str(uuid4()))
        for body in ({}, {"action": "start"}, {"on": True}, {"fault": "fail"}):
            answers = [
                await client.request(method, each, json=body, params={"confirm": "beta"})
                if path == "/hosts/{host_id}" and method == "DELETE"
                else await client.request(method, each, json=body)
                for each in (there, nowhere)
            ]
            assert code(answers[0]) == code(answers[1]), (method, path, answers[0].text)
            assert answers[0].status_code in (404, 422), (method, path, answers[0].text)
            if method == "GET":
                assert answers[0].status_code == 404, (path, answers[0].text)
    assert tried > 40
    for query in (
        {"object_id": ids["battery_id"]},
        {"object_id": ids["controller_id"]},
    ):
        assert (await client.get("/metrics/history", params=query)).status_code == 404
    drive = ids["drive_id"]
    choice = {"controller_id": ids["controller_id"], "level": "raid0", "drive_ids": [drive]}
    assert (await client.post("/lab/choices", json=choice)).status_code == 404
    wish = choice | {"size_bytes": "all"}
    for path in ("/virtual-drives", "/virtual-drives/preview"):
        assert (await client.post(path, json=wish)).status_code == 404
    own = (await items(client, "/controllers"))[0]["id"]
    replies = [
        await client.post("/virtual-drives/preview", json=wish | {"controller_id": own} | more)
        for more in ({"drive_ids": [drive]}, {"drive_ids": [str(uuid4())]})
    ]
    assert code(replies[0]) == code(replies[1])


async def test_commands_of_its_hosts(both: list[FakeAgent], callers: Callers) -> None:
    alpha, beta = (agent.agent_id for agent in both)
    client = await limited(callers, [alpha], Role.OPERATOR)
    drives = await items(callers.role(Role.OPERATOR), "/drives")
    mine = next(item for item in drives if item["host_id"] == alpha)
    other = next(item for item in drives if item["host_id"] == beta)
    key = {"Idempotency-Key": "the-same"}
    path = f"/drives/{other['id']}/actions/locate"
    wide = await callers.role(Role.OPERATOR).post(path, json={"on": True}, headers=key)
    assert wide.status_code == 202, wide.text
    # Not by the key of a token that reaches further, either.
    assert code(await client.post(path, json={"on": True}, headers=key)) == (404, "not_found")
    assert code(await client.post(path, json={"on": True})) == (404, "not_found")
    path = f"/drives/{mine['id']}/actions/locate"
    made = await client.post(path, json={"on": True})
    assert made.status_code == 202, made.text
    assert (await client.get(made.headers["Location"].removeprefix("/api/v1"))).is_success


async def test_what_concerns_all_hosts_is_refused(both: list[FakeAgent], callers: Callers) -> None:
    client = await limited(callers, [both[0].agent_id])
    for path in ("/users", "/audit", "/audit/verification", "/enrolment-tokens"):
        assert code(await client.get(path)) == (403, "token_limited"), path
    for path in ("/users", "/enrolment-tokens"):
        assert code(await client.post(path, json={"name": "x"})) == (403, "token_limited"), path


async def test_tokens_made_with_it_reach_no_further(
    both: list[FakeAgent], callers: Callers
) -> None:
    alpha, beta = (agent.agent_id for agent in both)
    client = await limited(callers, [alpha])
    wish = {"name": "more", "role": "viewer"}
    made = await client.post("/api-tokens", json=wish)
    assert made.status_code == 201, made.text
    assert made.json()["host_ids"] == [alpha]
    assert made.json()["hosts"] == [{"id": alpha, "name": "alpha"}]
    for host_id in (beta, str(uuid4())):
        answer = await client.post("/api-tokens", json=wish | {"host_ids": [alpha, host_id]})
        assert code(answer) == (422, "unknown_object")
        assert answer.json()["errors"][0]["pointer"] == "/host_ids/1"
    assert {item["name"] for item in await items(client, "/api-tokens")} == {"limited", "more"}
    everything = await items(callers.role(Role.ADMINISTRATOR), "/api-tokens")
    foreign = next(item for item in everything if item["name"] == "test")
    assert code(await client.delete(f"/api-tokens/{foreign['id']}")) == (404, "not_found")
    trail = await callers.role(Role.ADMINISTRATOR).get(
        "/audit", params={"action": "api_token.create"}
    )
    assert {item["detail"]["hosts"] for item in trail.json()["items"]} == {alpha}
    # Retiring its only host does not open the others to it.
    retired = await callers.role(Role.ADMINISTRATOR).delete(
        f"/hosts/{alpha}", params={"confirm": "alpha"}
    )
    assert retired.status_code == 204, retired.text
    assert await items(client, "/hosts") == []
    assert (await client.get("/fleet")).json()["hosts"] == 0


async def test_the_stream_tells_of_its_hosts_only(both: list[FakeAgent], callers: Callers) -> None:
    alpha, beta = both
    client = await limited(callers, [alpha.agent_id], Role.VIEWER)
    async with asyncio.timeout(20), client.stream("GET", "/live/stream") as answer:
        lines = answer.aiter_lines()
        seen: set[str] = set()
        began = False
        async for line in lines:
            if line.startswith("event: ready"):
                await beta.change("drive", "d0", documents.drive(0, locating=True))
                await alpha.change("drive", "d0", documents.drive(0, locating=True))
                began = True
            if began and line.startswith("data: ") and "changes" in line:
                changes = json.loads(line.removeprefix("data: "))["changes"]
                seen |= {item["id"] for item in changes}
                if alpha.agent_id in seen:
                    break
        assert beta.agent_id not in seen
    mine = {item["id"] for path in LISTS for item in await items(client, f"/{path}")}
    assert seen <= mine


def test_every_table_of_hosts_is_limited() -> None:
    """A row that belongs to a host says so in a column that is never empty."""
    free = {"enrol_token", "outbox"}  # of no host before they are used; not read for callers
    for table in Base.metadata.tables.values():
        if "host_id" in table.columns and table.name not in free:
            assert not table.columns["host_id"].nullable, table.name
