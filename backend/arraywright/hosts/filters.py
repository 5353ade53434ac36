"""Filters of the host list."""

from typing import Annotated

from pydantic import Field

from arraywright.kit.paging import PageQuery
from arraywright.link.protocol import VirtualDriveState


class HostFilter(PageQuery):
    q: Annotated[str | None, Field(max_length=100, description="part of the name")] = None
    online: bool | None = None
    worst_state: VirtualDriveState | None = None
    alerts: Annotated[bool | None, Field(description="with or without open alerts")] = None
