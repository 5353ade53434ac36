"""Long work owned by a host."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.kit.schema import OpenWord, Reason, Timestamp
from arraywright.link.protocol import ObjectKind, OperationKind, OperationState
from arraywright.storage.schemas import Actionable


class Operation(Actionable):
    controller_id: UUID
    kind: OpenWord[OperationKind]
    state: OpenWord[OperationState]
    target_kind: OpenWord[ObjectKind]
    target_id: UUID
    target_path: Annotated[str | None, Field(description="/c0/e252/s3; null once it is gone")]
    target_name: Annotated[str | None, Field(description="of a virtual drive")]
    source_id: Annotated[UUID | None, Field(description="of a copyback: the drive it copies")]
    source_path: Annotated[str | None, Field(description="null once it is gone")]
    drive_group_id: UUID | None
    done_bytes: int
    total_bytes: int
    progress_percent: float
    speed_bytes_per_s: int
    time_left_s: Annotated[int | None, Field(description="null: not known yet")]
    started_at: Timestamp
    ended_at: Timestamp | None
    reason: Reason | None
