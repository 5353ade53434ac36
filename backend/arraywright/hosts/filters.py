"""Filters of the host list."""

from typing import Annotated

from pydantic import Field

from arraywright.kit.paging import PageQuery
from arraywright.kit.presence import Presence
from arraywright.link.protocol import VirtualDriveState


class HostFilter(PageQuery):
    q: Annotated[str | None, Field(max_length=100, description="part of the name")] = None
    presence: Annotated[list[Presence], Field(description="any of these", max_length=8)] = []
    online: Annotated[
        bool | None, Field(description="connecting, online or late; or none of these")
    ] = None
    worst_state: VirtualDriveState | None = None
    alerts: Annotated[bool | None, Field(description="with or without open alerts")] = None
