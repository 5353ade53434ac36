"""What a support engineer needs, in one file without secrets."""

import io
import json
import os
import platform
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from sqlalchemy import make_url, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.inspection import inspect

from arraywright import __version__, migrations
from arraywright.alerts.models import Alert
from arraywright.audit.models import AuditEntry
from arraywright.bootstrap import DEVICE_KEY
from arraywright.commands.models import Command
from arraywright.doctor.finding import Finding
from arraywright.doctor.redaction import HIDDEN, redacted
from arraywright.events.models import Event
from arraywright.hosts.models import Host, HostSummary
from arraywright.kit.database import Database
from arraywright.kit.failure import StartError
from arraywright.link import repository as link
from arraywright.settings import Settings

NEWEST = 500
LOG_LINES = 5000
LOG_S = 20
# Tables of secrets (users, sessions, tokens) are not among them; columns that are, are left out.
TABLES: Mapping[str, tuple[Any, Any]] = {
    "hosts": (Host, Host.enrolled_us),
    "host-figures": (HostSummary, HostSummary.last_seen_us),
    "alerts": (Alert, Alert.id),
    "commands": (Command, Command.created_us),
    "events": (Event, Event.id),
    "audit": (AuditEntry, AuditEntry.seq),
}
LEFT_OUT = frozenset({"public_key", "machine_id_hash", "confirm"})


def versions() -> dict[str, Any]:
    return {
        "arraywright": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "libraries": {each.name: each.version for each in distributions()},
    }


def shown_settings(settings: Settings) -> dict[str, str]:
    shown = {name: str(value) for name, value in settings.model_dump().items()}
    if settings.database_url:
        url = make_url(settings.database_url)
        shown["database_url"] = url.render_as_string(hide_password=True).replace("***", HIDDEN)
    return shown


def _known_secrets(settings: Settings) -> list[str]:
    found = [make_url(settings.resolved_database_url()).password or ""]
    for path in (settings.initial_admin_password_file, settings.database_password_file):
        try:
            found.append(path.read_text().strip() if path else "")
        except OSError:
            continue
    return [str(each) for each in found]


def _row(row: Any) -> dict[str, Any]:
    names = [each.key for each in inspect(type(row)).mapper.column_attrs]
    return {name: getattr(row, name) for name in names if name not in LEFT_OUT}


async def _rows(session: AsyncSession, model: Any, order: Any) -> list[dict[str, Any]]:
    found = await session.execute(select(model).order_by(order.desc()).limit(NEWEST))
    return [_row(row) for row in found.scalars()]


async def _from_database(settings: Settings, known: list[str]) -> dict[str, str]:
    """Member -> text; a reason where the database cannot be read."""
    database = Database(settings.resolved_database_url(), as_peer=True)
    try:
        revision = await migrations.current(database)
        found = {"database.txt": f"{database.engine.dialect.name}, revision {revision}\n"}
        if revision != migrations.newest():
            return found
        async with database.read() as session:
            known.append(await link.installation_value(session, DEVICE_KEY) or "")
            for name, (model, order) in TABLES.items():
                rows = await _rows(session, model, order)
                found[f"{name}.jsonl"] = "".join(
                    f"{json.dumps(each, default=str)}\n" for each in rows
                )
        return found
    except (SQLAlchemyError, OSError) as error:
        return {"database.txt": f"It cannot be read: {error}\n"}
    finally:
        await database.close()


def _journal() -> str:
    program = shutil.which("journalctl")
    if program is None:
        return "There is no journalctl.\n"
    try:
        done = subprocess.run(  # noqa: S603 (our own words)
            [program, "-u", "arraywright-backend", "-n", str(LOG_LINES), "--no-pager", "-o",
             "short-iso"], capture_output=True, text=True, check=False, timeout=LOG_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"The journal cannot be read: {error}\n"
    return done.stdout + done.stderr


async def members(
    settings: Settings, findings: list[Finding], logs: Iterable[Path]
) -> dict[str, str]:
    known = _known_secrets(settings)
    found = {
        "versions.json": json.dumps(versions(), indent=2),
        "settings.json": json.dumps(shown_settings(settings), indent=2),
        "findings.json": json.dumps([each.model_dump() for each in findings], indent=2),
        "journal.txt": _journal(),
        **await _from_database(settings, known),
    }
    for path in logs:
        try:
            found[f"logs/{path.name}"] = path.read_text(errors="replace")
        except OSError as error:
            found[f"logs/{path.name}"] = f"It cannot be read: {error}\n"
    return {name: redacted(text, known) for name, text in found.items()}


def write(path: Path, contents: Mapping[str, str]) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise StartError(f"The bundle {path} cannot be made: {error.strerror}.") from error
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, text in contents.items():
            content = text.encode()
            info = tarfile.TarInfo(f"arraywright-support/{name}")
            info.size, info.mtime, info.mode = len(content), int(time.time()), 0o600
            archive.addfile(info, io.BytesIO(content))
