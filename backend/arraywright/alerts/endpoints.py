"""Alerts over HTTP."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from arraywright.alerts import service
from arraywright.alerts.filters import AlertFilter
from arraywright.alerts.schemas import Alert, AlertAcknowledge, AlertRule
from arraywright.dependencies import Operator, ReadSession, RuntimeDep, Viewer, WriteSession
from arraywright.kit.problems import problems
from arraywright.kit.schema import Page

router = APIRouter(prefix="/alerts", tags=["alerts"])
rules_router = APIRouter(prefix="/alert-rules", tags=["alert_rules"])


@rules_router.get("", name="list", responses=problems())
async def list_rules(principal: Viewer) -> Page[AlertRule]:
    return service.rules()


@router.get("", name="list", responses=problems())
async def list_alerts(
    principal: Viewer, session: ReadSession, query: Annotated[AlertFilter, Query()]
) -> Page[Alert]:
    return await service.page(session, principal, query)


@router.get("/{alert_id}", name="get", responses=problems(404))
async def get_alert(alert_id: UUID, principal: Viewer, session: ReadSession) -> Alert:
    return await service.get(session, principal, alert_id)


@router.post("/{alert_id}/acknowledge", name="acknowledge", responses=problems(404, 409))
async def acknowledge_alert(
    alert_id: UUID,
    body: AlertAcknowledge,
    runtime: RuntimeDep,
    principal: Operator,
    session: WriteSession,
) -> Alert:
    """Somebody looks after it; it stays until the state that raised it is gone."""
    return await service.acknowledge(session, runtime, principal, alert_id, body)
