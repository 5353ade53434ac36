"""SQLite: copies while others write, and puts a copy in the place of the database."""

import contextlib
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arraywright.backup.archive import PRIVATE, sync_folder
from arraywright.kit.failure import StartError
from arraywright.kit.files import give_to_owner

POLL_S = 0.1


@contextmanager
def held(database: Path, *, patience_s: float = 0.0) -> Iterator[None]:
    """One process at a time serves or replaces an embedded database."""
    lock = database.with_name(f"{database.name}.lock")
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    try:
        give_to_owner(lock)
        _lock(descriptor, database, time.monotonic() + patience_s)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, database: Path, until_s: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() >= until_s:
                raise StartError(
                    f"A server uses the database {database}. Stop it first: "
                    "systemctl stop arraywright-backend"
                ) from error
            time.sleep(POLL_S)


def copy(database: Path, target: Path) -> None:
    """A consistent copy in one file; writers are not held up."""
    with (
        contextlib.closing(sqlite3.connect(f"file:{database}?mode=rw", uri=True)) as source,
        contextlib.closing(sqlite3.connect(target)) as made,
    ):
        source.backup(made)
        made.execute("PRAGMA journal_mode=DELETE")
    target.chmod(PRIVATE)
    check(target)


def check(path: Path) -> None:
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            found = database.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found != "ok":
        raise StartError(f"The database in {path} is damaged: {found}.")


def is_empty(database: Path) -> bool:
    if not database.exists() or database.stat().st_size == 0:
        return True
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
        return opened.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def put(copy_: Path, database: Path, aside: Path | None) -> None:
    """At every moment there is a whole database under the name. The old one is kept."""
    with contextlib.closing(sqlite3.connect(copy_)) as new:
        new.execute("PRAGMA journal_mode=DELETE")
    if database.exists():
        with contextlib.closing(sqlite3.connect(database)) as old:
            # Everything into the one file; fails if anybody else has it open.
            mode = old.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
        if mode != "delete":
            raise StartError(f"Another program uses the database {database}.")
        if aside is not None:
            os.link(database, aside)
    os.rename(copy_, database)
    give_to_owner(database)
    sync_folder(database.parent)
