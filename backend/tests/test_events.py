"""Events: numbered, stored once, acknowledged up to the first hole."""

from typing import Any
from uuid import uuid4

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.link.batch import Batch
from arraywright.link.models import SyncCursor
from arraywright.link.protocol import EventFrame
from tests.support import documents
from tests.support.agent import FakeAgent

pytestmark = pytest.mark.anyio


async def numbers(client: httpx.AsyncClient, **filters: Any) -> list[int]:
    answer = await client.get("/events", params={"limit": 500, **filters})
    assert answer.status_code == 200, answer.text
    return [item["seq"] for item in answer.json()["items"]]


def several(first: int, last: int) -> list[dict[str, Any]]:
    return [documents.event(seq) for seq in range(first, last + 1)]


async def test_repeats_are_dropped(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    assert agent.welcome["acked_event_seq"] == 0
    await agent.report_events(several(1, 3), acked=3)
    await agent.report_events(several(2, 5), acked=5)
    await agent.report_events(several(1, 5), acked=5)
    assert await numbers(viewer) == [5, 4, 3, 2, 1]


async def test_a_hole_is_not_acknowledged(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_events(several(1, 2), acked=2)
    await agent.report_events(several(4, 5), acked=2)
    await agent.report_events(several(3, 5), acked=5)
    assert await numbers(viewer) == [5, 4, 3, 2, 1]


async def test_a_declared_gap_is_recorded(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_events(several(1, 2), acked=2)
    await agent.report_events(several(10, 11), acked=11, gap=7)
    items = (await viewer.get("/events")).json()["items"]
    assert [(item["seq"], item["name"]) for item in items][:3] == [
        (11, "drive_inserted"),
        (10, "drive_inserted"),
        (9, "events_lost"),
    ]
    assert items[2]["params"] == {"count": "7"}
    assert items[2]["event_class"] == "warning"


async def test_reconnect_goes_on_where_it_was(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_events(several(1, 3), acked=3)
    await agent.abort()
    await agent.connect()
    assert agent.welcome["acked_event_seq"] == 3
    await agent.report_events(several(3, 4), acked=4)
    assert await numbers(viewer) == [4, 3, 2, 1]


async def test_new_epoch_counts_anew(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_events(several(1, 3), acked=3)
    await agent.close()
    old, agent.event_epoch = agent.event_epoch, str(uuid4())
    await agent.connect()
    assert agent.welcome["acked_event_seq"] == 0
    await agent.report_events(several(1, 1), acked=1)
    await agent.report_events(several(4, 4), acked=1, epoch=old)
    assert await numbers(viewer) == [1, 3, 2, 1]


async def test_filters(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    classes = {1: -1, 2: 0, 3: 1, 4: 2, 5: 3}
    await agent.report_events(
        [
            documents.event(seq, **{"class": value, "key": f"d{seq % 2}", "code": 100 + seq})
            for seq, value in classes.items()
        ],
        acked=5,
    )
    assert await numbers(viewer, severity="warning") == [5, 4, 3]
    assert await numbers(viewer, event_class=["progress", "fatal"]) == [5, 1]
    assert await numbers(viewer, code=[102, 104]) == [4, 2]
    assert await numbers(viewer, host_id=agent.agent_id) == [5, 4, 3, 2, 1]
    assert await numbers(viewer, host_id=str(uuid4())) == []
    first = (await viewer.get("/events", params={"code": 101})).json()["items"][0]
    assert await numbers(viewer, object_id=first["object_id"]) == [5, 3, 1]
    either = [first["object_id"], str(uuid4())]
    assert await numbers(viewer, object_id=either) == [5, 3, 1]
    assert await numbers(viewer, until=first["received_at"]) == []
    assert await numbers(viewer, since=first["received_at"]) == [5, 4, 3, 2, 1]
    assert await numbers(viewer, q="number 4") == [4]
    assert first["event_class"] == "progress"
    assert first["at"] == "2023-11-14T22:13:20.000001Z"


async def test_pages(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_events(several(1, 7), acked=7)
    seen: list[int] = []
    cursor: str | None = None
    totals = []
    while True:
        query: dict[str, Any] = {"limit": 3, **({"cursor": cursor} if cursor else {})}
        page = (await viewer.get("/events", params=query)).json()
        seen += [item["seq"] for item in page["items"]]
        totals.append(page["total"])
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [7, 6, 5, 4, 3, 2, 1]
    assert totals == [7, None, None]
    bad = await viewer.get("/events", params={"cursor": "nonsense"})
    assert (bad.status_code, bad.json()["code"]) == (422, "invalid_argument")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 6)), max_size=25))
async def test_any_order_stores_each_once(deliveries: list[tuple[int, int]]) -> None:
    """Frames dropped, repeated and reordered: what is stored is 1..n without holes."""
    epoch = str(uuid4())
    cursor = SyncCursor(
        host_id=uuid4(), fence=1, state_epoch="", state_rev=0, event_epoch=epoch, event_seq=0
    )
    stored: list[int] = []
    async with AsyncSession() as session:  # never used: deduplication needs the cursor only
        for first, length in deliveries:
            batch = Batch(session, 0, set())
            frame = EventFrame.model_validate(
                {
                    "v": 1,
                    "t": "event",
                    "epoch": epoch,
                    "first_seq": first,
                    "events": several(first, first + length - 1),
                }
            )
            before = cursor.event_seq
            acked = batch.apply_events(cursor, frame)
            stored += [row["seq"] for row in batch.events]
            assert acked == cursor.event_seq >= before
    assert stored == list(range(1, cursor.event_seq + 1))
