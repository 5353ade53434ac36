"""Checks of the machine: the state directory, the port, the programs."""

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arraywright.backup.service import place_of
from arraywright.doctor.finding import Finding
from arraywright.settings import Settings

FULL_SHARE = 0.05
FULL_BYTES = 200 * 1000 * 1000
SERVICE = "arraywright-backend"
ANSWER_S = 3


def state_dir_unwritable(settings: Settings) -> Iterator[Finding]:
    folder = settings.state_dir
    try:
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        owner = "arraywright-backend"
        yield Finding(
            code="state_dir_unwritable",
            found=f"The state directory {folder.absolute()} cannot be written: {error.strerror}.",
            consequence="The server does not start, or stores nothing that agents report.",
            next_step=f"sudo install -d -o {owner} -g {owner} -m 0700 {folder.absolute()}",
        )


def disk_full(settings: Settings) -> Iterator[Finding]:
    folder = settings.state_dir if settings.state_dir.is_dir() else Path("/")
    usage = shutil.disk_usage(folder)
    if usage.free >= min(FULL_SHARE * usage.total, FULL_BYTES):
        return
    yield Finding(
        code="disk_full",
        found=f"Only {usage.free / 1e6:.0f} MB are free where {folder.absolute()} is.",
        consequence="When the disk is full, the server acknowledges nothing and agents wait.",
        next_step=f"sudo du -xh --max-depth=1 {folder.absolute()} | sort -h | tail",
    )


def _address(settings: Settings) -> tuple[str, int]:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104
    return host, settings.port


def _greeting(settings: Settings) -> bytes | None:
    """What listens there says to a request in plain HTTP; None if nobody listens."""
    try:
        with socket.create_connection(_address(settings), timeout=ANSWER_S) as connection:
            connection.sendall(b"GET /api/v1/health HTTP/1.0\r\nHost: localhost\r\n\r\n")
            return connection.recv(4096)
    except ConnectionRefusedError:
        return None
    except OSError:
        return b""


def _is_ours(settings: Settings, greeting: bytes) -> bool:
    if settings.tls_certificate is not None:
        return not greeting.startswith((b"HTTP/", b"SSH-"))  # TLS does not answer plain HTTP
    return greeting.startswith(b"HTTP/1.") and b"x-content-type-options" in greeting.lower()


def server_not_running(settings: Settings) -> Iterator[Finding]:
    if _greeting(settings) is None:
        yield Finding(
            code="server_not_running",
            found=f"Nothing listens on {settings.host} port {settings.port}.",
            consequence="Neither browsers nor agents reach the server. Agents keep their events.",
            next_step=f"sudo systemctl start {SERVICE}; journalctl -u {SERVICE} -n 30",
        )


def port_taken(settings: Settings) -> Iterator[Finding]:
    greeting = _greeting(settings)
    if greeting is None or _is_ours(settings, greeting):
        return
    yield Finding(
        code="port_taken",
        found=f"Another program listens on {settings.host} port {settings.port}.",
        consequence="The server cannot start.",
        next_step=f"sudo ss -ltnp 'sport = :{settings.port}'",
    )


def arraysim_missing(settings: Settings) -> Iterator[Finding]:
    if shutil.which(settings.arraysim or "arraysim") is None:
        yield Finding(
            code="arraysim_missing",
            found=f"The program {settings.arraysim or 'arraysim'} is not installed.",
            consequence="The console predicts no speeds. Everything else works.",
            next_step="sudo apt install arraywright-agent",
        )


def console_missing(settings: Settings) -> Iterator[Finding]:
    folder = settings.ui_dir
    if folder is not None and (folder / "index.html").is_file():
        return
    where = "No directory with the console is set" if folder is None else f"{folder} has no console"
    yield Finding(
        code="console_missing",
        found=f"{where} (ARRAYWRIGHT_UI_DIR).",
        consequence="Browsers get no pages. REST and agents work.",
        next_step="sudo apt install --reinstall arraywright-backend",
    )


def backup_tools_missing(settings: Settings) -> Iterator[Finding]:
    _, file = place_of(settings)
    missing = [name for name in ("pg_dump", "pg_restore", "psql") if shutil.which(name) is None]
    if file is None and missing:
        yield Finding(
            code="backup_tools_missing",
            found=f"PostgreSQL's client programs are missing: {', '.join(missing)}.",
            consequence="`arraywright backup`, `restore` and `migrate` cannot make backups.",
            next_step="sudo apt install postgresql-client",
        )


def database_exposed(settings: Settings) -> Iterator[Finding]:
    """Others than the owner can read the embedded database."""
    _, file = place_of(settings)
    if file is None or not file.exists() or not file.stat().st_mode & 0o077:
        return
    yield Finding(
        code="database_exposed",
        found=f"Other users of this machine can open {file.absolute()}.",
        consequence="They can read password hashes and act as the server towards agents.",
        next_step=f"sudo chmod 600 {file.absolute()}",
    )


def database_foreign_owner(settings: Settings) -> Iterator[Finding]:
    _, file = place_of(settings)
    if file is None or not file.exists():
        return
    wanted, found = file.parent.stat().st_uid, file.stat().st_uid
    if found == wanted or os.geteuid() not in (0, wanted):
        return
    yield Finding(
        code="database_foreign_owner",
        found=f"{file.absolute()} belongs to another user than its directory.",
        consequence="The server cannot open its database.",
        next_step=f"sudo chown --reference={file.parent.absolute()} {file.absolute()}",
    )
