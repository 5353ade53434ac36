"""Where agents come in: enrollment and the uplink."""

from fastapi import APIRouter, Request, WebSocket
from starlette.types import ASGIApp, Receive, Scope, Send

from arraywright.dependencies import RuntimeDep, get_runtime
from arraywright.hosts import enrolment
from arraywright.kit.problems import problems
from arraywright.kit.web import base_url, client_address
from arraywright.link import session as link_session
from arraywright.link.protocol import (
    EnrolRequest,
    EnrolResponse,
    EnrolStatus,
    EnrolStatusRequest,
)

router = APIRouter(prefix="/agents", tags=["agents"])


@router.post("/enrol", name="enrol", responses=problems(409, 429))
async def enrol_agent(body: EnrolRequest, request: Request, runtime: RuntimeDep) -> EnrolResponse:
    """Exchanges a token and a public key for an identity. Public."""
    return await enrolment.enrol(runtime, body, address=client_address(request, runtime.settings))


@router.post("/enrol/status", name="enrol_status", responses=problems(429))
async def get_enrol_status(
    body: EnrolStatusRequest, request: Request, runtime: RuntimeDep
) -> EnrolStatus:
    """Whether the host that has just enrolled with a token has arrived. Public."""
    return await enrolment.status(
        runtime,
        body,
        address=client_address(request, runtime.settings),
        url=base_url(request, runtime.settings),
    )


class AgentLink:
    """Serves agents without a walk through all routes: thousands may dial at once."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app = app
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket" or scope["path"] != self._path:
            await self._app(scope, receive, send)
            return
        websocket = WebSocket(scope, receive, send)
        await link_session.serve(websocket, await get_runtime(websocket))
