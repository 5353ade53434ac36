"""Requests to hosts and what became of them."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.kit.roles import Role
from arraywright.kit.schema import ApiModel, OpenWord, Problem, Reason, Timestamp
from arraywright.link.protocol import CommandClass, ObjectKind


class CommandState(StrEnum):
    """`queued` and `offered` are ours; the rest is what the host answered."""

    QUEUED = "queued"
    OFFERED = "offered"
    ACCEPTED = "accepted"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REFUSED = "refused"
    EXPIRED = "expired"
    INDETERMINATE = "indeterminate"


class ObjectRef(ApiModel):
    """Something on a host."""

    kind: OpenWord[ObjectKind]
    id: UUID
    key: str


class Command(ApiModel):
    id: UUID
    host_id: UUID
    host_name: Annotated[str, Field(description="its label: no other host is called so")]
    number: Annotated[int, Field(description="counts the commands of this host")]
    op: str
    command_class: OpenWord[CommandClass]
    target: ObjectRef | None
    arguments: dict[
        str,
        str | int | bool | list[str] | list[dict[str, str | int | list[dict[str, int]]]],
    ]
    actor: str
    actor_role: Role
    via: Annotated[str, Field(description="console or rest")]
    state: CommandState
    finished: bool
    reason: Annotated[Reason | None, Field(description="the host's answer")]
    progress_percent: int | None
    objects: Annotated[list[ObjectRef], Field(description="created or changed")]
    created_at: Timestamp
    offered_at: Timestamp | None
    accepted_at: Timestamp | None
    ended_at: Timestamp | None
    not_after: Timestamp


class CommandProblem(Problem):
    """With `Prefer: wait`: the command has ended otherwise than well; code and text are the
    host's."""

    command: Command
