"""A throw-away PostgreSQL cluster: Unix socket only, no fsync, gone with its directory."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BIN = Path(os.environ.get("POSTGRES_BIN", "/usr/lib/postgresql/15/bin"))
ACCOUNT = "postgres"


def _as_server(*command: str) -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() == 0:
        return ["runuser", "-u", ACCOUNT, "--", *command]
    return list(command)


@contextmanager
def cluster() -> Iterator[Path]:
    """Gives the directory of the socket; the superuser is `postgres`, no password."""
    if not (BIN / "initdb").exists():
        raise RuntimeError(f"PostgreSQL 15 is needed for the tests: {BIN}/initdb is missing")
    directory = Path(tempfile.mkdtemp(prefix="awpg"))
    data = directory / "data"
    try:
        if os.geteuid() == 0:
            account = pwd.getpwnam(ACCOUNT)
            os.chown(directory, account.pw_uid, account.pw_gid)
        else:
            directory.chmod(0o700)
        options = ("-A", "trust", "-U", ACCOUNT, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        _run(_as_server(str(BIN / "initdb"), "-D", str(data), *options))
        settings = (
            f"-c listen_addresses='' -c unix_socket_directories={directory} -c fsync=off "
            "-c synchronous_commit=off -c full_page_writes=off -c max_connections=100"
        )
        control = str(BIN / "pg_ctl")
        log = str(directory / "log")
        _run(_as_server(control, "-D", str(data), "-w", "-l", log, "-o", settings, "start"))
        try:
            yield directory
        finally:
            _run(_as_server(control, "-D", str(data), "-m", "immediate", "-w", "stop"))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
