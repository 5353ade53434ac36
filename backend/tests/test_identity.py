"""Copies of a host: restored state, cloned machines, earlier event logs."""

import copy
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.support import documents
from tests.support.agent import FakeAgent

pytestmark = pytest.mark.anyio


def several(first: int, last: int, branch: str = "") -> list[dict[str, Any]]:
    """Events of one life of a host: another life has other times and texts."""
    return [
        documents.event(
            seq,
            wall_us=1_700_000_000_000_000 + seq + 1000 * len(branch),
            text=f"event {seq} {branch}".strip(),
        )
        for seq in range(first, last + 1)
    ]


async def texts(client: httpx.AsyncClient) -> list[str]:
    """Oldest first."""
    answer = await client.get("/events", params={"limit": 500})
    assert answer.status_code == 200, answer.text
    return [item["text"] for item in reversed(answer.json()["items"])]


async def test_an_earlier_event_log_goes_on_where_it_ended(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """A, then an empty state directory, then A again: nothing collides, nothing is lost."""
    await agent.connect()
    agent.event_seq = 3
    await agent.report_events(several(1, 3), acked=3)
    await agent.close()
    first, agent.event_epoch = agent.event_epoch, str(uuid4())
    agent.event_seq = 2
    await agent.connect()
    assert agent.welcome["acked_event_seq"] == 0
    await agent.report_events(several(1, 2, "empty"), acked=2)
    await agent.close()
    agent.event_epoch, agent.event_seq = first, 5
    await agent.connect()
    acked = agent.welcome["acked_event_seq"]
    await agent.report_events(several(acked + 1, 5), acked=5)
    await agent.report_events(several(6, 7), acked=7)
    assert await texts(viewer) == [
        *("event 1", "event 2", "event 3", "event 1 empty", "event 2 empty"),
        *("event 4", "event 5", "event 6", "event 7"),
    ]


async def test_an_event_log_that_went_back_delivers_all_that_is_new(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """The log was restored at event 8 of 40 and has grown to 13: five events are new."""
    await agent.connect()
    agent.event_seq = 40
    await agent.report_events(several(1, 40), acked=40)
    await agent.close()
    agent.event_seq = 13
    await agent.connect()
    acked = agent.welcome["acked_event_seq"]
    assert acked <= 8
    told = [*several(1, 8), *several(9, 13, "restored")]
    await agent.report_events(told[acked:], acked=13)
    await agent.report_events(several(14, 14, "restored"), acked=14)
    found = await texts(viewer)
    assert found[:40] == [f"event {seq}" for seq in range(1, 41)]
    assert found[40:] == [f"event {seq} restored" for seq in range(9, 15)]


async def test_two_logs_in_turns_never_end_a_connection(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """An identity in two places: each keeps what it told, whoever is connected."""
    other = copy.copy(agent)
    other.event_epoch, other.state_epoch = str(uuid4()), str(uuid4())
    for turn in range(1, 5):
        for each, branch in ((agent, "here"), (other, "there")):
            each.event_seq = turn
            await each.connect()
            acked = each.welcome["acked_event_seq"]
            await each.report_events(several(acked + 1, turn, branch), acked=turn)
            await each.close()
    found = await texts(viewer)
    assert sorted(found) == sorted(
        f"event {seq} {branch}" for seq in range(1, 5) for branch in ("here", "there")
    )


async def test_stored_state_of_another_life_gives_way(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """State that went back in time is taken as it is now, whatever the revisions were."""
    await agent.connect()
    agent.rev, agent.event_seq = 900, 9
    await agent.report_all(documents.blank_host(900))
    await agent.report_events(several(1, 9), acked=9)
    await agent.close()
    agent.rev, agent.event_seq = 950, 4  # the same epoch, fewer events: restored
    await agent.connect()
    assert agent.welcome["acked_rev"] == 0
    await agent.report_all(documents.blank_host(50))
    assert (await viewer.get("/drives")).json()["items"][0]["rev"] == 50


# Fences


async def alerts(client: httpx.AsyncClient) -> dict[str, dict[str, Any]]:
    """Unresolved ones, by rule."""
    answer = await client.get("/alerts", params={"state": ["open", "acknowledged"]})
    return {item["rule"]: item for item in answer.json()["items"]}


async def actions(client: httpx.AsyncClient) -> list[str]:
    answer = await client.get("/audit", params={"limit": 200})
    assert answer.status_code == 200, answer.text
    return [item["action"] for item in reversed(answer.json()["items"])]


@pytest.fixture
async def fenced(agent: FakeAgent) -> FakeAgent:
    """Has reported once, keeps fences and is connected."""
    agent.keep_fences()
    agent.event_seq = 3
    await agent.connect()
    await agent.report_all(documents.blank_host())
    await agent.report_events(several(1, 3), acked=3)
    return agent


def clone_of(agent: FakeAgent, boot_id: str) -> FakeAgent:
    made = copy.copy(agent)
    made.boot_id, made.hostname = boot_id, agent.hostname
    made._socket = None
    return made


async def test_a_fence_that_is_kept_goes_on(fenced: FakeAgent, viewer: httpx.AsyncClient) -> None:
    for rev in range(1, 4):
        before = fenced.link_fence
        await fenced.close()
        await fenced.connect()
        assert fenced.link_fence not in (before, "")
        assert (fenced.welcome["acked_rev"], fenced.welcome["acked_event_seq"]) == (rev, 2)
        await fenced.change("drive", "d0", documents.drive(0, locating=bool(rev % 2)))
    assert await alerts(viewer) == {}


@pytest.mark.parametrize("stored", ["none", "arrayd", "both"])
async def test_a_crash_before_the_fence_is_stored_is_no_copy(
    fenced: FakeAgent, viewer: httpx.AsyncClient, stored: str
) -> None:
    """The agent dies between the welcome and its first frame, however often."""
    for _ in range(4):
        await fenced.close()
        await fenced.connect(dies=True)
        assert fenced.welcome["acked_rev"] == 1
        if stored != "none":
            fenced.state_fence = fenced.welcome["fence"]
        if stored == "both":
            fenced.link_fence = fenced.welcome["fence"]
    assert await alerts(viewer) == {}


@pytest.mark.parametrize("boot_id", ["b1", "b2"])
async def test_a_crash_at_first_contact_is_no_second_machine(
    agent: FakeAgent, viewer: httpx.AsyncClient, boot_id: str
) -> None:
    """The backend has given a fence, and the agent died before it stored one; nobody noticed."""
    agent.keep_fences()
    await agent.connect(dies=True)
    again = clone_of(agent, boot_id)
    await again.connect(dies=True)
    await again.close()
    await again.connect()
    await again.report_all(documents.blank_host())
    assert await alerts(viewer) == {}
    # Once a fence is stored, a machine that shows none is another one.
    refusal = await clone_of(agent, "b3").refused()
    assert refusal["reason"] == "identity_in_use"
    await again.close()


@pytest.mark.parametrize("part", ["state_fence", "link_fence"])
async def test_a_crash_with_a_new_state_directory_is_told_once(
    fenced: FakeAgent, viewer: httpx.AsyncClient, part: str
) -> None:
    await fenced.close()
    setattr(fenced, part, "")
    await fenced.connect(dies=True)
    again = clone_of(fenced, "b2")
    await again.connect()
    await again.report_all(documents.blank_host())
    assert set(await alerts(viewer)) == {"host_restored"}
    await again.close()


@pytest.mark.parametrize(
    "parts", [("state_fence",), ("link_fence",), ("link_fence", "state_fence")]
)
async def test_a_restored_state_directory_is_told_and_taken_anew(
    fenced: FakeAgent,
    viewer: httpx.AsyncClient,
    administrator: httpx.AsyncClient,
    parts: tuple[str, ...],
) -> None:
    """Revisions and event numbers have overtaken what is stored: only the fence tells."""
    backup = {part: getattr(fenced, part) for part in parts}
    await fenced.close()
    await fenced.connect()
    await fenced.report_events(several(4, 8), acked=8)
    await fenced.close()
    for part, fence in backup.items():
        setattr(fenced, part, fence)
    fenced.rev, fenced.event_seq = 40, 13
    await fenced.connect()
    assert (fenced.welcome["acked_rev"], fenced.welcome["acked_event_seq"]) == (0, 0)
    degraded = documents.blank_host(40)
    degraded[3]["doc"]["state"] = "failed"
    await fenced.report_all(degraded)
    assert "failed" in [item["state"] for item in (await viewer.get("/drives")).json()["items"]]
    await fenced.report_events([*several(1, 3), *several(4, 13, "restored")], acked=13)
    assert (await texts(viewer))[8:] == [f"event {seq} restored" for seq in range(4, 14)]
    told = (await alerts(viewer))["host_restored"]
    programs = {"link_fence": "uplink", "state_fence": "arrayd"}
    assert " and ".join(programs[part] for part in parts) in told["reason"]["text"]
    assert "host.restored" in await actions(administrator)
    await fenced.close()
    await fenced.connect()
    assert (fenced.welcome["acked_rev"], fenced.welcome["acked_event_seq"]) == (40, 12)


async def test_the_second_machine_is_refused_and_named(
    fenced: FakeAgent, viewer: httpx.AsyncClient, administrator: httpx.AsyncClient
) -> None:
    clone = clone_of(fenced, "b2")
    await fenced.close()
    await fenced.connect()
    await fenced.change("drive", "d0", documents.drive(0, locating=True))
    for _ in range(3):
        refusal = await clone.refused()
        assert refusal["reason"] == "identity_in_use"
        assert refusal["retry_s"] >= 1
        assert "enrol --force" in refusal["detail"]
        await clone.close()
    told = (await alerts(viewer))["host_cloned"]
    assert "b1" in told["reason"]["text"]
    assert "b2" in told["reason"]["text"]
    assert "127.0.0.1" in told["reason"]["text"]
    assert told["severity"] == "critical"
    assert (await actions(administrator)).count("host.cloned") == 1
    # Nothing about the host has changed, and the one that holds the fence goes on.
    assert (await viewer.get("/hosts")).json()["items"][0]["boot_id"] == "b1"
    await fenced.change("drive", "d0", documents.drive(0, locating=False))
    await fenced.close()
    await fenced.connect()
    assert fenced.welcome["acked_rev"] == fenced.rev


async def test_copies_that_report_in_turns_are_told(
    fenced: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    clone = clone_of(fenced, "b2")
    await fenced.close()
    await fenced.connect()
    await fenced.report_events(several(4, 4), acked=4)
    await fenced.close()
    await clone.connect()  # takes the place of a machine that has gone
    await clone.report_all(documents.blank_host())
    await clone.report_events([*several(1, 3), *several(4, 5, "clone")], acked=5)
    assert set(await alerts(viewer)) == {"host_restored"}
    await clone.close()
    await fenced.connect()
    assert fenced.welcome["acked_rev"] == 0
    await fenced.report_all(documents.blank_host())
    await fenced.report_events([*several(1, 4), *several(5, 5, "first")], acked=5)
    assert "in turns" in (await alerts(viewer))["host_cloned"]["reason"]["text"]
    assert (await texts(viewer))[3:] == [
        *("event 4", "event 4 clone", "event 5 clone", "event 5 first"),
    ]
    await fenced.close()


async def test_commands_of_a_restored_host_are_not_run_again(
    fenced: FakeAgent, operator: httpx.AsyncClient
) -> None:
    backup = fenced.state_fence
    await fenced.close()
    await fenced.connect()
    drive = (await operator.get("/drives")).json()["items"][0]
    answer = await operator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    assert answer.status_code == 202, answer.text
    await fenced.expect("command")
    await fenced.close()
    fenced.state_fence = backup
    await fenced.connect()
    await fenced.report_all(documents.blank_host())
    command = (await operator.get(answer.headers["Location"].removeprefix("/api/v1"))).json()
    assert (command["state"], command["reason"]["code"]) == ("indeterminate", "host_restored")
    await fenced.change("drive", "d0", documents.drive(0))  # its answer: nothing came before


async def test_a_server_that_was_restored_blames_nobody(
    fenced: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    await fenced.close()
    fenced.link_fence = fenced.state_fence = "4711-" + "0" * 32
    await fenced.connect()
    assert (fenced.welcome["acked_rev"], fenced.welcome["acked_event_seq"]) == (0, 0)
    assert fenced.welcome["fence"].startswith("4712-")
    await fenced.report_all(documents.blank_host())
    await fenced.report_events(several(1, 5), acked=5)
    assert len(await texts(viewer)) == 5
    assert await alerts(viewer) == {}


async def test_an_older_agent_goes_on_without_fences(
    fenced: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    kept = fenced.link_fence, fenced.state_fence
    await fenced.close()
    fenced.link_fence = fenced.state_fence = None
    await fenced.connect()  # the machine was given an older version
    assert "fence" not in fenced.welcome
    assert (fenced.welcome["acked_rev"], fenced.welcome["acked_event_seq"]) == (1, 3)
    await fenced.report_events(several(4, 4), acked=4)
    fenced.event_seq = 4
    await fenced.close()
    fenced.link_fence, fenced.state_fence = kept
    await fenced.connect()  # and the present one again
    assert fenced.welcome["acked_event_seq"] == 3
    await fenced.report_events(several(4, 5), acked=5)  # the newest once more
    assert await alerts(viewer) == {}


async def test_a_second_machine_without_fences_is_refused(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    await agent.connect()
    for boot in range(2, 12):
        other = clone_of(agent, f"b{boot}")
        refusal = await other.refused()
        assert refusal["reason"] == "overload"  # what an older agent answers by trying again
        await other.close()
    assert (await viewer.get("/hosts")).json()["items"][0]["boot_id"] == "b1"
    assert "b11" in (await alerts(viewer))["host_cloned"]["reason"]["text"]


async def test_a_restart_after_a_power_cut_is_no_second_machine(
    fenced: FakeAgent, viewer: httpx.AsyncClient, administrator: httpx.AsyncClient
) -> None:
    """The old connection has not been noticed to be dead when the machine is back."""
    again = clone_of(fenced, "b2")
    await again.connect()
    assert again.welcome["acked_rev"] == 1
    assert await alerts(viewer) == {}
    assert "host.takeover" in await actions(administrator)
    await again.close()


async def test_a_log_that_went_back_within_a_session_gives_itself_away(
    fenced: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """A snapshot of the whole machine: the fence is the present one, the log has grown again."""
    await fenced.report_events(several(4, 9), acked=9)
    await fenced.change("drive", "d0", documents.drive(0, state="failed"), config_rev=2)
    await fenced.close()
    fenced.rev, fenced.event_seq = 7, 12
    await fenced.connect()
    assert (fenced.welcome["acked_rev"], fenced.welcome["acked_event_seq"]) == (2, 8)
    await fenced.send(fenced.event_frame(several(9, 12, "snapshot")))
    await fenced.expect("nack", reason="overload")
    await fenced.expect_close()
    await fenced.connect()
    assert (fenced.welcome["acked_rev"], fenced.welcome["acked_event_seq"]) == (0, 0)
    await fenced.report_events([*several(1, 6), *several(7, 12, "snapshot")], acked=12)
    await fenced.report_all(documents.blank_host(7))
    assert (await texts(viewer))[9:] == [f"event {seq} snapshot" for seq in range(7, 13)]
    assert {item["state"] for item in (await viewer.get("/drives")).json()["items"]} == {
        "unconfigured_good"
    }
    assert set(await alerts(viewer)) == {"host_restored"}
    await fenced.close()
