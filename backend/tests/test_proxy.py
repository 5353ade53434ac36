"""Behind a proxy: under a sub-path, and only the proxy's own word counts."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from arraywright.kit.roles import Role
from arraywright.settings import Settings
from tests.conftest import PASSWORD, Callers
from tests.support.agent import FakeAgent
from tests.support.server import Running, running

pytestmark = pytest.mark.anyio
PAGE = (
    '<meta name="root-path" content="__ROOT_PATH__"><script src="./assets/a.js"></script>'
    '<link href="./favicon.svg">'
)


@pytest.fixture
def template(sqlite_template: Path) -> tuple[str, Path]:
    """Nothing here asks the database for more than any login does."""
    return "sqlite", sqlite_template


def changed(settings: Settings, **changes: Any) -> Settings:
    return settings.model_copy(update=changes)


async def log_in(server: Running, path: str, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=server.url) as client:
        body = {"username": "administrator", "password": PASSWORD}
        return await client.post(f"{path}/api/v1/auth/login", json=body, headers=headers)


def paths(answer: httpx.Response) -> set[str]:
    return {
        part.strip().removeprefix("Path=")
        for cookie in answer.headers.get_list("set-cookie")
        for part in cookie.split(";")
        if part.strip().startswith("Path=")
    }


@pytest.mark.parametrize("in_path", ["/storage", ""], ids=["kept", "taken off"])
async def test_sub_path_by_setting(settings: Settings, password_hash: str, in_path: str) -> None:
    async with running(changed(settings, root_path="/storage")) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        answer = await log_in(server, in_path)
        assert answer.status_code == 200
        assert paths(answer) == {"/storage", "/storage/api/v1/auth"}
        async with httpx.AsyncClient(base_url=server.url) as client:
            refused = await client.get(f"{in_path}/api/v1/hosts")
            assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")
            assert "content-security-policy" in refused.headers
            assert (await client.get("/storages/api/v1/health")).status_code == 404
        await callers.close()


async def test_enrollment_under_a_sub_path(settings: Settings, password_hash: str) -> None:
    async with running(changed(settings, root_path="/storage")) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        administrator = callers.role(Role.ADMINISTRATOR)
        made = (await administrator.post("/enrolment-tokens", json={})).json()
        assert f"--url {server.url}/storage --token" in made["install_line"]
        agent = FakeAgent(f"{server.url}/storage")
        assert (await agent.enrol(made["token"])).is_success
        await agent.connect()
        await agent.close()
        await callers.close()


async def test_redirect_to_the_sub_path(settings: Settings) -> None:
    async with (
        running(changed(settings, root_path="/storage")) as server,
        httpx.AsyncClient(base_url=server.url) as client,
    ):
        answer = await client.get("/storage")
        assert (answer.status_code, answer.headers["Location"]) == (308, "/storage/")


async def test_sub_path_by_public_url(settings: Settings, password_hash: str) -> None:
    public = changed(settings, public_url="https://fleet.example/storage/")
    async with running(public) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        assert "/storage" in paths(await log_in(server, ""))
        await callers.close()


@pytest.mark.parametrize(
    ("trusted", "said", "expected"),
    [
        ("127.0.0.1", "/storage", "/storage"),
        ("", "/storage", "/"),
        ("10.0.0.0/8", "/storage", "/"),
        ("127.0.0.1", "/storage/../admin", "/"),
        ("127.0.0.1", '/"><script>', "/"),
        ("127.0.0.1", "//evil.example", "/"),
    ],
)
async def test_sub_path_by_header(
    settings: Settings, password_hash: str, trusted: str, said: str, expected: str
) -> None:
    async with running(changed(settings, trusted_proxies=trusted)) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        answer = await log_in(server, "", **{"X-Forwarded-Prefix": said})
        assert expected in paths(answer)
        await callers.close()


@pytest.mark.parametrize("path", ["storage", "/a//b", "/a/../b", "/ä", '/"'])
def test_nonsense_is_no_sub_path(path: str) -> None:
    with pytest.raises(ValidationError):
        Settings(root_path=path)


async def test_the_console_names_its_root(tmp_path: Path) -> None:
    from arraywright.app import create_app

    (tmp_path / "index.html").write_text(PAGE)
    app = create_app(Settings(ui_dir=tmp_path, root_path="/storage"))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        for address in ("/storage/", "/storage/hosts/some-id"):
            text = (await client.get(address)).text
            assert 'content="/storage"' in text
            assert 'src="/storage/assets/a.js"' in text
            assert 'href="/storage/favicon.svg"' in text
