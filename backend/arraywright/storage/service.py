"""Reads of what hosts report."""

from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import literal
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.auth.principal import Principal
from arraywright.kit.paging import PageQuery
from arraywright.kit.paging_sql import fetch_page
from arraywright.kit.problems import NotFoundError
from arraywright.kit.schema import Page
from arraywright.storage import repository
from arraywright.storage.models import ObjectState
from arraywright.storage.schemas import Reported
from arraywright.storage.views import kind_of, view, views

T = TypeVar("T", bound=Reported)


async def rows(
    session: AsyncSession, kind: str, query: PageQuery
) -> tuple[list[Any], str | None, int | None]:
    """By host, then by place within the host; operations newest first whatever the host."""
    newest_first = kind == "operation"
    name: Any = literal("") if newest_first else ObjectState.host_name
    total = await repository.count_all(session, kind) if repository.is_whole(kind, query) else None
    found, cursor, counted = await fetch_page(
        session,
        repository.filtered(kind, query),
        query,
        keys=[name, ObjectState.sort, ObjectState.id],
        kinds=(str, str, str),
        key_of=lambda row: ["" if newest_first else row[1], row[2], str(row[0])],
        bind=lambda values: [values[0], values[1], UUID(values[2])],
        total=total,
    )
    return await repository.rows_of(session, kind, [row[0] for row in found]), cursor, counted


async def page(
    session: AsyncSession, principal: Principal, model: type[T], query: PageQuery
) -> Page[T]:
    found, cursor, total = await rows(session, kind_of(model), query)
    return Page(items=views(model, found, principal), next_cursor=cursor, total=total)


async def get(session: AsyncSession, principal: Principal, model: type[T], object_id: UUID) -> T:
    kind = kind_of(model)
    row = await repository.find(session, kind, object_id)
    if row is None:
        raise NotFoundError(f"There is no such {kind.replace('_', ' ')}.")
    shown = view(model, row, principal)
    if shown is None:
        raise unreadable(kind)
    return shown


def unreadable(kind: str) -> NotFoundError:
    return NotFoundError(
        f"What the host has reported about this {kind.replace('_', ' ')} cannot be shown. "
        "Update the agent of the host.",
        code="report_unreadable",
    )
