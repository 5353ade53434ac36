"""The live stream over HTTP: server-sent events."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query
from fastapi.responses import StreamingResponse

from arraywright.dependencies import RuntimeDep, Viewer
from arraywright.kit.problems import problems
from arraywright.live import stream
from arraywright.live.schemas import LiveTopics

router = APIRouter(prefix="/live", tags=["live"])

STREAM_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events; the schema is that of each of them",
        "content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/LiveMessage"}}},
    }
}


@router.get(
    "/stream",
    name="stream",
    response_class=StreamingResponse,
    responses={**problems(), **STREAM_RESPONSE},
)
async def open_stream(
    runtime: RuntimeDep,
    principal: Viewer,
    last_event_id: Annotated[str | None, Header(max_length=64)] = None,
    after: Annotated[
        str | None, Query(max_length=64, description="`live_position` of the session")
    ] = None,
) -> StreamingResponse:
    """Resumes after Last-Event-ID, or else `after`, if that is still known; else begins with
    `reset`."""
    return StreamingResponse(
        stream.render(runtime, principal, last_event_id if last_event_id is not None else after),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


@router.put("/topics/{stream_id}", name="set_topics", responses=problems(404))
async def set_topics(
    stream_id: UUID, body: LiveTopics, runtime: RuntimeDep, principal: Viewer
) -> LiveTopics:
    """Chooses what an open stream of one's own tells about."""
    return stream.set_topics(runtime, principal, stream_id, body)
