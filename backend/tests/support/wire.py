"""The JSON Schemas of the protocol: every frame of the tests is checked against them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

FOLDER = Path(__file__).resolve().parents[3] / "agent" / "protocol"
NAMES = ("objects", "messages", "commands")


@cache
def _registry() -> Registry[Any]:
    registry: Registry[Any] = Registry()
    for name in NAMES:
        contents = json.loads((FOLDER / f"{name}.schema.json").read_text())
        resource = Resource.from_contents(contents)
        registry = registry.with_resource(f"{name}.schema.json", resource)
    return registry


@cache
def validator(file: str, definition: str) -> Draft202012Validator:
    reference = {"$ref": f"{file}.schema.json#/$defs/{definition}"}
    return Draft202012Validator(reference, registry=_registry())


def check_frame(frame: dict[str, Any]) -> None:
    """Raises if the frame is not what the protocol says; command arguments included."""
    validator("messages", frame["t"]).validate(frame)
    if frame["t"] == "command":
        validator("commands", frame["op"]).validate(frame["args"])
    if frame["t"] == "query":
        validator("commands", frame["name"]).validate(frame["args"])


def words() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / "words.json").read_text())
    return loaded


def definitions(file: str) -> dict[str, Any]:
    contents = json.loads((FOLDER / f"{file}.schema.json").read_text())
    found: dict[str, Any] = contents["$defs"]
    return found
