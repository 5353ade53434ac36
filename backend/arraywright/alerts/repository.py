"""Questions about alerts."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from sqlalchemy import case, select
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts.filters import AlertFilter
from arraywright.alerts.models import Alert
from arraywright.hosts.models import Host, HostSummary, shown_name
from arraywright.kit.paging_sql import Rows, Sorting
from arraywright.link.protocol import EventClass
from arraywright.storage.models import ObjectState

SORTS: dict[str, tuple[Any, type]] = {
    "severity": (
        case(
            {word.value: rank for rank, word in enumerate(EventClass)},
            value=Alert.severity,
            else_=-1,
        ),
        int,
    )
}


async def open_of_hosts(
    session: AsyncSession, host_ids: Collection[UUID]
) -> dict[UUID, dict[str, Alert]]:
    """Unresolved alerts by host and key."""
    found = await session.execute(
        select(Alert).where(Alert.host_id.in_(host_ids), Alert.open_key.is_not(None))
    )
    present: dict[UUID, dict[str, Alert]] = {host_id: {} for host_id in host_ids}
    for alert in found.scalars():
        present[alert.host_id][str(alert.open_key)] = alert
    return present


async def reporting(session: AsyncSession, host_ids: Collection[UUID]) -> set[UUID]:
    """Hosts whose agents report findings."""
    found = await session.execute(
        select(ObjectState.host_id, ObjectState.doc).where(
            ObjectState.host_id.in_(host_ids),
            ObjectState.kind == "host",
            ObjectState.deleted.is_(False),
        )
    )
    return {host_id for host_id, doc in found if "findings" in doc}


async def open_of_host(session: AsyncSession, host_id: UUID) -> dict[str, Alert]:
    return (await open_of_hosts(session, [host_id]))[host_id]


async def open_of_rule(
    session: AsyncSession, rule: str, before_us: int | None = None
) -> list[Alert]:
    """Unresolved alerts of a rule; of those that nothing has been heard about since then."""
    statement = select(Alert).where(Alert.rule == rule, Alert.open_key.is_not(None))
    if before_us is not None:
        statement = statement.where(Alert.changed_us < before_us)
    return list((await session.execute(statement)).scalars())


def alerts() -> Rows:
    """Rows of (alert, host name, host online)."""
    return (
        select(Alert, shown_name(), HostSummary.online)
        .join(Host, Host.id == Alert.host_id)
        .join(HostSummary, HostSummary.host_id == Alert.host_id)
    )


def sorting(query: AlertFilter) -> Sorting | None:
    return Sorting.of(query.sort, SORTS)


def filtered(query: AlertFilter) -> Rows:
    """Rows of (alert, host name, host online, what it is sorted by)."""
    statement = alerts()
    order = sorting(query)
    if order is not None:
        statement = statement.add_columns(order.column)
    if query.host_id is not None:
        statement = statement.where(Alert.host_id == query.host_id)
    if query.object_id is not None:
        statement = statement.where(Alert.object_id == query.object_id)
    if query.state:
        statement = statement.where(Alert.state.in_([word.value for word in query.state]))
    if query.severity:
        statement = statement.where(Alert.severity.in_([word.value for word in query.severity]))
    if query.rule:
        statement = statement.where(Alert.rule.in_(query.rule))
    return statement


async def find(session: AsyncSession, alert_id: UUID) -> Any | None:
    return (await session.execute(alerts().where(Alert.id == alert_id))).one_or_none()
