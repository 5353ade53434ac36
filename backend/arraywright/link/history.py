"""Event logs that went back: the same numbers, told twice with different content.

Events are stored under (host, name, number). The name is the log's epoch; when a log comes back
that may have lost its end since (restored, replaced, cloned), what it tells is stored under a
new name, a branch. It tells everything it has kept once more, and what is stored already under
another name of the same epoch is recognized by its content: nothing is lost, nothing is twice.
"""

from collections.abc import Collection, Sequence
from uuid import UUID, uuid5

from pydantic_core import to_json
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.events.models import Event
from arraywright.link.models import SyncCursor
from arraywright.link.protocol import EventRecord

BRANCHES = 1000
"""A log that went back this often is taken on without looking for what it told before."""

Content = tuple[int, int, int, str, str]


def stored_under(cursor: SyncCursor) -> str:
    return cursor.event_branch or cursor.event_epoch


def _name(epoch: str, branch: int) -> str:
    return epoch if branch == 0 else str(uuid5(UUID(epoch), f"branch {branch}"))


_NEWEST_SQLITE = """
    SELECT n.value ->> 0, coalesce((SELECT max(seq) FROM event
        WHERE host_id = n.value ->> 0 AND epoch = n.value ->> 1), 0)
    FROM json_each(:names) AS n
"""
_NEWEST_POSTGRES = """
    SELECT n ->> 0, coalesce((SELECT max(seq) FROM event
        WHERE host_id = CAST(n ->> 0 AS uuid) AND epoch = n ->> 1), 0)
    FROM json_array_elements(CAST(:names AS json)) AS n
"""


async def _newest(session: AsyncSession, host_id: UUID, name: str) -> int:
    found = await session.execute(
        select(func.max(Event.seq)).where(Event.host_id == host_id, Event.epoch == name)
    )
    return found.scalar_one() or 0


async def _names(session: AsyncSession, host_id: UUID, epoch: str) -> dict[str, int]:
    """The names under which events of this epoch are stored, and the newest number of each."""
    names: dict[str, int] = {}
    while len(names) < BRANCHES:
        name = _name(epoch, len(names))
        newest = await _newest(session, host_id, name)
        if newest == 0:
            break
        names[name] = newest
    return names


async def newest(session: AsyncSession, cursors: Collection[SyncCursor]) -> dict[UUID, int]:
    """Of each host: the number of the newest event that is stored under the name of its log."""
    postgres = session.get_bind().dialect.name == "postgresql"
    listed = [
        (str(row.host_id) if postgres else row.host_id.hex, stored_under(row)) for row in cursors
    ]
    statement = text(_NEWEST_POSTGRES if postgres else _NEWEST_SQLITE)
    connection = await session.connection()
    found = await connection.execute(statement, {"names": to_json(listed).decode()})
    return {UUID(str(host_id)): seq for host_id, seq in found}


async def begin_branch(
    session: AsyncSession, cursor: SyncCursor, epoch: str, first_kept: int
) -> None:
    """From now on the log is told from its oldest event on."""
    # Of a host that has never connected there are no events.
    names = await _names(session, cursor.host_id, epoch) if cursor.event_epoch else {}
    cursor.event_epoch = epoch
    cursor.event_branch = _name(epoch, len(names)) if names else ""
    cursor.event_known = max(names.values(), default=0)
    # What an earlier name holds was not lost when the host dropped it from its log.
    cursor.event_seq = min(max(first_kept - 1, 0), cursor.event_known)


def _content(event: EventRecord) -> Content:
    return event.seq, event.wall_us, event.code, event.key[:128], event.text


async def _stored(
    session: AsyncSession, cursor: SyncCursor, numbers: Sequence[int]
) -> set[Content]:
    names = await _names(session, cursor.host_id, cursor.event_epoch)
    found = await session.execute(
        select(Event.seq, Event.wall_us, Event.code, Event.object_key, Event.text).where(
            Event.host_id == cursor.host_id, Event.epoch.in_(names), Event.seq.in_(numbers)
        )
    )
    return {(row.seq, row.wall_us, row.code, row.object_key, row.text) for row in found}


async def went_back(
    session: AsyncSession, cursor: SyncCursor, events: Sequence[EventRecord]
) -> bool:
    """Whether an event comes again under its number, but is another one.

    Agents are asked for the newest stored event once more when they connect: a log that lost
    its end and has grown since gives itself away by it.
    """
    again = [event for event in events if event.seq <= cursor.event_seq]
    if not again:
        return False
    stored = await _stored(session, cursor, [event.seq for event in again])
    known = {content[0] for content in stored}
    return any(event.seq in known and _content(event) not in stored for event in again)


async def repeats(
    session: AsyncSession, cursor: SyncCursor, events: Sequence[EventRecord]
) -> frozenset[int]:
    """The numbers of those that are stored already under another name of the epoch."""
    numbers = [event.seq for event in events if cursor.event_seq < event.seq <= cursor.event_known]
    if not numbers:
        return frozenset()
    known = await _stored(session, cursor, numbers)
    return frozenset(event.seq for event in events if _content(event) in known)
