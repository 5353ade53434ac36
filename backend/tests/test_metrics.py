"""The history of batteries and caches: sampled, made coarser, forgotten."""

from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import func, select

from arraywright.kit.database import Database
from arraywright.metrics import sampler
from arraywright.metrics.models import MetricPoint
from arraywright.metrics.sampler import Sampler
from arraywright.metrics.series import DAY_S, HOUR_S, TIERS, bucket, samples
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.server import Running
from tests.test_commands import only, until_offline

pytestmark = pytest.mark.anyio
MIDNIGHT = 1_800_057_600  # a day's beginning, as UTC counts


class Ticking:
    """Minutes that pass as the test wants."""

    def __init__(self, database: Database, hosts: list[UUID]) -> None:
        self._database = database
        self._hosts = hosts
        self._done_s = 0

    async def look(self, now_s: int) -> None:
        async with self._database.write() as session:
            await sampler.sample(session, now_s, self._hosts)
            await sampler.condense(session, now_s, self._done_s)
        self._done_s = now_s

    async def points(self, series: str, step_s: int) -> list[tuple[int, float, float, float]]:
        async with self._database.read() as session:
            found = await session.execute(
                select(MetricPoint)
                .where(MetricPoint.series == series, MetricPoint.step_s == step_s)
                .order_by(MetricPoint.at_s)
            )
            return [(row.at_s, row.low, row.value, row.high) for row in found.scalars()]

    async def count(self) -> int:
        async with self._database.read() as session:
            counted = await session.execute(select(func.count()).select_from(MetricPoint))
            return counted.scalar_one()

    def restarted(self) -> "Ticking":
        """Remembers nothing of what has been rolled up."""
        return Ticking(self._database, self._hosts)


@pytest.fixture
def ticking(server: Running, cached: FakeAgent) -> Ticking:
    return Ticking(server.runtime.database, [UUID(cached.agent_id)])


async def charge(agent: FakeAgent, percent: int | None) -> None:
    await agent.change("battery", "bbu0", documents.battery(charge_percent=percent))


def test_what_is_not_known_is_no_sample() -> None:
    plain = documents.battery(charge_percent=None, temperature_c=None, smart=False)
    assert set(samples("battery", plain)) == {"voltage_mv", "full_capacity_mah", "left_s"}
    assert samples("controller", documents.controller()) == {}
    assert samples("controller", documents.controller(cache=documents.cache()))[
        "read_hit_percent"
    ] == pytest.approx(87.5)


async def test_a_bucket_keeps_its_extremes(cached: FakeAgent, ticking: Ticking) -> None:
    for second, percent in ((0, 80), (20, 60), (40, 70), (60, 50)):
        await charge(cached, percent)
        await ticking.look(MIDNIGHT + second)
    assert await ticking.points("charge_percent", 60) == [
        (MIDNIGHT, 60, 70, 80),
        (MIDNIGHT + 60, 50, 50, 50),
    ]


async def test_the_same_turn_twice_changes_nothing(cached: FakeAgent, ticking: Ticking) -> None:
    half_hour = TIERS[1].step_s
    for minute in range(31):
        await ticking.look(MIDNIGHT + 60 * minute)
    before = [await ticking.points("charge_percent", tier.step_s) for tier in TIERS]
    assert [len(points) for points in before] == [31, 1, 0]
    await ticking.restarted().look(MIDNIGHT + half_hour)
    assert [await ticking.points("charge_percent", tier.step_s) for tier in TIERS] == before


async def test_coarser_buckets(cached: FakeAgent, ticking: Ticking) -> None:
    for minute, percent in ((0, 100), (10, 40), (29, 70), (30, 10), (59, 20), (60, 90)):
        await charge(cached, percent)
        await ticking.look(MIDNIGHT + 60 * minute)
    assert await ticking.points("charge_percent", 1800) == [
        (MIDNIGHT, 40, 70, 100),
        (MIDNIGHT + 1800, 10, 15, 20),
    ]
    await ticking.look(MIDNIGHT + DAY_S)
    days = await ticking.points("charge_percent", DAY_S)
    assert [(at_s, low, high) for at_s, low, _, high in days] == [(MIDNIGHT, 10, 100)]


async def test_a_bucket_outlives_what_it_was_made_of(cached: FakeAgent, ticking: Ticking) -> None:
    """After a restart nothing is made again from figures that are half forgotten."""
    for minute in (0, 29, 30):
        await charge(cached, minute)
        await ticking.look(MIDNIGHT + 60 * minute)
    made = await ticking.points("charge_percent", 1800)
    assert made[0] == (MIDNIGHT, 0, 14.5, 29)
    later = MIDNIGHT + TIERS[0].keep_s + 15 * 60
    await ticking.look(later)
    await ticking.look(later + 30 * 60)
    assert min(at for at, *_ in await ticking.points("charge_percent", 60)) > MIDNIGHT
    await ticking.restarted().look(later + 31 * 60)
    assert (await ticking.points("charge_percent", 1800))[0] == made[0]


async def test_history_is_bounded(cached: FakeAgent, ticking: Ticking) -> None:
    for step in range(40):
        await ticking.look(MIDNIGHT + step * HOUR_S)
    fine = await ticking.points("charge_percent", 60)
    assert len(fine) <= TIERS[0].keep_s // HOUR_S + 2
    old = MIDNIGHT + 5 * 365 * DAY_S
    for day in range(3):
        await ticking.look(old + day * DAY_S)
    assert min(at for at, *_ in await ticking.points("charge_percent", DAY_S)) >= old
    assert await ticking.count() < 100


async def test_history_over_http(
    server: Running, cached: FakeAgent, ticking: Ticking, viewer: httpx.AsyncClient
) -> None:
    now_s = server.runtime.clock.now_us() // 1_000_000
    await charge(cached, 90)
    await ticking.look(now_s - 60)
    await charge(cached, 80)
    await ticking.look(now_s)
    battery = await only(viewer, "/batteries")

    async def history(**query: Any) -> dict[str, Any]:
        answer = await viewer.get("/metrics/history", params=query)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    found = await history(object_id=battery["id"])
    assert found["step_s"] == 60
    series = {item["name"]: item for item in found["series"]}
    assert series["charge_percent"]["unit"] == "percent"
    assert [point["value"] for point in series["charge_percent"]["points"]] == [90, 80]
    weeks = await history(object_id=battery["id"], hours=14 * 24)
    assert weeks["step_s"] == 1800
    points = {item["name"]: item["points"] for item in weeks["series"]}["charge_percent"]
    assert min(point["low"] for point in points) == 80
    assert max(point["high"] for point in points) == 90
    years = await history(object_id=battery["id"], hours=26_280)
    assert (years["step_s"], len(years["series"]) > 0) == (DAY_S, True)
    controller = await only(viewer, "/controllers")
    names = {item["name"] for item in (await history(object_id=controller["id"]))["series"]}
    assert names == {
        "used_bytes",
        "dirty_bytes",
        "pinned_bytes",
        "read_hit_percent",
        "destage_bytes_per_s",
    }


async def test_only_what_has_a_history(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    drive = (await viewer.get("/drives")).json()["items"][0]
    answer = await viewer.get("/metrics/history", params={"object_id": drive["id"]})
    assert answer.status_code == 404
    controller = await only(viewer, "/controllers")
    plain = await viewer.get("/metrics/history", params={"object_id": controller["id"]})
    assert plain.json()["series"] == []


async def test_an_offline_host_leaves_a_gap(
    server: Running, cached: FakeAgent, viewer: httpx.AsyncClient, ticking: Ticking
) -> None:
    turns = Sampler(server.runtime)
    await turns.turn()
    counted = await ticking.count()
    assert counted > 0
    await cached.close()
    await until_offline(viewer, cached)
    await turns.turn()
    assert await ticking.count() == counted


async def test_buckets_begin_where_they_should() -> None:
    assert bucket(MIDNIGHT, DAY_S) == MIDNIGHT
    assert bucket(MIDNIGHT + 1799, 1800) == MIDNIGHT


@pytest.mark.parametrize("odd", [10**400, "7", None, [], True, float("nan"), float("inf")])
async def test_odd_figures_of_an_older_version_are_left_out(odd: object) -> None:
    doc = {"charge_percent": odd, "temperature_c": 20}
    assert samples("battery", doc) == {"temperature_c": 20.0}
    assert samples("controller", {"cache": odd}) == {}


async def test_the_fleet_for_prometheus(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    async def told() -> dict[str, float]:
        answer = await viewer.get("/metrics")
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        lines = answer.text.splitlines()
        assert answer.text.endswith("\n")
        assert {line.split()[2] for line in lines if line.startswith("# TYPE ")} >= {
            line.partition("{")[0].split()[0] for line in lines if not line.startswith("#")
        }
        samples = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name.removeprefix("arraywright_host_"): float(value) for name, _, value in samples}

    await raid5.find(documents.finding("virtual_drive_degraded"))
    key = f'{{host_id="{raid5.agent_id}"'
    found = await told()
    assert found[f'info{key},name="alpha",agent_version="0.1.0"}}'] == 1
    assert found[f"online{key}}}"] == 1
    assert found[f'status{key},status="degraded"}}'] == 1
    assert found[f'status{key},status="optimal"}}'] == 0
    assert found[f"open_alerts{key}}}"] == 1
    assert found[f"virtual_drives{key}}}"] == 1
    assert found[f"last_seen_timestamp_seconds{key}}}"] > 1_600_000_000
    await raid5.close()
    await until_offline(viewer, raid5)
    assert (await told())[f"online{key}}}"] == 0


async def test_the_server_for_prometheus(
    server: Running, raid5: FakeAgent, viewer: httpx.AsyncClient, administrator: httpx.AsyncClient
) -> None:
    async def told(client: httpx.AsyncClient) -> dict[str, float]:
        lines = (await client.get("/metrics")).text.splitlines()
        samples = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name: float(value) for name, _, value in samples if "{" not in name}

    before = await told(viewer)
    assert before["arraywright_server_agents_connected"] == 1
    assert before["arraywright_server_hellos_waiting"] == 0
    assert before["arraywright_server_live_streams"] == 0
    assert before["process_resident_memory_bytes"] > 10_000_000
    await raid5.change("drive", "d0", documents.drive(0, temperature_c=50))
    after = await told(viewer)
    moved = {name: value - before[name] for name, value in after.items()}
    assert moved["arraywright_server_reports_stored_total"] == 1
    assert moved["arraywright_server_transactions_total"] == 1
    assert moved["arraywright_server_transaction_seconds_total"] > 0
    assert moved["process_cpu_seconds_total"] >= 0
    body = {"name": "one", "role": "viewer", "host_ids": [str(raid5.agent_id)]}
    made = await administrator.post("/api-tokens", json=body)
    assert made.status_code == 201, made.text
    headers = {"Authorization": f"Bearer {made.json()['token']}"}
    async with httpx.AsyncClient(base_url=viewer.base_url, headers=headers) as limited:
        assert await told(limited) == {}
