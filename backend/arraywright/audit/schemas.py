"""Who did what, when: append-only, each entry chained to the one before it."""

from typing import Annotated

from pydantic import Field

from arraywright.kit.schema import ApiModel, Timestamp


class AuditEntry(ApiModel):
    seq: int
    at: Timestamp
    actor: str
    action: Annotated[str, Field(description="auth.login, vd_create …")]
    target: str
    outcome: str
    detail: dict[str, str]
    address: Annotated[str, Field(description="of the caller; empty if none")]
    hash: str
