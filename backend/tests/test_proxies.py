"""The examples in packaging/proxy with the real nginx and the real Caddy."""

import asyncio
import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from arraywright.kit.roles import Role
from arraywright.server import server_config
from arraywright.settings import Settings
from tests.conftest import PASSWORD, Callers
from tests.support.agent import FakeAgent
from tests.support.server import Running, running
from tests.test_live import Stream

pytestmark = pytest.mark.anyio
EXAMPLES = Path(__file__).parents[2] / "packaging/proxy"
PATIENCE_S = 20.0
ROOT = "/storage"
PROGRAMS = {"nginx": shutil.which("nginx") or "/usr/sbin/nginx", "caddy": shutil.which("caddy")}


@pytest.fixture
def template(sqlite_template: Path) -> tuple[str, Path]:
    """What passes through a proxy does not depend on the database."""
    return "sqlite", sqlite_template


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    place = tmp_path_factory.mktemp("tls")
    key, chain = place / "fleet.key", place / "fleet.pem"
    subprocess.run(
        f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=t "
        f"-addext subjectAltName=IP:127.0.0.1 -keyout {key} -out {chain}".split(),
        check=True,
        capture_output=True,
    )
    return chain, key


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def adapted(name: str, certificate: tuple[Path, Path], port: int, backend: int) -> str:
    """The example, word for word but for what its first lines say to change, and the ports."""
    text = (EXAMPLES / name).read_text()
    for old, new in (
        ("/etc/ssl/certs/fleet.pem", str(certificate[0])),
        ("/etc/ssl/private/fleet.key", str(certificate[1])),
        ("listen 443 ", f"listen 127.0.0.1:{port} "),
        ("server_name fleet.example.org", "server_name 127.0.0.1"),
        ("fleet.example.org {", f"https://127.0.0.1:{port} {{"),
        ("127.0.0.1:8080", f"127.0.0.1:{backend}"),
    ):
        text = text.replace(old, new)
    return text


def nginx(place: Path, site: str) -> list[str]:
    (place / "site.conf").write_text(site)
    parts = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    (place / "nginx.conf").write_text(
        f"daemon off; pid {place}/pid; error_log stderr; worker_processes 1;\n"
        "events {}\nhttp {\naccess_log off;\n"
        + "".join(f"{part}_temp_path {place}/{part};\n" for part in parts)
        + f"include {place}/site.conf;\n}}\n"
    )
    return [str(PROGRAMS["nginx"]), "-e", "stderr", "-p", str(place), "-c", f"{place}/nginx.conf"]


def caddy(place: Path, site: str) -> list[str]:
    options = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n\n"
    (place / "Caddyfile").write_text(options + site)
    file = str(place / "Caddyfile")
    return [str(PROGRAMS["caddy"]), "run", "--adapter", "caddyfile", "--config", file]


@asynccontextmanager
async def proxy(kind: str, place: Path, site: str, port: int) -> AsyncIterator[None]:
    command = {"nginx": nginx, "caddy": caddy}[kind](place, site)
    home = {**os.environ, "HOME": str(place), "XDG_DATA_HOME": str(place)}
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: ASYNC220 - it starts at once
            command, stdout=log, stderr=log, env=home
        )
    try:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                assert process.poll() is None, (place / "log").read_text()
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                await asyncio.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


@pytest.fixture(params=["nginx", "caddy"])
async def behind(
    request: pytest.FixtureRequest,
    settings: Settings,
    tmp_path: Path,
    certificate: tuple[Path, Path],
    password_hash: str,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[tuple[Running, str]]:
    """The server behind a proxy, and its public URL."""
    port = free_port()
    url = f"https://127.0.0.1:{port}{ROOT}"
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    changes = {"public_url": url, "trusted_proxies": "127.0.0.1"}
    async with running(settings.model_copy(update=changes)) as server:
        name = {"nginx": "nginx.conf", "caddy": "Caddyfile"}[request.param]
        site = adapted(name, certificate, port, int(server.url.rpartition(":")[2]))
        async with proxy(request.param, tmp_path, site, port):
            callers = Callers(server, password_hash)
            await callers.create()
            yield server, url
            await callers.close()


@pytest.mark.parametrize(("kind", "keeps_s"), [("nginx", 60), ("traefik", 90), ("caddy", 120)])
def test_the_proxy_closes_first(settings: Settings, kind: str, keeps_s: int) -> None:
    """What it sends on a connection that the server is just closing fails with 502."""
    assert server_config(None, settings).timeout_keep_alive > keeps_s, kind


def protocol(url: str, chain: str) -> str | None:
    """What the proxy chooses of HTTP/2 and HTTP/1.1."""
    context = ssl.create_default_context(cafile=chain)
    context.set_alpn_protocols(["h2", "http/1.1"])
    address = ("127.0.0.1", int(url.removesuffix(ROOT).rpartition(":")[2]))
    with (
        socket.create_connection(address, PATIENCE_S) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as wrapped,
    ):
        return wrapped.selected_alpn_protocol()


async def test_everything_works_behind_it(behind: tuple[Running, str]) -> None:
    _, url = behind
    chain = os.environ["SSL_CERT_FILE"]
    assert await asyncio.to_thread(protocol, url, chain) == "h2"
    origin = url.removesuffix(ROOT)
    async with httpx.AsyncClient(verify=ssl.create_default_context(cafile=chain)) as client:
        moved = await client.get(origin + ROOT)
        assert (moved.status_code, moved.headers["Location"][-9:]) == (308, "/storage/")
        # Log in; the cookies are for this path and for TLS only.
        spoofed = {"X-Forwarded-For": "198.51.100.66", "X-Forwarded-Prefix": "/evil"}
        body = {"username": Role.ADMINISTRATOR.value, "password": PASSWORD}
        session = await client.post(f"{url}/api/v1/auth/login", json=body, headers=spoofed)
        assert session.status_code == 200, session.text
        (cookie,) = [c for c in session.headers.get_list("set-cookie") if "_session=" in c]
        assert f"Path={ROOT};" in cookie + ";"
        assert "Secure" in cookie
        client.headers["X-CSRF-Token"] = session.json()["csrf_token"]
        # The live stream, unbuffered, and the link of an agent.
        address = f"{url}/api/v1/live/stream"
        async with client.stream("GET", address, timeout=PATIENCE_S) as answer:
            stream = Stream(answer)
            await stream.expect("ready")
            tokens = f"{url}/api/v1/enrolment-tokens"
            made = (await client.post(tokens, json={})).json()
            assert f"--url {url} --token" in made["install_line"]
            agent = FakeAgent(url)
            assert (await agent.enrol(made["token"])).is_success
            assert await stream.changes_until("host", agent.agent_id)
            await agent.connect()
            await stream.changes_until("host", agent.agent_id)
            await agent.close()
        trail = (await client.get(f"{url}/api/v1/audit")).json()["items"]
        assert {entry["address"] for entry in trail} - {"", None} == {"127.0.0.1"}
