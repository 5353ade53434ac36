"""Each fault is made, and doctor names it; a support bundle holds no secret."""

import contextlib
import json
import os
import shutil
import socket
import sqlite3
import tarfile
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from arraywright import migrations
from arraywright.cli import main
from arraywright.doctor import checks
from arraywright.doctor.redaction import redacted
from arraywright.storage import search

Said = pytest.CaptureFixture[str]
KEY = ec.generate_private_key(ec.SECP256R1())
OK_ANSWER = b"HTTP/1.1 200 OK\r\nX-Content-Type-Options: nosniff\r\n\r\n"


def key_file(path: Path, key: ec.EllipticCurvePrivateKey = KEY) -> Path:
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return path


def certificate_file(path: Path, *, days: int = 90) -> Path:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, KEY.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=9))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(KEY, hashes.SHA256())
    )
    path.write_bytes(made.public_bytes(Encoding.PEM))
    return path


class Installed:
    """A server that is well: files, a database, and something that answers as it does."""

    def __init__(self, folder: Path, answer: bytes) -> None:
        self.folder = folder
        self.state = folder / "state"
        console = folder / "console"
        console.mkdir()
        (console / "index.html").write_text("<html>")
        program = folder / "arraysim"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        self.answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.options: dict[str, str] = {
            "state-dir": str(self.state),
            "host": "127.0.0.1",
            "port": str(self._listener.getsockname()[1]),
            "ui-dir": str(console),
            "arraysim": str(program),
        }
        assert main(["user", "create", "ann", "--state-dir", str(self.state)]) == 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection:
                    connection.recv(4096)
                    connection.sendall(self.answer)

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    @property
    def database(self) -> Path:
        return self.state / "arraywright.sqlite"

    def sql(self, statement: str) -> None:
        with contextlib.closing(sqlite3.connect(self.database)) as opened:
            opened.execute(statement)
            opened.commit()

    def arguments(self) -> list[str]:
        return [part for name, value in self.options.items() for part in (f"--{name}", value)]

    def tls(self, **certificate: int) -> None:
        self.options["tls-certificate"] = str(
            certificate_file(self.folder / "cert.pem", **certificate)
        )
        self.options["tls-key"] = str(key_file(self.folder / "key.pem"))
        self.answer = b"\x15\x03\x01\x00\x02\x02\x46"  # an alert of TLS


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Installed]:
    made = Installed(tmp_path, OK_ANSWER)
    yield made
    made.stop()


Fault = Callable[[Installed, pytest.MonkeyPatch], object]


def option(**values: str) -> Fault:
    def make(it: Installed, _patch: pytest.MonkeyPatch) -> None:
        it.options |= {name.replace("_", "-"): value for name, value in values.items()}

    return make


def sql(statement: str) -> Fault:
    return lambda it, _patch: it.sql(statement)


def tls_key_of_another(it: Installed, _patch: pytest.MonkeyPatch) -> None:
    it.tls()
    key_file(it.folder / "key.pem", ec.generate_private_key(ec.SECP256R1()))


def tls_key_absent(it: Installed, _patch: pytest.MonkeyPatch) -> None:
    it.tls()
    (it.folder / "key.pem").unlink()


def tls_for_another_name(it: Installed, _patch: pytest.MonkeyPatch) -> None:
    it.tls()
    it.options["public-url"] = "https://console.example.org:8080"


def full(_it: Installed, patch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"total": 10**12, "free": 10**6})
    patch.setattr(shutil, "disk_usage", lambda _: usage)


def without_postgres(it: Installed, patch: pytest.MonkeyPatch) -> None:
    it.options["database-url"] = "postgresql://ann:secret@127.0.0.1:1/x"
    patch.setenv("PATH", "/nonexistent")


def silent_host(it: Installed, _patch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(sqlite3.connect(it.database)) as opened:
        for table, values in (
            ("host", {"id": "ab" * 16, "name": "store7"}),
            ("host_summary", {"host_id": "ab" * 16, "presence": "offline"}),
        ):
            row: dict[str, Any] = {}
            for _, name, kind, needed, default, _ in opened.execute(f"PRAGMA table_info({table})"):
                if needed and default is None:
                    numeric = "INT" in kind or kind in ("BOOLEAN", "FLOAT")
                    row[name] = 0 if numeric else "[]" if kind == "JSON" else ""
            row |= values
            marks = ", ".join("?" * len(row))
            opened.execute(
                f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values())
            )
        opened.commit()


def without_index(_it: Installed, patch: pytest.MonkeyPatch) -> None:
    async def is_prepared(_session: object) -> bool:
        return False

    patch.setattr(search, "is_prepared", is_prepared)


FAULTS: dict[str, Fault] = {
    "settings_invalid": option(port="99999"),
    "state_dir_unwritable": option(state_dir="/proc/nothing"),
    "disk_full": full,
    "exposed_without_tls": option(host="0.0.0.0"),
    "tls_unreadable": tls_key_absent,
    "tls_mismatch": tls_key_of_another,
    "tls_expired": lambda it, _patch: it.tls(days=-1),
    "tls_name": tls_for_another_name,
    "port_taken": lambda it, _patch: setattr(it, "answer", b"SSH-2.0-OpenSSH_9.2\r\n"),
    "server_not_running": lambda it, _patch: it.stop(),
    "public_url_loopback": option(
        host="0.0.0.0", insecure_http="true", public_url="http://localhost:8080"
    ),
    "proxy_not_trusted": option(public_url="https://console.example.org"),
    "database_exposed": lambda it, _patch: it.database.chmod(0o644),
    "database_foreign_owner": lambda it, _patch: os.chown(it.database, 12345, 12345),
    "console_missing": lambda it, _patch: (it.folder / "console" / "index.html").unlink(),
    "arraysim_missing": option(arraysim="/nonexistent/arraysim"),
    "backup_tools_missing": without_postgres,
    "database_unreachable": lambda it, _patch: it.database.write_text("not a database " * 99),
    "database_newer": sql("UPDATE alembic_version SET version_num = '9999'"),
    "migration_pending": sql("UPDATE alembic_version SET version_num = '0001'"),
    "administrator_missing": sql("UPDATE user_account SET disabled = 1"),
    "hosts_silent": silent_host,
    "search_slow": without_index,
    "audit_broken": sql("UPDATE audit SET actor = 'nobody'"),
}
IMPLIED = {
    "state_dir_unwritable": {"database_unreachable"},
    "backup_tools_missing": {"database_unreachable"},
}
AS_ROOT = ("database_foreign_owner",)


def examined(it: Installed, capsys: Said) -> tuple[int, list[dict[str, str]]]:
    capsys.readouterr()
    arguments = it.arguments()
    if "--insecure-http" in arguments:
        arguments.remove("true")
    status = main(["doctor", "--json", *arguments])
    return status, json.loads(capsys.readouterr().out)["findings"]


def test_every_check_has_a_fault_and_is_documented() -> None:
    assert set(FAULTS) == set(checks.CODES)
    assert len(checks.CODES) >= 20
    page = Path(__file__).resolve().parents[2] / "docs" / "troubleshooting.md"
    told = page.read_text().partition("## What `arraywright doctor` finds")[2]
    assert [code for code in checks.CODES if f"| `{code}` |" not in told] == []


def test_another_user_is_told_to_be_root(
    installed: "Installed", capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    assert main(["doctor", *installed.arguments()]) == 1
    assert "sudo arraywright doctor" in capsys.readouterr().err


def test_all_is_well(installed: Installed, capsys: Said) -> None:
    assert examined(installed, capsys) == (0, [])
    assert main(["doctor", *installed.arguments()]) == 0
    assert "No problems found" in capsys.readouterr().out


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_is_named(
    code: str, installed: Installed, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    if code in AS_ROOT and os.geteuid() != 0:
        pytest.skip("only root gives files away")
    FAULTS[code](installed, monkeypatch)
    status, findings = examined(installed, capsys)
    assert status == 1
    (found,) = [each for each in findings if each["code"] == code]
    assert all(found.values())
    # No other check complains because of this fault, but those that it implies.
    others = {each["code"] for each in findings} - {code} - IMPLIED.get(code, set())
    assert not others, findings


def test_text_names_the_next_step(installed: Installed, capsys: Said) -> None:
    installed.sql("UPDATE alembic_version SET version_num = '0001'")
    capsys.readouterr()
    assert main(["doctor", *installed.arguments()]) == 1
    said = capsys.readouterr().out
    assert "1 problem found" in said
    assert "Next step:   arraywright migrate" in said
    assert migrations.newest() in said


SECRETS = {
    "database password": "Db-Pa55word-77",
    "api token": "awt_Zq0-aaaaaaaaBBBBBBBBcccccccc_1",
    "enrollment token": "awe_Yx9-aaaaaaaaBBBBBBBBcccccccc_2",
    "session": "aws_Wv8-aaaaaaaaBBBBBBBBcccccccc_3",
    "csrf": "csrf-UUUUUUUUUUUUUUUUU-4",
    "device": "device-TTTTTTTTTTTTTTTT-5",
    "first password": "First-Pa55word-88",
    "tls key": "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49",
    "bearer": "eyJhbGciOiJIUzI1NiJ9.payload",
    "url password": "Url-Pa55word-99",
    "nbd key": "0123456789abcdef0123456789abcdef",
}


def seeded_log(path: Path) -> Path:
    s = SECRETS
    path.write_text(
        f"First administrator: admin, password: {s['first password']}\n"
        f"GET /x Authorization: Bearer {s['bearer']}\n"
        f"Cookie: arraywright_session={s['session']}; arraywright_csrf={s['csrf']}\n"
        f'{{"x-csrf-token": "{s["csrf"]}", "token": "{s["enrollment token"]}"}}\n'
        f"arraywright_device={s['device']} psk={s['nbd key']}\n"
        f"postgresql://ann:{s['url password']}@db/x {s['api token']} --token {s['api token']}\n"
        f"-----BEGIN EC PRIVATE KEY-----\n{s['tls key']}\n-----END EC PRIVATE KEY-----\n"
        "the end\n"
    )
    return path


def test_a_bundle_holds_no_secret(installed: Installed, capsys: Said) -> None:
    log, bundle = seeded_log(installed.folder / "server.log"), installed.folder / "bundle.tar.gz"
    password = installed.folder / "password"
    password.write_text(SECRETS["database password"])
    installed.options["initial-admin-password-file"] = str(password)
    for column in ("target", "detail"):
        value = json.dumps({"password": SECRETS["first password"]})
        installed.sql(f"UPDATE audit SET {column} = '{value}'")
    installed.sql(f"INSERT INTO installation VALUES ('device_key', '{SECRETS['device']}')")
    text = f"{SECRETS['database password']} {SECRETS['device']}"
    installed.sql(f"UPDATE audit SET address = '{text}'")
    capsys.readouterr()
    options = [*installed.arguments(), "--log", str(log)]
    assert main(["support-bundle", str(bundle), *options]) == 0
    assert bundle.stat().st_mode & 0o777 == 0o600
    with tarfile.open(bundle) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        everything = ""
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            everything += file.read().decode()
    wanted = ("versions.json", "settings.json", "findings.json", "events.jsonl", "audit.jsonl")
    assert names >= set(wanted)
    assert "the end" in everything
    assert "audit_broken" in everything
    for what, secret in SECRETS.items():
        assert secret not in everything, what
    assert main(["support-bundle", str(bundle), *options]) == 1  # there is one already


def test_redaction_leaves_the_rest() -> None:
    text = "host store7: 3 tokens were used; the password was changed by ann at 12:00"
    assert redacted(text) == text
