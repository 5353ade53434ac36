"""Who gets in: nobody can lock others out, and no access outlives what it came from."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import HTTPConnection

from arraywright import bootstrap
from arraywright.auth.strength import weakness
from arraywright.kit.failure import StartError
from arraywright.kit.roles import Role
from arraywright.kit.web import base_url, client_address, is_https
from arraywright.settings import Settings
from tests.conftest import PASSWORD, Callers
from tests.support.agent import FakeAgent
from tests.support.clock import HandClock
from tests.support.server import Running, running

pytestmark = pytest.mark.anyio


async def log_in(
    client: httpx.AsyncClient, name: str, password: str = PASSWORD, **headers: str
) -> httpx.Response:
    body = {"username": name, "password": password}
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return await client.post("/auth/login", json=body, headers=named)


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


# Login


async def test_failures_of_others_behind_the_same_proxy_lock_nobody_out(
    settings: Settings, password_hash: str
) -> None:
    async with running(settings.model_copy(update={"login_attempts": 2})) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        stranger = callers.anonymous()
        for number in range(30):
            assert (await log_in(stranger, f"nobody{number}", "x")).status_code == 401
        assert (await log_in(callers.anonymous(), "administrator")).status_code == 200
        await callers.close()


async def test_known_browser_gets_in_while_its_account_is_attacked(
    settings: Settings, password_hash: str
) -> None:
    async with running(settings.model_copy(update={"login_attempts": 2})) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        browser = callers.anonymous()
        assert (await log_in(browser, "administrator")).status_code == 200
        for _ in range(4):
            await log_in(callers.anonymous(), "administrator", "wrong")
        assert (await log_in(callers.anonymous(), "administrator")).status_code == 429
        assert (await log_in(browser, "administrator")).status_code == 200
        # Its own mistakes count for itself, and its cookie is worth nothing for others.
        assert (await log_in(browser, "operator", "wrong")).status_code == 401
        for _ in range(2):
            assert (await log_in(browser, "administrator", "wrong")).status_code == 401
        assert (await log_in(browser, "administrator")).status_code == 429
        await callers.close()


async def test_device_cookie_ends_with_the_password(settings: Settings, password_hash: str) -> None:
    async with running(settings.model_copy(update={"login_attempts": 2})) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        administrator = callers.role(Role.ADMINISTRATOR)
        browser = callers.anonymous()
        await log_in(browser, "viewer")
        users = (await administrator.get("/users")).json()["items"]
        viewer = next(user for user in users if user["username"] == "viewer")
        body = {"password": "quite another secret"}
        changed = await administrator.patch(f"/users/{viewer['id']}", json=body)
        assert changed.status_code == 200, changed.text
        for _ in range(3):
            await log_in(callers.anonymous(), "viewer", "wrong")
        assert (await log_in(browser, "viewer", "quite another secret")).status_code == 429
        await callers.close()


async def test_addresses_count_behind_trusted_proxies(
    settings: Settings, password_hash: str
) -> None:
    changes = {"login_attempts": 1, "trusted_proxies": "127.0.0.1"}
    async with running(settings.model_copy(update=changes)) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        client = callers.anonymous()
        for number in range(11):
            await log_in(client, f"n{number}", "x", X_Forwarded_For="198.51.100.7")
        bad = await log_in(client, "viewer", X_Forwarded_For="6.6.6.6, 198.51.100.7")
        assert bad.status_code == 429
        good = await log_in(client, "viewer", X_Forwarded_For="198.51.100.8")
        assert good.status_code == 200
        trail = await callers.role(Role.ADMINISTRATOR).get("/audit", params={"actor": "viewer"})
        assert trail.json()["items"][0]["address"] == "198.51.100.8"
        await callers.close()


async def test_account_is_guessed_slowly_from_many_addresses(
    settings: Settings, password_hash: str
) -> None:
    clock = HandClock()
    changes = {"login_attempts": 1, "trusted_proxies": "127.0.0.1", "heartbeat_s": 600}
    async with running(settings.model_copy(update=changes), clock) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        client = callers.anonymous()
        for number in range(10):
            await log_in(client, "viewer", "x", X_Forwarded_For=f"198.51.100.{number}")
        waits = await log_in(client, "viewer", X_Forwarded_For="198.51.100.99")
        assert waits.status_code == 429
        clock.offset_s += 31  # never longer
        good = await log_in(client, "viewer", X_Forwarded_For="198.51.100.99")
        assert good.status_code == 200
        await callers.close()


async def test_wrong_tokens_do_not_hold_up_a_good_one(
    settings: Settings, password_hash: str
) -> None:
    async with running(settings.model_copy(update={"login_attempts": 2})) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        made = await callers.role(Role.ADMINISTRATOR).post("/enrolment-tokens", json={"name": "a"})
        guesser = FakeAgent(server.url)
        for _ in range(2):
            assert (await guesser.enrol("awe_guess")).status_code == 403
        assert (await guesser.enrol("awe_guess")).status_code == 429
        assert (await FakeAgent(server.url).enrol(made.json()["token"])).status_code == 200
        assert (await guesser.enrol("awe_guess")).status_code == 403  # counted anew
        await callers.close()


# Addresses and names


def connection(peer: str, **headers: str) -> Any:
    pairs = [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()]
    scope = {
        "type": "http",
        "scheme": "http",
        "path": "/",
        "query_string": b"",
        "headers": pairs,
        "client": (peer, 4000),
        "server": ("10.0.0.1", 8080),
        "app": FastAPI(),
    }
    return HTTPConnection(scope)


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ({}, "10.1.1.1"),
        ({"x_forwarded_for": "203.0.113.5"}, "203.0.113.5"),
        ({"x_forwarded_for": "1.1.1.1, 203.0.113.5, 10.1.1.2"}, "203.0.113.5"),
        ({"x_forwarded_for": "10.1.1.3, 10.1.1.2"}, "10.1.1.3"),
        ({"x_forwarded_for": "1.1.1.1, junk"}, "10.1.1.1"),
        ({"x_forwarded_for": "203.0.113.5:443"}, "203.0.113.5"),
        ({"x_forwarded_for": "[2001:db8::1]:443"}, "2001:db8::1"),
        ({"forwarded": 'for="[2001:db8::9]";proto=https, for=10.1.1.2'}, "2001:db8::9"),
    ],
)
async def test_address_of_a_client_behind_proxies(headers: dict[str, str], address: str) -> None:
    settings = Settings(trusted_proxies="10.1.0.0/16, 127.0.0.1")
    assert client_address(connection("10.1.1.1", **headers), settings) == address
    assert client_address(connection("192.0.2.9", **headers), settings) == "192.0.2.9"
    assert client_address(connection("10.1.1.1", **headers), Settings()) == "10.1.1.1"


async def test_https_behind_a_proxy() -> None:
    settings = Settings(trusted_proxies="10.1.1.1")
    secure = {"x_forwarded_proto": "https"}
    assert is_https(connection("10.1.1.1", **secure), settings)
    assert not is_https(connection("10.1.1.2", **secure), settings)
    assert is_https(connection("10.1.1.1", forwarded="for=1.1.1.1;proto=https"), settings)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("evil.example", "http://10.0.0.1:8080"),
        ("evil.example:8080", "http://10.0.0.1:8080"),
        ("10.0.0.1:9000", "http://10.0.0.1:9000"),
        ("console.example", "http://console.example"),
        ("localhost:8080", "http://10.0.0.1:8080"),
        ("[", "http://10.0.0.1:8080"),
        ("", "http://10.0.0.1:8080"),
        ("a b", "http://10.0.0.1:8080"),
    ],
)
async def test_host_header_is_not_believed(host: str, url: str) -> None:
    settings = Settings(host="0.0.0.0", allowed_hosts="console.example, other.example")
    assert base_url(connection("10.1.1.1", host=host), settings) == url


async def test_host_header_does_not_reach_the_install_line(
    administrator: httpx.AsyncClient,
) -> None:
    made = await administrator.post("/enrolment-tokens", json={}, headers={"Host": "evil.example"})
    assert "evil" not in made.json()["install_line"]
    assert "127.0.0.1" in made.json()["install_line"]


async def test_cookies_behind_a_tls_proxy_are_secure(
    settings: Settings, password_hash: str
) -> None:
    async with running(settings.model_copy(update={"trusted_proxies": "127.0.0.1"})) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        answer = await log_in(callers.anonymous(), "viewer", X_Forwarded_Proto="https")
        cookies = answer.headers.get_list("set-cookie")
        assert len(cookies) == 3
        assert all("Secure" in cookie for cookie in cookies)
        await callers.close()


# Tokens


async def make_token(client: httpx.AsyncClient, **changes: Any) -> httpx.Response:
    return await client.post("/api-tokens", json={"name": "t", "role": "viewer", **changes})


def with_token(callers: Callers, made: httpx.Response) -> httpx.AsyncClient:
    assert made.status_code == 201, made.text
    client = callers.anonymous()
    client.headers["Authorization"] = f"Bearer {made.json()['token']}"
    return client


async def test_token_of_a_token_ends_with_it(callers: Callers) -> None:
    browser = await callers.logged_in(Role.ADMINISTRATOR)
    first = await make_token(browser, role="operator", expires_in_days=2)
    script = with_token(callers, first)
    for wish in (None, 3650):
        second = await make_token(script, expires_in_days=wish)
        assert second.json()["expires_at"] == first.json()["expires_at"]
        assert second.json()["made_with"] == first.json()["prefix"]
    child = with_token(callers, second)
    assert code(await make_token(script, role="administrator")) == (403, "role_needed")
    assert (await child.get("/hosts")).status_code == 200
    await browser.delete(f"/api-tokens/{first.json()['id']}")
    assert code(await child.get("/hosts")) == (401, "token_invalid")


async def test_token_that_expires_makes_no_users(callers: Callers) -> None:
    browser = await callers.logged_in(Role.ADMINISTRATOR)
    script = with_token(callers, await make_token(browser, role="administrator"))
    body = {"username": "eve", "role": "administrator", "password": "a long new secret"}
    assert code(await script.post("/users", json=body)) == (403, "token_expires")
    users = (await script.get("/users")).json()["items"]
    answer = await script.patch(f"/users/{users[0]['id']}", json={"password": "a long secret 2"})
    assert code(answer) == (403, "token_expires")
    assert (await browser.post("/users", json=body)).status_code == 201


async def test_read_only_token(callers: Callers) -> None:
    browser = await callers.logged_in(Role.ADMINISTRATOR)
    script = with_token(callers, await make_token(browser, role="administrator", read_only=True))
    assert (await script.get("/audit")).status_code == 200
    assert code(await make_token(script)) == (403, "token_read_only")
    assert code(await script.post("/enrolment-tokens", json={})) == (403, "token_read_only")
    listed = (await browser.get("/api-tokens")).json()["items"]
    assert listed[0]["read_only"] is True


async def test_tokens_without_end_by_setting(settings: Settings, password_hash: str) -> None:
    async with running(settings.model_copy(update={"tokens_without_end": False})) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        browser = await callers.logged_in(Role.VIEWER)
        refused = await make_token(browser, expires_in_days=None)
        assert code(refused) == (422, "token_needs_end")
        assert refused.json()["errors"][0]["pointer"] == "/expires_in_days"
        assert (await make_token(browser, expires_in_days=1)).status_code == 201
        await callers.close()


@pytest.mark.parametrize("change", [{"password": "reset by somebody"}, {"disabled": True}])
async def test_tokens_end_with_a_reset_or_a_lock(callers: Callers, change: dict[str, Any]) -> None:
    administrator = callers.role(Role.ADMINISTRATOR)
    browser = await callers.logged_in(Role.OPERATOR)
    script = with_token(callers, await make_token(browser))
    users = (await administrator.get("/users")).json()["items"]
    operator = next(user for user in users if user["username"] == "operator")
    await administrator.patch(f"/users/{operator['id']}", json=change)
    await administrator.patch(f"/users/{operator['id']}", json={"disabled": False})
    assert code(await script.get("/hosts")) == (401, "token_invalid")
    listed = (await administrator.get("/api-tokens")).json()["items"]
    assert "operator" not in {token["username"] for token in listed}


async def test_tokens_end_with_ones_own_new_password(callers: Callers) -> None:
    browser = await callers.logged_in(Role.OPERATOR)
    script = with_token(callers, await make_token(browser))
    body = {"old_password": PASSWORD, "new_password": "seven green bottles"}
    assert (await browser.post("/auth/password", json=body)).status_code == 204
    assert code(await script.get("/hosts")) == (401, "token_invalid")
    assert (await browser.get("/hosts")).status_code == 200


# Passwords

WEAK = [
    "aaaaaaaaaa",
    "abababababab",
    "1234567890",
    "abcdefghij",
    "password123",
    "Password1234!",
    "qwertyuiop",
    "administrator",
    "Administrator1!",
    "arraywright2026",
    "12345678910",
]


@pytest.mark.parametrize("password", WEAK)
async def test_passwords_that_are_tried_first(password: str) -> None:
    assert weakness(password, "administrator") is not None


async def test_weak_password_is_an_error_of_its_field(callers: Callers) -> None:
    administrator = callers.role(Role.ADMINISTRATOR)
    body = {"username": "bob-the-second", "role": "viewer", "password": "bobthesecond"}
    answer = await administrator.post("/users", json=body)
    assert code(answer) == (422, "password_weak")
    assert answer.json()["errors"][0]["pointer"] == "/password"
    browser = await callers.logged_in(Role.ADMINISTRATOR)
    change = {"old_password": PASSWORD, "new_password": "password123"}
    answer = await browser.post("/auth/password", json=change)
    assert code(answer) == (422, "password_weak")
    assert answer.json()["errors"][0]["pointer"] == "/new_password"
    change = {"old_password": "wrong", "new_password": "seven green bottles"}
    answer = await browser.post("/auth/password", json=change)
    assert answer.json()["errors"][0]["pointer"] == "/old_password"


@pytest.mark.parametrize(
    "password", [PASSWORD, "only-looking-around", "Tr0ub4dor&3-x", "8f3kd02kq1", "bob likes figs"]
)
async def test_passwords_that_will_do(password: str) -> None:
    assert weakness(password, "bob") is None


async def test_first_password_is_checked_too(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("administrator1")
    with pytest.raises(StartError, match="too easy to guess"):
        bootstrap.password_from_file(file, "administrator")


# The rest


async def test_database_is_its_owners_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "arraywright.sqlite").touch(0o644)
    settings = Settings(state_dir=tmp_path)
    await bootstrap.prepare(settings, HandClock(), lambda _: None)
    assert {entry.stat().st_mode & 0o777 for entry in tmp_path.glob("*.sqlite*")} == {0o600}


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/auth/login", "POST"),
        ("PUT", "/users", "GET, HEAD, POST"),
        ("POST", "/hosts/00000000-0000-0000-0000-000000000000", "DELETE, GET, HEAD, PATCH"),
        ("DELETE", "/events", "GET, HEAD"),
    ],
)
async def test_methods_that_a_resource_does_not_know(
    administrator: httpx.AsyncClient, method: str, path: str, allow: str
) -> None:
    answer = await administrator.request(method, path)
    assert code(answer) == (405, "method_not_allowed")
    assert answer.headers["allow"] == allow


async def test_no_such_resource(administrator: httpx.AsyncClient) -> None:
    for method in ("GET", "POST", "DELETE"):
        assert code(await administrator.request(method, "/nothing/here")) == (404, "not_found")


async def test_weak_etag_of_a_packing_proxy(callers: Callers) -> None:
    administrator = callers.role(Role.ADMINISTRATOR)
    users = (await administrator.get("/users")).json()["items"]
    path = f"/users/{users[0]['id']}"
    weak = {"If-Match": "W/" + (await administrator.get(path)).headers["etag"]}
    answer = await administrator.patch(path, json={"display_name": "x"}, headers=weak)
    assert answer.status_code == 200
    answer = await administrator.patch(path, json={"display_name": "y"}, headers=weak)
    assert answer.status_code == 412


async def test_public_operations_are_documented_as_such(server: Running) -> None:
    document = server.app.openapi()
    public = {
        operation["operationId"]
        for path in document["paths"].values()
        for operation in path.values()
        if operation.get("security") == []
    }
    assert {"auth_log_in", "agents_enrol", "agents_enrol_status"} <= public
    assert len(public) <= 5, public
