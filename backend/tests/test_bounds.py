"""What one host or one caller says beyond all bounds costs nobody else anything."""

import asyncio
import base64
import json
import math
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select, update
from websockets.exceptions import InvalidStatus

from arraywright import maintenance
from arraywright.events.models import Event
from arraywright.hosts.models import Host
from arraywright.link import allowances
from arraywright.storage.models import ObjectState
from tests.conftest import enrolled_agent
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.clock import HandClock
from tests.support.server import Running
from tests.test_protocol import EXAMPLES

pytestmark = pytest.mark.anyio

LISTS = {
    "host": "hosts",
    "controller": "controllers",
    "enclosure": "enclosures",
    "drive": "drives",
    "drive_group": "drive-groups",
    "virtual_drive": "virtual-drives",
    "battery": "batteries",
    "operation": "operations",
}
OTHER_PAGES = ("fleet", "events", "alerts", "commands", "audit")
SIZE_MAX = 2**53 - 1
TIME_MAX_US = 253_402_300_799_999_999
LAST_MOMENT = "9999-12-31T23:59:59.999999Z"


async def every_page(client: httpx.AsyncClient) -> dict[str, Any]:
    """All lists, each page and each object of them."""
    found: dict[str, Any] = {}
    for path in (*LISTS.values(), *OTHER_PAGES):
        answer = await client.get(f"/{path}")
        assert answer.status_code == 200, (path, answer.text)
        found[path] = answer.json().get("items", answer.json())
        cursor = answer.json().get("next_cursor")
        while cursor:
            answer = await client.get(f"/{path}", params={"cursor": cursor})
            assert answer.status_code == 200, (path, answer.text)
            cursor = answer.json()["next_cursor"]
            found[path] += answer.json()["items"]
    return found


async def send_objects(agent: FakeAgent, items: list[dict[str, Any]]) -> None:
    """As a hostile agent would: nothing is checked here."""
    base, agent.rev = agent.rev, agent.rev + 1
    frame = agent.state_frame(
        [{**item, "rev": agent.rev} for item in items], base_rev=base, to_rev=agent.rev
    )
    await agent.send_raw(json.dumps(frame))
    await agent.expect("ack", rev=agent.rev)


# The instances that were found


async def test_an_event_of_the_far_future(
    server: Running, raid5: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    events = [documents.event(1, wall_us=10**18), documents.event(2)]
    await raid5.send_raw(json.dumps(raid5.event_frame(events)))
    await raid5.expect("ack", event_seq=2)
    newer, older = (await administrator.get("/events")).json()["items"]
    assert (older["at"], older["limited"]) == (LAST_MOMENT, ["at"])
    assert newer["limited"] == []
    host = (await administrator.get("/hosts")).json()["items"][0]
    gone = await administrator.delete(f"/hosts/{host['id']}", params={"confirm": host["name"]})
    assert gone.status_code == 204
    assert (await administrator.get("/events")).status_code == 200


@pytest.mark.parametrize(
    ("kind", "field", "shown"),
    [
        ("host", "started_at_us", "started_at"),
        ("operation", "started_at_us", "started_at"),
        ("operation", "ended_at_us", "ended_at"),
        ("virtual_drive", "created_at_us", "created_at"),
        ("drive", "locate_ends_at_us", "locate_ends_at"),
    ],
)
async def test_a_time_of_the_far_future(
    raid5: FakeAgent, viewer: httpx.AsyncClient, kind: str, field: str, shown: str
) -> None:
    key = "host" if kind == "host" else "x1"
    await send_objects(raid5, [documents.item(kind, key, 0, {**EXAMPLES[kind], field: 10**18})])
    found = (await viewer.get(f"/{LISTS[kind]}")).json()["items"]
    (item,) = [item for item in found if kind == "host" or item["key"] == key]
    assert (item[shown], item["limited"]) == (LAST_MOMENT, [field])
    await every_page_of_viewer(viewer)


async def every_page_of_viewer(viewer: httpx.AsyncClient) -> None:
    for path in (*LISTS.values(), "fleet", "events", "alerts"):
        assert (await viewer.get(f"/{path}")).status_code == 200, path


async def test_drives_larger_than_any(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    huge = [
        documents.item("drive", f"h{n}", 0, documents.drive(n, size_bytes=2**62)) for n in range(4)
    ]
    await send_objects(raid5, huge)
    drives = (await viewer.get("/drives")).json()["items"]
    assert [d["size_bytes"] for d in drives if d["key"].startswith("h")] == [SIZE_MAX] * 4
    assert (await viewer.get("/fleet")).json()["raw_bytes"] >= 4 * SIZE_MAX


async def test_stored_sizes_add_up_beyond_64_bits(
    server: Running, raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """An older version has stored them unchecked."""
    async with server.runtime.database.write() as session:
        await session.execute(
            update(ObjectState).where(ObjectState.kind == "drive").values(size_bytes=2**62)
        )
    spare = documents.drive(7, state="hot_spare")
    await raid5.change("drive", "d7", spare)
    # Four drives online and three unconfigured: each state of a host has at most so much.
    assert (await viewer.get("/fleet")).json()["raw_bytes"] == 2 * 2**62 + spare["size_bytes"]
    host = (await viewer.get("/hosts")).json()["items"][0]
    assert host["summary"]["raw_bytes"] == 2**62


async def test_rows_of_an_older_version_are_shown(
    server: Running, raid5: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    await raid5.report_events([documents.event(1)], acked=1)
    await raid5.change("operation", "o1", documents.operation())
    broken = {"started_at_us": 10**18, "created_at_us": 10**18, "size_bytes": 2**80, "serial": 7}
    async with server.runtime.database.write() as session:
        await session.execute(update(Event).values(wall_us=10**18))
        for row in (await session.execute(select(ObjectState))).scalars():
            row.doc = {
                **row.doc,
                **{name: value for name, value in broken.items() if name in row.doc},
            }
    found = await every_page(administrator)
    assert found["events"][0]["limited"] == ["at"]
    assert found["operations"][0]["limited"] == ["started_at_us"]
    assert found["virtual-drives"][0]["limited"] == ["created_at_us", "size_bytes"]
    assert found["drives"] == []  # a serial that is a number cannot be mended
    async with server.runtime.database.read() as session:
        drive = (
            (await session.execute(select(ObjectState.id).where(ObjectState.kind == "drive")))
            .scalars()
            .first()
        )
    answer = await administrator.get(f"/drives/{drive}")
    assert (answer.status_code, answer.json()["code"]) == (404, "report_unreadable")


@pytest.mark.parametrize("number", [2**62, 2**63 - 1, 2**64, -1, 10**30])
async def test_command_number_beyond_its_bounds(agent: FakeAgent, number: int) -> None:
    hello = agent.hello(await agent.open(), command_number=number)
    await agent.send_raw(json.dumps(hello))
    refusal = await agent.expect("nack", reason="bad")
    assert "command_number" in refusal["detail"]
    await agent.expect_close()


async def test_highest_command_number(agent: FakeAgent, operator: httpx.AsyncClient) -> None:
    await agent.connect(command_number=2**62 - 1)
    await agent.report_all(documents.raid5_host())
    drive = (await operator.get("/drives")).json()["items"][0]
    answer = await operator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    assert answer.status_code == 202


# Every field of every document


NASTY: tuple[Any, ...] = (
    -1,
    SIZE_MAX,
    2**53,
    TIME_MAX_US,
    2**62 - 1,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    10**30,
    math.inf,
    math.nan,
    "a\x00b",
    "ü" * 5000,
    "",
    None,
    [],
    {},
    True,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document, also within."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, item in value.items():
            yield from places(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[path[0]] = changed(document[path[0]], path[1:], value)
    return copy


def spoiled(kind: str) -> Iterator[dict[str, Any]]:
    example = EXAMPLES[kind]
    for path in places(example):
        for value in NASTY:
            yield changed(example, path, value)
    yield {**example, "unknown": "a\x00b", "far": 10**400, "n\x00": math.nan}


@pytest.mark.parametrize("kind", LISTS)
async def test_every_field_of_a_document(
    raid5: FakeAgent, administrator: httpx.AsyncClient, kind: str
) -> None:
    items = [
        documents.item(kind, "host" if kind == "host" else f"n{number}", 0, document)
        for number, document in enumerate(spoiled(kind))
    ]
    part: list[dict[str, Any]] = []
    for item in items:
        if len(json.dumps([*part, item])) > 240_000:
            await send_objects(raid5, part)
            part = []
        part.append(item)
    await send_objects(raid5, part)
    found = await every_page(administrator)
    assert found[LISTS[kind]]
    (alert,) = [a for a in found["alerts"] if a["rule"] == "host_sent_nonsense"]
    assert kind in alert["reason"]["text"]
    await raid5.change("drive", "d0", documents.drive(0))  # still connected


async def test_every_field_of_an_event(raid5: FakeAgent, administrator: httpx.AsyncClient) -> None:
    seq = 0
    events = []
    for path in places(documents.event(1)):
        for value in NASTY if path != ("seq",) else ():
            seq += 1
            events.append({**changed(documents.event(seq), path, value), "seq": seq})
    for at in range(0, len(events), 100):
        part = events[at : at + 100]
        await raid5.send_raw(json.dumps(raid5.event_frame(part)))
        await raid5.expect("ack", event_seq=part[-1]["seq"])
    found = await every_page(administrator)
    assert len(found["events"]) == len(events)
    assert {"drive_inserted", "report_unreadable"} <= {item["name"] for item in found["events"]}


@pytest.mark.parametrize("kind", ["cmd_ack", "progress", "result", "heartbeat", "answer"])
async def test_every_field_of_other_frames(
    raid5: FakeAgent, administrator: httpx.AsyncClient, kind: str
) -> None:
    drive = (await administrator.get("/drives")).json()["items"][0]
    path = f"/drives/{drive['id']}/actions/locate"
    sent = await administrator.post(path, json={"on": True})
    command = await raid5.expect("command")
    reason = documents.reason("done", "Done.", name="x")
    frames: dict[str, dict[str, Any]] = {
        "cmd_ack": {"command_id": command["command_id"], "state": "accepted", "reason": reason},
        "progress": {"command_id": command["command_id"], "percent": 5},
        "result": {
            "command_id": command["command_id"],
            "state": "succeeded",
            "reason": reason,
            "objects": [{"kind": "drive", "key": "d0"}],
        },
        "heartbeat": {"state_rev": 1, "event_seq": 0},
        "answer": {"re": str(uuid4()), "ok": True, "reason": reason, "data": {"a": [1]}},
    }
    frame = {"v": 1, "t": kind, "ts": 1, **frames[kind]}
    for place in places(frames[kind]):
        for value in NASTY:
            await raid5.close()
            await raid5.connect()
            await raid5.send_raw(json.dumps(changed(frame, place, value)))
    await raid5.close()
    await raid5.connect()
    await every_page(administrator)
    found = (await administrator.get(f"/commands/{sent.json()['id']}")).json()
    assert found["finished"] == (kind in ("cmd_ack", "result") and found["state"] != "offered")


async def test_every_field_of_a_hello(
    agent: FakeAgent, administrator: httpx.AsyncClient, server: Running
) -> None:
    await agent.connect()
    await agent.report_all(documents.raid5_host())
    await agent.close()
    fences: dict[str, Any] = {"link_fence": "x", "state_fence": "y"}
    for place in places(agent.hello({"nonce": "n"}, **fences)):
        for value in NASTY:
            hello = changed(agent.hello(await agent.open(), **fences), place, value)
            await agent.send_raw(json.dumps(hello))
            answer = await agent.receive()
            assert answer["t"] in ("nack", "welcome"), answer
            assert answer.get("reason") != "overload"
            await agent.close()
    await every_page(administrator)


async def test_connections_of_strangers_are_few(
    server: Running, agent: FakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowances, "STRANGERS_PER_ADDRESS", 3)
    silent = [FakeAgent(server.url) for _ in range(3)]
    for one in silent:
        await one.open()
    with pytest.raises(InvalidStatus):
        await agent.open()
    await silent[0].close()
    async with asyncio.timeout(10):
        while server.runtime.allowances.strangers > 2:
            await asyncio.sleep(0.01)
    await agent.connect()  # and is no stranger any more
    assert server.runtime.allowances.strangers == 2
    for one in silent:
        await one.close()


# Limits of one host


async def test_too_many_objects_are_not_stored(
    raid5: FakeAgent, administrator: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowances, "OBJECTS", 20)
    drives = [documents.item("drive", f"m{n}", 0, documents.drive(n)) for n in range(30)]
    await send_objects(raid5, drives)
    await send_objects(raid5, drives)
    found = await every_page(administrator)
    total = sum(len(found[path]) for path in LISTS.values())
    assert total == 20
    assert "host_sent_nonsense" in {alert["rule"] for alert in found["alerts"]}
    # What is there already goes on being reported.
    await raid5.change("drive", "d0", documents.drive(0, state="failed"))
    states = {d["key"]: d["state"] for d in (await administrator.get("/drives")).json()["items"]}
    assert states["d0"] == "failed"


async def test_objects_of_unknown_kinds_are_few(
    server: Running, raid5: FakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowances, "UNKNOWN_OBJECTS", 5)
    strange = [documents.item("shelf", f"s{n}", 0, {"a": n}) for n in range(30)]
    await send_objects(raid5, strange)
    await send_objects(raid5, [documents.item("lid", "l", 0, {"a": "x" * 20_000})])
    async with server.runtime.database.read() as session:
        kinds = (await session.execute(select(ObjectState.kind))).scalars().all()
    assert (kinds.count("shelf"), kinds.count("lid")) == (5, 0)


async def test_a_flood_of_events_waits_and_is_told(
    raid5: FakeAgent, viewer: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowances, "EVENTS_BURST", 100)
    monkeypatch.setattr(allowances, "EVENTS_PER_S", 200.0)
    for first in range(1, 401, 100):
        events = [documents.event(seq) for seq in range(first, first + 100)]
        await raid5.send(raid5.event_frame(events))
    for acked in range(100, 401, 100):
        await raid5.expect("ack", event_seq=acked)
    assert (await viewer.get("/events")).json()["total"] == 400
    (alert,) = (await viewer.get("/alerts", params={"rule": "host_noisy"})).json()["items"]
    assert "had to wait" in alert["reason"]["text"]


async def test_oldest_events_of_a_host_that_never_stops_are_removed(
    server: Running, raid5: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    async with await enrolled_agent(server, administrator, "beta") as beta:
        await beta.connect()
        await beta.report_events([documents.event(seq) for seq in range(1, 4)], acked=3)
    for first in range(1, 1201, 200):
        events = [documents.event(seq) for seq in range(first, first + 200)]
        await raid5.report_events(events, acked=first + 199)
    settings = server.runtime.settings
    server.runtime.settings = settings.model_copy(update={"events_per_host": 1000})
    await maintenance.thin_out(server.runtime)
    await maintenance.thin_out(server.runtime)
    async with server.runtime.database.read() as session:
        rows = (await session.execute(select(Event.host_id, Event.seq))).all()
    mine = sorted(row.seq for row in rows if str(row.host_id) == raid5.agent_id)
    assert mine == list(range(201, 1201))
    assert len(rows) == 1003


async def test_a_flooding_host_has_its_steady_rate() -> None:
    clock = HandClock()
    room = allowances.Allowances(clock)
    host = uuid4()
    assert room.events_delay_s(host, allowances.EVENTS_BURST) == 0
    waited = sum(room.events_delay_s(host, 50) for _ in range(1))
    assert waited == pytest.approx(50 / allowances.EVENTS_PER_S, rel=0.1)
    assert room.noisy_to_tell(host) == 50
    room.events_delay_s(host, 50)
    assert room.noisy_to_tell(host) == 0  # told just now
    clock.offset_s += 3600
    assert room.events_delay_s(host, 50) == 0


# Requests


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/events?code=4637825453980570877952", 422),
        ("/events?until=0", 422),
        ("/events?since=1e3", 422),
        ("/events?since=0001-01-01T00:00:00%2B14:00", 422),
        ("/events?until=9999-12-31T23:59:59-14:00", 422),
        ("/events?since=0001-01-01T00:00:00Z", 200),
        ("/hosts?q=%00", 422),
        ("/hosts?q=%ED%A0%80", 200),
        ("/drives?q=a%00b&limit=2", 422),
        ("/hosts/%00", 404),
        ("/%00", 404),
        ("/hosts?cursor=%00", 422),
    ],
)
async def test_queries_beyond_bounds(viewer: httpx.AsyncClient, path: str, status: int) -> None:
    answer = await viewer.get(path)
    assert answer.status_code == status, answer.text
    if status >= 400:
        assert answer.headers["content-type"] == "application/problem+json"


async def test_nul_in_the_address_needs_no_login(server: Running, callers: Any) -> None:
    async with httpx.AsyncClient(base_url=server.url) as client:
        assert (await client.get("/%00")).status_code == 404


@pytest.mark.parametrize(
    "values",
    [
        [10**30],
        [2**63],
        ["\x00"],
        ["\ud800"],
        [1, "not-an-id"],
        ["a", "not-an-id"],
        ["a", "\x00", str(uuid4())],
        ["a", "b", "not-an-id"],
        [[[[]]]],
        [True],
    ],
)
async def test_made_up_cursors(administrator: httpx.AsyncClient, values: list[Any]) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")
    for path in (*LISTS.values(), "events", "alerts", "commands", "audit", "users", "api-tokens"):
        answer = await administrator.get(f"/{path}", params={"cursor": cursor})
        assert answer.status_code == 422, (path, answer.text)


@pytest.mark.parametrize("text", ["a\\u0000b", "a\\ud800b", "\\udfff"])
async def test_texts_that_are_none(
    raid5: FakeAgent, administrator: httpx.AsyncClient, text: str
) -> None:
    drive = (await administrator.get("/virtual-drives")).json()["items"][0]
    headers = {"content-type": "application/json", "If-Match": '"1"'}
    for method, path, body in (
        ("POST", "/auth/login", f'{{"username":"{text}","password":"{text}"}}'),
        ("POST", "/users", f'{{"username":"eve","role":"viewer","password":"{text}0123456789"}}'),
        ("POST", "/users", f'{{"{text}":1}}'),
        ("PATCH", f"/virtual-drives/{drive['id']}", f'{{"name":"{text}"}}'),
        ("POST", "/api-tokens", f'{{"name":"{text}","role":"viewer"}}'),
        ("POST", "/enrolment-tokens", f'{{"name":"{text}"}}'),
        ("POST", "/agents/enrol", f'{{"token":"{text}"}}'),
    ):
        answer = await administrator.request(method, path, content=body, headers=headers)
        assert answer.status_code == 422, (path, answer.text)
        answer.json()


async def test_body_that_is_no_json(administrator: httpx.AsyncClient) -> None:
    headers = {"content-type": "application/json"}
    for body in (b"{", b'{"name":', b"\xff\xfe", b"[" * 100_000, b'{"a":' + b"9" * 5000 + b"}"):
        answer = await administrator.post("/api-tokens", content=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json"), body[:20]


async def test_command_that_no_host_would_take(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    battery_time = "0001-01-01T00:00:00Z"
    controller = (await operator.get("/controllers")).json()["items"][0]
    answer = await operator.patch(
        f"/controllers/{controller['id']}", json={"patrol_next_at": battery_time}
    )
    assert answer.status_code == 422, answer.text


async def test_a_namesake_changes_nothing_of_others(
    server: Running, raid5: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    """Only the host that reports nonsense has the alert."""
    async with await enrolled_agent(server, administrator, "beta") as beta:
        await beta.connect()
        await beta.report_all(documents.blank_host())
        await send_objects(beta, [documents.item("drive", "x", 0, {"size_bytes": 1})])
    async with server.runtime.database.read() as session:
        names = {row.id: row.name for row in (await session.execute(select(Host))).scalars()}
    found = (await administrator.get("/alerts", params={"rule": "host_sent_nonsense"})).json()
    assert [names[UUID(item["host_id"])] for item in found["items"]] == ["beta"]
