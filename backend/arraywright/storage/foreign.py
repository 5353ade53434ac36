"""Sets of drives that belong to somebody else, as their host reads them."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field

from arraywright.kit.ids import object_id
from arraywright.kit.schema import ApiModel, OpenWord, Reason
from arraywright.link.protocol import (
    ForeignAnswer,
    ForeignDriveArgs,
    ForeignDriveOutcome,
    ForeignFormat,
    ForeignMember,
    ForeignMemberState,
    ForeignOutcome,
    ForeignSet,
    ForeignState,
    ForeignVirtualDrive,
)


class ForeignPlace(ApiModel):
    drive_id: Annotated[UUID | None, Field(description="null: it is not there")]
    serial: str
    state: OpenWord[ForeignMemberState]
    outcome: Annotated[
        OpenWord[ForeignDriveOutcome] | None, Field(description="what an import makes of it")
    ] = None


class ForeignVolume(ApiModel):
    name: str
    level: Annotated[str, Field(description="in words: also levels that cannot be run here")]
    size_bytes: Annotated[int, Field(description="0: not told")]
    strip_bytes: Annotated[int, Field(description="0: none")]
    consistent: bool
    state: OpenWord[ForeignState]
    reason: Reason | None
    outcome: Annotated[
        OpenWord[ForeignOutcome] | None, Field(description="how it would be after an import")
    ] = None
    imported_as: Annotated[
        str | None, Field(description="the name it would have here; null: not imported")
    ] = None
    target_id: Annotated[int | None, Field(description="the number it would have here")] = None
    members: list[ForeignPlace]


class ForeignDrive(ApiModel):
    drive_id: UUID
    sequence: Annotated[int, Field(description="how new what it says is")]
    state: OpenWord[ForeignMemberState]
    outcome: Annotated[
        OpenWord[ForeignDriveOutcome],
        Field(description="what an import makes of it; left: nothing is written to it"),
    ]


class ForeignConfiguration(ApiModel):
    format: OpenWord[ForeignFormat]
    id: Annotated[str, Field(description="GUID or UUID of the set")]
    version: str
    sequence: int
    name: Annotated[
        str | None, Field(description="for people; what has to be typed to clear it")
    ] = None
    origin: Annotated[str | None, Field(description="who made it, as far as it says so")] = None
    digest: Annotated[
        str | None,
        Field(description="of all that was found; the host refuses if it has changed since"),
    ] = None
    outcome: Annotated[
        OpenWord[ForeignOutcome] | None, Field(description="of the worst of its virtual drives")
    ] = None
    refusal: Annotated[Reason | None, Field(description="why it is not imported")] = None
    drive_ids: list[UUID]
    drives: Annotated[
        list[ForeignDrive], Field(description="empty if the agent does not say yet")
    ] = []
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

        def drive(item: ForeignDriveArgs) -> dict[str, object]:
            return {**item.model_dump(), "drive_id": drive_id(item.drive)}

        def configuration(item: ForeignSet) -> dict[str, object]:
            return {
                **item.model_dump(exclude={"drive_states"}),
                "drive_ids": [drive_id(key) for key in item.drives],
                "drives": [drive(each) for each in item.drive_states or []],
                "virtual_drives": [volume(each) for each in item.virtual_drives],
            }

        sets = [configuration(item) for item in answer.sets]
        damaged = [
            {**item.model_dump(), "drive_id": drive_id(item.drive)} for item in answer.damaged
        ]
        return cls.model_validate({"sets": sets, "damaged": damaged})
