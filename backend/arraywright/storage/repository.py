"""Questions about reported objects."""

from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.hosts.models import Host, HostSummary, shown_name
from arraywright.kit.paging import PageQuery
from arraywright.kit.paging_sql import Rows
from arraywright.storage.models import ObjectState
from arraywright.storage.projection import ACTIVE_OPERATIONS

EQUAL = ("host_id", "controller_id", "enclosure_id", "drive_group_id", "target_id")
COUNTED = {
    "controller": HostSummary.controllers,
    "drive": HostSummary.drives,
    "drive_group": HostSummary.drive_groups,
    "virtual_drive": HostSummary.virtual_drives,
}
ONE_OF = {"state": ObjectState.state, "status": ObjectState.state, "level": ObjectState.level}


def objects(kind: str) -> Rows:
    """Rows of (object, what its host is called, online, last seen, the host's own name)."""
    return (
        select(ObjectState, shown_name(), HostSummary.online, HostSummary.last_seen_us, Host.name)
        .join(Host, Host.id == ObjectState.host_id)
        .join(HostSummary, HostSummary.host_id == ObjectState.host_id)
        .where(ObjectState.kind == kind, ObjectState.deleted.is_(False), Host.retired_us.is_(None))
    )


def filtered(kind: str, query: PageQuery) -> Rows:
    """What a page is made of, (id, host's name, place), for those filters that the
    query has; their names are the columns'. Hosts that are retired have no objects.

    Without documents: all that is asked for stands in one index.
    """
    statement: Rows = select(ObjectState.id, ObjectState.host_name, ObjectState.sort).where(
        ObjectState.kind == kind, ObjectState.deleted.is_(False)
    )
    for field in EQUAL:
        value = getattr(query, field, None)
        if value is not None:
            statement = statement.where(getattr(ObjectState, field) == value)
    for field, column in ONE_OF.items():
        values = getattr(query, field, [])
        if values:
            statement = statement.where(column.in_([word.value for word in values]))
    words = getattr(query, "kind", [])
    if words:
        statement = statement.where(ObjectState.word.in_([word.value for word in words]))
    active = getattr(query, "active", None)
    if active is not None:
        running = ObjectState.state.in_(ACTIVE_OPERATIONS)
        statement = statement.where(running if active else ~running)
    text = getattr(query, "q", None)
    if text:
        called = select(Host.name).where(
            func.lower(Host.name).contains(text.lower(), autoescape=True)
        )
        statement = statement.where(
            or_(
                ObjectState.search.contains(text.lower(), autoescape=True),
                ObjectState.host_name.in_(called),
            )
        )
    return statement


def is_whole(kind: str, query: PageQuery) -> bool:
    """Whether the query asks for all objects of a kind that is counted for each host."""
    return kind in COUNTED and not query.model_dump(exclude_defaults=True, exclude={"limit"})


async def count_all(session: AsyncSession, kind: str) -> int:
    found = await session.execute(select(func.sum(COUNTED[kind])))
    return int(found.scalar_one() or 0)


async def rows_of(session: AsyncSession, kind: str, ids: list[UUID]) -> list[Any]:
    """In the order of the ids."""
    found = await session.execute(objects(kind).where(ObjectState.id.in_(ids)))
    rows = {row[0].id: row for row in found}
    return [rows[object_id] for object_id in ids if object_id in rows]


async def find(session: AsyncSession, kind: str, object_id: UUID) -> Any | None:
    statement = objects(kind).where(ObjectState.id == object_id)
    return (await session.execute(statement)).one_or_none()


async def targets(session: AsyncSession, ids: list[UUID]) -> dict[UUID, ObjectState]:
    """Objects by id, deleted ones too: for showing what an operation works on."""
    found = await session.execute(select(ObjectState).where(ObjectState.id.in_(ids)))
    return {row.id: row for row in found.scalars()}


async def purge_tombstones(session: AsyncSession, before_us: int) -> None:
    await session.execute(
        delete(ObjectState).where(ObjectState.deleted.is_(True), ObjectState.changed_us < before_us)
    )
