"""Questions about events."""

from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.events.filters import EventFilter
from arraywright.events.models import Event
from arraywright.hosts.models import Host, shown_name
from arraywright.kit.paging_sql import Rows
from arraywright.kit.schema import microseconds
from arraywright.link.protocol import EVENT_CLASS_WORDS

VALUES = {word: value for value, word in EVENT_CLASS_WORDS.items()}


def filtered(query: EventFilter) -> Rows:
    """Rows of (event, host name)."""
    statement: Rows = select(Event, shown_name()).join(Host, Host.id == Event.host_id)
    if query.host_id is not None:
        statement = statement.where(Event.host_id == query.host_id)
    if query.object_id:
        statement = statement.where(Event.object_id.in_(query.object_id))
    if query.event_class:
        values = [VALUES[word.value] for word in query.event_class]
        statement = statement.where(Event.class_value.in_(values))
    if query.severity is not None:
        statement = statement.where(Event.class_value >= VALUES[query.severity.value])
    if query.code:
        statement = statement.where(Event.code.in_(query.code))
    if query.since is not None:
        statement = statement.where(Event.received_us >= microseconds(query.since))
    if query.until is not None:
        statement = statement.where(Event.received_us < microseconds(query.until))
    if query.q:
        statement = statement.where(
            func.lower(Event.text).contains(query.q.lower(), autoescape=True)
        )
    return statement


async def crowded_hosts(session: AsyncSession, most: int) -> list[UUID]:
    """Hosts with more events than that."""
    found = await session.execute(
        select(Event.host_id).group_by(Event.host_id).having(func.count() > most)
    )
    return list(found.scalars())


async def keep_newest(session: AsyncSession, host_id: UUID, most: int) -> None:
    ids = select(Event.id).where(Event.host_id == host_id)
    oldest_kept = ids.order_by(Event.id.desc()).offset(most - 1).limit(1)
    await session.execute(
        delete(Event).where(Event.host_id == host_id, Event.id < oldest_kept.scalar_subquery())
    )


async def purge(session: AsyncSession, before_us: int) -> None:
    await session.execute(delete(Event).where(Event.received_us < before_us))
