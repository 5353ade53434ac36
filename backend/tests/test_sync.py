"""State synchronization converges whatever is lost, repeated or reordered."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from arraywright.hosts.models import Host, HostSummary
from arraywright.kit.database import Database
from arraywright.link.batch import Batch, ResyncError
from arraywright.link.models import SyncCursor
from arraywright.link.protocol import ObjectRecord, Tombstone
from arraywright.storage.models import ObjectState
from tests.support import documents

pytestmark = pytest.mark.anyio
KEYS = ("d0", "d1", "d2")


class Model:
    """What an agent holds, and the frames it would send about it."""

    def __init__(self) -> None:
        self.epoch = str(uuid4())
        self.rev = 0
        self.objects: dict[str, tuple[int, str]] = {}
        self.graves: dict[str, int] = {}

    def change(self, key: str, state: str | None) -> None:
        self.rev += 1
        if state is None:
            if self.objects.pop(key, None) is not None:
                self.graves[key] = self.rev
        else:
            self.objects[key] = (self.rev, state)
            self.graves.pop(key, None)

    def _records(self, above: int) -> list[ObjectRecord]:
        return [
            ObjectRecord.model_validate(
                documents.item("drive", key, rev, documents.drive(0, state=state))
            )
            for key, (rev, state) in self.objects.items()
            if rev > above
        ]

    def delta(self, base: int) -> dict[str, Any]:
        stones = [
            Tombstone(kind="drive", key=key, rev=rev)
            for key, rev in self.graves.items()
            if rev > base
        ]
        return {
            "full": False,
            "epoch": self.epoch,
            "base_rev": base,
            "to_rev": self.rev,
            "objects": self._records(base),
            "tombstones": stones,
        }

    def full(self) -> dict[str, Any]:
        return {
            "full": True,
            "epoch": self.epoch,
            "to_rev": self.rev,
            "objects": self._records(-1),
        }


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    url = database_url.replace("sqlite:", "sqlite+aiosqlite:").replace(
        "postgresql:", "postgresql+asyncpg:"
    )
    opened = Database(url)
    yield opened
    await opened.close()


async def new_host(database: Database) -> UUID:
    host_id = uuid4()
    async with database.write() as session:
        session.add(Host(id=host_id, name="h", public_key="", machine_id_hash="", enrolled_us=0))
        await session.flush()
        session.add(HostSummary(host_id=host_id))
        session.add(SyncCursor(host_id=host_id, fence=1))
    return host_id


async def apply(database: Database, host_id: UUID, frame: dict[str, Any]) -> bool:
    """False if the frame was answered with a resync."""
    arguments = {key: value for key, value in frame.items() if key != "full"}
    async with database.write() as session:
        batch = Batch(session, 1, set())
        await batch.load([host_id])
        cursor = batch.cursor(host_id, 1)
        try:
            if frame["full"]:
                await batch.apply_full(cursor, **arguments)
            else:
                await batch.apply_delta(cursor, **arguments)
        except ResyncError:
            return False
        await batch.finish()
    return True


async def stored(database: Database, host_id: UUID) -> dict[str, str | None]:
    async with database.read() as session:
        rows = await session.execute(
            select(ObjectState.key, ObjectState.state).where(
                ObjectState.host_id == host_id, ObjectState.deleted.is_(False)
            )
        )
        return {row.key: row.state for row in rows}


STEP = st.one_of(
    st.tuples(
        st.just("change"),
        st.sampled_from(KEYS),
        st.sampled_from(["online", "failed", "rebuild", None]),
    ),
    st.tuples(st.just("delta"), st.integers(0, 8), st.booleans()),
    st.tuples(st.just("full"), st.booleans(), st.just(0)),
    st.tuples(st.just("replay"), st.integers(0, 30), st.just(0)),
    st.tuples(st.just("epoch"), st.just(0), st.just(0)),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(STEP, max_size=30))
async def test_sync_converges(database: Database, steps: list[tuple[Any, ...]]) -> None:
    host_id = await new_host(database)
    model = Model()
    sent: list[dict[str, Any]] = []
    for step in steps:
        match step:
            case ("change", key, state):
                model.change(key, state)
            case ("delta", back, lost):
                sent.append(model.delta(max(0, model.rev - back)))
                if not lost:
                    await apply(database, host_id, sent[-1])
            case ("full", lost, _):
                sent.append(model.full())
                if not lost:
                    await apply(database, host_id, sent[-1])
            case ("replay", index, _) if sent:
                # An old session's frames are fenced; within a session only this epoch's come.
                frame = sent[index % len(sent)]
                if frame["epoch"] == model.epoch:
                    await apply(database, host_id, frame)
            case ("epoch", _, _):
                model.epoch = str(uuid4())
    if not await apply(database, host_id, model.delta(0)):
        assert await apply(database, host_id, model.full())
    expected = {key: state for key, (_, state) in model.objects.items()}
    assert await stored(database, host_id) == expected


CHANGES = st.lists(
    st.tuples(st.sampled_from(KEYS), st.sampled_from(["online", "failed", None])), max_size=3
)
FRAMES = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["full", "delta"]), CHANGES), max_size=6
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(groups=st.lists(FRAMES, max_size=4))
async def test_frames_of_one_transaction_follow_each_other(
    database: Database, groups: list[list[tuple[int, str, list[tuple[str, str | None]]]]]
) -> None:
    """Of two hosts; a full state is told in the middle of changes."""
    host_ids = [await new_host(database), await new_host(database)]
    models = [Model(), Model()]
    acked: list[int | None] = [None, None]
    for group in groups:
        async with database.write() as session:
            batch = Batch(session, 1, set())
            await batch.load(host_ids)
            for who, kind, changes in group:
                model, base = models[who], acked[who]
                for key, state in changes:
                    model.change(key, state)
                cursor = batch.cursor(host_ids[who], 1)
                if kind == "full" or base is None:
                    frame = model.full()
                    del frame["full"]
                    acked[who] = await batch.apply_full(cursor, **frame)
                else:
                    frame = model.delta(base)
                    del frame["full"]
                    acked[who] = await batch.apply_delta(cursor, **frame)
                assert acked[who] == model.rev
            await batch.finish()
        for who, host_id in enumerate(host_ids):
            if acked[who] is not None:
                held = {key: state for key, (_, state) in models[who].objects.items()}
                assert await stored(database, host_id) == held
