"""HEAD, entity tags and 304."""

import asyncio

import httpx
import pytest

from arraywright.conditional import has_already
from arraywright.kit.roles import Role
from tests.conftest import Callers
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.server import Running
from tests.test_routes import PUBLIC, concrete, routes

pytestmark = pytest.mark.anyio
PATHS = (
    *("hosts", "controllers", "enclosures", "drives", "drive-groups", "virtual-drives"),
    *("batteries", "operations", "alerts", "events", "commands", "users", "audit"),
)


@pytest.mark.parametrize(
    ("given", "tag", "fits"),
    [
        ('"a"', '"a"', True),
        ('W/"a"', '"a"', True),
        ('"b", W/"a" ,"c"', '"a"', True),
        ("*", '"a"', True),
        ('"aa"', '"a"', False),
        ("a", '"a"', False),
        ("", '"a"', False),
        ('"a', '"a"', False),
    ],
)
def test_tags_are_compared_weakly(given: str, tag: str, fits: bool) -> None:
    assert has_already(given, tag) is fits


async def test_head_of_every_resource(cached: FakeAgent, callers: Callers) -> None:
    """The head of what GET answers, and nothing else."""
    client = callers.role(Role.ADMINISTRATOR)
    for method, path, _ in routes():
        if method != "GET" or path == "/live/stream" or ("GET", path) in PUBLIC:
            continue
        got = await client.get(concrete(path))
        head = await client.head(concrete(path))
        assert head.status_code == got.status_code, (path, head.status_code)
        assert head.content == b""
        assert head.headers["Content-Type"] == got.headers["Content-Type"]
    nobody = await callers.anonymous().head("/drives")
    assert nobody.status_code == 401
    allowed = await client.put("/drives")
    assert (allowed.status_code, allowed.headers["Allow"]) == (405, "GET, HEAD")
    refused = await client.head("/auth/login")
    assert refused.status_code == 405


async def test_head_of_the_stream_ends(server: Running, callers: Callers) -> None:
    async with asyncio.timeout(10):
        answer = await callers.role(Role.VIEWER).head("/live/stream")
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        while server.runtime.hub.listeners:
            await asyncio.sleep(0.01)


async def test_what_the_caller_has_is_not_sent_again(cached: FakeAgent, callers: Callers) -> None:
    client = callers.role(Role.ADMINISTRATOR)
    for path in PATHS:
        urls = [f"/{path}"]
        items = (await client.get(f"/{path}")).json()["items"]
        if items and path not in ("events", "audit"):
            urls.append(f"/{path}/{items[0]['id']}")
        for url in urls:
            got = await client.get(url)
            for tag in (got.headers["ETag"], f'"x", W/{got.headers["ETag"]}'):
                again = await client.get(url, headers={"If-None-Match": tag})
                assert (again.status_code, again.content) == (304, b""), url
                assert again.headers["ETag"] == got.headers["ETag"]
            other = await client.get(url, headers={"If-None-Match": '"x"'})
            assert other.json() == got.json()


async def test_an_answer_with_other_figures_has_another_tag(
    agent: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """Figures do not move config_rev; who has an older answer gets the new one all the same."""
    await agent.connect()
    await agent.report_all(documents.blank_host())
    drive = (await viewer.get("/drives")).json()["items"][0]
    url = f"/drives/{drive['id']}"
    before = await viewer.get(url)
    await agent.change("drive", "d0", documents.drive(0, temperature_c=55))
    after = await viewer.get(url, headers={"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200
    assert after.json()["config_rev"] == before.json()["config_rev"]
    assert after.json()["temperature_c"] == 55


async def test_a_tag_serves_as_if_match_whatever_the_figures(
    agent: FakeAgent, operator: httpx.AsyncClient
) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    drive = (await operator.get("/drives")).json()["items"][0]
    tag = (await operator.get(f"/drives/{drive['id']}")).headers["ETag"]
    await agent.change("drive", "d0", documents.drive(0, temperature_c=55))
    asked = await operator.post(
        f"/drives/{drive['id']}/actions/locate", json={"on": True}, headers={"If-Match": tag}
    )
    assert asked.status_code == 202, asked.text
    await agent.expect("command")
    await agent.change("drive", "d0", documents.drive(0, state="failed"), config_rev=3)
    stale = await operator.post(
        f"/drives/{drive['id']}/actions/locate", json={"on": False}, headers={"If-Match": tag}
    )
    assert stale.status_code == 412
