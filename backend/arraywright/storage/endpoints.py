"""What hosts report, over HTTP; read-only."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from arraywright.dependencies import ReadSession, Viewer
from arraywright.kit.headers import etag
from arraywright.kit.problems import problems
from arraywright.kit.schema import Page
from arraywright.storage import service
from arraywright.storage.filters import (
    ControllerFilter,
    DriveFilter,
    DriveGroupFilter,
    EnclosureFilter,
    VirtualDriveFilter,
)
from arraywright.storage.schemas import (
    Controller,
    Drive,
    DriveGroup,
    Enclosure,
    VirtualDrive,
)

controllers = APIRouter(prefix="/controllers", tags=["controllers"])
enclosures = APIRouter(prefix="/enclosures", tags=["enclosures"])
drives = APIRouter(prefix="/drives", tags=["drives"])
drive_groups = APIRouter(prefix="/drive-groups", tags=["drive_groups"])
virtual_drives = APIRouter(prefix="/virtual-drives", tags=["virtual_drives"])


@controllers.get("", name="list", responses=problems())
async def list_controllers(
    principal: Viewer, session: ReadSession, query: Annotated[ControllerFilter, Query()]
) -> Page[Controller]:
    return await service.page(session, principal, Controller, query)


@controllers.get("/{controller_id}", name="get", responses=problems(404))
async def get_controller(
    controller_id: UUID, response: Response, principal: Viewer, session: ReadSession
) -> Controller:
    found = await service.get(session, principal, Controller, controller_id)
    response.headers["ETag"] = etag(found.config_rev)
    return found


@enclosures.get("", name="list", responses=problems())
async def list_enclosures(
    principal: Viewer, session: ReadSession, query: Annotated[EnclosureFilter, Query()]
) -> Page[Enclosure]:
    return await service.page(session, principal, Enclosure, query)


@enclosures.get("/{enclosure_id}", name="get", responses=problems(404))
async def get_enclosure(
    enclosure_id: UUID, response: Response, principal: Viewer, session: ReadSession
) -> Enclosure:
    found = await service.get(session, principal, Enclosure, enclosure_id)
    response.headers["ETag"] = etag(found.config_rev)
    return found


@drives.get("", name="list", responses=problems())
async def list_drives(
    principal: Viewer, session: ReadSession, query: Annotated[DriveFilter, Query()]
) -> Page[Drive]:
    return await service.page(session, principal, Drive, query)


@drives.get("/{drive_id}", name="get", responses=problems(404))
async def get_drive(
    drive_id: UUID, response: Response, principal: Viewer, session: ReadSession
) -> Drive:
    found = await service.get(session, principal, Drive, drive_id)
    response.headers["ETag"] = etag(found.config_rev)
    return found


@drive_groups.get("", name="list", responses=problems())
async def list_drive_groups(
    principal: Viewer, session: ReadSession, query: Annotated[DriveGroupFilter, Query()]
) -> Page[DriveGroup]:
    return await service.page(session, principal, DriveGroup, query)


@drive_groups.get("/{drive_group_id}", name="get", responses=problems(404))
async def get_drive_group(
    drive_group_id: UUID, response: Response, principal: Viewer, session: ReadSession
) -> DriveGroup:
    found = await service.get(session, principal, DriveGroup, drive_group_id)
    response.headers["ETag"] = etag(found.config_rev)
    return found


@virtual_drives.get("", name="list", responses=problems())
async def list_virtual_drives(
    principal: Viewer, session: ReadSession, query: Annotated[VirtualDriveFilter, Query()]
) -> Page[VirtualDrive]:
    return await service.page(session, principal, VirtualDrive, query)


@virtual_drives.get("/{virtual_drive_id}", name="get", responses=problems(404))
async def get_virtual_drive(
    virtual_drive_id: UUID, response: Response, principal: Viewer, session: ReadSession
) -> VirtualDrive:
    found = await service.get(session, principal, VirtualDrive, virtual_drive_id)
    response.headers["ETag"] = etag(found.config_rev)
    return found
