"""Building blocks of the REST schemas."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeAlias, TypeVar, overload

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

T = TypeVar("T")
EPOCH = datetime.fromtimestamp(0, UTC)


class ApiModel(BaseModel):
    """An answer: every field is always there, so clients need no guessing."""

    model_config = ConfigDict(
        extra="ignore", from_attributes=True, json_schema_serialization_defaults_required=True
    )


class ApiInput(BaseModel):
    """A request body: a field we do not know is a mistake of the caller."""

    model_config = ConfigDict(extra="forbid")


Timestamp = datetime
"""Microseconds inside, RFC 3339 outside."""


@overload
def moment(microseconds: int) -> datetime: ...
@overload
def moment(microseconds: int | None) -> datetime | None: ...
def moment(microseconds: int | None) -> datetime | None:
    """Our integer time as an aware one."""
    return None if microseconds is None else EPOCH + timedelta(microseconds=microseconds)


W = TypeVar("W", bound=StrEnum)


class _OpenWord:
    """`OpenWord[Enum]`: documented as the enumeration, tolerant of words from newer agents."""

    def __class_getitem__(cls, words: type[StrEnum]) -> Any:
        schema = {"type": "string", "x-words": words.__name__, "enum": [w.value for w in words]}
        return Annotated[str, WithJsonSchema(schema)]


if TYPE_CHECKING:
    OpenWord: TypeAlias = str | W
else:
    OpenWord = _OpenWord


class Reason(ApiModel):
    """Why something is so: a stable code, its parameters and an English sentence."""

    code: str
    params: dict[str, str]
    text: str


class Page(ApiModel, Generic[T]):
    """One page of a list; `next_cursor` is null on the last one."""

    items: list[T]
    next_cursor: str | None = None
    total: Annotated[
        int | None, Field(description="number of all matches; only on the first page")
    ] = None


class FieldProblem(ApiModel):
    """One wrong field of a request."""

    pointer: Annotated[str, Field(description="where: JSON pointer, or query/header name")]
    message: str


class Problem(ApiModel):
    """RFC 9457 problem document; automation relies on `code`."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    instance: str
    params: dict[str, str] = Field(default_factory=dict)
    errors: list[FieldProblem] = Field(default_factory=list)
