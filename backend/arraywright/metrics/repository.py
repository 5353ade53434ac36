"""Statements of the history; each may be repeated without changing its outcome."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, case, delete, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.metrics.models import MetricPoint
from arraywright.metrics.series import KINDS
from arraywright.storage.models import ObjectState

KEY = ("object_id", "series", "step_s", "at_s")
COLUMNS = (*KEY, "host_id", "low", "value", "high")


async def watched(session: AsyncSession, host_ids: Collection[UUID]) -> list[ObjectState]:
    """What these hosts have that is sampled."""
    found = await session.execute(
        select(ObjectState).where(
            ObjectState.host_id.in_(host_ids),
            ObjectState.kind.in_(KINDS),
            ObjectState.deleted.is_(False),
        )
    )
    return list(found.scalars())


def _insert(session: AsyncSession) -> Any:
    postgres = session.get_bind().dialect.name == "postgresql"
    maker: Any = postgresql.insert if postgres else sqlite.insert
    return maker(MetricPoint)


async def put_samples(session: AsyncSession, rows: list[dict[str, Any]]) -> None:
    """The newest sample is a bucket's value; its extremes widen."""
    if not rows:
        return
    statement = _insert(session)
    new, old = statement.excluded, MetricPoint
    changes = {
        "value": new.value,
        "low": case((new.low < old.low, new.low), else_=old.low),
        "high": case((new.high > old.high, new.high), else_=old.high),
    }
    await session.execute(
        statement.on_conflict_do_update(index_elements=list(KEY), set_=changes), rows
    )


async def roll_up(
    session: AsyncSession, *, fine_s: int, coarse_s: int, from_s: int, until_s: int
) -> None:
    """Makes the coarse buckets of [from, until) out of the fine ones."""
    # Not called at_s: GROUP BY would take that for the column.
    start = (MetricPoint.at_s - MetricPoint.at_s % coarse_s).label("begin_s")
    source = (
        select(
            MetricPoint.object_id,
            MetricPoint.series,
            literal(coarse_s, BigInteger),
            start,
            MetricPoint.host_id,
            func.min(MetricPoint.low),
            func.avg(MetricPoint.value),
            func.max(MetricPoint.high),
        )
        .where(MetricPoint.step_s == fine_s, MetricPoint.at_s >= from_s, MetricPoint.at_s < until_s)
        .group_by(MetricPoint.object_id, MetricPoint.series, MetricPoint.host_id, start)
        .order_by(MetricPoint.object_id, MetricPoint.series, start)
    )
    statement = _insert(session).from_select(list(COLUMNS), source)
    changes = {name: statement.excluded[name] for name in ("low", "value", "high")}
    await session.execute(statement.on_conflict_do_update(index_elements=list(KEY), set_=changes))


async def purge(session: AsyncSession, *, step_s: int, before_s: int) -> None:
    await session.execute(
        delete(MetricPoint).where(MetricPoint.step_s == step_s, MetricPoint.at_s < before_s)
    )


async def points(
    session: AsyncSession, object_id: UUID, *, step_s: int, from_s: int
) -> list[MetricPoint]:
    found = await session.execute(
        select(MetricPoint)
        .where(
            MetricPoint.object_id == object_id,
            MetricPoint.step_s == step_s,
            MetricPoint.at_s >= from_s,
        )
        .order_by(MetricPoint.series, MetricPoint.at_s)
    )
    return list(found.scalars())
