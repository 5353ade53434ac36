"""Reads of operations; adds what their target is called."""

from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.auth.principal import Principal
from arraywright.kit.problems import NotFoundError
from arraywright.kit.schema import Page
from arraywright.operations.schemas import Operation
from arraywright.storage import repository, service
from arraywright.storage.filters import OperationFilter
from arraywright.storage.views import view


async def _views(session: AsyncSession, principal: Principal, rows: list[Any]) -> list[Operation]:
    ids = [row[0].target_id for row in rows if row[0].target_id]
    targets = await repository.targets(session, ids) if ids else {}
    views = []
    for row in rows:
        target = targets.get(row[0].target_id)
        doc = target.doc if target and not target.deleted else {}
        shown = view(
            Operation,
            row,
            principal,
            target_path=doc.get("path"),
            target_name=doc.get("name"),
        )
        if shown is not None:
            views.append(shown)
    return views


async def page(
    session: AsyncSession, principal: Principal, query: OperationFilter
) -> Page[Operation]:
    rows, cursor, total = await service.rows(session, "operation", query)
    return Page(items=await _views(session, principal, rows), next_cursor=cursor, total=total)


async def get(session: AsyncSession, principal: Principal, operation_id: UUID) -> Operation:
    row = await repository.find(session, "operation", operation_id)
    if row is None:
        raise NotFoundError("There is no such operation.")
    views = await _views(session, principal, [row])
    if not views:
        raise service.unreadable("operation")
    return views[0]
