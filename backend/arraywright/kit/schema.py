"""Building blocks of the REST schemas."""

import re
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeAlias, TypeVar, overload

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

T = TypeVar("T")
EPOCH = datetime.fromtimestamp(0, UTC)
LATEST_US = 253_402_300_799_999_999
"""The end of the year 9999: the last time that can be written down."""


class ApiModel(BaseModel):
    """An answer: every field is always there, so clients need no guessing."""

    model_config = ConfigDict(
        extra="ignore", from_attributes=True, json_schema_serialization_defaults_required=True
    )


def check_texts(value: Any) -> Any:
    """Refuses what no database stores: NUL characters and halves of characters."""
    if isinstance(value, str):
        if "\x00" in value:
            raise ValueError("a text must not contain NUL characters")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise ValueError("a text must not contain lone surrogates") from error
    elif isinstance(value, dict):
        for name, item in value.items():
            check_texts(name)
            try:
                check_texts(item)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
    elif isinstance(value, list):
        for item in value:
            check_texts(item)
    return value


class ApiInput(BaseModel):
    """A request body: a field we do not know is a mistake of the caller."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _texts(cls, value: Any) -> Any:
        return check_texts(value)


Timestamp = datetime
"""Microseconds inside, RFC 3339 outside."""


@overload
def moment(microseconds: int) -> datetime: ...
@overload
def moment(microseconds: int | None) -> datetime | None: ...
def moment(microseconds: int | None) -> datetime | None:
    """Our integer time as an aware one."""
    return None if microseconds is None else EPOCH + timedelta(microseconds=microseconds)


def limited_moment(microseconds: int) -> tuple[datetime, bool]:
    """The time, or the nearest there is; whether it had to be limited."""
    nearest = max(0, min(microseconds, LATEST_US))
    return EPOCH + timedelta(microseconds=nearest), nearest != microseconds


def _instant(value: Any) -> Any:
    """A number would be taken for seconds or milliseconds, whichever fits."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or _INSTANT.fullmatch(value) is None:
        raise ValueError("a time is written as in RFC 3339: 2026-01-31T12:00:00Z")
    return value


def _in_utc(at: datetime) -> datetime:
    """Without an offset it is UTC; the first and last hours of all time may have no UTC."""
    if at.tzinfo is None:
        return at.replace(tzinfo=UTC)
    try:
        return at.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a time lies between the years 1 and 9999") from error


def microseconds(at: datetime) -> int:
    return (at - EPOCH) // timedelta(microseconds=1)


_INSTANT = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?", re.A
)
Instant = Annotated[datetime, BeforeValidator(_instant), AfterValidator(_in_utc)]
"""A time in a request."""
AwareInstant = Annotated[AwareDatetime, BeforeValidator(_instant), AfterValidator(_in_utc)]

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
        int | None,
        Field(
            description="number of all matches; only on the first page, and not for a search for "
            "one or two characters or one that finds more than 10,000 objects"
        ),
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
