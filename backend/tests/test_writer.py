"""How the work of agents is grouped, and what of it is dropped."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest

from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.link import writer as writing
from arraywright.link.allowances import Allowances
from arraywright.link.batch import Batch
from arraywright.link.frames import parse_frame
from arraywright.link.intake import Intake
from arraywright.link.writer import Writer
from arraywright.settings import Settings
from tests.support import documents
from tests.test_sync import new_host, stored

pytestmark = pytest.mark.anyio


@pytest.fixture
async def database(settings: Settings) -> Any:
    opened = Database(settings.resolved_database_url())
    yield opened
    await opened.close()


async def groups(database: Database, sizes: list[int]) -> list[list[int]]:
    """What is stored together, of work that has come at once with so many objects each."""
    writer = Writer(database, Clock(), 0.0)
    found: dict[int, list[int]] = {}
    batches: list[Batch] = []
    for number, size in enumerate(sizes):

        async def apply(batch: Batch, number: int = number) -> None:
            batches.append(batch)  # else another one may get its id
            found.setdefault(id(batch), []).append(number)

        await writer.submit(uuid4(), apply, lambda _: None, objects=size)
    await writer.stop()
    await writer.run()
    return list(found.values())


async def test_a_group_is_over_soon(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "GROUP_OBJECTS", 100)
    assert await groups(database, [60, 0, 40, 0, 1, 0]) == [[0, 1, 2, 3], [4, 5]]
    assert await groups(database, [500, 500, 0, 30]) == [[0], [1, 2], [3]]
    assert await groups(database, [0] * 7) == [list(range(7))]


async def test_a_user_has_a_turn_between_two_groups(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "GROUP_OBJECTS", 1)
    writer = Writer(database, Clock(), 0.0)
    order: list[str] = []
    waits: list[asyncio.Task[None]] = []

    async def log_in() -> None:
        async with database.write():
            order.append("user")

    async def apply(_batch: Batch) -> None:
        order.append("agent")
        if not waits:
            waits.append(asyncio.create_task(log_in()))
            await asyncio.sleep(0)

    for _ in range(4):
        await writer.submit(uuid4(), apply, lambda _: None, objects=1)
    await writer.stop()
    await writer.run()
    await waits[0]
    if database.is_sqlite:  # PostgreSQL has no queue of writers
        assert order == ["agent", "user", "agent", "agent", "agent"]


class Gone:
    """A connection that has ended."""

    def __init__(self, host_id: Any, *, has_gone: bool) -> None:
        self.host_id = host_id
        self.fence = 1
        self.has_gone = has_gone
        self.sent: list[Any] = []
        self.has_settled = False

    def send(self, frame: Any) -> None:
        self.sent.append(frame)

    def nack(self, reason: str, detail: str) -> None:
        raise AssertionError(reason, detail)

    def close(self, nack: str | None, detail: str = "") -> None:
        raise AssertionError(nack, detail)

    def refuse(self, detail: str) -> bool:
        raise AssertionError(detail)

    async def wait(self, seconds: float) -> None:
        raise AssertionError(seconds)

    def settled(self) -> None:
        self.has_settled = True


@pytest.mark.parametrize("has_gone", [False, True])
async def test_the_state_of_a_connection_that_has_gone_is_dropped(
    database: Database, has_gone: bool
) -> None:
    clock = Clock()
    writer = Writer(database, clock, 0.0)
    sender = Gone(await new_host(database), has_gone=has_gone)
    intake = Intake(sender, writer, Allowances(clock))
    frame = {
        **{"v": 1, "t": "state", "epoch": str(uuid4()), "base_rev": 0, "to_rev": 1},
        **{"full": True, "more": False, "objects": documents.blank_host(), "tombstones": []},
    }
    await intake.take(parse_frame(json.dumps(frame)))
    await writer.stop()
    await writer.run()
    assert sender.has_settled
    assert (await stored(database, sender.host_id) == {}) is has_gone
    assert sender.sent == ([] if has_gone else [{"t": "ack", "rev": 1}])
