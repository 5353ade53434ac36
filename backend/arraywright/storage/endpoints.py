"""What hosts report, over HTTP; read-only: each kind is listed and got in the same way."""

from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from arraywright.dependencies import ReadSession, Viewer
from arraywright.kit.fields import answer, chosen
from arraywright.kit.headers import etag
from arraywright.kit.problems import problems
from arraywright.kit.schema import Page
from arraywright.storage import service
from arraywright.storage.filters import (
    BatteryFilter,
    ControllerFilter,
    DriveFilter,
    DriveGroupFilter,
    EnclosureFilter,
    ObjectFilter,
    VirtualDriveFilter,
)
from arraywright.storage.schemas import (
    Battery,
    Controller,
    Drive,
    DriveGroup,
    Enclosure,
    Reported,
    VirtualDrive,
)
from arraywright.storage.views import kind_of

T = TypeVar("T", bound=Reported)


def _reads(tag: str, model: type[T], filters: type[ObjectFilter]) -> APIRouter:
    """A router with the list and the single object of one kind."""
    router = APIRouter(prefix=f"/{tag.replace('_', '-')}", tags=[tag])
    parameter = f"{kind_of(model)}_id"

    @router.get("", name="list", response_model=Page[model], responses=problems())  # type: ignore[valid-type]
    async def list_objects(
        principal: Viewer,
        session: ReadSession,
        query: Annotated[filters, Query()],  # type: ignore[valid-type]
    ) -> Response:
        fields = chosen(query, model)
        return answer(await service.page(session, principal, model, query, fields), fields)

    @router.get(f"/{{{parameter}}}", name="get", response_model=model, responses=problems(404))
    async def get_object(
        object_id: Annotated[UUID, Path(alias=parameter)],
        response: Response,
        principal: Viewer,
        session: ReadSession,
    ) -> T:
        found = await service.get(session, principal, model, object_id)
        response.headers["ETag"] = etag(found.config_rev)
        return found

    return router


controllers = _reads("controllers", Controller, ControllerFilter)
enclosures = _reads("enclosures", Enclosure, EnclosureFilter)
drives = _reads("drives", Drive, DriveFilter)
drive_groups = _reads("drive_groups", DriveGroup, DriveGroupFilter)
virtual_drives = _reads("virtual_drives", VirtualDrive, VirtualDriveFilter)
batteries = _reads("batteries", Battery, BatteryFilter)
