"""The one task that stores what agents bring: many frames, one transaction, then the answers.

Frames wait up to the group-commit time for company. An answer leaves only after the commit
that holds its frame. If a group fails, its frames are tried one by one, so that one bad frame
cannot hold up the others.

A group is small enough to be over soon: requests of users and commands wait for the database too,
and each of them has its turn between two groups.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.link.batch import Batch

logger = logging.getLogger(__name__)
QUEUE_ITEMS = 5000
GROUP_ITEMS = 500
GROUP_OBJECTS = 250
"""Objects of full states: about 0.1 s of work. A larger one is a group of its own."""

Apply = Callable[[Batch], Awaitable[None]]
Answer = Callable[[Exception | None], None]


@dataclass(slots=True)
class _Item:
    host_id: UUID
    apply: Apply
    answer: Answer
    is_hello: bool
    objects: int


class Writer:
    def __init__(self, database: Database, clock: Clock, group_s: float) -> None:
        self._database = database
        self._clock = clock
        self._reporting: set[UUID] = set()
        self._group_s = group_s
        self._queue: asyncio.Queue[_Item | None] = asyncio.Queue(QUEUE_ITEMS)
        self._next: _Item | None = None
        """Taken from the queue, and too much for the last group."""
        self.stored = 0
        """Pieces of work so far."""
        self.transactions = 0
        self.storing_s = 0.0

    @property
    def waiting(self) -> int:
        return self._queue.qsize()

    def now_us(self) -> int:
        return self._clock.now_us()

    async def submit(
        self,
        host_id: UUID,
        apply: Apply,
        answer: Answer,
        *,
        is_hello: bool = False,
        objects: int = 0,
    ) -> None:
        """Waits for room in the queue, which is what slows down a flooding agent."""
        await self._queue.put(_Item(host_id, apply, answer, is_hello, objects))

    async def stop(self) -> None:
        """Ends `run` once everything submitted before is stored."""
        await self._queue.put(None)

    async def run(self) -> None:
        stopping = False
        while not stopping:
            group = [self._next or await self._queue.get()]
            self._next = None
            if self._group_s and None not in group and self._queue.qsize() < GROUP_ITEMS:
                await asyncio.sleep(self._group_s)
            self._fill(group)
            stopping = None in group
            await self._store([item for item in group if item is not None])

    def _fill(self, group: list[_Item | None]) -> None:
        """Takes what has come meanwhile, as far as it belongs into this group."""
        objects = sum(item.objects for item in group if item is not None)
        while len(group) < GROUP_ITEMS and not self._queue.empty():
            item = self._queue.get_nowait()
            objects += 0 if item is None else item.objects
            if item is not None and item.objects and objects > GROUP_OBJECTS:
                self._next = item
                return
            group.append(item)

    async def _store(self, group: list[_Item]) -> None:
        if not group:
            return
        began_s = self._clock.monotonic_s()
        try:
            async with self._database.write() as session:
                await self._apply(session, group)
        except Exception as error:
            if len(group) > 1:
                for item in group:
                    await self._store([item])
                return
            logger.exception("a frame could not be stored")
            group[0].answer(error)
            return
        self.stored += len(group)
        self.transactions += 1
        self.storing_s += self._clock.monotonic_s() - began_s
        for item in group:
            item.answer(None)

    async def _apply(self, session: AsyncSession, group: list[_Item]) -> None:
        batch = Batch(session, self._clock.now_us(), self._reporting)
        await batch.load({item.host_id for item in group})
        await batch.expect({item.host_id for item in group if item.is_hello})
        for item in group:
            await item.apply(batch)
        await batch.finish()
