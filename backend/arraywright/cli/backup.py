"""`arraywright backup` and `arraywright restore`."""

import asyncio
from pathlib import Path

import click

from arraywright.backup import archive, service
from arraywright.backup.manifest import Manifest
from arraywright.cli.options import as_json, examples, with_settings
from arraywright.cli.output import say, say_json, when
from arraywright.settings import Settings

FILE = click.Path(path_type=Path)


def make_backup(settings: Settings, path: Path | None) -> tuple[Path, Manifest]:
    if path is None or path.is_dir():
        path = service.default_path(settings, path)
    return path, asyncio.run(service.make(settings, path))


def _tell(path: Path, manifest: Manifest, *, json_: bool) -> None:
    if json_:
        say_json({"path": str(path), **manifest.model_dump(mode="json")})
        return
    size_mb = manifest.size_bytes / 1_000_000
    say(
        f"{path}: {manifest.engine}, {size_mb:.1f} MB, revision {manifest.revision}, made "
        f"{when(manifest.made_at)} by Arraywright {manifest.version}; checksum verified"
    )


@click.command(
    epilog=examples(
        "arraywright backup", "arraywright backup /mnt/backups", "arraywright backup --check FILE"
    )
)
@click.argument("path", metavar="[FILE]", required=False, type=FILE)
@click.option("--check", is_flag=True, help="Make none; read FILE and verify it.")
@with_settings()
@as_json
def backup(settings: Settings, path: Path | None, check: bool, json_: bool) -> None:
    """Copies the database into one file, while the server runs.

    FILE may be a directory. Without it, the backup goes to "backups" in the state directory. It
    holds password hashes and the server's identity, and only its owner can read it. It is verified
    after writing. PostgreSQL needs its client programs (pg_dump).
    """
    if check:
        if path is None:
            raise click.UsageError("--check needs FILE.")
        _tell(path, archive.check(path), json_=json_)
        return
    made, manifest = make_backup(settings, path)
    _tell(made, manifest, json_=json_)


@click.command(
    epilog=examples(
        "systemctl stop arraywright-backend",
        "arraywright restore /mnt/backups/arraywright-20261128T120000Z.tar.gz \\",
        "    --replace arraywright.sqlite",
        "systemctl start arraywright-backend",
    )
)
@click.argument("path", metavar="FILE", type=FILE)
@click.option("--replace", metavar="NAME", help="Name of the database, to replace what it holds.")
@with_settings()
def restore(settings: Settings, path: Path, replace: str | None) -> None:
    """Goes back to a backup, all or nothing. The server must be stopped.

    The replaced database is kept: as a file beside the new one, or as a schema on PostgreSQL. A
    backup with an older schema is migrated. Users, passwords and API tokens are those of the
    backup; logins to the console and enrollment tokens end. Commands that were on their way are
    not sent again. Agents report their state and their events anew.
    """
    done = asyncio.run(service.restore(settings, path, replace=replace))
    say(f"Restored {service.name_of(settings)} from the backup of {when(done.manifest.made_at)}.")
    if done.aside is not None:
        say(f"The replaced database is kept as {done.aside}.")
    say("Next: systemctl start arraywright-backend")
