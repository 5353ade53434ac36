"""Reading and acknowledging alerts."""

from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts import models, repository
from arraywright.alerts.explanations import REGISTRY, title
from arraywright.alerts.filters import AlertFilter
from arraywright.alerts.schemas import (
    Alert,
    AlertAcknowledge,
    AlertRule,
    AlertState,
    ServerRule,
)
from arraywright.audit import service as audit
from arraywright.auth.principal import Principal
from arraywright.hosts import repository as hosts
from arraywright.kit.paging_sql import fetch_page
from arraywright.kit.problems import ConflictError, NotFoundError
from arraywright.kit.roles import Role
from arraywright.kit.schema import Page, Reason, moment
from arraywright.live import outbox
from arraywright.runtime import Runtime
from arraywright.storage.blocked import role_needed

RESOLVED = "The alert is resolved already."


def rules() -> Page[AlertRule]:
    items = list(REGISTRY.values())
    return Page(items=items, next_cursor=None, total=len(items))


def _blocked(alert: models.Alert, principal: Principal) -> dict[str, Reason]:
    if not principal.role.allows(Role.OPERATOR):
        return {"acknowledge": role_needed(Role.OPERATOR)}
    if alert.state == AlertState.RESOLVED.value:
        return {"acknowledge": Reason(code="alert_resolved", params={}, text=RESOLVED)}
    return {}


def _part(alert: models.Alert, name: str) -> Reason | None:
    part = alert.reason.get(name)
    return Reason.model_validate(part) if part else None


def _view(row: Any, principal: Principal) -> Alert:
    alert, host_name, online, *_ = row
    unresolved = alert.resolved_us is None
    about_host = alert.rule in {rule.value for rule in ServerRule}
    return Alert(
        id=alert.id,
        rev=alert.rev,
        rule=alert.rule,
        severity=alert.severity,
        state=AlertState(alert.state),
        host_id=alert.host_id,
        host_name=host_name,
        object_kind=alert.object_kind,
        object_id=alert.object_id,
        object_key=alert.object_key,
        object_path=alert.object_path,
        reason=Reason.model_validate(alert.reason),
        title=title(alert.rule),
        cause=_part(alert, "cause"),
        consequence=_part(alert, "effect"),
        next_step=_part(alert, "remedy"),
        opened_at=moment(alert.opened_us),
        changed_at=moment(alert.changed_us),
        acknowledged_at=moment(alert.acknowledged_us),
        acknowledged_by=alert.acknowledged_by,
        note=alert.note,
        resolved_at=moment(alert.resolved_us),
        blocked=_blocked(alert, principal),
        stale=unresolved and not online and not about_host,
    )


async def page(session: AsyncSession, principal: Principal, query: AlertFilter) -> Page[Alert]:
    rows, cursor, total = await fetch_page(
        session,
        repository.filtered(query),
        query,
        keys=[models.Alert.opened_us, models.Alert.id],
        kinds=(int, str),
        key_of=lambda row: [row[0].opened_us, str(row[0].id)],
        bind=lambda values: [values[0], UUID(values[1])],
        descending=True,
        sorting=repository.sorting(query),
    )
    return Page(items=[_view(row, principal) for row in rows], next_cursor=cursor, total=total)


async def _find(session: AsyncSession, alert_id: UUID) -> Any:
    row = await repository.find(session, alert_id)
    if row is None:
        raise NotFoundError("There is no such alert.")
    return row


async def get(session: AsyncSession, principal: Principal, alert_id: UUID) -> Alert:
    return _view(await _find(session, alert_id), principal)


async def acknowledge(
    session: AsyncSession,
    runtime: Runtime,
    principal: Principal,
    alert_id: UUID,
    body: AlertAcknowledge,
) -> Alert:
    row = await _find(session, alert_id)
    alert = row[0]
    if alert.state == AlertState.RESOLVED.value:
        raise ConflictError(RESOLVED, code="alert_resolved")
    now_us = runtime.clock.now_us()
    alert.state = AlertState.ACKNOWLEDGED.value
    alert.acknowledged_us = now_us
    alert.acknowledged_by = principal.username
    alert.note = body.note or None
    alert.changed_us = now_us
    if (
        alert.rule == ServerRule.HOST_RESTORED.value
    ):  # it has happened; there is no more to wait for
        alert.open_key = None
        alert.state = AlertState.RESOLVED.value
        alert.resolved_us = now_us
    alert.rev += 1
    outbox.add(session, kind="alert", object_id=str(alert.id), rev=alert.rev, host_id=alert.host_id)
    if alert.state == AlertState.RESOLVED.value:
        await session.flush()
        summary = await hosts.summary(session, alert.host_id)
        await hosts.recount_alerts(session, [summary])
    await audit.record(
        session,
        now_us,
        actor=principal.username,
        action="alert.acknowledge",
        target=f"{alert.rule} {alert.object_path}",
    )
    return _view(row, principal)
