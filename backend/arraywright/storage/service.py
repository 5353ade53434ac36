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
from arraywright.storage import search as searching
from arraywright.storage.models import ObjectState
from arraywright.storage.schemas import Reported
from arraywright.storage.views import Fields, kind_of, view, views

T = TypeVar("T", bound=Reported)


async def rows(
    session: AsyncSession, kind: str, query: PageQuery
) -> tuple[list[Any], str | None, int | None]:
    """By host, then by place within the host; operations newest first whatever the host."""
    # Where the host's name says nothing, SQLite would read all hosts in the order of their names.
    is_unnamed = kind == "operation" or repository.is_of_a_host(query)
    name: Any = literal("") if is_unnamed else ObjectState.host_name
    words = getattr(query, "q", None)
    search = await searching.search(session, kind, words) if words else searching.Search()
    statement = repository.filtered(kind, query, search.among)
    if search.condition is not None:
        statement = statement.where(search.condition)
    is_whole = repository.is_whole(query, "q")
    total = search.number if is_whole else None
    if kind in repository.COUNTED and repository.is_whole(query):
        total = await repository.count_all(session, kind)
    found, cursor, counted = await fetch_page(
        session,
        statement,
        query,
        keys=[name, ObjectState.sort, ObjectState.id],
        kinds=(str, str, str),
        key_of=lambda row: ["" if is_unnamed else row[1], row[2], str(row[0])],
        bind=lambda values: [values[0], values[1], UUID(values[2])],
        total=total,
        is_counted=search.is_counted and not (is_whole and search.is_many),
        most_counted=searching.MOST_COUNTED if words else None,
        sorting=repository.sorting(query),
    )
    return await repository.rows_of(session, kind, [row[0] for row in found]), cursor, counted


async def page(
    session: AsyncSession,
    principal: Principal,
    model: type[T],
    query: PageQuery,
    fields: Fields = None,
) -> Page[T]:
    found, cursor, total = await rows(session, kind_of(model), query)
    return Page(items=views(model, found, principal, fields), next_cursor=cursor, total=total)


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
