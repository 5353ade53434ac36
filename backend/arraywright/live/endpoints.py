"""The live stream over HTTP: server-sent events."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse

from arraywright.dependencies import RuntimeDep, Viewer
from arraywright.kit.problems import problems
from arraywright.live import stream
from arraywright.live.schemas import LiveTopics

router = APIRouter(prefix="/live", tags=["live"])

LIVE_EVENTS = ("LiveReady", "LiveChange", "LiveReset", "LiveEnd")
STREAM_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events `ready`, `change`, `reset`, `end`; data is JSON",
        "content": {
            "text/event-stream": {
                "schema": {"anyOf": [{"$ref": f"#/components/schemas/{n}"} for n in LIVE_EVENTS]}
            }
        },
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
) -> StreamingResponse:
    """Resumes after Last-Event-ID if that is still known, else begins with `reset`."""
    subscription = stream.subscribe(runtime, principal, last_event_id)
    return StreamingResponse(
        stream.render(runtime, subscription),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


@router.put("/topics/{stream_id}", name="set_topics", responses=problems(404))
async def set_topics(
    stream_id: UUID, body: LiveTopics, runtime: RuntimeDep, principal: Viewer
) -> LiveTopics:
    """Chooses what an open stream of one's own tells about."""
    return stream.set_topics(runtime, principal, stream_id, body)
