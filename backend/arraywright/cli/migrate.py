"""`arraywright migrate`."""

import click

from arraywright import migrations
from arraywright.backup import service as backup_service
from arraywright.cli.backup import make_backup
from arraywright.cli.failures import FAILED
from arraywright.cli.opened import with_database
from arraywright.cli.options import examples, with_settings
from arraywright.cli.output import say
from arraywright.kit.database import Database
from arraywright.settings import Settings


@click.command(
    epilog=examples(
        "arraywright migrate --check", "arraywright migrate", "arraywright migrate --to 0008"
    )
)
@click.option("--check", is_flag=True, help="Only tell; exit status 1: a migration is pending.")
@click.option(
    "--to",
    metavar="REVISION",
    help="Go back to an older revision, before an older version is installed. What only newer "
    "tables and columns hold is lost. The server must be stopped.",
)
@click.option("--no-backup", is_flag=True, help="Change the tables without a backup.")
@with_settings()
def migrate(settings: Settings, check: bool, to: str | None, no_backup: bool) -> int:
    """Brings the tables of the database up to date, or back.

    `serve` brings them up to date, too, when it starts. A database that is not empty is backed up
    first, to "backups" in the state directory.
    """
    if check and to is not None:
        raise click.UsageError("--check and --to exclude each other.")
    found, wanted = with_database(settings, migrations.current), to or migrations.newest()
    if found == wanted:
        say(f"The database is up to date: revision {found}." if to is None else f"It is at {to}.")
        return 0
    before = "no tables" if found is None else f"revision {found}"
    if check:
        say(f"The database has {before}, this program needs {wanted}. Run: arraywright migrate")
        return FAILED
    if found is not None and not no_backup:
        path, _ = make_backup(settings, None)
        say(f"Backup: {path}")
    _change(settings, to)
    say(f"The database had {before} and has revision {wanted} now.")
    return 0


def _change(settings: Settings, to: str | None) -> None:
    async def back(database: Database) -> None:
        assert to is not None
        async with backup_service.stopped(settings):
            await migrations.downgrade(database, to)

    with_database(settings, migrations.upgrade if to is None else back)
