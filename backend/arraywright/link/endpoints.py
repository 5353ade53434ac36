"""Where agents come in: enrollment and the uplink."""

from fastapi import APIRouter, Request, WebSocket

from arraywright.dependencies import RuntimeDep
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


@router.websocket("/link", name="link")
async def open_link(websocket: WebSocket, runtime: RuntimeDep) -> None:
    await link_session.serve(websocket, runtime)
