"""Filters of the audit trail."""

from typing import Annotated

from pydantic import Field

from arraywright.kit.paging import PageQuery


class AuditFilter(PageQuery):
    actor: Annotated[str | None, Field(max_length=64)] = None
    action: Annotated[str | None, Field(max_length=64)] = None
