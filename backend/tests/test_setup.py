"""`arraywright setup`: TLS, and the way from SQLite to PostgreSQL."""

import ssl
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from sqlalchemy import delete

from arraywright import bootstrap
from arraywright.audit import service as audit
from arraywright.audit.models import AuditEntry
from arraywright.cli import main
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.kit.failure import StartError
from arraywright.live.models import OutboxItem
from arraywright.settings import Settings
from arraywright.setup import service, settings_file, tls
from arraywright.setup.transfer import transfer
from tests.conftest import on_postgres
from tests.test_cli import make_certificate, serving
from tests.test_migrations_back import Rows, asked, fill, rows, written

Said = pytest.CaptureFixture[str]
FILE = """# What it is for
#ARRAYWRIGHT_HOST=127.0.0.1
ARRAYWRIGHT_PORT=8443

#ARRAYWRIGHT_TLS_KEY=
"""


def test_settings_change_where_they_stand() -> None:
    values = {"host": "::", "port": "", "tls_key": "/key", "demo": "true"}
    assert settings_file.changed(FILE, values).splitlines() == [
        "# What it is for",
        "ARRAYWRIGHT_HOST=::",
        "#ARRAYWRIGHT_PORT=",
        "",
        "ARRAYWRIGHT_TLS_KEY=/key",
        "ARRAYWRIGHT_DEMO=true",
    ]


def test_the_last_of_two_lines_counts() -> None:
    text = "ARRAYWRIGHT_PORT=1\nARRAYWRIGHT_PORT=2\n"
    assert settings_file.changed(text, {"port": "3"}) == "ARRAYWRIGHT_PORT=3\n"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file of an installed server that does not run."""
    file, state = tmp_path / "backend.env", tmp_path / "state"
    file.write_text(FILE + f"ARRAYWRIGHT_STATE_DIR={state}\n")
    state.mkdir()
    for name in ("PORT", "STATE_DIR"):
        monkeypatch.delenv(f"ARRAYWRIGHT_{name}", raising=False)
    monkeypatch.setattr(service, "restarted", lambda: False)
    return file


def set_up(file: Path, *words: str) -> int:
    return main(["--env-file", str(file), "setup", *words])


def test_tls_by_one_command(installed: Path, tmp_path: Path, capsys: Said) -> None:
    assert set_up(installed, "tls", "--name", "console.example.org", "--name", "127.0.0.1") == 0
    assert "https://console.example.org:8443" in capsys.readouterr().out
    files = tls.Files(tmp_path / "state/tls")
    said = installed.read_text()
    assert f"\nARRAYWRIGHT_TLS_CERTIFICATE={files.certificate}\n" in said
    assert "\nARRAYWRIGHT_HOST=0.0.0.0\n" in said
    for secret in (files.key, files.authority_key):
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    options = ("--tls-certificate", str(files.certificate), "--tls-key", str(files.key))
    trusting = ssl.create_default_context(cafile=str(files.authority))
    with (
        serving("--state-dir", str(tmp_path / "state"), *options) as (_, lines),
        httpx.Client(verify=trusting, timeout=30) as client,
    ):
        assert client.get(f"{lines[-1].split()[-1]}/api/v1/health").status_code == 200


def test_a_new_certificate_is_signed_by_the_same_authority(tmp_path: Path) -> None:
    files = tls.make_folder(tmp_path / "tls")
    tls.make(files, ["first.example.org"])
    authority = files.authority.read_bytes()
    tls.make(files, ["2001:db8::1", "second.example.org"])
    assert files.authority.read_bytes() == authority
    made = x509.load_pem_x509_certificates(files.certificate.read_bytes())
    made[0].verify_directly_issued_by(made[1])
    assert tls.names_of(made[0]) == ["second.example.org", "2001:db8::1"]
    with pytest.raises(StartError, match="neither a host name nor an address"):
        tls.make(files, ["not a name"])


def test_a_given_certificate_is_checked(installed: Path, tmp_path: Path, capsys: Said) -> None:
    certificate, key = make_certificate(tmp_path)
    given = ("tls", "--certificate", str(certificate), "--key", str(key))
    assert set_up(installed, *given) == 0
    assert "ARRAYWRIGHT_PUBLIC_URL=https://127.0.0.1:8443" in installed.read_text()
    assert (tmp_path / "state/tls/certificate.pem").read_bytes() == certificate.read_bytes()
    other = ec.generate_private_key(ec.SECP256R1())
    key.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    assert set_up(installed, *given) == 1
    assert "is not the key of the certificate" in capsys.readouterr().err
    assert set_up(installed, "tls", "--key", str(key)) == 1
    assert "Give --certificate and --key" in capsys.readouterr().err


@pytest.fixture
async def postgres_url(anyio_backend: object, postgres_socket: Path) -> AsyncIterator[str]:
    name = f"t{uuid4().hex}"
    await on_postgres(postgres_socket, f"CREATE DATABASE {name}")
    yield f"postgresql+asyncpg://postgres@/{name}?host={postgres_socket}"
    await on_postgres(postgres_socket, f"DROP DATABASE {name} WITH (FORCE)")


def keys(found: Rows) -> dict[str, set[tuple[str, ...]]]:
    """UUIDs as both databases show them."""
    return {
        name: {tuple(part.replace("-", "") for part in key) for key in kept}
        for name, kept in found.items()
    }


@pytest.mark.anyio
async def test_everything_moves_to_postgresql(tmp_path: Path, postgres_url: str) -> None:
    settings = Settings(state_dir=tmp_path)
    await bootstrap.prepare(settings, Clock(), lambda _: None)
    source = Database(settings.resolved_database_url())
    target = Database(postgres_url)
    try:
        await written(source, fill)
        async with source.write() as session:
            await session.execute(delete(AuditEntry))
            for number in range(3):
                detail = {"b": str(number), "a": "é"}
                await audit.record(session, number, actor="ann", action="x", detail=detail)
        before = await asked(source, rows)
        number = await transfer(source, target)
        after = await asked(target, rows)
        assert keys(after) == keys(before)
        assert number == sum(map(len, before.values()))
        async with target.read() as session:
            assert (await audit.verify(session)).intact
        async with target.write() as session:  # the database goes on counting
            session.add(OutboxItem(kind="host", object_id="x", rev=1))
        with pytest.raises(StartError, match="already has the data of a server"):
            await transfer(source, target)
    finally:
        await source.close()
        await target.close()
