"""Lists in any order, page by page, with the fields that are wanted."""

from itertools import pairwise
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text

from arraywright.kit.roles import Role
from arraywright.storage import repository
from arraywright.storage.filters import DriveFilter
from arraywright.storage.models import LARGEST_FIRST, ObjectState
from tests.conftest import Callers, enrolled_agent
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.server import Running

pytestmark = pytest.mark.anyio
GIB = documents.GIB


async def listed(client: httpx.AsyncClient, path: str, **query: Any) -> list[dict[str, Any]]:
    """Of all pages; each page but the last one is full, and the total is right."""
    items: list[dict[str, Any]] = []
    asked = {"limit": 3, **query}
    while True:
        answer = await client.get(path, params=asked)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        items += page["items"]
        if "cursor" not in asked:
            total = page["total"]
        if page["next_cursor"] is None:
            assert len(items) == total
            return items
        assert len(page["items"]) == asked["limit"]
        asked["cursor"] = page["next_cursor"]


@pytest.fixture
async def two(server: Running, raid5: FakeAgent, callers: Callers) -> Any:
    """Two hosts, and drives that differ."""
    beta = await enrolled_agent(server, callers.role(Role.ADMINISTRATOR), "beta")
    await beta.connect()
    await beta.report_all(documents.blank_host())
    for agent in (raid5, beta):
        for slot, size in ((4, 9), (5, 1), (6, 9), (7, 5)):
            drive = documents.drive(slot, size_bytes=size * GIB, model=f"M{size}")
            await agent.change("drive", f"d{slot}", drive)
    yield [raid5, beta]
    await beta.close()


SORTS = {
    "/drives": ("host", "state", "size", "model", "serial"),
    "/virtual-drives": ("host", "name", "state", "size", "level", "drive_failures_left"),
    "/drive-groups": ("host", "state", "size", "level"),
    "/controllers": ("host", "status", "model", "serial"),
    "/enclosures": ("host",),
    "/batteries": ("host", "state", "model", "serial"),
    "/hosts": (
        "name",
        "presence",
        "last_seen",
        "worst_state",
        "agent_version",
        "drives",
        "virtual_drives",
        "raw_bytes",
        "usable_bytes",
        "operations_running",
        "open_alerts",
        "drive_failures_left",
    ),
}
FIELDS = {"host": "host_name", "size": "size_bytes"}
WORST = ("optimal", "starting", "needs_attention", "degraded", "failed")


def value_of(item: dict[str, Any], word: str, path: str) -> Any:
    """Comparable, as the list is sorted by it."""
    field = FIELDS.get(word, word)
    value = item[field] if field in item else item["summary"][field]
    if field == "worst_state":
        return WORST.index(value) if value else -1
    if field == "drive_failures_left":
        return 99 if value is None else value
    return value.lower() if isinstance(value, str) else value


@pytest.mark.parametrize("path", SORTS)
async def test_every_order_is_complete_and_in_order(
    path: str, two: list[FakeAgent], administrator: httpx.AsyncClient
) -> None:
    usual = [item["id"] for item in await listed(administrator, path)]
    for word in SORTS[path]:
        items = await listed(administrator, path, sort=word, limit=2)
        assert sorted(item["id"] for item in items) == sorted(usual), word
        back = await listed(administrator, path, sort=f"-{word}", limit=3)
        order = {item_id: place for place, item_id in enumerate(usual)}
        if word in ("host", "name") and path != "/virtual-drives":
            assert [item["id"] for item in items] == usual
        for found, is_backwards in ((items, False), (back, True)):
            values = [value_of(item, word, path) for item in found]
            assert values == sorted(values, reverse=is_backwards), word
            for one, next_ in pairwise(found):
                if value_of(one, word, path) == value_of(next_, word, path):
                    assert order[one["id"]] < order[next_["id"]], word


async def test_orders_go_with_filters_and_searches(
    two: list[FakeAgent], administrator: httpx.AsyncClient
) -> None:
    alpha = two[0].agent_id
    items = await listed(administrator, "/drives", sort="-size", host_id=alpha, q="beta")
    assert items == []
    items = await listed(administrator, "/drives", sort="-size", q="sn000", state="online")
    assert [item["key"] for item in items] == ["d0", "d1", "d2", "d3"]
    items = await listed(administrator, "/drives", sort="-size", host_id=alpha)
    assert [item["key"] for item in items][:3] == ["d4", "d6", "d7"]
    worst = await listed(administrator, "/hosts", sort="-worst_state", q="a")
    assert {item["name"] for item in worst} == {"alpha", "beta"}


async def test_a_cursor_belongs_to_its_order(
    two: list[FakeAgent], administrator: httpx.AsyncClient
) -> None:
    page = await administrator.get("/drives", params={"limit": 1, "sort": "size"})
    cursor = page.json()["next_cursor"]
    for sort in ("host", "-size", "serial", "state"):
        asked = {"limit": 1, "sort": sort, "cursor": cursor}
        answer = await administrator.get("/drives", params=asked)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_argument"), sort
    for path, sort in (("/drives", "name"), ("/hosts", "size"), ("/enclosures", "state")):
        assert (await administrator.get(path, params={"sort": sort})).status_code == 422


@pytest.mark.parametrize("path", [*SORTS, "/operations"])
async def test_items_have_the_fields_that_are_wanted(
    path: str, two: list[FakeAgent], administrator: httpx.AsyncClient
) -> None:
    await two[0].change("operation", "o1", documents.operation())
    whole = {item["id"]: item for item in await listed(administrator, path)}
    assert whole or path == "/batteries"
    for fields in ("rev", "id,rev", "rev,blocked", "config_rev,limited"):
        if path == "/enclosures" and "blocked" in fields:
            continue
        names = {"id", *fields.split(",")}
        for item in await listed(administrator, path, fields=fields):
            assert item == {name: whole[item["id"]][name] for name in names}
    for wrong in ("nothing", "rev,nothing", "rev,", "Rev", ""):
        answer = await administrator.get(path, params={"fields": wrong})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_argument"), wrong


async def test_the_largest_of_all_are_read_in_their_order(server: Running) -> None:
    """And no other question is led to that index."""
    database = server.runtime.database
    if not database.is_sqlite:
        pytest.skip("PostgreSQL goes by its statistics")
    async with database.read() as session:
        for asked, is_used in (
            ({"sort": "-size"}, True),
            ({"sort": "size"}, False),
            ({"sort": "-size", "state": ["online"]}, False),
            ({"sort": "-size", "q": "abcd"}, False),
            ({"sort": "-size", "host_id": uuid4()}, False),
            ({"sort": "serial"}, False),
            ({}, False),
        ):
            query = DriveFilter(**asked)
            statement = repository.filtered("drive", query)
            order = repository.sorting(query)
            keys = [ObjectState.host_name, ObjectState.sort, ObjectState.id]
            statement = statement.order_by(*([order.order] if order else []), *keys).limit(10)
            sql = statement.compile(database.engine, compile_kwargs={"literal_binds": True})
            found = await session.execute(text(f"EXPLAIN QUERY PLAN {sql}"))
            plan = " ".join(row[3] for row in found)
            assert (LARGEST_FIRST in plan) is is_used, (asked, plan)
            assert not is_used or "TEMP" not in plan, plan
