"""The built console as the server gives it out."""

import gzip
import re
from pathlib import Path

import httpx
import pytest
from httpx import ASGITransport

from arraywright.app import create_app
from arraywright.settings import Settings

pytestmark = pytest.mark.anyio
SCRIPT = "console.log('arraywright');\n" * 100


@pytest.fixture
def client(tmp_path: Path) -> httpx.AsyncClient:
    ui = tmp_path / "dist"
    (ui / "assets").mkdir(parents=True)
    (ui / "index.html").write_text('<meta nonce="__CSP_NONCE__"><script nonce="__CSP_NONCE__">')
    (ui / "assets" / "index-abc123.js").write_text(SCRIPT)
    (ui / "favicon.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("secret")
    app = create_app(Settings(ui_dir=ui))
    (ui / "assets" / "packed-abc123.js").write_text(SCRIPT)
    (ui / "assets" / "packed-abc123.js.br").write_bytes(b"as the build has packed it")
    (ui / "assets" / "packed-abc123.js.gz").write_bytes(gzip.compress(SCRIPT.encode()))
    return httpx.AsyncClient(transport=ASGITransport(app), base_url="http://test")


async def test_index_has_a_fresh_nonce(client: httpx.AsyncClient) -> None:
    nonces = set()
    for path in ("/", "/hosts/some-id", "/index.html"):
        page = await client.get(path)
        assert page.status_code == 200
        assert page.headers["Content-Type"].startswith("text/html")
        assert page.headers["Cache-Control"] == "no-cache"
        found = re.findall(r'nonce="([^"]+)"', page.text)
        assert len(set(found)) == 1
        policy = page.headers["Content-Security-Policy"]
        assert f"'nonce-{found[0]}'" in policy
        assert "unsafe-inline" not in policy.split("style-src-attr")[0]
        nonces.add(found[0])
    assert len(nonces) == 3


async def test_hashed_files_are_for_ever_and_packed(client: httpx.AsyncClient) -> None:
    answer = await client.get("/assets/index-abc123.js")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Content-Type"].startswith("application/javascript")
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.text == SCRIPT
    assert int(answer.headers["Content-Length"]) == len(gzip.compress(SCRIPT.encode(), 9, mtime=0))
    plain = await client.get("/assets/index-abc123.js", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert plain.text == SCRIPT
    again = {"If-None-Match": answer.headers["ETag"]}
    assert (await client.get("/assets/index-abc123.js", headers=again)).status_code == 304


async def test_other_files(client: httpx.AsyncClient) -> None:
    icon = await client.get("/favicon.svg")
    assert (icon.text, icon.headers["Cache-Control"]) == ("<svg/>", "no-cache")
    missing = await client.get("/assets/gone.js")
    assert missing.status_code == 404
    api = await client.get("/api/v2/hosts")
    assert (api.status_code, api.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt"]
)
async def test_nothing_outside_the_directory(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip, br", "br"), ("gzip", "gzip"), ("br;q=0, gzip;q=0.5", "gzip"), ("identity", None)],
)
async def test_files_packed_by_the_build(
    client: httpx.AsyncClient, accepted: str, encoding: str | None
) -> None:
    request = client.build_request(
        "GET", "/assets/packed-abc123.js", headers={"Accept-Encoding": accepted}
    )
    answer = await client.send(request, stream=True)
    assert answer.headers.get("Content-Encoding") == encoding
    assert "Accept-Encoding" in answer.headers["Vary"]
    raw = b"".join([part async for part in answer.aiter_raw()])
    assert raw.startswith({"br": b"as the", "gzip": b"\x1f\x8b"}.get(encoding or "", b"console"))
