"""Filters of the audit trail."""

from typing import Annotated

from pydantic import Field

from arraywright.kit.paging import PageQuery
from arraywright.kit.schema import Instant


class AuditFilter(PageQuery):
    actor: Annotated[str | None, Field(max_length=64)] = None
    action: Annotated[str | None, Field(max_length=64)] = None
    since: Annotated[Instant | None, Field(description="written at or after")] = None
    until: Annotated[Instant | None, Field(description="written before")] = None
