"""Cursor pages: an opaque cursor is the sort key of the last row."""

import base64
import binascii
import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from arraywright.kit.problems import InvalidError
from arraywright.kit.schema import check_texts


class PageQuery(BaseModel):
    """Query parameters of every list; unknown parameters are refused."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _texts(cls, value: Any) -> Any:
        return check_texts(value)

    limit: Annotated[int, Field(ge=1, le=500)] = 100
    cursor: Annotated[str | None, Field(max_length=600, description="from next_cursor")] = None


def encode_cursor(values: list[Any]) -> str:
    text = json.dumps(values, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def decode_cursor(cursor: str, kinds: tuple[type, ...]) -> list[Any]:
    """The values of a cursor made by `encode_cursor`, or a clear refusal."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if [type(v) for v in values] == list(kinds) and all(map(_is_bearable, values)):
            return list(values)
    except (binascii.Error, ValueError, TypeError, RecursionError):
        pass
    raise bad_cursor()


def _is_bearable(value: Any) -> bool:
    """What a caller has made up must not be more than a database compares with."""
    if isinstance(value, int):
        return abs(value) < 2**63
    check_texts(value)
    return True


def bad_cursor() -> InvalidError:
    return InvalidError("The cursor is not one of ours.", errors=[("cursor", "unknown cursor")])
