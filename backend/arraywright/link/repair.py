"""Brings what a host reports into the bounds of the protocol.

A value beyond its bounds becomes the nearest one within them, and its place is noted, so that
one impossible number costs itself only. What is not of the right shape at all is not mended.
"""

import math
from typing import Any

from pydantic import BaseModel, ValidationError

LIMITED = "_limited"
"""Field of a stored document: the places whose values had to be limited."""
LARGEST = 2**63 - 1
NAMED_PLACES = 16
ROUNDS = 8
SHORT = {"string_too_long": "max_length", "too_long": "max_length"}
NEAREST = {"less_than_equal": "le", "greater_than_equal": "ge"}

Document = dict[str, Any]


class UnmendableError(Exception):
    """The report has not the shape of its kind."""


def describe(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = "/".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def _clean_text(text: str) -> str:
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


def cleaned(value: Any, place: str, places: list[str]) -> Any:
    """Without anything that no database or JSON reader takes, whatever the field is."""
    clean = value
    if isinstance(value, str):
        clean = _clean_text(value)
    elif isinstance(value, float) and not math.isfinite(value):
        clean = None
    elif isinstance(value, int) and abs(value) > LARGEST:
        clean = LARGEST if value > 0 else -LARGEST
    elif isinstance(value, dict):
        return {
            cleaned(name, place, places): cleaned(item, f"{place}/{name}", places)
            for name, item in value.items()
        }
    elif isinstance(value, list):
        return [cleaned(item, f"{place}/{index}", places) for index, item in enumerate(value)]
    if clean is not value and clean != value:
        places.append(_clean_text(place.lstrip("/")))
    return clean


def _nearest(value: Any, kind: str, context: Document) -> Any:
    if kind in NEAREST:
        return context[NEAREST[kind]]
    if kind == "string_too_long":
        return str(value)[: context["max_length"]]
    if kind == "too_long" and isinstance(value, list):
        return value[: context["max_length"]]
    if kind == "too_long" and isinstance(value, dict):
        return dict(list(value.items())[: context["max_length"]])
    raise UnmendableError


def _mend(document: Document, error: Any) -> None:
    """Puts the nearest good value where the error is."""
    holder: Any = document
    *path, last = error["loc"]
    try:
        for part in path:
            holder = holder[part]
        holder[last] = _nearest(holder[last], error["type"], error.get("ctx", {}))
    except (KeyError, IndexError, TypeError) as failure:
        raise UnmendableError from failure


def fitted(model: type[BaseModel], document: Document) -> tuple[Document, list[str]]:
    """The document as it can be stored and shown, and the places that were limited."""
    places: list[str] = []
    document = cleaned(document, "", places)
    for _ in range(ROUNDS):
        try:
            model.model_validate(document)
        except ValidationError as failure:
            try:
                for error in failure.errors(include_url=False, include_input=False):
                    _mend(document, error)
                    places.append("/".join(str(part) for part in error["loc"]))
            except UnmendableError:
                raise UnmendableError(describe(failure)) from failure
        else:
            return document, sorted(set(places))[:NAMED_PLACES]
    raise UnmendableError("it has too many impossible values")
