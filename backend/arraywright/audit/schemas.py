"""Who did what, when: append-only, each entry chained to the one before it."""

from typing import Annotated

from pydantic import Field

from arraywright.kit.schema import ApiModel, Timestamp


class AuditVerification(ApiModel):
    """Whether each entry still fits the one before it.

    Keep `entries` and `last_hash` elsewhere: entries removed from the end show only there.
    """

    intact: bool
    entries: Annotated[int, Field(description="that were checked")]
    first_broken: Annotated[int | None, Field(description="number of the first that does not fit")]
    last_hash: Annotated[str, Field(description="of the newest entry; empty if there is none")]


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
