"""Whether a host is there: one definition, from the link's clock, on every surface."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import event, func, select

from arraywright.alerts.models import Alert
from arraywright.hosts import service
from arraywright.hosts.attention import Attention
from arraywright.hosts.models import Host, HostSummary
from arraywright.kit.database import Database
from arraywright.link.models import SyncCursor
from arraywright.link.presence import Presence
from arraywright.link.registry import Registry
from arraywright.runtime import Runtime
from arraywright.settings import Settings
from tests.conftest import enrolled_agent
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.clock import HandClock
from tests.support.server import Running
from tests.test_commands import until_offline
from tests.test_identity import alerts

pytestmark = pytest.mark.anyio


async def host(client: httpx.AsyncClient, agent: FakeAgent) -> dict[str, Any]:
    answer = await client.get(f"/hosts/{agent.agent_id}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def listed(client: httpx.AsyncClient, presence: str) -> int:
    found = (await client.get("/hosts", params={"presence": presence})).json()["items"]
    fleet = (await client.get("/fleet")).json()["hosts_by_presence"]
    assert {"presence": presence, "count": len(found)} in fleet or not found
    return len(found)


async def test_from_enrolment_to_the_first_report(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """No surface says that a host has reported before it has."""
    seen = await host(viewer, agent)
    assert (seen["presence"], seen["online"], seen["last_seen"]) == ("enrolled", False, None)
    assert await listed(viewer, "enrolled") == 1
    await agent.connect()
    seen = await host(viewer, agent)
    assert (seen["presence"], seen["online"]) == ("connecting", True)
    await agent.report_all(documents.blank_host())
    assert (await host(viewer, agent))["presence"] == "online"
    assert await listed(viewer, "online") == 1
    await agent.close()
    await until_offline(viewer, agent)
    seen = await host(viewer, agent)
    assert (seen["presence"], seen["online"]) == ("offline", False)
    assert await listed(viewer, "offline") == 1
    await agent.connect()  # nothing has changed meanwhile: what is shown is true
    assert (await host(viewer, agent))["presence"] == "online"


async def test_late_and_heard_again(
    server: Running, raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    host_id = UUID(raid5.agent_id)
    async with server.runtime.database.write() as session:
        await service.set_late(session, late={host_id}, heard=set())
    seen = await host(viewer, raid5)
    assert (seen["presence"], seen["online"]) == ("late", True)
    async with server.runtime.database.write() as session:
        await service.set_late(session, late=set(), heard={host_id})
    assert (await host(viewer, raid5))["presence"] == "online"


class Silent:
    """A connection from which nothing comes."""

    fence = 1
    machine = None

    def __init__(self) -> None:
        self.host_id = uuid4()


def test_who_is_late_by_the_clock_of_the_link() -> None:
    clock = HandClock()
    registry = Registry(clock)
    here, left, expected = Silent(), Silent(), Silent()
    registry.register(here)  # type: ignore[arg-type]
    registry.register(left)  # type: ignore[arg-type]
    registry.unregister(left)  # type: ignore[arg-type]
    registry.departed(expected.host_id, 1, patience_s=47.5)  # a restart: time to come back
    assert registry.late(30) == set()
    clock.offset_s += 31
    assert registry.late(30) == {here.host_id, left.host_id, expected.host_id}
    assert registry.gone(5) == {left.host_id: 1}
    registry.heard(here)  # type: ignore[arg-type]
    assert registry.late(30) == {expected.host_id}
    clock.offset_s += 22
    assert registry.gone(5) == {expected.host_id: 1}
    assert registry.late(30) == set()


@pytest.fixture
async def runtime(settings: Settings) -> AsyncIterator[Runtime]:
    """The parts of a server; nothing runs."""
    database = Database(settings.resolved_database_url())
    yield Runtime.build(settings, HandClock(), database, uuid4(), "key")
    await database.close()


async def add_hosts(runtime: Runtime, count: int, presence: str) -> list[UUID]:
    ids = [uuid4() for _ in range(count)]
    async with runtime.database.write() as session:
        for number, host_id in enumerate(ids):
            session.add(
                Host(
                    id=host_id,
                    name=f"h{number}",
                    public_key=str(host_id),
                    machine_id_hash="",
                    enrolled_us=runtime.clock.now_us(),
                )
            )
        await session.flush()
        for host_id in ids:
            session.add(HostSummary(host_id=host_id, presence=presence))
            session.add(SyncCursor(host_id=host_id, fence=1))
    return ids


async def test_a_slow_database_hides_nobody(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the monitor cannot store what it noticed it goes on noticing, and forgives nobody."""
    clock = runtime.clock
    assert isinstance(clock, HandClock)
    ids = await add_hosts(runtime, 300, "online")
    presence = Presence(runtime)
    await presence.start()
    forgiven: list[float] = []
    monkeypatch.setattr(runtime.registry, "forgive", forgiven.append)
    statements: list[str] = []
    engine = runtime.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
    async with runtime.database.write():
        storing = asyncio.create_task(presence.look())
        for _ in range(300):
            clock.offset_s += 0.5
            presence.note()
            await asyncio.sleep(0)
    await storing
    await presence.look()
    assert forgiven == []
    updates = [text for text in statements if text.startswith("UPDATE host_summary SET presence")]
    assert len(updates) <= 4  # one for the late, one for the silent, whatever their number
    async with runtime.database.read() as session:
        offline = select(func.count()).where(HostSummary.presence == "offline")
        assert (await session.execute(offline)).scalar_one() == len(ids)
        opened = select(func.count()).select_from(Alert).where(Alert.rule == "host_offline")
        assert (await session.execute(opened)).scalar_one() == len(ids)
        counted = select(func.sum(HostSummary.open_alerts))
        assert int((await session.execute(counted)).scalar_one()) == len(ids)


async def test_a_host_that_never_connects_is_told(runtime: Runtime) -> None:
    clock = runtime.clock
    assert isinstance(clock, HandClock)
    (host_id,) = await add_hosts(runtime, 1, "enrolled")
    attention = Attention(runtime)

    async def told() -> list[Alert]:
        await attention.look()
        async with runtime.database.read() as session:
            found = await session.execute(select(Alert).where(Alert.open_key.is_not(None)))
            return list(found.scalars())

    clock.offset_s += 14 * 60
    assert await told() == []
    clock.offset_s += 2 * 60
    for _ in range(2):
        (alert,) = await told()
        assert (alert.rule, alert.host_id) == ("host_never_connected", host_id)


async def test_connecting_ends_the_alert(
    server: Running, agent: FakeAgent, viewer: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arraywright.hosts.attention.NEVER_CONNECTED_S", 0)
    await Attention(server.runtime).look()
    assert set(await alerts(viewer)) == {"host_never_connected"}
    assert (await host(viewer, agent))["summary"]["open_alerts"] == 1
    await agent.connect()
    assert await alerts(viewer) == {}


async def test_a_restored_host_is_told_until_somebody_takes_note(
    server: Running, raid5: FakeAgent, viewer: httpx.AsyncClient, operator: httpx.AsyncClient
) -> None:
    await raid5.close()
    raid5.keep_fences()
    await raid5.connect()
    await raid5.close()
    raid5.link_fence = raid5.state_fence = ""
    await raid5.connect()
    attention = Attention(server.runtime)
    await attention.look()
    told = (await alerts(viewer))["host_restored"]
    await operator.post(f"/alerts/{told['id']}/acknowledge", json={"note": "planned"})
    await attention.look()
    assert await alerts(viewer) == {}
    assert (await host(viewer, raid5))["summary"]["open_alerts"] == 0


async def test_a_copy_that_has_gone_is_told_for_two_hours(
    server: Running, raid5: FakeAgent, viewer: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = FakeAgent(raid5.base_url)
    other.__dict__ |= {**raid5.__dict__, "boot_id": "b2", "_socket": None}
    await other.refused()
    attention = Attention(server.runtime)
    await attention.look()
    assert set(await alerts(viewer)) == {"host_cloned"}
    monkeypatch.setattr("arraywright.hosts.attention.CLONED_QUIET_S", 0.0)
    await attention.look()
    assert await alerts(viewer) == {}


async def test_namesakes_are_told_apart(
    server: Running, agent: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    twin = await enrolled_agent(server, administrator, "alpha")
    labels = {
        each["id"]: each["label"] for each in (await administrator.get("/hosts")).json()["items"]
    }
    assert labels == {each: f"alpha ({each[:8]})" for each in (agent.agent_id, twin.agent_id)}
    retire = f"/hosts/{twin.agent_id}"
    refused = await administrator.delete(retire, params={"confirm": "alpha"})
    assert (refused.status_code, refused.json()["code"]) == (422, "confirm_mismatch")
    done = await administrator.delete(retire, params={"confirm": labels[twin.agent_id]})
    assert done.status_code == 204
    assert (await host(administrator, agent))["label"] == "alpha"


async def test_a_key_is_one_host(
    server: Running, agent: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    token = (await administrator.post("/enrolment-tokens", json={"name": "again"})).json()
    answer = await agent.enrol(token["token"])
    assert (answer.status_code, answer.json()["code"]) == (409, "key_known")
    fresh = FakeAgent(server.url, "beta")
    assert (await fresh.enrol(token["token"])).status_code == 200  # it was not used up
