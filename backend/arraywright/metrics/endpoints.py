"""The history and the fleet's metrics over HTTP."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse

from arraywright.dependencies import ReadSession, RuntimeDep, Viewer
from arraywright.kit.problems import problems
from arraywright.metrics import exposition, own, service
from arraywright.metrics.schemas import MetricHistory

router = APIRouter(prefix="/metrics", tags=["metrics"])


@router.get("", name="fleet", response_class=PlainTextResponse)
async def get_fleet(
    runtime: RuntimeDep, principal: Viewer, session: ReadSession
) -> PlainTextResponse:
    """The hosts in Prometheus' text format; their drives and load they export themselves.

    With the figures of this server, but for a token that is limited to hosts.
    """
    text = await exposition.fleet(session)
    if principal.host_ids is None:
        text += own.figures(runtime)
    return PlainTextResponse(text, media_type=exposition.CONTENT_TYPE)


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
