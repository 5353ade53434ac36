"""A database of PostgreSQL for the server, on this machine."""

import subprocess

from arraywright.kit.failure import StartError

DATABASE = "arraywright"
USER = "arraywright"
# By password over TCP: through the socket, PostgreSQL would let in the server's own user only, not
# root on the command line.
SERVER = "127.0.0.1"
ADMINISTRATOR = "postgres"


def _ask(statement: str) -> str:
    # The statement may hold a password: not on the command line.
    # fmt: off
    command = ["runuser", "-u", ADMINISTRATOR, "--", "psql", "--no-psqlrc", "--quiet",
               "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--dbname=postgres"]
    # fmt: on
    try:
        done = subprocess.run(
            command,
            input=statement,
            check=False,
            capture_output=True,
            text=True,
            cwd="/",
            timeout=60,
        )
    except FileNotFoundError as error:
        raise StartError(f"There is no {error.filename} here.") from error
    if done.returncode != 0:
        raise StartError(
            f"PostgreSQL on this machine cannot be used: {done.stderr.strip()} Is it installed "
            "(apt install postgresql) and running?"
        )
    return done.stdout.strip()


def make_local_database(password: str) -> int:
    """A user with this password and a database of its own, unless it is there; gives the port."""
    if not _ask(f"SELECT 1 FROM pg_roles WHERE rolname = '{USER}'"):
        _ask(f'CREATE ROLE "{USER}" LOGIN')
    _ask(f"ALTER ROLE \"{USER}\" PASSWORD '{password}'")
    if not _ask(f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'"):
        _ask(f'CREATE DATABASE "{DATABASE}" OWNER "{USER}" ENCODING UTF8 TEMPLATE template0')
    return int(_ask("SHOW port"))
