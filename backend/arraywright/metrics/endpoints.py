"""The history and the fleet's metrics over HTTP."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse

from arraywright.dependencies import ReadSession, RuntimeDep, Viewer
from arraywright.kit.problems import problems
from arraywright.metrics import exposition, service
from arraywright.metrics.schemas import MetricHistory

router = APIRouter(prefix="/metrics", tags=["metrics"])


@router.get("", name="fleet", response_class=PlainTextResponse)
async def get_fleet(_principal: Viewer, session: ReadSession) -> PlainTextResponse:
    """The hosts in Prometheus' text format; their drives and load they export themselves."""
    return PlainTextResponse(await exposition.fleet(session), media_type=exposition.CONTENT_TYPE)


@router.get("/history", name="history", responses=problems(404))
async def get_history(
    object_id: Annotated[UUID, Query(description="of a battery or a controller")],
    runtime: RuntimeDep,
    _principal: Viewer,
    session: ReadSession,
    hours: Annotated[int, Query(ge=1, le=26_280, description="how far back")] = 6,
) -> MetricHistory:
    """A battery's charge, temperature and capacity; a cache's fill, hits and destage rate."""
    return await service.history(session, runtime.clock.now_us(), object_id, hours)
