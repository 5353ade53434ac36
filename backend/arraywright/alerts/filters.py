"""Filters of the alert list."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from arraywright.alerts.schemas import AlertRuleName, AlertState
from arraywright.kit.paging import PageQuery
from arraywright.link.protocol import EventClass


class AlertFilter(PageQuery):
    sort: Annotated[
        Literal["-opened_at", "-severity"],
        Field(description="the latest first, or the worst first and of those the latest"),
    ] = "-opened_at"
    host_id: UUID | None = None
    object_id: UUID | None = None
    state: Annotated[
        list[AlertState], Field(max_length=64, description="any of these; empty: all")
    ] = []
    severity: Annotated[list[EventClass], Field(max_length=64)] = []
    rule: Annotated[list[AlertRuleName], Field(max_length=64)] = []
