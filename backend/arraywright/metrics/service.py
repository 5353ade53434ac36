"""Reads of the history."""

from collections import defaultdict
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.kit.problems import NotFoundError
from arraywright.kit.schema import moment
from arraywright.metrics import repository
from arraywright.metrics.schemas import MetricHistory, MetricPointView, MetricSeries
from arraywright.metrics.series import HOUR_S, KINDS, TIERS, UNITS, bucket, tier_for
from arraywright.storage import repository as storage


class Point(NamedTuple):
    at_s: int
    low: float
    value: float
    high: float


Points = dict[str, list[Point]]


def _fold(points: list[Point], step_s: int) -> list[Point]:
    """Coarser buckets."""
    groups: dict[int, list[Point]] = defaultdict(list)
    for point in points:
        groups[bucket(point.at_s, step_s)].append(point)
    return [
        Point(
            at_s,
            min(point.low for point in group),
            sum(point.value for point in group) / len(group),
            max(point.high for point in group),
        )
        for at_s, group in groups.items()
    ]


async def _points(
    session: AsyncSession, object_id: UUID, tier: int, from_s: int, now_s: int
) -> Points:
    """Of one tier; its unfinished bucket comes from the finer tier."""
    step_s = TIERS[tier].step_s
    found: Points = defaultdict(list)
    for row in await repository.points(session, object_id, step_s=step_s, from_s=from_s):
        found[row.series].append(Point(row.at_s, row.low, row.value, row.high))
    if tier > 0:
        begun_s = max(bucket(now_s, step_s), from_s)
        finer = await _points(session, object_id, tier - 1, begun_s, now_s)
        for series, points in finer.items():
            found[series] += _fold(points, step_s)
    return found


async def history(session: AsyncSession, now_us: int, object_id: UUID, hours: int) -> MetricHistory:
    if not any([await storage.find(session, kind, object_id) for kind in KINDS]):
        raise NotFoundError("There is no such battery or controller.")
    now_s = now_us // 1_000_000
    tier = tier_for(hours * HOUR_S)
    step_s = TIERS[tier].step_s
    from_s = bucket(now_s - hours * HOUR_S, step_s)
    found = await _points(session, object_id, tier, from_s, now_s)
    return MetricHistory(
        object_id=object_id,
        since=moment(from_s * 1_000_000),
        until=moment(now_s * 1_000_000),
        step_s=step_s,
        series=[
            MetricSeries(
                name=name,
                unit=unit,
                points=[
                    MetricPointView(
                        at=moment(point.at_s * 1_000_000),
                        low=point.low,
                        value=point.value,
                        high=point.high,
                    )
                    for point in found[name]
                ],
            )
            for name, unit in UNITS.items()
            if name in found
        ],
    )
