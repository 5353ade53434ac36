"""Filters of the event list."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.kit.paging import PageQuery
from arraywright.kit.schema import Instant
from arraywright.link.protocol import EventClass, Size


class EventFilter(PageQuery):
    host_id: UUID | None = None
    object_id: Annotated[list[UUID], Field(max_length=64, description="of any of these")] = []
    event_class: Annotated[list[EventClass], Field(max_length=64, description="any of these")] = []
    severity: Annotated[EventClass | None, Field(description="this class and everything worse")] = (
        None
    )
    code: Annotated[list[Size], Field(max_length=64, description="any of these")] = []
    since: Annotated[Instant | None, Field(description="received at or after")] = None
    until: Annotated[Instant | None, Field(description="received before")] = None
    q: Annotated[str | None, Field(max_length=100, description="part of the sentence")] = None
