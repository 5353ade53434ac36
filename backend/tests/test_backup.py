"""Backups are made while the server runs, and restored all or nothing, on both databases."""

import contextlib
import json
import sqlite3
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select, text

from arraywright import migrations
from arraywright.audit import service as audit
from arraywright.auth import repository, users
from arraywright.auth.models import UiSession
from arraywright.backup import archive, embedded, service
from arraywright.backup.manifest import Manifest
from arraywright.cli import main
from arraywright.hosts import enrolment
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.kit.failure import StartError
from arraywright.kit.roles import Role
from arraywright.settings import Settings
from tests.conftest import Callers
from tests.support.server import running

pytestmark = pytest.mark.anyio
Said = pytest.CaptureFixture[str]


async def add_user(database: Database, name: str) -> None:
    async with database.write() as session:
        await users.add(
            session, Clock().now_us(), username=name, role=Role.VIEWER, password="x" * 12
        )


async def names(settings: Settings) -> set[str]:
    database = Database(settings.resolved_database_url())
    try:
        async with database.read() as session:
            return {row.username for row in await repository.all_users(session)}
    finally:
        await database.close()


async def fill(settings: Settings) -> None:
    database = Database(settings.resolved_database_url())
    await add_user(database, "before")
    await database.close()


async def test_there_and_back(settings: Settings, password_hash: str, tmp_path: Path) -> None:
    path = tmp_path / "kept.tar.gz"
    async with running(settings) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        await callers.logged_in(Role.ADMINISTRATOR)
        async with server.runtime.database.write() as session:
            await enrolment.issue(
                session, Clock().now_us(), created_by="ann", name="rack", minutes=60
            )
        made = await service.make(settings, path)
        await add_user(server.runtime.database, "after")
        if not server.runtime.database.is_sqlite:
            with pytest.raises(StartError, match="Stop the server"):
                await service.restore(settings, path, replace=service.name_of(settings))
        await callers.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert archive.check(path) == made
    with pytest.raises(StartError, match=f"--replace {service.name_of(settings)}"):
        await service.restore(settings, path, replace=None)
    with pytest.raises(StartError, match="not nonsense"):
        await service.restore(settings, path, replace="nonsense")
    assert "after" in await names(settings)

    done = await service.restore(settings, path, replace=service.name_of(settings))
    assert await names(settings) == {role.value for role in Role}
    database = Database(settings.resolved_database_url())
    async with database.read() as session:
        assert (await session.execute(select(UiSession))).all() == []
        (token,) = await enrolment.everything(session, Clock().now_us())
        assert token.revoked
        assert (await audit.verify(session)).intact
        assert await kept_names(session_text(settings, done.aside), database) >= {"after"}
    await database.close()
    assert [each for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def session_text(settings: Settings, aside: str | None) -> str:
    assert aside is not None
    if aside.startswith("schema "):
        return f"SELECT username FROM {aside.removeprefix('schema ')}.user_account"
    return aside


async def kept_names(place: str, database: Database) -> set[str]:
    """Users of the database that was replaced."""
    if database.is_sqlite:
        with contextlib.closing(sqlite3.connect(place)) as old:
            return {name for (name,) in old.execute("SELECT username FROM user_account")}
    async with database.engine.connect() as connection:
        return set((await connection.execute(text(place))).scalars())


async def test_into_an_empty_database_of_an_older_revision(
    settings: Settings, tmp_path: Path
) -> None:
    """An older schema is migrated; nothing is kept of an empty database."""
    path = tmp_path / "kept.tar.gz"
    database = Database(settings.resolved_database_url())
    await add_user(database, "before")
    await migrations.downgrade(database, migrations.revisions()[1])
    await database.close()
    assert (await service.make(settings, path)).revision == migrations.revisions()[1]
    if database.is_sqlite:
        (tmp_path / "arraywright.sqlite").unlink()
    else:
        async with database.engine.begin() as connection:
            await connection.execute(text("DROP SCHEMA public CASCADE"))
            await connection.execute(text("CREATE SCHEMA public"))
        await database.close()
    assert (await service.restore(settings, path, replace=None)).aside is None
    assert await names(settings) == {"before"}


def damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def nothing_of_ours(path: Path) -> None:
    path.write_text("a text")


def remade(path: Path, **changes: object) -> None:
    """With another manifest."""
    with tarfile.open(path) as opened:
        opened.extractall(path.parent / "parts")
    manifest = json.loads((path.parent / "parts" / archive.MANIFEST).read_text()) | changes
    path.unlink()
    database = path.parent / "parts" / manifest["member"]
    archive.write(path, Manifest.model_validate(manifest), database)


def of_a_newer_schema(path: Path) -> None:
    remade(path, revision="9999")


def of_another_engine(path: Path) -> None:
    remade(path, engine="postgresql")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (damaged, "not a backup that can be restored"),
        (truncated, "not a backup that can be restored"),
        (nothing_of_ours, "not a backup that can be restored"),
        (of_a_newer_schema, "newer schema"),
        (of_another_engine, "is a backup of postgresql"),
        (Path.unlink, "No such file"),
    ],
)
def test_what_is_not_restored(
    spoil: Callable[[Path], None], why: str, tmp_path: Path, capsys: Said
) -> None:
    path, place = tmp_path / "kept.tar.gz", ("--state-dir", str(tmp_path / "state"))
    assert main(["user", "create", "ann", *place]) == 0
    assert main(["backup", str(path), *place]) == 0
    spoil(path)
    capsys.readouterr()
    assert main(["restore", str(path), "--replace", "arraywright.sqlite", *place]) == 1
    assert why in capsys.readouterr().err
    assert main(["user", "list", *place]) == 0
    assert "ann" in capsys.readouterr().out


def test_a_running_server_is_left_alone(tmp_path: Path, capsys: Said) -> None:
    path, place = tmp_path / "kept.tar.gz", ("--state-dir", str(tmp_path / "state"))
    assert main(["user", "create", "ann", *place]) == 0
    with embedded.held(tmp_path / "state" / "arraywright.sqlite"):
        assert main(["backup", str(path), *place]) == 0
        assert main(["restore", str(path), "--replace", "arraywright.sqlite", *place]) == 1
        assert "systemctl stop arraywright-backend" in capsys.readouterr().err
        assert main(["migrate", "--to", "0001", *place]) == 1
    assert main(["restore", str(path), "--replace", "arraywright.sqlite", *place]) == 0
    assert main(["backup", str(path), *place]) == 1
    assert "exists" in capsys.readouterr().err
    assert main(["backup", "--check", "--json", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["engine"] == "sqlite"


def test_back_and_forward_with_backups(tmp_path: Path, capsys: Said) -> None:
    place = ("--state-dir", str(tmp_path))
    assert main(["user", "create", "ann", *place]) == 0
    older = migrations.revisions()[1]
    assert main(["migrate", "--to", older, *place]) == 0
    assert main(["migrate", "--check", *place]) == 1
    said = capsys.readouterr().out
    backup = Path(said.split("Backup: ")[1].split("\n")[0])
    assert archive.check(backup).revision == migrations.newest()
    assert backup.parent == tmp_path / "backups"
    assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o700
    assert main(["migrate", "--no-backup", *place]) == 0
    assert "Backup" not in capsys.readouterr().out
    assert main(["migrate", "--to", "7777", *place]) == 1
    assert main(["user", "list", *place]) == 0
