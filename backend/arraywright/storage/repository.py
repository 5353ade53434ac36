"""Questions about reported objects."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.hosts.models import Host, HostSummary, shown_name
from arraywright.kit.paging import PageQuery
from arraywright.kit.paging_sql import Rows, Sorting
from arraywright.storage.models import ObjectState
from arraywright.storage.projection import ACTIVE_OPERATIONS

EQUAL = ("host_id", "controller_id", "enclosure_id", "drive_group_id", "target_id")
COUNTED = {
    "controller": HostSummary.controllers,
    "drive": HostSummary.drives,
    "drive_group": HostSummary.drive_groups,
    "virtual_drive": HostSummary.virtual_drives,
}
OF_A_HOST = ("controller_id", "enclosure_id")
"""What belongs to one of these is found by its host."""
NOT_REDUNDANT = 99
"""Behind all that say how many failures they survive."""
SIZED = text("object_state.size_bytes >= 0")
"""True for all; whoever says so is served by `LARGEST_FIRST`."""
HOW = ("limit", "sort", "fields")
"""What says nothing about which objects are meant."""
SORTS: dict[str, tuple[Any, type]] = {
    "state": (func.coalesce(ObjectState.state, ""), str),
    "status": (func.coalesce(ObjectState.state, ""), str),
    "size": (ObjectState.size_bytes, int),
    "level": (func.coalesce(ObjectState.level, ""), str),
    "name": (ObjectState.title, str),
    "model": (ObjectState.title, str),
    "serial": (ObjectState.serial, str),
    "drive_failures_left": (func.coalesce(ObjectState.failures_left, NOT_REDUNDANT), int),
}
ONE_OF = {"state": ObjectState.state, "status": ObjectState.state, "level": ObjectState.level}


def objects(ids: Collection[UUID]) -> Rows:
    """Rows of (object, what its host is called, online, last seen, the host's own name).

    Asked for by id alone: for a kind as well, SQLite would read all objects of the kind. Hosts
    that are retired have no objects.
    """
    return (
        select(ObjectState, shown_name(), HostSummary.online, HostSummary.last_seen_us, Host.name)
        .join(Host, Host.id == ObjectState.host_id)
        .join(HostSummary, HostSummary.host_id == ObjectState.host_id)
        .where(ObjectState.id.in_(ids))
    )


def sorting(query: PageQuery) -> Sorting | None:
    word = getattr(query, "sort", "host")
    if word == "-host":
        return Sorting(word, ObjectState.host_name, str, descending=True)
    return Sorting.of(word, SORTS)


def filtered(kind: str, query: PageQuery, among: ColumnElement[bool] | None = None) -> Rows:
    """What a page is made of, (id, host's name, place, what it is sorted by), for those filters
    that the query has; their names are the columns'. Hosts that are retired have no objects.

    Without documents: all that is asked for stands in one index. `among`: true for objects of the
    kind only, which are found in another way; SQLite would read all of the kind nevertheless.
    """
    statement: Rows = select(ObjectState.id, ObjectState.host_name, ObjectState.sort)
    order = sorting(query)
    if order is not None:
        statement = statement.add_columns(order.column)
        if order.word == "-size" and is_whole(query, "cursor"):
            statement = statement.where(SIZED)
    if among is None:
        statement = statement.where(ObjectState.kind == kind, ObjectState.deleted.is_(False))
    else:
        statement = statement.where(among)
    for field in EQUAL:
        value = getattr(query, field, None)
        if value is not None:
            statement = statement.where(getattr(ObjectState, field) == value)
            if field in OF_A_HOST:
                statement = statement.where(ObjectState.host_id == _host_of(value))
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
    return statement


def _host_of(object_id: UUID) -> Any:
    return select(ObjectState.host_id).where(ObjectState.id == object_id).scalar_subquery()


def is_of_a_host(query: PageQuery) -> bool:
    """Whether all that the query asks for belongs to one host."""
    names = ("host_id", "drive_group_id", *OF_A_HOST)
    return any(getattr(query, name, None) is not None for name in names)


def is_whole(query: PageQuery, *but: str) -> bool:
    """Whether the query asks for all objects of a kind, but for these filters."""
    return not query.model_dump(exclude_defaults=True, exclude={*HOW, *but})


async def count_all(session: AsyncSession, kind: str) -> int:
    found = await session.execute(select(func.sum(COUNTED[kind])))
    return int(found.scalar_one() or 0)


async def rows_of(session: AsyncSession, kind: str, ids: list[UUID]) -> list[Any]:
    """In the order of the ids."""
    rows = {row[0].id: row for row in await session.execute(objects(ids)) if _is(kind, row[0])}
    return [rows[object_id] for object_id in ids if object_id in rows]


async def find(session: AsyncSession, kind: str, object_id: UUID) -> Any | None:
    row = (await session.execute(objects([object_id]))).one_or_none()
    return row if row is not None and _is(kind, row[0]) else None


def _is(kind: str, row: ObjectState) -> bool:
    return row.kind == kind and not row.deleted


async def targets(session: AsyncSession, ids: list[UUID]) -> dict[UUID, ObjectState]:
    """Objects by id, deleted ones too: for showing what an operation works on."""
    found = await session.execute(select(ObjectState).where(ObjectState.id.in_(ids)))
    return {row.id: row for row in found.scalars()}


async def purge_tombstones(session: AsyncSession, before_us: int) -> None:
    await session.execute(
        delete(ObjectState).where(ObjectState.deleted.is_(True), ObjectState.changed_us < before_us)
    )
