"""Sets of drives that belong to somebody else, as their host reads them."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field

from arraywright.kit.ids import object_id
from arraywright.kit.schema import ApiModel, OpenWord, Reason
from arraywright.link.protocol import (
    ForeignAnswer,
    ForeignFormat,
    ForeignMember,
    ForeignMemberState,
    ForeignState,
    ForeignVirtualDrive,
)


class ForeignPlace(ApiModel):
    drive_id: Annotated[UUID | None, Field(description="null: it is not there")]
    serial: str
    state: OpenWord[ForeignMemberState]


class ForeignVolume(ApiModel):
    name: str
    level: Annotated[str, Field(description="in words: also levels that cannot be run here")]
    size_bytes: Annotated[int, Field(description="0: not told")]
    strip_bytes: Annotated[int, Field(description="0: none")]
    consistent: bool
    state: OpenWord[ForeignState]
    reason: Reason | None
    members: list[ForeignPlace]


class ForeignConfiguration(ApiModel):
    format: OpenWord[ForeignFormat]
    id: Annotated[str, Field(description="GUID or UUID of the set")]
    version: str
    sequence: int
    drive_ids: list[UUID]
    virtual_drives: list[ForeignVolume]


class ForeignDamagedDrive(ApiModel):
    drive_id: UUID
    reason: Reason


class ForeignConfigurations(ApiModel):
    sets: list[ForeignConfiguration]
    damaged: Annotated[
        list[ForeignDamagedDrive], Field(description="drives of which nothing can be believed")
    ]

    @classmethod
    def of(cls, host_id: UUID, answer: ForeignAnswer) -> Self:
        def drive_id(key: str) -> UUID:
            return object_id(host_id, "drive", key)

        def member(item: ForeignMember) -> dict[str, object]:
            found = drive_id(item.drive) if item.drive is not None else None
            return {**item.model_dump(), "drive_id": found}

        def volume(item: ForeignVirtualDrive) -> dict[str, object]:
            return {**item.model_dump(), "members": [member(place) for place in item.members]}

        sets = [
            {
                **item.model_dump(),
                "drive_ids": [drive_id(key) for key in item.drives],
                "virtual_drives": [volume(each) for each in item.virtual_drives],
            }
            for item in answer.sets
        ]
        damaged = [
            {**item.model_dump(), "drive_id": drive_id(item.drive)} for item in answer.damaged
        ]
        return cls.model_validate({"sets": sets, "damaged": damaged})
