"""Reads of events."""

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.events import models, repository
from arraywright.events.filters import EventFilter
from arraywright.events.schemas import Event
from arraywright.kit.paging_sql import fetch_page
from arraywright.kit.schema import Page, limited_moment, moment
from arraywright.link.protocol import EVENT_CLASS_WORDS, EventClass
from arraywright.link.repair import LIMITED


def _view(row: models.Event, host_name: str) -> Event:
    at, is_limited = limited_moment(row.wall_us)
    limited = [name for name in str(row.params.get(LIMITED, "")).split() if name != "wall_us"]
    if is_limited or "wall_us" in str(row.params.get(LIMITED, "")).split():
        limited.append("at")
    return Event(
        id=str(row.id),
        host_id=row.host_id,
        host_name=host_name,
        seq=row.seq,
        at=at,
        limited=limited,
        received_at=moment(row.received_us),
        code=row.code,
        name=row.name,
        event_class=EVENT_CLASS_WORDS.get(row.class_value, EventClass.FATAL.value),
        locale=row.locale,
        object_kind=row.object_kind,
        object_id=row.object_id,
        object_key=row.object_key,
        params={name: str(item) for name, item in row.params.items() if name != LIMITED},
        text=row.text,
    )


async def page(session: AsyncSession, query: EventFilter) -> Page[Event]:
    rows, cursor, total = await fetch_page(
        session,
        repository.filtered(query),
        query,
        keys=[models.Event.id],
        kinds=(int,),
        key_of=lambda row: [row[0].id],
        descending=True,
    )
    return Page(items=[_view(row[0], row[1]) for row in rows], next_cursor=cursor, total=total)
