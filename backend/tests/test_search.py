"""Parts of numbers and names are found, whatever changes, and nothing is left out."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from arraywright.kit.database import Database
from arraywright.settings import Settings
from arraywright.storage import search
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.server import Running

pytestmark = pytest.mark.anyio


async def found(client: httpx.AsyncClient, words: str, path: str = "/drives", **more: Any) -> Any:
    """Keys of all pages, and the total of the first one."""
    query = {"q": words, "limit": 3, **more}
    keys: list[str] = []
    total = None
    while True:
        answer = await client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        keys += [item["key"] if "key" in item else item["name"] for item in page["items"]]
        total = page["total"] if total is None else total
        if page["next_cursor"] is None:
            return keys, total
        query["cursor"] = page["next_cursor"]


@pytest.fixture
async def labeled(server: Running, administrator: httpx.AsyncClient) -> AsyncIterator[FakeAgent]:
    body = {"name": "rack", "labels": ["rack:b12"]}
    made = await administrator.post("/enrolment-tokens", json=body)
    agent = FakeAgent(server.url, "beta")
    assert (await agent.enrol(made.json()["token"])).status_code == 200
    await agent.connect()
    await agent.report_all(documents.raid5_host())
    yield agent
    await agent.close()


async def test_what_is_searched(
    raid5: FakeAgent, labeled: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    drive = (await viewer.get("/drives", params={"limit": 1})).json()["items"][0]
    every = [f"d{slot}" for slot in range(8)]
    assert await found(viewer, "sN0005") == (["d5", "d5"], 2)
    assert await found(viewer, "n0005", host_id=raid5.agent_id) == (["d5"], 1)
    assert await found(viewer, drive["wwn"][3:]) == (["d0", "d0"], 2)
    assert (await found(viewer, drive["model"][1:]))[1] == 16
    assert await found(viewer, "BET") == (every, 8)
    assert await found(viewer, "k:B1") == (every, 8)
    assert await found(viewer, "k:b1", "/virtual-drives") == (["v0"], 1)
    assert await found(viewer, "dat", "/virtual-drives") == (["v0", "v0"], 2)
    assert await found(viewer, "beta", "/drive-groups") == (["g0"], 1)
    assert await found(viewer, "rack", "/hosts") == (["beta"], 1)
    assert await found(viewer, "eta", "/hosts") == (["beta"], 1)
    for nothing in ('"sn0005', "sn%5", "sn__05", "sn0005 OR alpha", "sn0005*", "nor:", '["rack'):
        assert await found(viewer, nothing) == ([], 0)
        assert await found(viewer, nothing, "/hosts") == ([], 0)


async def test_a_search_for_two_characters_is_not_counted(
    raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    assert await found(viewer, "N0") == ([f"d{slot}" for slot in range(8)], None)
    assert await found(viewer, "~~") == ([], None)


async def test_a_search_that_finds_very_many_is_not_counted(
    raid5: FakeAgent, viewer: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [f"d{slot}" for slot in range(8)]
    monkeypatch.setattr(search, "MOST_COUNTED", 8)
    monkeypatch.setattr(search, "FEW", 2)
    assert await found(viewer, "sn000") == (every, 8)
    monkeypatch.setattr(search, "MOST_COUNTED", 7)
    assert await found(viewer, "sn000") == (every, None)
    assert await found(viewer, "sn000", state="online") == (every[:4], 4)
    monkeypatch.setattr(search, "MOST_COUNTED", 3)
    assert await found(viewer, "sn000", state="online") == (every[:4], None)


async def test_the_index_follows_what_hosts_report(
    server: Running, raid5: FakeAgent, viewer: httpx.AsyncClient, administrator: httpx.AsyncClient
) -> None:
    assert await found(viewer, "sn0006") == (["d6"], 1)
    await raid5.change("drive", "d6", documents.drive(6, serial="REPLACED"))
    assert await found(viewer, "sn0006") == ([], 0)
    assert await found(viewer, "replaced") == (["d6"], 1)
    await raid5.change("drive", "d6", documents.drive(6, serial="REPLACED", temperature_c=44))
    assert await found(viewer, "replaced") == (["d6"], 1)
    await raid5.remove("drive", "d6")
    assert await found(viewer, "replaced") == ([], 0)
    await raid5.change("drive", "d6", documents.drive(6))
    assert await found(viewer, "sn0006") == (["d6"], 1)
    await raid5.close()
    raid5.hostname = "gamma"
    await raid5.connect()
    assert await found(viewer, "alpha") == ([], 0)
    assert (await found(viewer, "gamma"))[1] == 8
    await raid5.change("drive", "d7", documents.drive(7, serial="AFTER"))
    assert await found(viewer, "after") == (["d7"], 1)
    assert (await found(viewer, "gamma"))[1] == 8
    gone = await administrator.delete(f"/hosts/{raid5.agent_id}", params={"confirm": "gamma"})
    assert gone.status_code == 204
    assert await found(viewer, "sn0005") == ([], 0)


async def test_many_matches_are_in_order_and_complete(
    raid5: FakeAgent,
    labeled: FakeAgent,
    viewer: httpx.AsyncClient,
    administrator: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "FEW", 2)
    every = [f"d{slot}" for slot in range(8)]
    assert await found(viewer, "sn00") == (every * 2, 16)
    assert await found(viewer, "sn00", state="online") == (every[:4] * 2, 8)
    wish = {"name": "limited", "role": "viewer", "host_ids": [labeled.agent_id]}
    token = (await administrator.post("/api-tokens", json=wish)).json()["token"]
    limited = {"Authorization": f"Bearer {token}"}
    answer = await viewer.get("/drives", params={"q": "sn00"}, headers=limited)
    assert answer.json()["total"] == len(answer.json()["items"]) == 8


async def test_without_the_right_to_make_the_index_all_is_read(
    settings: Settings, raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    url = settings.resolved_database_url()
    database = Database(url)
    try:
        if database.is_sqlite:
            assert await search.prepare(database) is None
            return
        async with database.engine.begin() as connection:
            for statement in (
                f"DROP INDEX {search.INDEX}",
                "DROP EXTENSION pg_trgm",
                f"DROP SCHEMA {search.SCHEMA}",
                "CREATE ROLE poor LOGIN",
                "GRANT SELECT ON ALL TABLES IN SCHEMA public TO poor",
            ):
                await connection.execute(text(statement))
        poor = Database(url.replace("postgres@", "poor@"))
        why = await search.prepare(poor)
        await poor.close()
        assert why is not None
        assert "permission denied" in why
        async with database.read() as session:
            assert not await search.is_prepared(session)
        assert await found(viewer, "sn0005") == (["d5"], 1)
        assert await search.prepare(database) is None
        assert await search.prepare(database) is None
        async with database.read() as session:
            assert await search.is_prepared(session)
        assert await found(viewer, "sn0005") == (["d5"], 1)
    finally:
        if not database.is_sqlite:
            async with database.engine.begin() as connection:
                await connection.execute(text("DROP OWNED BY poor"))
                await connection.execute(text("DROP ROLE poor"))
        await database.close()
