"""The audit trail over HTTP, newest first."""

from typing import Annotated

from fastapi import APIRouter, Query

from arraywright.audit import service
from arraywright.audit.filters import AuditFilter
from arraywright.audit.schemas import AuditEntry, AuditVerification
from arraywright.dependencies import FleetAdministrator, ReadSession
from arraywright.kit.problems import problems
from arraywright.kit.schema import Page

router = APIRouter(prefix="/audit", tags=["audit"])


@router.get("", name="list", responses=problems())
async def list_audit(
    principal: FleetAdministrator, session: ReadSession, query: Annotated[AuditFilter, Query()]
) -> Page[AuditEntry]:
    return await service.page(session, query)


@router.get("/verification", name="verify", responses=problems())
async def verify_audit(principal: FleetAdministrator, session: ReadSession) -> AuditVerification:
    """Checks the chain of all entries: whether one was changed or removed since it was written."""
    return await service.verify(session)
