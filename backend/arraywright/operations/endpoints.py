"""Operations over HTTP; read-only, they are started and steered by commands."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from arraywright.dependencies import ReadSession, Viewer
from arraywright.kit.fields import answer, chosen
from arraywright.kit.headers import etag
from arraywright.kit.problems import problems
from arraywright.kit.schema import Page
from arraywright.operations import service
from arraywright.operations.schemas import Operation
from arraywright.storage.filters import OperationFilter

router = APIRouter(prefix="/operations", tags=["operations"])


@router.get("", name="list", response_model=Page[Operation], responses=problems())
async def list_operations(
    principal: Viewer, session: ReadSession, query: Annotated[OperationFilter, Query()]
) -> Response:
    fields = chosen(query, Operation)
    return answer(await service.page(session, principal, query), fields)


@router.get("/{operation_id}", name="get", responses=problems(404))
async def get_operation(
    operation_id: UUID, response: Response, principal: Viewer, session: ReadSession
) -> Operation:
    found = await service.get(session, principal, operation_id)
    response.headers["ETag"] = etag(found.config_rev)
    return found
