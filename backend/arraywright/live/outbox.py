"""From a committed change to the live streams.

A change is told right after the commit of the transaction that makes it, never if that is rolled
back. The streams live in the server's process and do not survive it, nor do changes that it has
committed and not told: clients of the next process begin anew.

Another process (the command line, a restore) leaves its changes in the outbox, in the transaction
that makes them. The dispatcher takes them from there.
"""

import asyncio
import logging
from uuid import UUID

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.kit.database import NEWS, Database
from arraywright.kit.waiting import happened
from arraywright.live.hub import Change, Hub
from arraywright.live.models import OutboxItem

logger = logging.getLogger(__name__)
BATCH = 2000
POLL_S = 2.0


def add(
    session: AsyncSession, *, kind: str, object_id: str, rev: int, host_id: UUID | None = None
) -> None:
    news = session.info.get(NEWS)
    if news is None:
        session.add(OutboxItem(kind=kind, object_id=object_id, rev=rev, host_id=host_id))
    else:
        news.append(Change(kind, object_id, rev, host_id))


async def add_many(session: AsyncSession, changes: list[Change]) -> None:
    news = session.info.get(NEWS)
    if news is not None:
        news.extend(changes)
    elif changes:
        await session.execute(
            insert(OutboxItem),
            [
                {
                    "kind": change.kind,
                    "object_id": change.object_id,
                    "rev": change.rev,
                    "host_id": change.host_id,
                }
                for change in changes
            ],
        )


class Dispatcher:
    def __init__(self, database: Database, hub: Hub) -> None:
        self._database = database
        self._hub = hub
        self._news = asyncio.Event()
        database.publish = hub.publish

    def wake(self) -> None:
        self._news.set()

    async def run(self) -> None:
        while not self._hub.closing.is_set():
            await happened(self._news, POLL_S)
            self._news.clear()
            try:
                while await self.dispatch() == BATCH:
                    pass
            except Exception:
                logger.exception("the outbox could not be read")
                await happened(self._hub.closing, POLL_S)

    async def dispatch(self) -> int:
        """Sends one batch; returns its size."""
        async with self._database.read() as session:
            rows = (
                await session.execute(select(OutboxItem).order_by(OutboxItem.id).limit(BATCH))
            ).scalars()
            items = list(rows)
        if not items:
            return 0
        async with self._database.write() as session:
            ids = [item.id for item in items]
            await session.execute(delete(OutboxItem).where(OutboxItem.id.in_(ids)))
        self._hub.publish(
            [Change(item.kind, item.object_id, item.rev, item.host_id) for item in items]
        )
        return len(items)
