"""Reads of operations; adds what their target is called."""

from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.auth.principal import Principal
from arraywright.kit.ids import object_id
from arraywright.kit.problems import NotFoundError
from arraywright.kit.schema import Page
from arraywright.operations.schemas import Operation
from arraywright.storage import repository, service
from arraywright.storage.filters import OperationFilter
from arraywright.storage.models import ObjectState
from arraywright.storage.views import view


def _source(row: ObjectState) -> UUID | None:
    """Agents that report none are older."""
    key = row.doc.get("source")
    return object_id(row.host_id, "drive", key) if isinstance(key, str) else None


def _doc(rows: dict[UUID, ObjectState], row_id: UUID | None) -> dict[str, Any]:
    row = rows.get(row_id) if row_id is not None else None
    return row.doc if row is not None and not row.deleted else {}


async def _views(session: AsyncSession, principal: Principal, rows: list[Any]) -> list[Operation]:
    sources = {row[0].id: _source(row[0]) for row in rows}
    ids = [row[0].target_id for row in rows] + list(sources.values())
    ids = [found for found in ids if found is not None]
    targets = await repository.targets(session, ids) if ids else {}
    views = []
    for row in rows:
        doc = _doc(targets, row[0].target_id)
        shown = view(
            Operation,
            row,
            principal,
            target_path=doc.get("path"),
            target_name=doc.get("name"),
            source_path=_doc(targets, sources[row[0].id]).get("path"),
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
