"""SQLite's connections for SQLAlchemy: a statement and its rows in one trip to their thread.

aiosqlite runs a connection in a thread of its own. A statement makes four trips to it by itself:
for a cursor, the execution, the rows and the end. Each costs more than most statements, and under
load each waits for its turn on the event loop.
"""

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

import aiosqlite

AT_ONCE = 1000
"""Rows that come with the execution; the others of a large result when they are asked for."""
ROWS_OF_AN_ITERATION = 64
Rows = list[Any]


class Cursor(aiosqlite.Cursor):
    """Its cursor of sqlite3 is made, and closed if it has no more rows, by the execution."""

    _cursor: Any

    def __init__(self, connection: "Connection") -> None:
        self._open: sqlite3.Cursor | None = None
        self._rows: Rows = []
        super().__init__(connection, connection.unused)

    async def __aenter__(self) -> "Cursor":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _in_thread(self, call: Callable[..., Any], *arguments: Any) -> Any:
        return await self._execute(call, *arguments)  # type: ignore[no-untyped-call]

    def _begin(self, sql: str, parameters: Iterable[Any]) -> None:
        """In the connection's thread, as the following two."""
        self._cursor = self._open = self._conn._conn.cursor()
        self._cursor.execute(sql, parameters)
        self._rows = [] if self._cursor.description is None else self._cursor.fetchmany(AT_ONCE)
        if len(self._rows) < AT_ONCE:
            self._end()

    def _begin_many(self, sql: str, parameters: Iterable[Iterable[Any]]) -> None:
        self._cursor = self._open = self._conn._conn.cursor()
        self._cursor.executemany(sql, parameters)
        self._end()

    def _end(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    async def execute(self, sql: str, parameters: Iterable[Any] | None = None) -> "Cursor":
        await self._in_thread(self._begin, sql, () if parameters is None else parameters)
        return self

    async def executemany(self, sql: str, parameters: Iterable[Iterable[Any]]) -> "Cursor":
        await self._in_thread(self._begin_many, sql, parameters)
        return self

    async def fetchone(self) -> Any:
        rows = await self.fetchmany(1)
        return rows[0] if rows else None

    async def fetchmany(self, size: int | None = None) -> Rows:
        wanted = 1 if size is None else size
        if len(self._rows) < wanted and self._open is not None:
            self._rows += await self._in_thread(self._open.fetchmany, wanted - len(self._rows))
        found, self._rows = self._rows[:wanted], self._rows[wanted:]
        return found

    async def fetchall(self) -> Rows:
        found, self._rows = self._rows, []
        if self._open is not None:
            found += await self._in_thread(self._open.fetchall)
        return found

    async def close(self) -> None:
        self._rows = []
        if self._open is not None:
            await self._in_thread(self._end)


class Connection(aiosqlite.Connection):
    unused: Any = None
    """Stands for the cursor of sqlite3 until there is one."""

    def cursor(self) -> Any:
        return Cursor(self)


def connect(database: str, **options: Any) -> Connection:
    """For SQLAlchemy's `async_creator_fn`."""
    connection = Connection(
        lambda: sqlite3.connect(database, **options), iter_chunk_size=ROWS_OF_AN_ITERATION
    )
    connection._thread.daemon = True  # as SQLAlchemy has it: a connection must not keep us
    return connection
