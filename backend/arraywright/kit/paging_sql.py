"""Keyset pages over a select."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Select, and_, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.kit.paging import PageQuery, bad_cursor, decode_cursor, encode_cursor

Rows: TypeAlias = Select[*tuple[Any, ...]]
"""A select of several things at once."""


@dataclass(frozen=True, slots=True)
class Sorting:
    """By what a list is sorted before its usual order."""

    word: str
    column: Any
    kind: type
    descending: bool

    @classmethod
    def of(cls, word: str, columns: Mapping[str, tuple[Any, type]]) -> "Sorting | None":
        """None for the usual order, which has no column."""
        name = word.removeprefix("-")
        if name not in columns:
            return None
        return cls(word, *columns[name], descending=word.startswith("-"))

    @property
    def kinds(self) -> tuple[type, type]:
        """What a cursor begins with: the word, and the value of the row."""
        return str, self.kind

    @property
    def order(self) -> Any:
        return self.column.desc() if self.descending else self.column.asc()

    def split(self, values: list[Any]) -> tuple[Any, list[Any]]:
        """The value, and what the cursor says about the usual order."""
        word, value, *others = values
        if word != self.word:
            raise ValueError
        return value, others

    def behind(self, value: Any, others_behind: Any) -> Any:
        further = self.column < value if self.descending else self.column > value
        # Said twice: an index is entered where the page begins by the first of both.
        not_before = self.column <= value if self.descending else self.column >= value
        return and_(not_before, or_(further, and_(self.column == value, others_behind)))


async def _count(session: AsyncSession, statement: Rows, most: int | None) -> int | None:
    counted = statement.order_by(None)
    if most is not None:
        counted = counted.limit(most + 1)
    found = await session.execute(select(func.count()).select_from(counted.subquery()))
    total = int(found.scalar_one())
    return total if most is None or total <= most else None


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
    most_counted: int | None = None,
    sorting: Sorting | None = None,
) -> tuple[list[Any], str | None, int | None]:
    """Rows, next cursor and, on the first page, the total.

    `key_of` gives the JSON form of a row's sort key; `bind` turns it back into values. `total`:
    where the caller knows it, nothing is counted. `is_counted`: whether there is a total.
    `most_counted`: there is none if it is larger.
    `sorting`: its column is the last one of the statement's.
    """
    if query.cursor is None and total is None and is_counted:
        total = await _count(session, statement, most_counted)
    elif query.cursor is not None:
        try:
            values = decode_cursor(query.cursor, (*(sorting.kinds if sorting else ()), *kinds))
            value, others = sorting.split(values) if sorting else (None, values)
            others = bind(others)
        except ValueError as error:
            raise bad_cursor() from error
        row, after = tuple_(*keys), tuple_(*others)
        behind = row < after if descending else row > after
        statement = statement.where(sorting.behind(value, behind) if sorting else behind)
    ordered = [key.desc() if descending else key.asc() for key in keys]
    if sorting is not None:
        ordered.insert(0, sorting.order)
    rows = list((await session.execute(statement.order_by(*ordered).limit(query.limit + 1))).all())
    more = len(rows) > query.limit
    rows = rows[: query.limit]
    if not more:
        return rows, None, total
    last = key_of(rows[-1])
    if sorting is not None:
        last = [sorting.word, rows[-1][-1], *last]
    return rows, encode_cursor(last), total
