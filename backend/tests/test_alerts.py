"""Alerts: raised and resolved by findings, looked after by people."""

import asyncio
import json
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from arraywright.alerts.explanations import REGISTRY
from arraywright.alerts.schemas import ServerRule
from arraywright.kit.roles import Role
from arraywright.link.presence import LOOK_S, Presence
from arraywright.link.protocol import EventClass, FindingCode
from arraywright.settings import Settings
from tests.conftest import Callers, enrolled_agent
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.clock import HandClock
from tests.support.documents import finding
from tests.support.server import Running, running
from tests.test_commands import by_path, only, until_offline

pytestmark = pytest.mark.anyio
GOLDEN = Path(__file__).resolve().parents[2] / "agent/tests/e2e/cli/golden/findings.json"


async def alerts(client: httpx.AsyncClient, **filters: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await client.get("/alerts", params=filters)).json()["items"]
    return items


async def test_life_of_an_alert(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    assert await alerts(operator) == []
    why = documents.reason("spare_fault_size", "252:3 is 1 MiB too small for drive group 0.")
    await raid5.find(finding("virtual_drive_degraded", cause=why))
    alert = await only(operator, "/alerts")
    assert (alert["rule"], alert["state"], alert["severity"], alert["title"]) == (
        "virtual_drive_degraded",
        "open",
        "critical",
        "Virtual drive degraded",
    )
    assert alert["object_path"] == "/c0/v0"
    assert alert["reason"]["code"] == "finding_virtual_drive_degraded"
    assert alert["cause"] == why
    assert alert["consequence"]["text"] == "What follows from it."
    assert alert["next_step"]["text"] == "What to do about it."
    virtual_drive = await only(operator, "/virtual-drives")
    assert alert["object_id"] == virtual_drive["id"]
    # The same again is the same alert.
    await raid5.find(finding("virtual_drive_degraded", cause=why))
    assert (await only(operator, "/alerts"))["rev"] == alert["rev"]
    # What to do now has changed.
    soon = documents.reason("remedy_rebuild_running", "252:3 is being rebuilt.")
    await raid5.find(finding("virtual_drive_degraded", remedy=soon))
    assert (await only(operator, "/alerts"))["next_step"] == soon
    path = f"/alerts/{alert['id']}"
    acknowledged = await operator.post(f"{path}/acknowledge", json={"note": "drive ordered"})
    assert acknowledged.json()["state"] == "acknowledged"
    assert acknowledged.json()["acknowledged_by"] == "operator"
    assert acknowledged.json()["note"] == "drive ordered"
    assert acknowledged.json()["blocked"] == {}
    await raid5.find()
    resolved = (await operator.get(path)).json()
    assert resolved["state"] == "resolved"
    assert resolved["resolved_at"] is not None
    assert resolved["blocked"]["acknowledge"]["code"] == "alert_resolved"
    late = await operator.post(f"{path}/acknowledge", json={})
    assert (late.status_code, late.json()["code"]) == (409, "alert_resolved")
    # The same trouble later is a new alert.
    await raid5.find(finding("virtual_drive_degraded"))
    assert [item["state"] for item in await alerts(operator)] == ["open", "resolved"]
    assert len(await alerts(operator, state=["open", "acknowledged"])) == 1


async def test_an_alert_follows_its_object(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    """A drive that was moved to another bay is not looked for in the former one."""
    await raid5.find(finding("drive_predictive_failure", "d1", "/c0/e252/s1"))
    before = await only(operator, "/alerts")
    await operator.post(f"/alerts/{before['id']}/acknowledge", json={"note": "drive ordered"})
    await raid5.find(finding("drive_predictive_failure", "d1", "/c0/e252/s5"))
    alert = await only(operator, "/alerts")
    assert (alert["id"], alert["object_path"]) == (before["id"], "/c0/e252/s5")
    assert alert["state"] == "acknowledged"


async def test_an_agent_that_starts_brings_no_news(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    """Neither of trouble nor of its end: what it does not know yet is told as that."""
    starting = documents.virtual_drive(state="starting", drive_failures_left=0)
    unknown = documents.controller(status="starting", findings_whole=False)
    await raid5.change("virtual_drive", "v0", starting, config_rev=2)
    await raid5.change("controller", "c0", unknown, config_rev=2)
    assert await alerts(operator) == []
    summary = (await only(operator, "/hosts"))["summary"]
    assert summary["worst_state"] == "starting"
    assert summary["drive_failures_left"] is None
    assert summary["virtual_drives_offline"] == summary["virtual_drives_degraded"] == 0
    found = await operator.get("/hosts", params={"worst_state": "starting"})
    assert len(found.json()["items"]) == 1
    await raid5.find(finding("drive_failed", "d0", "/c0/e252/s0"))
    alert = await only(operator, "/alerts")
    await raid5.change("controller", "c0", unknown, config_rev=4)
    assert (await only(operator, "/alerts"))["rev"] == alert["rev"]
    known = documents.controller(
        status="failed", findings_whole=False, findings=[finding("virtual_drive_offline")]
    )
    await raid5.change("controller", "c0", known, config_rev=5)
    assert {a["rule"] for a in await alerts(operator, state="open")} == {
        "drive_failed",
        "virtual_drive_offline",
    }
    await raid5.find()
    assert {a["state"] for a in await alerts(operator)} == {"resolved"}


async def test_every_finding_has_its_alert(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    """Also those of a newer agent, in its own words; each object has its own."""
    everything = [
        finding(code, row["kind"][:20], f"/c0/{row['kind']}")
        for code, row in documents.FINDINGS.items()
        if row["kind"] != "host"
    ]
    newer = {**finding("drive_slow", "d1", "/c0/e252/s1"), "code": "drive_on_fire"}
    everything += [newer, finding("drive_failed", "d0", "/c0/e252/s0")]
    await raid5.find(*everything)
    unwritable = finding("state_unwritable", "host", "host")
    await raid5.change("host", "host", documents.host(findings=[unwritable]))
    found = await alerts(viewer, limit=200, state="open")
    assert sorted((a["rule"], a["severity"], a["object_key"]) for a in found) == sorted(
        (item["code"], item["severity"], item["key"]) for item in [*everything, unwritable]
    )
    assert next(a for a in found if a["rule"] == "drive_on_fire")["title"] == "Drive on fire"
    host = (await viewer.get(f"/hosts/{raid5.agent_id}")).json()
    assert host["summary"]["open_alerts"] == len(found)
    assert host["summary"]["worst_alert"] == "fatal"
    # Each source speaks for itself only.
    await raid5.find(finding("drive_failed", "d0", "/c0/e252/s0"))
    left = {a["rule"] for a in await alerts(viewer, state="open")}
    assert left == {"drive_failed", "state_unwritable"}
    await raid5.change("host", "host", documents.host())
    await raid5.remove("controller", "c0")
    assert await alerts(viewer, state="open") == []


async def test_what_real_states_are_alerted(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    """The findings of a real agent in all its states (agent/tests/e2e/cli/test_findings.py)."""
    scenes = json.loads(GOLDEN.read_text())
    assert len(scenes) > 5
    for name, items in scenes.items():
        for item in items:
            make = documents.host if item["kind"] == "host" else documents.controller
            changes = {k: v for k, v in item.items() if k in ("findings", "status")}
            await raid5.change(item["kind"], item["key"], make(**changes))
        expected = sorted(
            (f["code"], f["severity"], f["path"], f["what"]["text"], f["remedy"]["text"])
            for item in items
            for f in item["findings"]
        )
        found = await alerts(viewer, state="open")
        assert expected == sorted(
            (
                a["rule"],
                a["severity"],
                a["object_path"],
                a["reason"]["text"],
                a["next_step"]["text"],
            )
            for a in found
        ), name
        worse = {a["severity"] for a in found} - {"info"}
        statuses = {item["status"] for item in items if item["kind"] == "controller"}
        assert (statuses != {"optimal"}) == bool(worse), name


async def test_an_agent_that_reports_no_findings(
    raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """Of the former version: what costs data or redundancy is seen in its documents."""
    old = documents.host()
    del old["findings"]
    await raid5.change("host", "host", old)
    why = documents.reason("drive_lost_write_error", "A write to the drive failed.")
    await raid5.change("drive", "d0", documents.drive(0, state="failed", state_reason=why))
    missing = documents.drive(1, state="missing", present=False)
    member = {"drive_group": "g0", "span": 0, "row": 1}
    await raid5.change("drive", "d1", {**missing, **member})
    await raid5.change("drive", "d5", documents.drive(5, predictive_failure_count=2))
    first = documents.virtual_drive(
        level="raid6", state="partially_degraded", drive_failures_left=1
    )
    await raid5.change("virtual_drive", "v0", first, config_rev=2)
    found = {a["object_key"]: a for a in await alerts(viewer)}
    assert {key: (a["rule"], a["severity"]) for key, a in found.items()} == {
        "d0": ("drive_failed", "critical"),
        "d1": ("drive_missing", "critical"),
        "d5": ("drive_predictive_failure", "warning"),
        "v0": ("virtual_drive_partially_degraded", "warning"),
    }
    assert found["d0"]["cause"] == why
    assert found["d0"]["blocked"]["acknowledge"]["code"] == "role_needed"
    await raid5.change("drive", "d1", missing)  # a spare takes its place
    assert len(await alerts(viewer, rule="drive_missing", state="resolved")) == 1
    gone = documents.virtual_drive(level="raid6", state="offline", drive_failures_left=0)
    await raid5.change("virtual_drive", "v0", gone, config_rev=4)
    assert {(a["rule"], a["state"]) for a in await alerts(viewer, severity=["fatal"])} == {
        ("virtual_drive_offline", "open"),
    }
    # A full state that no longer names a drive resolves its alert.
    raid5.rev += 1
    items = [o for o in documents.raid5_host(raid5.rev) if o["key"] not in ("d1", "host")]
    await raid5.report_all([*items, documents.item("host", "host", raid5.rev, old)])
    assert {a["state"] for a in await alerts(viewer)} == {"resolved"}


async def test_an_agent_is_updated(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    """What it reports now takes over from what was seen here: the same trouble stays one alert."""
    old = documents.host()
    del old["findings"]
    await raid5.change("host", "host", old)
    await raid5.change(
        "virtual_drive", "v0", documents.virtual_drive(state="degraded", drive_failures_left=0)
    )
    await raid5.change("drive", "d0", documents.drive(0, state="failed"))
    seen = {a["rule"]: a["id"] for a in await alerts(viewer, state="open")}
    assert set(seen) == {"virtual_drive_degraded", "drive_failed"}
    await raid5.change("host", "host", documents.host())
    await raid5.find(finding("virtual_drive_degraded"))
    open_ = await alerts(viewer, state="open")
    assert [(a["rule"], a["id"]) for a in open_] == [
        ("virtual_drive_degraded", seen["virtual_drive_degraded"])
    ]
    assert open_[0]["reason"]["code"] == "finding_virtual_drive_degraded"


async def test_a_clock_that_is_off(settings: Settings, password_hash: str) -> None:
    async with running(settings) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        viewer = callers.role(Role.VIEWER)
        agent = await enrolled_agent(server, callers.role(Role.ADMINISTRATOR), "alpha")
        await agent.connect()
        await agent.report_all(documents.raid5_host())
        for offset_s, count in ((0, 0), (300, 1), (-4000, 1), (1, 0)):
            now_us = server.runtime.clock.now_us() + offset_s * 1_000_000
            await agent.send(
                {"v": 1, "t": "heartbeat", "ts": now_us, "state_rev": agent.rev, "event_seq": 0}
            )
            await agent.find()  # its acknowledgement comes after the heartbeat is stored
            found = await alerts(viewer, rule="clock_off", state="open")
            assert len(found) == count, offset_s
        host = (await viewer.get(f"/hosts/{agent.agent_id}")).json()
        assert abs(host["clock_offset_ms"]) < 30_000
        await callers.close()


async def test_a_heartbeat_says_again_what_the_hello_has_said(
    server: Running, agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """Nothing is stored: thousands of first heartbeats follow a restart."""
    for offset_s, is_off in ((0, False), (300, True)):
        now_us = server.runtime.clock.now_us() + offset_s * 1_000_000
        await agent.connect(ts=now_us)
        await agent.report_all(documents.blank_host())
        before = (await viewer.get(f"/hosts/{agent.agent_id}")).json()
        heartbeat = {"v": 1, "t": "heartbeat", "state_rev": agent.rev, "event_seq": 0}
        await agent.send({**heartbeat, "ts": now_us})
        await agent.change("drive", "d0", documents.drive(0, temperature_c=44))
        assert (await viewer.get(f"/hosts/{agent.agent_id}")).json()["rev"] == before["rev"]
        assert len(await alerts(viewer, rule="clock_off", state="open")) == is_off
        await agent.close()


async def test_offline_host(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await raid5.change("drive", "d0", documents.drive(0, state="failed"))
    await raid5.find(finding("drive_failed", "d0", "/c0/e252/s0"))
    await raid5.close()
    host = await until_offline(viewer, raid5)
    assert host["stale_since"] is not None
    assert host["summary"]["open_alerts"] == 2
    found = {a["rule"]: a for a in await alerts(viewer)}
    assert found["host_offline"]["object_path"] == "alpha"
    assert found["host_offline"]["stale"] is False
    assert found["drive_failed"]["stale"] is True
    drive = await by_path(viewer, "drives", "/c0/e252/s0")
    assert drive["state"] == "failed"  # the last known state stays to be seen
    await raid5.connect()
    after = {a["rule"]: a["state"] for a in await alerts(viewer)}
    assert after == {"host_offline": "resolved", "drive_failed": "open"}
    assert (await viewer.get(f"/hosts/{raid5.agent_id}")).json()["online"] is True


async def test_silent_host_goes_offline(settings: Settings, password_hash: str) -> None:
    """The connection stays open but nothing comes for 3.5 heartbeats of one second."""
    impatient = settings.model_copy(update={"heartbeat_s": 1})
    async with running(impatient) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        agent = await enrolled_agent(server, callers.role(Role.ADMINISTRATOR), "alpha")
        await agent.connect()
        assert agent.welcome["heartbeat_s"] == 1
        await agent.expect("nack")
        await agent.expect_close()
        await until_offline(callers.role(Role.VIEWER), agent)
        alert = await only(callers.role(Role.VIEWER), "/alerts")
        assert alert["rule"] == "host_offline"
        await callers.close()


async def test_a_standstill_of_the_server_is_no_silence(
    settings: Settings, password_hash: str
) -> None:
    clock = HandClock()
    patient = settings.model_copy(update={"disconnect_grace_s": 30.0})
    async with running(patient, clock) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        viewer = callers.role(Role.VIEWER)
        agent = await enrolled_agent(server, callers.role(Role.ADMINISTRATOR), "alpha")
        await agent.connect()
        left = await enrolled_agent(server, callers.role(Role.ADMINISTRATOR), "beta")
        await left.connect()
        await left.close()
        clock.offset_s += 3600
        await asyncio.sleep(3 * LOOK_S)
        hosts = (await viewer.get("/hosts")).json()["items"]
        assert {host["name"]: host["online"] for host in hosts} == {"alpha": True, "beta": True}
        await callers.close()


async def test_a_host_that_comes_back_at_once_stays_online(
    server: Running, raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """The end of the old session is looked at after the new one has been greeted."""
    fence = server.runtime.registry.peer(UUID(raid5.agent_id)).fence  # type: ignore[union-attr]
    await raid5.close()
    await raid5.connect()
    server.runtime.registry.departed(UUID(raid5.agent_id), fence)
    await Presence(server.runtime).look()
    assert (await viewer.get(f"/hosts/{raid5.agent_id}")).json()["online"] is True


async def test_filters(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await raid5.find(
        finding("drive_failed", "d0", "/c0/e252/s0"),
        finding("drive_predictive_failure", "d5", "/c0/e252/s5"),
    )
    drive = await by_path(viewer, "drives", "/c0/e252/s0")
    assert len(await alerts(viewer, object_id=drive["id"])) == 1
    assert len(await alerts(viewer, severity="warning")) == 1
    assert len(await alerts(viewer, rule="drive_failed")) == 1
    assert len(await alerts(viewer, host_id=raid5.agent_id)) == 2
    page = (await viewer.get("/alerts", params={"limit": 1})).json()
    assert page["total"] == 2
    rest = (await viewer.get("/alerts", params={"cursor": page["next_cursor"]})).json()
    assert page["items"][0]["id"] != rest["items"][0]["id"]


async def test_the_worst_first(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    """Over several pages too."""
    await raid5.find(
        *(
            finding(code, f"k{index}", f"/c0/{index}")
            for index, code in enumerate(sorted(documents.FINDINGS))
            if documents.FINDINGS[code]["kind"] != "host"
        )
    )
    found: list[dict[str, Any]] = []
    asked: dict[str, Any] = {"sort": "-severity", "limit": 7}
    while len(found) == 0 or asked["cursor"] is not None:
        page = (await viewer.get("/alerts", params=asked)).json()
        found += page["items"]
        asked["cursor"] = page["next_cursor"]
    ranks = [list(EventClass).index(EventClass(item["severity"])) for item in found]
    assert ranks == sorted(ranks, reverse=True)
    assert len({item["id"] for item in found}) == len(await alerts(viewer, limit=500))
    assert len(set(ranks)) > 2


async def test_every_rule_is_explained(callers: Callers) -> None:
    assert set(REGISTRY) == {*FindingCode, *ServerRule}
    rules = (await callers.role(Role.VIEWER).get("/alert-rules")).json()["items"]
    for rule in rules:
        for field in ("title", "what", "consequence", "next_step"):
            assert rule[field], rule
