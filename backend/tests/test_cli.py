"""The command line, as a process."""

import contextlib
import json
import os
import signal
import socket
import sqlite3
import ssl
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from arraywright.cli import main, man_page
from arraywright.settings import Settings

ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("ARRAYWRIGHT_")}


Said = pytest.CaptureFixture[str]


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A running server and what it said until it was listening."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arraywright", "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=ENVIRONMENT,
    )
    try:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line.strip())
            if " on http" in line:
                break
        yield process, said
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)
        assert process.stdout is not None
        process.stdout.close()


def log_in(url: str, password: str) -> int:
    body = {"username": "admin", "password": password}
    return httpx.post(f"{url}/api/v1/auth/login", json=body, timeout=30).status_code


def test_first_start_makes_an_administrator(tmp_path: Path) -> None:
    state, password_file = str(tmp_path / "state"), tmp_path / "admin-password"
    options = ("--state-dir", state, "--initial-admin-password-file", str(password_file))
    with serving(*options) as (process, said):
        assert str(password_file) in said[0]
        password = password_file.read_text().strip()
        assert password not in "".join(said)
        assert stat.S_IMODE(password_file.stat().st_mode) == 0o600
        assert log_in(said[-1].split()[-1], password) == 200
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    with serving(*options) as (process, said):
        assert len(said) == 1  # there is an administrator already
        assert log_in(said[-1].split()[-1], password) == 200
        process.send_signal(signal.SIGINT)
        process.wait(60)
    assert stat.S_IMODE(Path(state).stat().st_mode) == 0o700


def test_port_in_use(tmp_path: Path, capsys: Said) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port, "--state-dir", str(tmp_path / "state")]) == 1
    message = f"Cannot listen on 127.0.0.1 port {port}: Address already in use."
    assert message in capsys.readouterr().err
    assert not (tmp_path / "state").exists()


def test_create_token_and_user(tmp_path: Path, capsys: Said) -> None:
    state = ("--state-dir", str(tmp_path))
    assert main(["token", "create", *state, "--name", "demo", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {
        "id",
        "token",
        "server_id",
        "install_line",
    }
    file = tmp_path / "password"
    admin = ["user", "create", *state, "ann", "--password-file", str(file)]
    assert main(admin) == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert main(admin) == 1
    assert "The user name ann is taken." in capsys.readouterr().err
    file.write_text("short")
    assert main(["user", "create", *state, "bob", "--password-file", str(file)]) == 1
    assert "fewer than 10 characters" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("serve", "--port", "99999"), "Setting port"),
        (("serve", "--host", "0.0.0.0"), "--insecure-http"),
        (("serve", "--host", "0.0.0.0", "--insecure-http", "--state-dir", "/proc/x"), "/proc/x"),
        (("serve", "--state-dir", "/proc/nothing"), "state directory /proc/nothing"),
        (("migrate", "--database-url", "postgresql://x@127.0.0.1:1/x"), "database cannot be used"),
        (("migrate", "--database-url", "nonsense"), "database cannot be used"),
    ],
)
def test_bad_settings_are_explained(
    arguments: tuple[str, ...], message: str, tmp_path: Path, capsys: Said
) -> None:
    if "--state-dir" not in arguments:
        arguments = (*arguments, "--state-dir", str(tmp_path))
    if "--port" not in arguments and arguments[0] == "serve":
        arguments = (*arguments, "--port", "0")
    assert main(arguments) == 1
    assert message in capsys.readouterr().err


def test_health(capsys: Said) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        assert main(["health", "--url", url]) == 1
    assert url in capsys.readouterr().err
    assert main(["health", "--url", "nonsense"]) == 1


def test_database_by_its_parts(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("p@ss/word\n")
    found = Settings(database_host="db", database_password_file=file).resolved_database_url()
    assert found == "postgresql+asyncpg://arraywright:p%40ss%2Fword@db:5432/arraywright"


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Self-signed, for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(Encoding.PEM))
    paths[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return paths


def test_https(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    tls = ("--tls-certificate", str(certificate), "--tls-key", str(key))
    with serving("--state-dir", str(tmp_path), *tls) as (_, said):
        url = said[-1].split()[-1]
        assert url.startswith("https://127.0.0.1:")
        trusting = ssl.create_default_context(cafile=str(certificate))
        body = {"username": "admin", "password": said[0].rpartition(" ")[2]}
        with httpx.Client(verify=trusting, timeout=30) as client:
            answer = client.post(f"{url}/api/v1/auth/login", json=body)
        assert answer.status_code == 200
        assert all("Secure" in c for c in answer.headers.get_list("set-cookie"))
        assert "Strict-Transport-Security" in answer.headers


def test_openapi(capsys: Said) -> None:
    assert main(["openapi"]) == 0
    committed = Path(__file__).resolve().parents[1] / "openapi.json"
    assert capsys.readouterr().out == committed.read_text()


def test_settings_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARRAYWRIGHT_STATE_DIR", str(tmp_path / "from-env"))
    assert main(["migrate"]) == 0
    assert (tmp_path / "from-env" / "arraywright.sqlite").exists()


def test_audit_is_verified(tmp_path: Path, capsys: Said) -> None:
    state = ("--state-dir", str(tmp_path / "state"))
    assert main(["token", "create", *state]) == 0
    assert main(["audit", "verify", *state]) == 0
    assert "intact: 1 entries" in capsys.readouterr().out
    with contextlib.closing(sqlite3.connect(tmp_path / "state/arraywright.sqlite")) as database:
        database.execute("UPDATE audit SET actor = 'nobody'")
        database.commit()
    assert main(["audit", "verify", *state]) == 1
    assert "broken at entry 1" in capsys.readouterr().out


def test_the_manual_is_that_of_the_program() -> None:
    committed = Path(__file__).resolve().parents[1] / "arraywright.8"
    assert committed.read_text() == man_page.page(), "run: make generate"


def test_users_are_administered(tmp_path: Path, capsys: Said) -> None:
    place = ("--state-dir", str(tmp_path))
    assert main(["user", "create", "ann", "--role", "operator", *place]) == 0
    password = capsys.readouterr().out.split()[-1]
    assert main(["user", "create", "root", *place]) == 0
    assert main(["user", "reset-password", "ann", *place]) == 0
    assert capsys.readouterr().out.split()[-1] != password
    assert main(["user", "disable", "ann", *place]) == 0
    assert main(["user", "disable", "root", *place]) == 1
    assert "last administrator" in capsys.readouterr().err
    assert main(["user", "list", "--json", *place]) == 0
    found = json.loads(capsys.readouterr().out)["items"]
    assert [(each["username"], each["role"], each["disabled"]) for each in found] == [
        ("ann", "operator", True),
        ("root", "administrator", False),
    ]
    assert main(["user", "enable", "ann", *place]) == 0
    assert main(["user", "enable", "bob", *place]) == 1
    assert main(["user", "create", "Not A Name", *place]) == 1
    assert "is not a user name" in capsys.readouterr().err
    assert main(["audit", "verify", *place]) == 0
    assert "intact: 5 entries" in capsys.readouterr().out


def test_the_line_of_a_token_can_be_run(
    tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ("--state-dir", str(tmp_path))
    assert main(["token", "create", *place]) == 0
    said = capsys.readouterr().out
    assert "Set ARRAYWRIGHT_PUBLIC_URL" in said
    assert "--insecure" not in said
    monkeypatch.setenv("ARRAYWRIGHT_PUBLIC_URL", "http://console.lan:8080")
    assert main(["token", "create", *place]) == 0
    said = capsys.readouterr().out
    assert said.rstrip().endswith(" --insecure")
    assert "ARRAYWRIGHT_PUBLIC_URL" not in said


def test_tokens_are_listed_and_revoked(tmp_path: Path, capsys: Said) -> None:
    place = ("--state-dir", str(tmp_path))
    assert main(["token", "create", "--name", "rack", *place]) == 0
    said = capsys.readouterr().out
    token = said.split()[5]
    assert f"--token {token}" in said
    assert main(["token", "list", "--json", *place]) == 0
    (found,) = json.loads(capsys.readouterr().out)["items"]
    assert (found["name"], found["usable"]) == ("rack", True)
    assert main(["token", "revoke", found["prefix"], *place]) == 0
    capsys.readouterr()
    assert main(["token", "list", *place]) == 0
    assert "revoked" in capsys.readouterr().out
    assert main(["token", "revoke", "nothing", *place]) == 1
    assert main(["token", "create", "--minutes", "0", *place]) == 1


def test_an_older_database_is_left_alone(tmp_path: Path, capsys: Said) -> None:
    place = ("--state-dir", str(tmp_path))
    assert main(["migrate", "--check", *place]) == 1
    assert main(["migrate", *place]) == 0
    assert main(["migrate", "--check", *place]) == 0
    with contextlib.closing(sqlite3.connect(tmp_path / "arraywright.sqlite")) as database:
        database.execute("UPDATE alembic_version SET version_num = '0001'")
        database.commit()
        assert main(["user", "list", *place]) == 1
        assert "Run: arraywright migrate" in capsys.readouterr().err
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()
    assert main(["migrate", *place]) == 1
    assert "newer version of Arraywright" in capsys.readouterr().err


def test_wrong_usage(capsys: Said) -> None:
    assert main(["create-token"]) == 2
    assert main(["serve", "--color", "red"]) == 2
    assert "Usage: arraywright serve" in capsys.readouterr().err


def test_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said) -> None:
    file = tmp_path / "backend.env"
    file.write_text(f'# where\nARRAYWRIGHT_STATE_DIR="{tmp_path}/from-file"\n')
    monkeypatch.delenv("ARRAYWRIGHT_STATE_DIR", raising=False)
    assert main(["--env-file", str(file), "migrate"]) == 0
    assert (tmp_path / "from-file" / "arraywright.sqlite").exists()
    assert "ARRAYWRIGHT_STATE_DIR" not in os.environ
    monkeypatch.setenv("ARRAYWRIGHT_STATE_DIR", f"{tmp_path}/from-environment")
    assert main(["--env-file", str(file), "migrate"]) == 0
    assert (tmp_path / "from-environment" / "arraywright.sqlite").exists()
    assert main(["--env-file", str(file), "migrate", "--state-dir", f"{tmp_path}/given"]) == 0
    assert (tmp_path / "given" / "arraywright.sqlite").exists()
    assert main(["--env-file", str(tmp_path / "none"), "migrate"]) == 1
    assert "settings file" in capsys.readouterr().err


def test_completion(capsys: Said) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert main(["completion", shell]) == 0
        assert "_ARRAYWRIGHT_COMPLETE" in capsys.readouterr().out
