"""The uplink: who gets in, what is stored, what is refused."""

import base64
import json
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from arraywright.server import AgentConnection
from tests.conftest import Callers, enrolled_agent
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.server import Running

pytestmark = pytest.mark.anyio


async def drives(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    answer = await client.get("/drives")
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def test_full_state_then_delta(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    assert agent.welcome["acked_rev"] == 0
    await agent.report_all(documents.blank_host())
    assert [item["path"] for item in await drives(viewer)] == [
        f"/c0/e252/s{slot}" for slot in range(8)
    ]
    await agent.change("drive", "d3", documents.drive(3, state="failed"), config_rev=2)
    third = (await drives(viewer))[3]
    assert (third["state"], third["rev"]) == ("failed", 2)
    assert third["config_rev"].endswith("-2")
    await agent.remove("drive", "d7")
    assert len(await drives(viewer)) == 7


async def test_reconnect_continues_after_acked_revision(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    await agent.close()
    await agent.connect()
    assert agent.welcome["acked_rev"] == 1
    await agent.change("drive", "d0", documents.drive(0, locating=True))
    assert (await drives(viewer))[0]["locating"] is True


async def test_new_epoch_starts_over(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    agent.rev = 50
    await agent.report_all(documents.blank_host(50))
    await agent.close()
    agent.state_epoch = str(uuid4())
    agent.rev = 2
    await agent.connect()
    assert agent.welcome["acked_rev"] == 0
    await agent.report_all(documents.blank_host(2)[:5])
    found = await drives(viewer)
    assert [(item["key"], item["rev"]) for item in found] == [("d0", 2), ("d1", 2)]


async def test_gap_is_answered_with_resync(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    item = documents.item("drive", "d0", 9, documents.drive(0, state="failed"))
    await agent.send(agent.state_frame([item], base_rev=8, to_rev=9))
    await agent.expect("nack", reason="resync")
    assert (await drives(viewer))[0]["state"] == "unconfigured_good"
    agent.rev = 9
    await agent.report_all(documents.blank_host(9))
    assert (await drives(viewer))[0]["rev"] == 9


async def test_full_state_in_several_frames(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    agent.rev = 5
    objects = documents.blank_host(5)
    first = agent.state_frame(objects[:5], base_rev=0, to_rev=5, full=True, more=True)
    second = agent.state_frame(objects[5:9], base_rev=0, to_rev=5, full=True)
    await agent.send(first)
    await agent.send(second)
    await agent.expect("ack", rev=5)
    assert len(await drives(viewer)) == 6  # two were not named


async def test_unknown_fields_kinds_and_words_are_tolerated(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    await agent.connect()
    objects = documents.blank_host()
    objects.append(documents.item("sensor", "b0", 1, {"anything": [1]}))
    objects[3]["doc"] |= {"state": "sanitizing", "invented": {"later": True}}
    await agent.report_all(objects)
    assert (await drives(viewer))[0]["state"] == "sanitizing"


async def test_wrong_signature_is_refused(agent: FakeAgent) -> None:
    challenge = await agent.open()
    other = ec.generate_private_key(ec.SECP256R1())
    agent.key, own = other, agent.key
    forged = agent.hello(challenge)
    agent.key = own
    await agent.send(forged)
    await agent.expect("nack", reason="unauthorised")
    await agent.expect_close()


async def test_garbled_signature_is_refused(agent: FakeAgent) -> None:
    for signature in ("", "!!", base64.b64encode(b"x" * 70).decode()):
        challenge = await agent.open()
        await agent.send(agent.hello(challenge, signature=signature))
        await agent.expect("nack", reason="unauthorised")
        await agent.expect_close()


async def test_replayed_hello_is_refused(agent: FakeAgent) -> None:
    first = await agent.open()
    recorded = agent.hello(first)
    await agent.close()
    await agent.open()
    await agent.send(recorded)
    await agent.expect("nack", reason="unauthorised")
    await agent.expect_close()


async def test_unknown_agent_is_refused(agent: FakeAgent) -> None:
    agent.agent_id = str(uuid4())
    challenge = await agent.open()
    await agent.send(agent.hello(challenge))
    await agent.expect("nack", reason="unauthorised")
    await agent.expect_close()


async def test_first_frame_must_be_a_hello(agent: FakeAgent) -> None:
    await agent.open()
    await agent.send({"v": 1, "t": "heartbeat", "state_rev": 1, "event_seq": 0})
    await agent.expect("nack", reason="bad")
    await agent.expect_close()


MALFORMED = [
    "",
    "{",
    "[]",
    "null",
    '{"v":1}',
    '{"v":1,"t":7}',
    '{"v":1,"t":"state","epoch":"x"}',
    json.dumps({"v": 1, "t": "heartbeat", "state_rev": "1", "event_seq": 0}),
    json.dumps({"v": 1, "t": "heartbeat", "state_rev": -1, "event_seq": 0}),
    json.dumps({"v": 1, "t": "heartbeat", "state_rev": True, "event_seq": 0}),
    '{"v":1,"t":"heartbeat","state_rev":1,"event_seq":0' + " " * 300 + "x",
    "[" * 5000,
]


async def test_malformed_frame_changes_nothing(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    before = await drives(viewer)
    for text in MALFORMED:
        await agent.close()
        await agent.connect()
        await agent.send_raw(text)
        await agent.expect("nack", reason="bad")
        assert await drives(viewer) == before, text
        await agent.send({"v": 1, "t": "heartbeat", "state_rev": 1, "event_seq": 0})
    await agent.change("drive", "d0", documents.drive(0, locating=True))  # still connected


async def test_malformed_document_costs_only_its_object(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    before = {item["key"]: item for item in await drives(viewer)}
    broken = documents.drive(0)
    del broken["serial"]
    good = documents.item("drive", "d1", 2, documents.drive(1, state="failed"))
    bad = documents.item("drive", "d0", 2, broken)
    await agent.send_raw(json.dumps(agent.state_frame([good, bad], base_rev=1, to_rev=2)))
    await agent.expect("ack", rev=2)
    after = {item["key"]: item for item in await drives(viewer)}
    assert after["d1"]["state"] == "failed"
    assert after["d0"] == {**before["d0"], "rev": 2, "limited": ["report"]}
    (alert,) = (await viewer.get("/alerts", params={"rule": "host_sent_nonsense"})).json()["items"]
    assert "drive d0 left out: serial" in alert["reason"]["text"]
    good = documents.item("drive", "d0", 3, documents.drive(0))
    await agent.send(agent.state_frame([good], base_rev=2, to_rev=3))
    await agent.expect("ack", rev=3)
    assert {item["key"]: item["limited"] for item in await drives(viewer)}["d0"] == []


async def test_a_report_that_follows_a_malformed_one_at_once_counts(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """Both are stored by one transaction."""
    await agent.connect()
    await agent.report_all(documents.blank_host())
    broken = documents.drive(0)
    del broken["serial"]
    bad = documents.item("drive", "d0", 2, broken)
    good = documents.item("drive", "d0", 3, documents.drive(0, temperature_c=61))
    await agent.send_raw(json.dumps(agent.state_frame([bad], base_rev=1, to_rev=2)))
    await agent.send(agent.state_frame([good], base_rev=2, to_rev=3))
    await agent.expect("ack", rev=2)
    await agent.expect("ack", rev=3)
    drive = (await drives(viewer))[0]
    assert (drive["rev"], drive["temperature_c"], drive["limited"]) == (3, 61, [])


async def test_repeated_malformed_frames_close_the_connection(agent: FakeAgent) -> None:
    await agent.connect()
    for _ in range(3):
        await agent.send_raw("{")
        await agent.expect("nack", reason="bad")
    await agent.expect_close()
    await agent.connect()  # and it may come back


async def test_binary_frame_is_malformed(agent: FakeAgent) -> None:
    await agent.connect()
    await agent.send_raw(b"\x00\x01")
    await agent.expect("nack", reason="bad")


async def test_frame_of_unknown_kind_is_not_held_against_the_agent(agent: FakeAgent) -> None:
    await agent.connect()
    for _ in range(5):
        await agent.send_raw(json.dumps({"v": 1, "t": "metrics", "values": []}))
        await agent.expect("nack", reason="unsupported")


async def test_too_large_frame_closes_the_connection(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    await agent.send_raw("x" * (256 * 1024 + 1))
    await agent.expect_close()
    assert len(await drives(viewer)) == 8


async def test_newer_session_fences_the_older_one(
    server: Running, agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    twin = FakeAgent(server.url)
    twin.__dict__.update({k: v for k, v in agent.__dict__.items() if k != "_socket"})
    await twin.connect()
    await agent.expect("nack", reason="fenced")
    await agent.expect_close()
    await twin.change("drive", "d0", documents.drive(0, locating=True))
    assert (await drives(viewer))[0]["locating"] is True
    assert (await viewer.get(f"/hosts/{agent.agent_id}")).json()["online"] is True
    await twin.close()


async def test_retired_host_is_sent_away(
    agent: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    path = f"/hosts/{agent.agent_id}"
    wrong = await administrator.delete(path, params={"confirm": "beta"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "confirm_mismatch")
    assert (await administrator.get(path)).status_code == 200
    done = await administrator.delete(path, params={"confirm": "alpha"})
    assert done.status_code == 204, done.text
    await agent.expect("nack", reason="unauthorised")
    await agent.expect_close()
    assert (await administrator.get(path)).status_code == 404
    assert await drives(administrator) == []
    challenge = await agent.open()
    await agent.send(agent.hello(challenge))
    await agent.expect("nack", reason="unauthorised")


async def test_two_hosts_do_not_mix(
    server: Running, callers: Callers, agent: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    async with await enrolled_agent(server, administrator, "beta") as beta:
        await agent.connect()
        await beta.connect()
        await agent.report_all(documents.blank_host())
        await beta.report_all(documents.raid5_host())
        found = await administrator.get("/drives", params={"host_id": beta.agent_id})
        assert {item["host_name"] for item in found.json()["items"]} == {"beta"}
        hosts = (await administrator.get("/hosts")).json()
        assert [(h["name"], h["summary"]["virtual_drives"]) for h in hosts["items"]] == [
            ("alpha", 0),
            ("beta", 1),
        ]
        ids = {UUID(item["id"]) for item in await drives(administrator)}
        assert len(ids) == 16


CLOSE_FRAME = b"\x88\x82" + bytes(4) + (1000).to_bytes(2)  # masked by nought


async def test_stop_meets_a_connection_that_is_ending(server: Running, agent: FakeAgent) -> None:
    """The agent closes, and before its connection is gone the server stops all connections."""
    await agent.connect()
    connections = server.server.server_state.connections
    links = [each for each in connections if isinstance(each, AgentConnection)]
    assert len(links) == 1
    links[0].data_received(CLOSE_FRAME)
    links[0].shutdown()
    await agent.expect_close()


async def test_server_says_goodbye_on_shutdown(server: Running, agent: FakeAgent) -> None:
    await agent.connect()
    server.server.should_exit = True
    await agent.expect("goaway", reason="shutdown")
    await agent.expect_close()
