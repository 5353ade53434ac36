"""`arraywright audit`."""

import click

from arraywright.audit import service
from arraywright.audit.schemas import AuditVerification
from arraywright.cli.failures import FAILED
from arraywright.cli.opened import with_database
from arraywright.cli.options import as_json, examples, with_settings
from arraywright.cli.output import say, say_json
from arraywright.kit.database import Database
from arraywright.settings import Settings


@click.group()
def audit() -> None:
    """The audit trail."""


@audit.command(epilog=examples("arraywright audit verify"))
@with_settings()
@as_json
def verify(settings: Settings, json_: bool) -> int:
    """Checks that no entry was changed or removed. Exit status 1: one was."""

    async def work(database: Database) -> AuditVerification:
        async with database.read() as session:
            return await service.verify(session)

    found = with_database(settings, work)
    if json_:
        say_json(found)
    elif found.intact:
        say(f"The audit trail is intact: {found.entries} entries, newest hash {found.last_hash}")
    else:
        say(
            f"The audit trail is broken at entry {found.first_broken}: it, or one before it, "
            "was changed or removed. Compare it with your backups."
        )
    return 0 if found.intact else FAILED
