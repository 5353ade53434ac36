"""PostgreSQL: copied and restored by its own tools."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import URL

from arraywright.kit.failure import StartError
from arraywright.kit.peer import peer_of
from arraywright.storage import search

SCHEMA = "public"
MISSING = (
    "{program} is missing. Install PostgreSQL's client programs: apt install postgresql-client"
)


def _environment(url: URL) -> dict[str, str]:
    """Where the database is, as libpq wants it; a password is not for the process list."""
    given: Mapping[str, Any] = {
        "PGHOST": url.host or url.query.get("host"),
        "PGPORT": url.port or url.query.get("port"),
        "PGUSER": url.username,
        "PGPASSWORD": url.password,
        "PGDATABASE": url.database,
        "PGSSLMODE": url.query.get("ssl"),
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARRAYWRIGHT")}
    return {**kept, **{name: str(value) for name, value in given.items() if value}}


def _run(
    url: URL,
    *command: str,
    source: Path | None = None,
    target: Path | None = None,
    listed: Path | None = None,
) -> str:
    """Reads `source` and writes `target`, in a directory that is closed to its account."""
    program = shutil.which(command[0])
    if program is None:
        raise StartError(MISSING.format(command[0]))
    peer = peer_of(url)
    other: dict[str, Any] = (
        {} if peer is None else {"user": peer.pw_uid, "group": peer.pw_gid, "extra_groups": []}
    )
    with contextlib.ExitStack() as opened:
        if listed is not None:
            number = opened.enter_context(listed.open("rb")).fileno()
            command = (*command, f"--use-list=/dev/fd/{number}")
            other["pass_fds"] = (number,)
        done = subprocess.run(  # noqa: S603 (our own words)
            [program, *command[1:]],
            env=_environment(url),
            stdin=opened.enter_context(source.open("rb")) if source else subprocess.DEVNULL,
            stdout=opened.enter_context(target.open("wb")) if target else subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
            cwd="/",
            **other,
        )
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise StartError(f"{command[0]} failed: {lines[0]}")
    return (done.stdout or b"").decode(errors="replace")


def copy(url: URL, target: Path) -> None:
    """A consistent copy in PostgreSQL's custom format; writers are not held up."""
    _run(url, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--schema={SCHEMA}",
         target=target)  # fmt: skip
    target.chmod(0o600)
    check(url, target)


def check(url: URL, path: Path) -> None:
    if "TABLE DATA" not in _run(url, "pg_restore", "--list", source=path):
        raise StartError(f"The copy of the database in {path} holds no tables.")


def put(url: URL, copy_: Path, aside: str) -> None:
    """All in one transaction; the old tables are kept in the schema `aside`.

    The index of searches needs an extension, which may be missing here, or be in another schema:
    the server makes it when it starts.
    """
    script, wanted = copy_.with_suffix(".sql"), copy_.with_suffix(".list")
    listed = _run(url, "pg_restore", "--list", source=copy_).splitlines(keepends=True)
    wanted.write_text("".join(line for line in listed if f" {search.INDEX} " not in line))
    wanted.chmod(0o644)
    _run(url, "pg_restore", "--no-owner", "--no-privileges", f"--schema={SCHEMA}", "--file=-",
         source=copy_, target=script, listed=wanted)  # fmt: skip
    _run(url, "psql", "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1",
         f"--command=ALTER SCHEMA {SCHEMA} RENAME TO {aside}", f"--command=CREATE SCHEMA {SCHEMA}",
         "--file=-", source=script)  # fmt: skip


def drop_if_empty(url: URL, schema: str) -> None:
    with contextlib.suppress(StartError):
        _run(url, "psql", "--no-psqlrc", "--quiet", f"--command=DROP SCHEMA {schema}")
