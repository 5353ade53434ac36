"""Login, sessions, CSRF, lock-out, users and API tokens."""

from typing import Any

import httpx
import pytest

from arraywright.kit.roles import Role
from arraywright.settings import Settings
from tests.conftest import PASSWORD, Callers
from tests.support.clock import HandClock
from tests.support.server import Running, running

pytestmark = pytest.mark.anyio


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")


async def log_in(
    client: httpx.AsyncClient, username: str, password: str = PASSWORD
) -> httpx.Response:
    return await client.post("/auth/login", json={"username": username, "password": password})


async def test_login_sets_both_cookies(callers: Callers) -> None:
    client = callers.anonymous()
    answer = await log_in(client, "Operator")
    assert answer.status_code == 200
    body = answer.json()
    assert body["user"]["role"] == "operator"
    cookies = {c.split("=", 1)[0]: c for c in answer.headers.get_list("set-cookie")}
    session, csrf = cookies["arraywright_session"], cookies["arraywright_csrf"]
    assert "HttpOnly" in session
    assert "samesite=strict" in session.lower()
    assert "HttpOnly" not in csrf
    assert client.cookies["arraywright_csrf"] == body["csrf_token"]
    shown = await client.get("/auth/session")
    assert shown.json() == {**body, "user": shown.json()["user"]}
    assert "password" not in answer.text.replace("/auth/password", "")


async def test_cookie_is_secure_behind_https(settings: Settings, password_hash: str) -> None:
    behind = settings.model_copy(update={"public_url": "https://arrays.example"})
    async with running(behind) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        answer = await log_in(callers.anonymous(), "viewer")
        assert all("Secure" in c for c in answer.headers.get_list("set-cookie"))
        await callers.close()


async def test_csrf_token_is_needed(callers: Callers) -> None:
    client = await callers.logged_in(Role.OPERATOR)
    token = client.headers.pop("X-CSRF-Token")
    body = {"name": "x", "role": "viewer"}
    assert code(await client.post("/api-tokens", json=body)) == (403, "csrf_failed")
    client.headers["X-CSRF-Token"] = token[:-1]
    assert code(await client.post("/api-tokens", json=body)) == (403, "csrf_failed")
    other = await callers.logged_in(Role.VIEWER)
    client.headers["X-CSRF-Token"] = other.headers["X-CSRF-Token"]
    assert code(await client.post("/api-tokens", json=body)) == (403, "csrf_failed")
    assert (await client.get("/api-tokens")).json()["total"] == 1
    client.headers["X-CSRF-Token"] = token
    assert (await client.post("/api-tokens", json=body)).status_code == 201


async def test_cross_site_login_is_refused(callers: Callers) -> None:
    client = callers.anonymous()
    client.headers["Sec-Fetch-Site"] = "cross-site"
    assert code(await log_in(client, "viewer")) == (403, "cross_site")


async def test_logout_ends_the_session(callers: Callers) -> None:
    client = await callers.logged_in(Role.VIEWER)
    secret = client.cookies["arraywright_session"]
    assert (await client.post("/auth/logout")).status_code == 204
    assert "arraywright_session" not in client.cookies
    thief = callers.anonymous()
    thief.cookies.set("arraywright_session", secret)
    assert code(await thief.get("/auth/session")) == (401, "unauthenticated")


async def test_wrong_password_says_no_more_than_that(callers: Callers) -> None:
    wrong = await log_in(callers.anonymous(), "viewer", "wrong password")
    unknown = await log_in(callers.anonymous(), "nobody", "wrong password")
    assert code(wrong) == code(unknown) == (401, "login_failed")
    assert wrong.json()["detail"] == unknown.json()["detail"]


async def test_lock_out_after_failures(settings: Settings, password_hash: str) -> None:
    clock = HandClock()
    quiet = settings.model_copy(update={"login_attempts": 3, "heartbeat_s": 600})
    async with running(quiet, clock) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        client = callers.anonymous()
        for _ in range(3):
            assert code(await log_in(client, "viewer", "wrong"))[0] == 401
        locked = await log_in(client, "viewer")
        assert code(locked) == (429, "too_many_attempts")
        assert 0 < int(locked.headers["Retry-After"]) <= 6
        assert (await log_in(client, "operator")).status_code == 200  # others are not
        clock.offset_s += 6
        assert code(await log_in(client, "viewer", "wrong"))[0] == 401
        again = await log_in(client, "viewer")
        assert int(again.headers["Retry-After"]) > 6  # twice as long
        clock.offset_s += 11
        assert (await log_in(client, "viewer")).status_code == 200
        assert code(await log_in(client, "viewer", "wrong"))[0] == 401  # counted anew
        await callers.close()


async def test_session_and_token_expire(settings: Settings, password_hash: str) -> None:
    clock = HandClock()
    async with running(settings, clock) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        browser = await callers.logged_in(Role.OPERATOR)
        made = await browser.post(
            "/api-tokens", json={"name": "ci", "role": "viewer", "expires_in_days": 1}
        )
        script = callers.anonymous()
        script.headers["Authorization"] = f"Bearer {made.json()['token']}"
        assert (await script.get("/hosts")).status_code == 200
        clock.offset_s = 24 * 3600 + 5
        assert code(await browser.get("/hosts")) == (401, "session_ended")
        assert code(await script.get("/hosts")) == (401, "token_expired")
        await callers.close()


async def test_change_of_password_ends_other_sessions(callers: Callers) -> None:
    here = await callers.logged_in(Role.VIEWER)
    elsewhere = await callers.logged_in(Role.VIEWER)
    body = {"old_password": "wrong", "new_password": "another fine secret"}
    assert code(await here.post("/auth/password", json=body)) == (403, "password_wrong")
    short = {"old_password": PASSWORD, "new_password": "short"}
    assert code(await here.post("/auth/password", json=short)) == (422, "invalid_argument")
    body["old_password"] = PASSWORD
    assert (await here.post("/auth/password", json=body)).status_code == 204
    assert (await here.get("/auth/session")).status_code == 200
    assert (await elsewhere.get("/auth/session")).status_code == 401
    assert (await log_in(callers.anonymous(), "viewer")).status_code == 401
    assert (await log_in(callers.anonymous(), "viewer", "another fine secret")).status_code == 200


async def test_users(callers: Callers, administrator: httpx.AsyncClient) -> None:
    new = {"username": "ann", "role": "viewer", "password": "a fine secret 1"}
    made = await administrator.post("/users", json=new)
    assert made.status_code == 201, made.text
    path = made.headers["Location"].removeprefix("/api/v1")
    assert code(await administrator.post("/users", json=new)) == (409, "name_taken")
    for bad in ({"username": "A b"}, {"password": "short"}, {"role": "root"}, {"more": 1}):
        refused = await administrator.post("/users", json={**new, **bad})
        assert code(refused) == (422, "invalid_argument"), bad
    ann = callers.anonymous()
    assert (await log_in(ann, "ann", "a fine secret 1")).status_code == 200
    stale = await administrator.patch(path, json={"role": "operator"}, headers={"If-Match": '"9"'})
    assert code(stale) == (412, "stale_precondition")
    changed = await administrator.patch(
        path, json={"role": "operator"}, headers={"If-Match": made.headers["ETag"]}
    )
    assert changed.json()["role"] == "operator"
    assert (await ann.get("/auth/session")).status_code == 401  # a new role, a new login
    assert (await log_in(ann, "ann", "a fine secret 1")).status_code == 200
    await administrator.patch(path, json={"disabled": True})
    assert (await ann.get("/auth/session")).status_code == 401
    assert (await log_in(ann, "ann", "a fine secret 1")).status_code == 401
    names = [u["username"] for u in (await administrator.get("/users")).json()["items"]]
    assert names == ["administrator", "ann", "operator", "viewer"]
    assert (await administrator.delete(path)).status_code == 204
    assert code(await administrator.get(path)) == (404, "not_found")


async def test_an_administrator_always_remains(administrator: httpx.AsyncClient) -> None:
    users = {u["username"]: u for u in (await administrator.get("/users")).json()["items"]}
    own = f"/users/{users['administrator']['id']}"
    assert users["administrator"]["blocked"]["delete"]["code"] == "own_account"
    assert users["viewer"]["blocked"] == {}
    assert code(await administrator.delete(own)) == (409, "own_account")
    assert code(await administrator.patch(own, json={"role": "viewer"})) == (409, "own_account")
    assert code(await administrator.patch(own, json={"disabled": True})) == (409, "own_account")
    assert (await administrator.patch(own, json={"display_name": "Me"})).status_code == 200


async def test_tokens(callers: Callers) -> None:
    operator = callers.role(Role.OPERATOR)
    above: dict[str, Any] = {"name": "ci", "role": "administrator"}
    assert code(await operator.post("/api-tokens", json=above)) == (403, "role_needed")
    made = (await operator.post("/api-tokens", json={"name": "ci", "role": "viewer"})).json()
    listed = (await operator.get("/api-tokens")).json()
    assert made["token"] not in str(listed)
    assert {item["name"] for item in listed["items"]} == {"ci", "test"}
    assert {item["username"] for item in listed["items"]} == {"operator"}
    everybody = (await callers.role(Role.ADMINISTRATOR).get("/api-tokens")).json()
    assert everybody["total"] == 4
    script = callers.anonymous()
    script.headers["Authorization"] = f"Bearer {made['token']}"
    assert (await script.get("/auth/session")).json()["csrf_token"] is None
    refused = await script.post("/api-tokens", json={"name": "x", "role": "operator"})
    assert code(refused) == (403, "role_needed")
    stranger = callers.role(Role.VIEWER)
    assert (await stranger.delete(f"/api-tokens/{made['id']}")).status_code == 404
    assert (await operator.delete(f"/api-tokens/{made['id']}")).status_code == 204
    assert code(await script.get("/hosts")) == (401, "token_invalid")
    script.headers["Authorization"] = "Basic abc"
    assert code(await script.get("/hosts")) == (401, "token_invalid")


async def test_token_loses_what_its_owner_loses(
    callers: Callers, administrator: httpx.AsyncClient
) -> None:
    script = callers.role(Role.OPERATOR)
    users = {u["username"]: u for u in (await administrator.get("/users")).json()["items"]}
    path = f"/users/{users['operator']['id']}"
    await administrator.patch(path, json={"role": "viewer"})
    assert (await script.get("/auth/session")).json()["user"]["role"] == "viewer"
    await administrator.patch(path, json={"disabled": True})
    assert code(await script.get("/hosts")) == (401, "token_invalid")


async def test_token_use_is_remembered(
    server: Running, viewer: httpx.AsyncClient, administrator: httpx.AsyncClient
) -> None:
    await viewer.get("/hosts")
    await server.runtime.activity.flush(server.runtime.database)
    tokens = (await administrator.get("/api-tokens")).json()["items"]
    used = {item["username"]: item["last_used_at"] for item in tokens}
    assert used["viewer"] is not None
    assert used["operator"] is None
