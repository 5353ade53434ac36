"""Agents and the backend through random histories of copies, rollbacks and crashes.

The backend is the real one: admission, intake, writer, presence, on SQLite. The agents are
models of what arrayd and the uplink keep: two state directories that can be copied, restored and
replaced on their own, revisions that are set aside per run, an event log, and hardware, which no
backup touches. Whatever has happened, one machine that is left alone in the end is shown as it
is, with each of its events once.
"""

import asyncio
import copy
import json
import os
import random
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import delete, insert, select

from arraywright import migrations
from arraywright.alerts.models import Alert
from arraywright.events.models import Event
from arraywright.hosts.models import Host, HostSummary
from arraywright.kit.database import Database
from arraywright.link import admission
from arraywright.link.batch import Batch
from arraywright.link.frames import parse_frame
from arraywright.link.identity import Machine
from arraywright.link.intake import Intake
from arraywright.link.models import SyncCursor
from arraywright.link.presence import Presence
from arraywright.link.protocol import HelloFrame
from arraywright.runtime import Runtime
from arraywright.settings import Settings
from arraywright.storage.models import ObjectState
from tests.support import documents
from tests.support.clock import HandClock

pytestmark = pytest.mark.anyio
# The real uplink lives another thousand (test_copies_uplink.py).
HISTORIES = 400
BATCHES = 20
STEPS = 14
REVISIONS_PER_RUN = 1000
KEYS = ("d0", "d1", "d2")
STATES = ("online", "failed", "rebuild", "offline", None)
SHARED: tuple[Any, ...] = (SyncCursor, ObjectState, Event, HostSummary)


@dataclass
class LinkDirectory:
    fence: str = ""


@dataclass
class StateDirectory:
    """arrayd's."""

    fence: str = ""
    state_epoch: str = field(default_factory=lambda: str(uuid4()))
    event_epoch: str = field(default_factory=lambda: str(uuid4()))
    revisions: int = 0
    """Up to here they are set aside for runs."""
    events: list[tuple[int, str]] = field(default_factory=list)
    """(wall_us, text), numbered from 1."""


@dataclass
class Run:
    """arrayd's memory."""

    rev: int
    floor: int
    objects: dict[str, int] = field(default_factory=dict)
    graves: dict[str, int] = field(default_factory=dict)


class Session:
    """A connection, seen from the backend; what the backend sends is kept."""

    def __init__(self, world: "World", machine: Machine) -> None:
        self.host_id = world.host_id
        self.fence = 0
        self.machine = machine
        self.closed = False
        self.has_gone = False
        self.heard_s = 0.0
        self.seen_us: int | None = None
        self.inbox: list[Mapping[str, Any]] = []
        self.intake = Intake(self, world.runtime.writer, world.runtime.allowances)
        self.sent_rev = self.sent_seq = 0
        self.is_full_wanted = False
        self._world = world

    def send(self, frame: Mapping[str, Any]) -> None:
        self.inbox.append(frame)

    def nack(self, reason: str, _detail: str, _retry_s: int | None = None) -> None:
        self.inbox.append({"t": "nack", "reason": reason})

    def close(self, _nack: str | None, _detail: str = "") -> None:
        self.closed = True

    def refuse(self, detail: str) -> bool:
        raise AssertionError(detail)

    async def wait(self, seconds: float) -> None:
        raise AssertionError(f"{seconds} s: these hosts are not noisy")

    def settled(self) -> None:
        pass

    async def query(self, _name: str, _args: Mapping[str, Any]) -> Any:
        raise AssertionError("nobody asks")

    async def take(self, frame: dict[str, Any]) -> None:
        """Delivers a frame and waits until it is stored and answered."""
        if self.closed:
            return
        self._world.runtime.registry.heard(self)
        await self.intake.take(parse_frame(json.dumps({"v": 1, **frame})))
        await self._world.written()


class Agent:
    """One machine: hardware, two state directories, perhaps a run, perhaps a connection."""

    def __init__(self, world: "World", name: str, boot: str) -> None:
        self.world = world
        self.name = name
        self.boot = boot
        self.hardware: dict[str, str] = dict.fromkeys(KEYS, f"{name}-new")
        self.link = LinkDirectory()
        self.state = StateDirectory()
        self.run: Run | None = None
        self.session: Session | None = None
        self.has_fences = True

    # arrayd

    def start(self) -> None:
        first = self.state.revisions
        self.state.revisions += REVISIONS_PER_RUN
        self.run = Run(first, first)
        for key in self.hardware:
            self.run.rev += 1
            self.run.objects[key] = self.run.rev
        self.run.floor = self.run.rev

    def stop(self) -> None:
        self.hang_up()
        self.run = None

    def change(self, key: str, state: str | None) -> None:
        assert self.run is not None
        self.run.rev += 1
        if state is None:
            if self.hardware.pop(key, None) is not None:
                self.run.objects.pop(key, None)
                self.run.graves[key] = self.run.rev
        else:
            self.hardware[key] = f"{state}-{self.world.tick()}"
            self.run.objects[key] = self.run.rev
            self.run.graves.pop(key, None)
        self.state.events.append((self.world.tick(), f"{self.name}: {key} is {state}"))

    # The uplink

    def hang_up(self) -> None:
        if self.session is not None:
            self.world.runtime.registry.unregister(self.session)
            self.session = None

    def die(self) -> None:
        """The uplink's process ends; the backend may not notice it."""
        if self.world.random.random() < 0.5:
            self.session = None
        self.hang_up()

    def vanish(self) -> None:
        """Power is cut: the backend does not notice at once."""
        self.run = self.session = None

    def hello(self) -> HelloFrame:
        assert self.run is not None
        fences = {"link_fence": self.link.fence, "state_fence": self.state.fence}
        return HelloFrame.model_validate(
            {
                "v": 1,
                "t": "hello",
                "agent_id": str(self.world.host_id),
                "signature": "",
                "agent_version": "1",
                "hostname": "h",
                "boot_id": self.boot,
                "state_epoch": self.state.state_epoch,
                "state_rev": self.run.rev,
                "event_epoch": self.state.event_epoch,
                "event_seq_last": len(self.state.events),
                "event_seq_first": 1 if self.state.events else 0,
                "command_number": 0,
                "capabilities": ["fence"] if self.has_fences else [],
                "policy_preset": "lab",
                **(fences if self.has_fences else {}),
            }
        )

    async def connect(self, dies: str = "") -> float | None:
        """None: it is connected, or died on the way; else when the backend wants to see it."""
        self.hang_up()
        hello = self.hello()
        session = Session(self.world, Machine("h", "192.0.2.1", hello.boot_id, hello.event_epoch))
        admitted = await self.world.admit(hello, session.machine)
        if isinstance(admitted, admission.RefusedError):
            return float(admitted.retry_s or 1)
        session.fence = admitted.fence
        session.sent_rev, session.sent_seq = admitted.acked_rev, admitted.acked_event_seq
        session.is_full_wanted = admitted.acked_rev == 0
        self.session = session
        self.world.runtime.registry.register(session)
        if admitted.agent_fence is None:
            return None
        if dies == "before":
            self.die()
            return None
        self.state.fence = admitted.agent_fence
        if dies == "between":
            self.die()
            return None
        self.link.fence = admitted.agent_fence
        if dies == "after":
            self.die()
            return None
        await session.take(
            {"t": "heartbeat", "state_rev": 0, "event_seq": 0, "fence": admitted.agent_fence}
        )
        return None

    def _state_frame(self, session: Session) -> dict[str, Any]:
        run = self.run
        assert run is not None
        base = session.sent_rev
        full = session.is_full_wanted or base > run.rev or base < run.floor
        session.is_full_wanted = False
        above = -1 if full else base
        session.sent_rev = run.rev
        return {
            "t": "state",
            "epoch": self.state.state_epoch,
            "base_rev": 0 if full else base,
            "to_rev": run.rev,
            "full": full,
            "more": False,
            "objects": [
                documents.item("drive", key, rev, documents.drive(0, model=self.hardware[key]))
                for key, rev in run.objects.items()
                if rev > above
            ],
            "tombstones": []
            if full
            else [
                {"kind": "drive", "key": key, "rev": rev}
                for key, rev in run.graves.items()
                if rev > base
            ],
        }

    def _event_frame(self, session: Session) -> dict[str, Any]:
        first = session.sent_seq + 1
        events = self.state.events[first - 1 : first + 3]
        session.sent_seq += len(events)
        return {
            "t": "event",
            "epoch": self.state.event_epoch,
            "first_seq": first,
            "events": [
                documents.event(first + index, wall_us=wall_us, text=text)
                for index, (wall_us, text) in enumerate(events)
            ],
        }

    async def sync(self, frames: int = 10_000) -> bool:
        """Sends what there is, at most so many frames; True if all of it is stored."""
        session = self.session
        assert session is not None
        told = False
        while not session.closed:
            if session.sent_seq < len(self.state.events):
                frame = self._event_frame(session)
            elif not told or session.is_full_wanted:
                frame, told = self._state_frame(session), True
            else:
                break
            if frames == 0:
                return False
            frames -= 1
            await session.take(frame)
            for answer in session.inbox:
                session.is_full_wanted |= answer.get("reason") == "resync"
                self.world.note_ack(self, answer)
            session.inbox.clear()
        if session.closed:
            self.hang_up()
            return False
        return True


class World:
    """One host of the backend, and the machines that use its identity."""

    def __init__(self, runtime: Runtime, presence: Presence, seed: int) -> None:
        self.runtime = runtime
        self.presence = presence
        self.seed = seed
        self.random = random.Random(seed)
        self.host_id = uuid4()
        self.agents = [self.machine("first", "b1")]
        self.acked: set[tuple[int, str]] = set()
        self.backups: list[tuple[LinkDirectory, StateDirectory]] = []
        self.snapshots: list[tuple[Agent, LinkDirectory, StateDirectory, Run | None]] = []
        self.server_backup: tuple[list[Any], set[tuple[int, str]]] | None = None
        self.happenings = WITHOUT_COPIES if seed % 8 == 0 else WITH_COPIES
        self.has_copies = False
        self._ticks = 0
        self.log: list[str] = []

    def machine(self, name: str, boot: str) -> Agent:
        return Agent(self, name, boot)

    def tick(self) -> int:
        self._ticks += 1
        return self._ticks

    def story(self) -> str:
        return f"seed {self.seed}: {', '.join(self.log)}"

    @property
    def clock(self) -> HandClock:
        assert isinstance(self.runtime.clock, HandClock)
        return self.runtime.clock

    async def enrol(self) -> None:
        async with self.runtime.database.write() as session:
            session.add(
                Host(
                    id=self.host_id,
                    name="h",
                    public_key=str(self.host_id),
                    machine_id_hash="",
                    enrolled_us=0,
                )
            )
            await session.flush()
            session.add(HostSummary(host_id=self.host_id))
            session.add(SyncCursor(host_id=self.host_id))

    async def admit(self, hello: HelloFrame, machine: Machine) -> Any:
        async with self.runtime.database.write() as session:
            batch = Batch(session, self.clock.now_us(), set())
            await batch.load([self.host_id])
            await batch.expect([self.host_id])
            named = hello.model_copy(update={"agent_id": str(self.host_id)})
            known = batch.arriving(self.host_id)
            assert known is not None
            return await admission.admit(batch, self.runtime, named, known, machine)

    async def written(self) -> None:
        done = asyncio.Event()

        async def nothing(batch: Any) -> None:
            pass

        await self.runtime.writer.submit(self.host_id, nothing, lambda _error: done.set())
        await done.wait()

    def note_ack(self, agent: Agent, answer: Mapping[str, Any]) -> None:
        self.acked |= set(agent.state.events[: int(answer.get("event_seq", 0))])

    async def wait(self, seconds: float) -> None:
        """Time passes; who is connected is heard."""
        registry = self.runtime.registry
        for step in range(int(seconds * 2) + 1):
            self.clock.offset_s += 0.5
            if step % 20 == 0:
                for agent in self.agents:
                    if agent.session is not None and not agent.session.closed:
                        registry.heard(agent.session)
            peer = registry.peer(self.host_id)
            self.presence.note()
            if isinstance(peer, Session) and peer.closed:
                registry.unregister(peer)
        for agent in self.agents:
            if agent.session is not None and agent.session.closed:
                agent.hang_up()
        await self.presence.store()

    # What the backend has

    async def rows(self, table: Any, *columns: Any) -> list[Any]:
        async with self.runtime.database.read() as session:
            found = await session.execute(select(*columns).where(table.host_id == self.host_id))
            return list(found.all())

    async def check_acked(self) -> None:
        stored = {tuple(row) for row in await self.rows(Event, Event.wall_us, Event.text)}
        assert self.acked <= stored, f"{self.story()}: {self.acked - stored}"

    async def check(self, agent: Agent) -> None:
        """All of this machine is stored, and nothing else is shown."""
        objects = await self.rows(
            ObjectState, ObjectState.key, ObjectState.doc, ObjectState.deleted
        )
        shown = {row.key: row.doc["model"] for row in objects if not row.deleted}
        assert shown == agent.hardware, self.story()
        events = await self.rows(Event, Event.wall_us, Event.text)
        for event in agent.state.events:
            count = sum(tuple(row) == event for row in events)
            assert count == 1, f"{self.story()}: {event} {count} times"
        ((presence,),) = await self.rows(HostSummary, HostSummary.presence)
        assert presence == "online", self.story()

    async def alerts(self) -> set[str]:
        rows = await self.rows(Alert, Alert.rule, Alert.open_key)
        return {row.rule for row in rows if row.open_key is not None}

    # What can happen

    async def step(self) -> None:
        agent = self.random.choice(self.agents)
        name = self.random.choice(self.happenings)
        self.log.append(f"{name} {agent.name}")
        self.has_copies = self.has_copies or name in COPYING
        await getattr(self, f"_{name}")(agent)
        if name not in TALKING:
            return
        await self.check_acked()
        if not self.has_copies:  # whatever dies and comes again is the one machine there is
            told = await self.alerts()
            assert not told & {"host_cloned", "host_restored"}, f"{told} {self.story()}"

    async def _change(self, agent: Agent) -> None:
        if agent.run is None:
            agent.start()
        for _ in range(self.random.randint(1, 4)):
            agent.change(self.random.choice(KEYS), self.random.choice(STATES))

    async def _connect(self, agent: Agent) -> None:
        if agent.run is None:
            agent.start()
        live = [
            other
            for other in self.agents
            if other is not agent and other.session is not None and not other.session.closed
        ]
        refused = await agent.connect(
            self.random.choice(["", "", "", "before", "between", "after"])
        )
        if refused is not None and live:
            assert "host_cloned" in await self.alerts(), self.story()

    async def _sync(self, agent: Agent) -> None:
        if agent.session is None or agent.run is None:
            await self._connect(agent)
        if agent.session is not None and await agent.sync():
            await self.check(agent)

    async def _lose(self, agent: Agent) -> None:
        """The connection is cut after some frames; what was sent last may be stored or not."""
        if agent.session is not None and agent.run is not None:
            await agent.sync(self.random.randint(0, 3))
        agent.hang_up()

    async def _restart(self, agent: Agent) -> None:
        agent.stop()
        if self.random.random() < 0.3:
            agent.boot = f"b{self.tick()}"
        agent.start()

    async def _vanish(self, agent: Agent) -> None:
        agent.vanish()
        agent.boot = f"b{self.tick()}"

    async def _backup(self, agent: Agent) -> None:
        self.backups.append((copy.deepcopy(agent.link), copy.deepcopy(agent.state)))

    async def _restore(self, agent: Agent) -> None:
        if self.backups:
            link, state = copy.deepcopy(self.random.choice(self.backups))
            parts = self.random.choice(["link", "state", "both"])
            agent.stop()
            agent.link = link if parts != "state" else agent.link
            agent.state = state if parts != "link" else agent.state
            agent.start()

    async def _replace(self, agent: Agent) -> None:
        """An empty state directory; the arrays are imported."""
        agent.stop()
        agent.state = StateDirectory()
        agent.start()

    async def _snapshot(self, agent: Agent) -> None:
        kept = copy.deepcopy((agent.link, agent.state, agent.run))
        self.snapshots.append((agent, *kept))

    async def _revert(self, agent: Agent) -> None:
        """The whole machine, with its memory; its drives are what they are now."""
        own = [kept for kept in self.snapshots if kept[0] is agent and kept[3] is not None]
        if not own:
            return
        _, link, state, run = copy.deepcopy(self.random.choice(own), {id(agent): agent})
        agent.hang_up()
        agent.link, agent.state, agent.run = link, state, run
        assert agent.run is not None
        agent.run.graves |= {
            key: agent.run.rev for key in agent.run.objects if key not in agent.hardware
        }
        # arrayd looks at its drives again: what it finds changed, it tells.
        for key in KEYS:
            agent.run.rev += 1
            if key in agent.hardware:
                agent.run.objects[key] = agent.run.rev
                agent.run.graves.pop(key, None)
            else:
                agent.run.objects.pop(key, None)
                agent.run.graves[key] = agent.run.rev

    async def _clone(self, agent: Agent) -> None:
        if len(self.agents) > 1:
            return
        made = self.machine("second", self.random.choice([agent.boot, f"b{self.tick()}"]))
        made.link = copy.deepcopy(agent.link)
        if self.random.random() < 0.6:
            made.state = copy.deepcopy(agent.state)
        self.agents.append(made)
        made.start()

    async def _wait(self, _agent: Agent) -> None:
        await self.wait(self.random.choice([1, 4, 6, 60, 700]))

    async def _older(self, agent: Agent) -> None:
        """The agent is replaced by the version before, or by the present one again."""
        agent.stop()
        agent.has_fences = not agent.has_fences
        agent.start()

    async def _server(self, _agent: Agent) -> None:
        """The backend's database is backed up, or restored."""
        database = self.runtime.database
        if self.server_backup is None:
            kept = []
            async with database.read() as session:
                for table in SHARED:
                    columns = list(table.__table__.columns)
                    found = await session.execute(
                        select(*columns).where(table.host_id == self.host_id)
                    )
                    kept.append([dict(row._mapping) for row in found])
            self.server_backup = (kept, set(self.acked))
            return
        for each in self.agents:
            each.hang_up()
        async with database.write() as session:
            for table, rows in zip(SHARED, self.server_backup[0], strict=True):
                await session.execute(delete(table).where(table.host_id == self.host_id))
                if rows:
                    await session.execute(insert(table), rows)
        self.acked = set(self.server_backup[1])

    # The end

    async def settle(self) -> None:
        """One machine is left; however it has come to this, it is shown as it is."""
        last = self.random.choice(self.agents)
        for agent in self.agents:
            if agent is not last:
                agent.stop()
        last.has_fences = True
        if last.run is None:
            last.start()
        last.change("d0", "online")
        for _ in range(4):
            self.log.append(f"settle {last.name}")
            await self.wait(700)
            if last.session is None or last.session.closed:
                refused = await last.connect()
                if refused is not None:
                    await self.wait(refused + 1)
                    continue
            if await last.sync():
                break
        else:
            raise AssertionError(f"{self.story()}: never comes to rest")
        await self.check(last)
        await self.check_acked()
        last.stop()
        for agent in self.agents:
            agent.stop()


ORDINARY = [
    *["change"] * 4,
    *["connect"] * 4,
    *["sync"] * 6,
    *["lose"] * 2,
    *["restart"] * 2,
    *["wait"] * 3,
    *("vanish", "replace"),
]
TALKING = ("connect", "sync", "lose", "server")
COPYING = ("replace", "restore", "clone", "revert", "server", "older")
# An agent of the version before cannot tell that its log went back and has grown since.
WITHOUT_COPIES = [*ORDINARY, *["older"] * 3]
WITH_COPIES = [
    *ORDINARY,
    *["backup"] * 3,
    *["restore"] * 3,
    *["clone"] * 2,
    *["snapshot"] * 2,
    *["revert"] * 2,
    "server",
]


@pytest.fixture(scope="module")
async def runtime(anyio_backend: object) -> AsyncIterator[Runtime]:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with TemporaryDirectory(dir=memory) as directory:
        settings = Settings(
            database_url=f"sqlite:///{Path(directory, 'a.sqlite')}",
            state_dir=Path(directory),
            group_commit_ms=0,
        )
        database = Database(settings.resolved_database_url())
        await migrations.upgrade(database)
        made = Runtime.build(settings, HandClock(), database, UUID(int=1), "key")
        writing = asyncio.create_task(made.writer.run())
        yield made
        await made.writer.stop()
        await writing
        await database.close()


@pytest.mark.parametrize("batch", range(BATCHES))
async def test_histories(runtime: Runtime, batch: int) -> None:
    each = HISTORIES // BATCHES
    for seed in range(batch * each, (batch + 1) * each):
        world = World(runtime, Presence(runtime), seed)
        await world.enrol()
        world.agents[0].start()
        for _ in range(STEPS):
            await world.step()
        await world.settle()
