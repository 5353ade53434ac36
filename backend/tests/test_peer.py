"""root works on a database that only lets the server's own user in (peer authentication)."""

import os
import subprocess
from pathlib import Path
from uuid import uuid4

import pytest

from arraywright.cli import main
from tests.support import postgres

Said = pytest.CaptureFixture[str]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who is not the server's user")
def test_root_is_let_in_as_the_servers_user(
    postgres_socket: Path, tmp_path: Path, capsys: Said
) -> None:
    rules = postgres_socket / "data" / "pg_hba.conf"
    before, name = rules.read_text(), f"p{uuid4().hex}"
    ask = ["psql", "-q", "-h", str(postgres_socket), "-U", postgres.ACCOUNT, "-d", "postgres"]
    subprocess.run([*ask, "-c", f"CREATE DATABASE {name}"], check=True)
    rules.write_text(f"local {name} all peer\n{before}")
    subprocess.run([*ask, "-c", "SELECT pg_reload_conf()"], check=True, capture_output=True)
    url = f"postgresql://{postgres.ACCOUNT}@/{name}?host={postgres_socket}"
    place = ("--database-url", url, "--state-dir", str(tmp_path / "state"))
    backup = tmp_path / "backup.tar.gz"
    try:
        assert main(["user", "create", "ann", *place]) == 0, capsys.readouterr().err
        assert main(["backup", str(backup), *place]) == 0, capsys.readouterr().err
        assert main(["user", "create", "bob", *place]) == 0
        assert main(["restore", str(backup), "--replace", name, *place]) == 0
        capsys.readouterr()
        assert main(["user", "list", *place]) == 0
        said = capsys.readouterr().out
        assert "ann" in said
        assert "bob" not in said
        assert backup.stat().st_uid == 0
    finally:
        rules.write_text(before)
        subprocess.run([*ask, "-c", "SELECT pg_reload_conf()"], check=True, capture_output=True)
        subprocess.run([*ask, "-c", f"DROP DATABASE {name} WITH (FORCE)"], check=True)
