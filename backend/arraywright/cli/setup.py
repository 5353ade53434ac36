"""`arraywright setup`: TLS and PostgreSQL for an installed server."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import click

from arraywright.cli.failures import CommandError
from arraywright.cli.options import examples, with_settings
from arraywright.cli.output import say
from arraywright.cli.settings_file import DEFAULT_FILE
from arraywright.settings import Settings
from arraywright.setup import postgresql as database_setup
from arraywright.setup import service, settings_file, tls

TRANSFER_S = 24 * 3600


@click.group()
def setup() -> None:
    """Sets up TLS or PostgreSQL on an installed server."""


def _file() -> Path:
    return Path(click.get_current_context().find_root().params.get("env_file") or DEFAULT_FILE)


def _installed(settings: Settings, file: Path) -> None:
    if not file.exists() or not settings.state_dir.is_dir():
        raise CommandError(
            f"{file} and {settings.state_dir} must exist: this command is for the installed "
            "server. Start it once: systemctl start arraywright-backend"
        )
    if not os.access(file.parent, os.W_OK) or not os.access(settings.state_dir, os.W_OK):
        raise CommandError(f"{file} cannot be changed. Run the command as root.")


def _names(given: tuple[str, ...], certified: list[str]) -> list[str]:
    if given or certified:
        return [*given] or certified
    return list(dict.fromkeys([socket.getfqdn(), socket.gethostname(), "localhost"]))


@setup.command(
    "tls",
    epilog=examples(
        "arraywright setup tls --name console.example.org",
        "arraywright setup tls --certificate /etc/ssl/console.pem --key /etc/ssl/console.key",
    ),
)
@click.option(
    "--name",
    "names",
    multiple=True,
    help="Host name or address by which browsers and agents reach the server; more than once for "
    "several.  [default: the name of this machine]",
)
@click.option(
    "--certificate",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Certificate chain (PEM). Without it, the command makes one and signs it.",
)
@click.option("--key", type=click.Path(path_type=Path, dir_okay=False), help="Its key (PEM).")
@click.option(
    "--listen",
    default="0.0.0.0",  # noqa: S104
    show_default=True,
    help="Address to listen on.",
)
@with_settings(("state_dir", "port"))
def with_tls(
    settings: Settings,
    names: tuple[str, ...],
    certificate: Path | None,
    key: Path | None,
    listen: str,
) -> None:
    """Makes the server speak HTTPS to other machines.

    Repeat the command before the certificate expires, for example when yours was renewed. The
    authority that the command made stays the same.
    """
    if (certificate is None) != (key is None):
        raise CommandError("Give --certificate and --key, or neither of them.")
    file = _file()
    _installed(settings, file)
    files = tls.make_folder(settings.state_dir / "tls")
    if certificate is not None and key is not None:
        wanted = _names(names, tls.take(files, certificate, key))
    else:
        wanted = _names(names, [])
        tls.make(files, wanted)
    address = f"[{wanted[0]}]" if ":" in wanted[0] else wanted[0]
    url = f"https://{address}:{settings.port}"
    values = {
        "tls_certificate": str(files.certificate),
        "tls_key": str(files.key),
        "host": listen,
        "public_url": url,
    }
    settings_file.change(file, values)
    runs = service.restarted()
    say(f"The console is at {url}" + ("" if runs else " when the server has been started."))
    if certificate is None:
        say(f"Its certificate is signed by {files.authority}: import that file into browsers,")
        say("and copy it to each host and add --ca FILE to the line that enrolls the host.")


@setup.command(
    "postgresql",
    epilog=examples(
        "arraywright setup postgresql",
        "arraywright setup postgresql --server db.example.org --password-file /root/password",
    ),
)
@click.option("--server", help="Another machine. Its database and user must exist.")
@click.option(
    "--server-port", "port", default=5432, show_default=True, help="Port of that machine."
)
@click.option("--database", default="arraywright", show_default=True, help="Database there.")
@click.option("--user", default="arraywright", show_default=True, help="User there.")
@click.option(
    "--password-file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="File with the user's password.",
)
@with_settings(("state_dir",))
def with_postgresql(
    settings: Settings,
    server: str | None,
    port: int,
    database: str,
    user: str,
    password_file: Path | None,
) -> None:
    """Moves the server's data from SQLite to PostgreSQL.

    Without --server, it makes a database on this machine. The server is stopped meanwhile. The
    SQLite file stays as it is.
    """
    file = _file()
    _installed(settings, file)
    if settings.database_url or settings.database_host:
        raise CommandError(f"The server does not use SQLite: see ARRAYWRIGHT_DATABASE_… in {file}.")
    if shutil.which("pg_dump") is None:
        raise CommandError("Backups need pg_dump. Install it: apt install postgresql-client")
    kept = settings.state_dir / "database-password"
    if server is None:
        password = secrets.token_urlsafe(24)
        port = database_setup.make_local_database(password)
        server, database, user = database_setup.SERVER, database_setup.DATABASE, database_setup.USER
        tls.keep(kept, f"{password}\n".encode(), 0o600)
    elif password_file is not None:
        tls.keep(kept, password_file.read_bytes(), 0o600)
    else:
        kept.unlink(missing_ok=True)
    values = {
        "database_host": server,
        "database_port": str(port),
        "database_name": database,
        "database_user": user,
        "database_password_file": str(kept) if kept.exists() else "",
    }
    target = Settings(
        database_host=server,
        database_port=port,
        database_name=database,
        database_user=user,
        database_password_file=kept if kept.exists() else None,
    )
    with service.stopped() as runs:
        number = _transfer(settings, target)
        settings_file.change(file, values)
        say(f"The server uses PostgreSQL now; {number} rows were copied.")
    if not runs:
        say("Start it: systemctl start arraywright-backend")


def _transfer(settings: Settings, target: Settings) -> int:
    """As the server's own user: PostgreSQL knows it, and SQLite makes files beside the database."""
    owner = service.owner(settings.state_dir)
    other = {} if os.geteuid() != 0 else {"user": owner.pw_uid, "group": owner.pw_gid}
    done = subprocess.run(
        [sys.executable, "-m", "arraywright.setup.transfer"],
        input=f"{settings.resolved_database_url()}\n{target.resolved_database_url()}\n",
        check=False,
        capture_output=True,
        text=True,
        cwd="/",
        env={**os.environ, "HOME": owner.pw_dir},
        timeout=TRANSFER_S,
        **other,  # type: ignore[call-overload]
    )
    if done.returncode != 0:
        raise CommandError(done.stderr.strip().rpartition("\n")[2])
    return int(done.stdout)
