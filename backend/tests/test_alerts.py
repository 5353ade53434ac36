"""Alerts: raised and resolved by the state, looked after by people."""

import asyncio
from typing import Any
from uuid import UUID

import httpx
import pytest

from arraywright.alerts.explanations import REGISTRY
from arraywright.alerts.schemas import AlertRuleName
from arraywright.kit.roles import Role
from arraywright.link.presence import LOOK_S, Presence
from arraywright.settings import Settings
from tests.conftest import Callers, enrolled_agent
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.clock import HandClock
from tests.support.server import Running, running
from tests.test_commands import by_path, only, until_offline

pytestmark = pytest.mark.anyio


async def alerts(client: httpx.AsyncClient, **filters: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await client.get("/alerts", params=filters)).json()["items"]
    return items


def degraded(**changes: Any) -> dict[str, Any]:
    return documents.virtual_drive(state="degraded", drive_failures_left=0, **changes)


async def test_life_of_an_alert(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    assert await alerts(operator) == []
    await raid5.change("virtual_drive", "v0", degraded(), config_rev=2)
    alert = await only(operator, "/alerts")
    assert (alert["rule"], alert["state"], alert["severity"]) == (
        "virtual_drive_degraded",
        "open",
        "critical",
    )
    assert alert["object_path"] == "/c0/v0"
    assert "data" in alert["reason"]["text"]
    assert alert["next_step"]
    virtual_drive = await only(operator, "/virtual-drives")
    assert alert["object_id"] == virtual_drive["id"]
    # The same state again is the same alert.
    await raid5.change("virtual_drive", "v0", degraded(consistent=False), config_rev=2)
    assert (await only(operator, "/alerts"))["rev"] == alert["rev"]
    path = f"/alerts/{alert['id']}"
    acknowledged = await operator.post(f"{path}/acknowledge", json={"note": "drive ordered"})
    assert acknowledged.json()["state"] == "acknowledged"
    assert acknowledged.json()["acknowledged_by"] == "operator"
    assert acknowledged.json()["note"] == "drive ordered"
    assert acknowledged.json()["blocked"] == {}
    await raid5.change("virtual_drive", "v0", documents.virtual_drive(), config_rev=3)
    resolved = (await operator.get(path)).json()
    assert resolved["state"] == "resolved"
    assert resolved["resolved_at"] is not None
    assert resolved["blocked"]["acknowledge"]["code"] == "alert_resolved"
    late = await operator.post(f"{path}/acknowledge", json={})
    assert (late.status_code, late.json()["code"]) == (409, "alert_resolved")
    # The same trouble later is a new alert.
    await raid5.change("virtual_drive", "v0", degraded(), config_rev=4)
    assert [item["state"] for item in await alerts(operator)] == ["open", "resolved"]
    assert len(await alerts(operator, state=["open", "acknowledged"])) == 1


async def test_an_agent_that_starts_brings_no_news(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    """Neither of trouble nor of its end: what it does not know yet is told as that."""
    starting = documents.virtual_drive(state="starting", drive_failures_left=0)
    await raid5.change("virtual_drive", "v0", starting, config_rev=2)
    await raid5.change("controller", "c0", documents.controller(status="starting"), config_rev=2)
    assert await alerts(operator) == []
    summary = (await only(operator, "/hosts"))["summary"]
    assert summary["worst_state"] == "starting"
    assert summary["drive_failures_left"] is None
    assert summary["virtual_drives_offline"] == summary["virtual_drives_degraded"] == 0
    found = await operator.get("/hosts", params={"worst_state": "starting"})
    assert len(found.json()["items"]) == 1
    await raid5.change("virtual_drive", "v0", degraded(), config_rev=3)
    alert = await only(operator, "/alerts")
    await raid5.change("virtual_drive", "v0", starting, config_rev=4)
    assert (await only(operator, "/alerts"))["rev"] == alert["rev"]
    assert (await only(operator, "/alerts"))["state"] == "open"
    await raid5.change("virtual_drive", "v0", documents.virtual_drive(), config_rev=5)
    assert (await only(operator, "/alerts"))["state"] == "resolved"


async def test_severity_follows_the_redundancy_left(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    first = documents.virtual_drive(
        level="raid6", state="partially_degraded", drive_failures_left=1
    )
    await raid5.change("virtual_drive", "v0", first, config_rev=2)
    alert = await only(operator, "/alerts")
    assert alert["severity"] == "warning"
    await operator.post(f"/alerts/{alert['id']}/acknowledge", json={})
    await raid5.change("virtual_drive", "v0", degraded(level="raid6"), config_rev=3)
    worse = await only(operator, "/alerts")
    assert (worse["id"], worse["severity"], worse["state"]) == (alert["id"], "critical", "open")
    gone = documents.virtual_drive(level="raid6", state="offline", drive_failures_left=0)
    await raid5.change("virtual_drive", "v0", gone, config_rev=4)
    assert {(a["rule"], a["state"]) for a in await alerts(operator)} == {
        ("virtual_drive_degraded", "resolved"),
        ("virtual_drive_offline", "open"),
    }
    await raid5.remove("virtual_drive", "v0")
    assert {a["state"] for a in await alerts(operator)} == {"resolved"}


async def test_drive_alerts(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    why = documents.reason("drive_lost_write_error", "A write to the drive failed.")
    await raid5.change("drive", "d0", documents.drive(0, state="failed", state_reason=why))
    missing = documents.drive(1, state="missing", present=False)
    member = {"drive_group": "g0", "span": 0, "row": 1}
    await raid5.change("drive", "d1", {**missing, **member})
    await raid5.change("drive", "d5", documents.drive(5, predictive_failure_count=2))
    found = {a["object_key"]: a for a in await alerts(viewer)}
    assert {key: a["rule"] for key, a in found.items()} == {
        "d0": "drive_failed",
        "d1": "drive_missing",
        "d5": "drive_predictive_failure",
    }
    assert "A write to the drive failed." in found["d0"]["reason"]["text"]
    assert found["d0"]["blocked"]["acknowledge"]["code"] == "role_needed"
    # A spare takes its place.
    await raid5.change("drive", "d1", missing)
    assert len(await alerts(viewer, rule="drive_missing", state="resolved")) == 1
    await raid5.change("drive", "d1", {**missing, **member})
    # A full state that no longer names a drive resolves its alert.
    raid5.rev += 1
    await raid5.report_all([o for o in documents.raid5_host(raid5.rev) if o["key"] != "d1"])
    assert {a["state"] for a in await alerts(viewer)} == {"resolved"}


async def test_failed_rebuild_stays_until_the_group_is_whole(
    raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    why = documents.reason("drive_lost_write_error", "A write to the drive failed.")
    failed = documents.operation(state="failed", ended_at_us=2, time_left_s=None, reason=why)
    await raid5.change("operation", "o1", failed)
    assert (await only(viewer, "/alerts"))["rule"] == "rebuild_failed"
    await raid5.remove("operation", "o1")
    assert (await only(viewer, "/alerts"))["state"] == "open"
    await raid5.change("drive_group", "g0", documents.drive_group(state="degraded"))
    assert (await only(viewer, "/alerts"))["state"] == "open"
    await raid5.change("drive_group", "g0", documents.drive_group())
    assert (await only(viewer, "/alerts"))["state"] == "resolved"
    await raid5.change("operation", "o2", failed)
    await raid5.change("operation", "o3", documents.operation())  # tried again
    assert {a["state"] for a in await alerts(viewer)} == {"resolved"}


async def test_offline_host(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await raid5.change("drive", "d0", documents.drive(0, state="failed"))
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
    await raid5.change("drive", "d0", documents.drive(0, state="failed"))
    await raid5.change("drive", "d5", documents.drive(5, predictive_failure_count=2))
    drive = await by_path(viewer, "drives", "/c0/e252/s0")
    assert len(await alerts(viewer, object_id=drive["id"])) == 1
    assert len(await alerts(viewer, severity="warning")) == 1
    assert len(await alerts(viewer, rule="drive_failed")) == 1
    assert len(await alerts(viewer, host_id=raid5.agent_id)) == 2
    page = (await viewer.get("/alerts", params={"limit": 1})).json()
    assert page["total"] == 2
    rest = (await viewer.get("/alerts", params={"cursor": page["next_cursor"]})).json()
    assert page["items"][0]["id"] != rest["items"][0]["id"]


async def test_every_rule_is_explained(callers: Callers) -> None:
    assert set(REGISTRY) == set(AlertRuleName)
    rules = (await callers.role(Role.VIEWER).get("/alert-rules")).json()["items"]
    for rule in rules:
        for field in ("title", "cause", "consequence", "next_step"):
            assert rule[field], rule


def lowered(code: str, effective: str = "write_through", **changes: Any) -> dict[str, Any]:
    requested = changes.pop("requested", "write_back")
    policy = {
        "requested": requested,
        "effective": effective,
        "reason": documents.reason(code, "So it is."),
    }
    return documents.virtual_drive(write_policy=policy, **changes)


async def test_battery_alerts(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    """One at a time: each state has its rule, and health resolves them all."""
    cases = [
        ("failed", {}, "battery_failed", "critical"),
        ("missing", {}, "battery_missing", "critical"),
        ("low", {}, "battery_not_ready", "warning"),
        ("unknown", {}, "battery_not_ready", "warning"),
        ("a_new_word", {}, "battery_not_ready", "warning"),
        ("discharging", {"kind": "ups"}, "ups_on_battery", "critical"),
    ]
    for state, changes, rule, severity in cases:
        doc = documents.battery(state=state, **changes)
        await cached.change("battery", "bbu0", doc)
        found = await alerts(viewer, state="open")
        assert [(item["rule"], item["severity"]) for item in found] == [(rule, severity)], state
        assert found[0]["object_path"] == "/c0/bbu"
    await cached.change("battery", "bbu0", documents.battery())
    assert await alerts(viewer, state="open") == []


async def test_a_learn_cycle_is_no_failure(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    for learning, state, severity in (
        ("announced", "optimal", "info"),
        ("due", "optimal", "warning"),
        ("pending", "charging", "info"),
        ("discharging", "learning", "info"),
    ):
        doc = documents.battery(state=state, learn=documents.learn(state=learning))
        await cached.change("battery", "bbu0", doc)
        found = {item["rule"]: item["severity"] for item in await alerts(viewer, state="open")}
        assert found["battery_learn"] == severity
        assert "battery_failed" not in found
    await cached.change("battery", "bbu0", documents.battery())
    assert await alerts(viewer, state="open") == []


async def test_lowered_write_policy(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await cached.change("virtual_drive", "v0", lowered("write_policy_battery_failed"))
    found = await alerts(viewer, state="open")
    assert [item["rule"] for item in found] == ["write_policy_lowered"]
    assert found[0]["reason"]["text"] == (
        "Virtual drive data (/c0/v0) works with write through instead of write back. So it is."
    )
    forced = lowered("write_policy_forced", "always_write_back", requested="always_write_back")
    await cached.change("virtual_drive", "v0", forced)
    found = await alerts(viewer, state="open")
    assert [item["rule"] for item in found] == ["write_back_unprotected"]
    for doc in (
        lowered("as_requested", "write_back"),
        lowered("no_cache_memory"),
        documents.virtual_drive(),
    ):
        await cached.change("virtual_drive", "v0", doc)
        assert await alerts(viewer, state="open") == []


async def test_lost_writes_and_preserved_cache(
    cached: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    lost = documents.reason("cache_lost_medium", "The medium is gone.", bytes="4096")
    await cached.change("virtual_drive", "v0", documents.virtual_drive(lost_writes=lost))
    kept = documents.cache(preserved=[documents.preserved()])
    await cached.change("controller", "c0", documents.controller(cache=kept))
    found = {item["rule"]: item for item in await alerts(viewer, state="open")}
    assert found["writes_lost"]["severity"] == "fatal"
    assert found["cache_preserved"]["reason"]["params"]["names"] == "data"
    gone = documents.cache(state="missing", state_reason=documents.reason("cache_medium_gone"))
    await cached.change("controller", "c0", documents.controller(cache=gone))
    await cached.change("virtual_drive", "v0", documents.virtual_drive())
    assert [item["rule"] for item in await alerts(viewer, state="open")] == ["cache_failed"]
