"""Filters of the host list."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.kit.paging import PageQuery
from arraywright.kit.presence import Presence
from arraywright.link.protocol import ControllerStatus


class HostFilter(PageQuery):
    q: Annotated[
        str | None, Field(max_length=100, description="part of the name or of a label")
    ] = None
    presence: Annotated[list[Presence], Field(description="any of these", max_length=8)] = []
    online: Annotated[
        bool | None, Field(description="connecting, online or late; or none of these")
    ] = None
    worst_state: ControllerStatus | None = None
    alerts: Annotated[bool | None, Field(description="with or without open alerts")] = None
    label: Annotated[
        list[Annotated[str, Field(max_length=63)]],
        Field(description="all of these labels", max_length=16),
    ] = []
    enrolment_token_id: Annotated[
        UUID | None, Field(description="the token with which they enrolled")
    ] = None
