"""Events over HTTP, newest first."""

from typing import Annotated

from fastapi import APIRouter, Query

from arraywright.dependencies import ReadSession, Viewer
from arraywright.events import service
from arraywright.events.filters import EventFilter
from arraywright.events.schemas import Event
from arraywright.kit.problems import problems
from arraywright.kit.schema import Page

router = APIRouter(prefix="/events", tags=["events"])


@router.get("", name="list", responses=problems())
async def list_events(
    principal: Viewer, session: ReadSession, query: Annotated[EventFilter, Query()]
) -> Page[Event]:
    return await service.page(session, query)
