"""Hosts, the fleet's figures and enrollment over HTTP."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from arraywright.dependencies import (
    Administrator,
    FleetAdministrator,
    ReadSession,
    RuntimeDep,
    Viewer,
    WriteSession,
)
from arraywright.hosts import enrolment, lines, service
from arraywright.hosts.filters import HostFilter
from arraywright.hosts.schemas import (
    EnrolmentLines,
    EnrolmentToken,
    EnrolmentTokenCreate,
    EnrolmentTokenCreated,
    Fleet,
    Host,
    HostUpdate,
)
from arraywright.kit.fields import answer, chosen
from arraywright.kit.headers import etag
from arraywright.kit.paging import PageQuery
from arraywright.kit.problems import problems
from arraywright.kit.schema import Page
from arraywright.kit.web import base_url

fleet_router = APIRouter(prefix="/fleet", tags=["fleet"])
router = APIRouter(prefix="/hosts", tags=["hosts"])
tokens_router = APIRouter(prefix="/enrolment-tokens", tags=["enrolment_tokens"])


@fleet_router.get("", name="get", responses=problems())
async def get_fleet(principal: Viewer, session: ReadSession) -> Fleet:
    return await service.fleet(session)


@router.get("", name="list", response_model=Page[Host], responses=problems())
async def list_hosts(
    principal: Viewer, session: ReadSession, query: Annotated[HostFilter, Query()]
) -> Response:
    fields = chosen(query, Host)
    return answer(await service.page(session, principal, query), fields)


@router.get("/{host_id}", name="get", responses=problems(404))
async def get_host(
    host_id: UUID, response: Response, principal: Viewer, session: ReadSession
) -> Host:
    host = await service.get(session, principal, host_id)
    response.headers["ETag"] = etag(host.config_rev)
    return host


@router.patch("/{host_id}", name="update", responses=problems(404))
async def update_host(
    host_id: UUID,
    body: HostUpdate,
    response: Response,
    runtime: RuntimeDep,
    principal: Administrator,
    session: WriteSession,
) -> Host:
    """Replaces the labels of a host. What belongs to it is found by them at once."""
    host = await service.update(session, runtime, principal, host_id, body)
    response.headers["ETag"] = etag(host.config_rev)
    return host


@router.delete("/{host_id}", name="retire", status_code=204, responses=problems(404))
async def retire_host(
    host_id: UUID,
    confirm: Annotated[str, Query(max_length=255, description="the host's name, typed")],
    runtime: RuntimeDep,
    principal: Administrator,
    session: WriteSession,
) -> None:
    """Forgets a host and its key; its arrays are not touched."""
    await service.retire(session, runtime, principal, host_id, confirm)


@tokens_router.get("", name="list", responses=problems())
async def list_tokens(
    runtime: RuntimeDep,
    principal: FleetAdministrator,
    session: ReadSession,
    query: Annotated[PageQuery, Query()],
) -> Page[EnrolmentToken]:
    return await enrolment.page(session, runtime, query)


@tokens_router.post("", name="create", status_code=201, responses=problems())
async def create_token(
    body: EnrolmentTokenCreate,
    request: Request,
    runtime: RuntimeDep,
    principal: FleetAdministrator,
    session: WriteSession,
) -> EnrolmentTokenCreated:
    """For one host or many; the token and the line to run there are shown this once."""
    return await enrolment.create(
        session, runtime, principal, body, url=base_url(request, runtime.settings)
    )


@tokens_router.get("/lines", name="lines", responses=problems())
async def list_lines(
    request: Request,
    runtime: RuntimeDep,
    principal: FleetAdministrator,
    url: Annotated[
        str, Query(max_length=300, description="how hosts reach this server; empty: as you do")
    ] = "",
) -> EnrolmentLines:
    """What to run on a machine so that it enrolls; TOKEN stands for the token."""
    address = url or base_url(request, runtime.settings)
    return lines.every(runtime.settings, lines.checked(address))


@tokens_router.delete("/{token_id}", name="revoke", status_code=204, responses=problems(404))
async def revoke_token(
    token_id: UUID, runtime: RuntimeDep, principal: FleetAdministrator, session: WriteSession
) -> None:
    """No host enrolls with it any more; those that did stay."""
    await enrolment.revoke(
        session, runtime.clock.now_us(), actor=principal.username, token_id=token_id
    )
