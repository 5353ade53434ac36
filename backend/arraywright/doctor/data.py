"""Checks of what the database holds."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright import migrations
from arraywright.audit import service as audit
from arraywright.auth import repository as auth
from arraywright.backup.service import place_of
from arraywright.doctor.finding import Finding
from arraywright.hosts import repository as hosts
from arraywright.kit.database import Database
from arraywright.settings import Settings
from arraywright.storage import search

SHOWN = 5
SessionCheck = Callable[[AsyncSession], Awaitable[Finding | None]]


async def audit_broken(session: AsyncSession) -> Finding | None:
    found = await audit.verify(session)
    if found.intact:
        return None
    return Finding(
        code="audit_broken",
        found=f"The audit trail is broken at entry {found.first_broken}.",
        consequence="That entry, or one before it, was changed or removed outside Arraywright.",
        next_step="arraywright audit verify; ls -t /var/lib/arraywright-backend/backups",
    )


async def administrator_missing(session: AsyncSession) -> Finding | None:
    if await auth.count_administrators(session) or not await auth.count_users(session):
        return None
    return Finding(
        code="administrator_missing",
        found="All administrators are disabled.",
        consequence="Nobody can manage users, hosts and tokens in the console.",
        next_step="arraywright user create rescue --role administrator",
    )


async def hosts_silent(session: AsyncSession) -> Finding | None:
    names = await hosts.silent_names(session)
    if not names:
        return None
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return Finding(
        code="hosts_silent",
        found=f"Hosts that did not report in time: {', '.join(names[:SHOWN])}{more}.",
        consequence="What the console shows of them is old. Commands to them expire.",
        next_step=f"ssh {names[0].split()[0]} sudo arrayctl doctor",
    )


async def search_slow(session: AsyncSession) -> Finding | None:
    if await search.is_prepared(session):
        return None
    return Finding(
        code="search_slow",
        found="The database has no index for searches: the extension pg_trgm is missing.",
        consequence="Each search for a serial number or a name reads all objects of all hosts.",
        next_step="sudo -u postgres psql -d arraywright -c 'CREATE EXTENSION pg_trgm' && "
        "sudo systemctl restart arraywright-backend",
    )


SESSION_CHECKS: dict[str, SessionCheck] = {
    "administrator_missing": administrator_missing,
    "hosts_silent": hosts_silent,
    "audit_broken": audit_broken,
    "search_slow": search_slow,
}


def _pending(revision: str | None) -> Finding | None:
    if revision == migrations.newest():
        return None
    if revision is not None and revision not in migrations.revisions():
        return Finding(
            code="database_newer",
            found=f"A newer version of Arraywright made the database (revision {revision}).",
            consequence="This version does not start with it.",
            next_step="sudo apt install --only-upgrade arraywright-backend",
        )
    return Finding(
        code="migration_pending",
        found=f"The database has {f'revision {revision}' if revision else 'no tables'}; this "
        f"program needs {migrations.newest()}.",
        consequence="Commands refuse to work until it is migrated; the server migrates at start.",
        next_step="arraywright migrate",
    )


def no_database(file: Path) -> Finding:
    return Finding(
        code="database_unreachable",
        found=f"There is no database {file.absolute()}.",
        consequence="A server that starts makes an empty one: no user, no host.",
        next_step="grep STATE_DIR /etc/arraywright/backend.env",
    )


def _unreachable(settings: Settings, error: Exception) -> Finding:
    url, file = place_of(settings)
    where = file.absolute() if file else url.render_as_string(hide_password=True)
    host = url.host or url.query.get("host") or "localhost"
    command = f"sudo ls -l {file.absolute()}" if file else f"pg_isready --host {host}"
    return Finding(
        code="database_unreachable",
        found=f"The database {where} cannot be used: {str(error).splitlines()[0]}",
        consequence="The server does not start. Agents keep their events.",
        next_step=command,
    )


async def findings(settings: Settings) -> AsyncIterator[Finding]:
    database = Database(settings.resolved_database_url(), as_peer=True)
    try:
        pending = _pending(await migrations.current(database))
        if pending is not None:
            yield pending
            return
        async with database.read() as session:
            for check in SESSION_CHECKS.values():
                found = await check(session)
                if found is not None:
                    yield found
    except (SQLAlchemyError, OSError) as error:
        yield _unreachable(settings, error)
    finally:
        await database.close()
