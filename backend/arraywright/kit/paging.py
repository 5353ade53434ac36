"""Cursor pages: an opaque cursor is the sort key of the last row."""

import base64
import binascii
import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from arraywright.kit.problems import InvalidError


class PageQuery(BaseModel):
    """Query parameters of every list; unknown parameters are refused."""

    model_config = ConfigDict(extra="forbid")

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
        if [type(v) for v in values] == list(kinds):
            return list(values)
    except (binascii.Error, ValueError, TypeError):
        pass
    raise InvalidError("The cursor is not one of ours.", errors=[("cursor", "unknown cursor")])
