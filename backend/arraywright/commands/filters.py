"""Filters of the command list."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.commands.schemas import CommandState
from arraywright.kit.paging import PageQuery


class CommandFilter(PageQuery):
    host_id: UUID | None = None
    target_id: Annotated[UUID | None, Field(description="the object it was meant for")] = None
    state: Annotated[list[CommandState], Field(max_length=64)] = []
    finished: bool | None = None
