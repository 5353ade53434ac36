"""Saved metadata of destructive changes, as their host keeps them."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field

from arraywright.kit.ids import object_id
from arraywright.kit.schema import ApiModel, OpenWord, Reason, Timestamp, moment
from arraywright.link.protocol import UndoAnswer, UndoDrive, UndoEntry, UndoKind


class SavedDrive(ApiModel):
    drive_id: UUID
    serial: str
    refusal: Annotated[
        Reason | None,
        Field(description="what speaks against it, as far as can be told without reading it"),
    ]


class SavedConfiguration(ApiModel):
    undo: Annotated[int, Field(description="goes with restore-undo")]
    kind: OpenWord[UndoKind]
    name: Annotated[str, Field(description="of what was deleted or cleared")]
    who: Annotated[str, Field(description="asked for it; may be empty")]
    saved_at: Timestamp
    until: Annotated[
        Timestamp, Field(description="kept so long at least, unless its drives are used again")
    ]
    refusal: Annotated[Reason | None, Field(description="why it cannot be restored")]
    drives: list[SavedDrive]


class SavedConfigurations(ApiModel):
    items: Annotated[list[SavedConfiguration], Field(description="the newest first")]

    @classmethod
    def of(cls, host_id: UUID, answer: UndoAnswer) -> Self:
        def drive(item: UndoDrive) -> dict[str, object]:
            return {**item.model_dump(), "drive_id": object_id(host_id, "drive", item.drive)}

        def entry(item: UndoEntry) -> dict[str, object]:
            return {
                **item.model_dump(),
                "saved_at": moment(item.saved_at_us),
                "until": moment(item.until_us),
                "drives": [drive(each) for each in item.drives],
            }

        return cls.model_validate({"items": [entry(item) for item in answer.entries]})
