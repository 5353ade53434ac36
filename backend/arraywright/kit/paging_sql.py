"""Keyset pages over a select."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sqlalchemy import Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.kit.paging import PageQuery, bad_cursor, decode_cursor, encode_cursor

Rows: TypeAlias = Select[*tuple[Any, ...]]
"""A select of several things at once."""


async def fetch_page(
    session: AsyncSession,
    statement: Rows,
    query: PageQuery,
    *,
    keys: Sequence[Any],
    kinds: tuple[type, ...],
    key_of: Callable[[Any], list[Any]],
    descending: bool = False,
    bind: Callable[[list[Any]], list[Any]] = list,
    total: int | None = None,
    is_counted: bool = True,
) -> tuple[list[Any], str | None, int | None]:
    """Rows, next cursor and, on the first page, the total.

    `key_of` gives the JSON form of a row's sort key; `bind` turns it back into values. `total`:
    where the caller knows it, nothing is counted. `is_counted`: whether there is a total.
    """
    if query.cursor is None and total is None and is_counted:
        counted = select(func.count()).select_from(statement.order_by(None).subquery())
        total = (await session.execute(counted)).scalar_one()
    elif query.cursor is not None:
        given = decode_cursor(query.cursor, kinds)
        try:
            values = bind(given)
        except ValueError as error:
            raise bad_cursor() from error
        row, after = tuple_(*keys), tuple_(*values)
        statement = statement.where(row < after if descending else row > after)
    ordered = [key.desc() if descending else key.asc() for key in keys]
    rows = list((await session.execute(statement.order_by(*ordered).limit(query.limit + 1))).all())
    more = len(rows) > query.limit
    rows = rows[: query.limit]
    return rows, encode_cursor(key_of(rows[-1])) if more else None, total
