"""A validator for the JSON Schemas of agent/protocol, as far as they are used there.

Standard library only, so that the tests of the real programs need nothing else. Words
(`x-words`) are checked against words.json.
"""

import json
import re
from pathlib import Path

PROTOCOL = Path(__file__).resolve().parents[3] / "protocol"
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "null": lambda v: v is None,
}
KNOWN = {
    "$ref", "type", "properties", "required", "additionalProperties", "items", "minItems",
    "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern", "const", "anyOf",
    "allOf", "if", "then", "x-words", "description", "x-class", "x-confirm",
    "x-effects", "maxProperties",
}


class SchemaError(AssertionError):
    """A document does not fit its schema."""


def _load(name):
    return json.loads((PROTOCOL / name).read_text())


def _words():
    enums = _load("words.json")["enums"]
    return {
        name: {entry["word"] if isinstance(entry, dict) else entry for entry in entries}
        for name, entries in enums.items()
    }


DOCUMENTS = {
    name: _load(name)
    for name in (
        "objects.schema.json",
        "commands.schema.json",
        "messages.schema.json",
        "control.schema.json",
    )
}
WORDS = _words()
REASONS = set(_load("words.json")["reasons"])


def _resolve(ref, document):
    name, _, pointer = ref.partition("#")
    document = name or document
    node = DOCUMENTS[document]
    for part in pointer.strip("/").split("/"):
        node = node[part]
    return node, document


def check(value, definition, document="objects.schema.json"):
    """Raises SchemaError unless value fits $defs/definition of the document."""
    _check(value, DOCUMENTS[document]["$defs"][definition], document, definition)


def fits(value, schema, document):
    try:
        _check(value, schema, document, "")
    except SchemaError:
        return False
    return True


def _require(good, where, problem):
    if not good:
        raise SchemaError(f"{where}: {problem}")


def _check(value, schema, document, where):
    unknown = set(schema) - KNOWN
    _require(not unknown, where, f"the validator does not know {unknown}")
    if "$ref" in schema:
        target, target_document = _resolve(schema["$ref"], document)
        _check(value, target, target_document, where)
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        _require(any(TYPES[kind](value) for kind in kinds), where, f"{value!r} is not {kinds}")
    if "const" in schema:
        same = value == schema["const"] and isinstance(value, bool) == isinstance(schema["const"], bool)
        _require(same, where, f"{value!r} is not {schema['const']!r}")
    if "anyOf" in schema:
        _require(any(fits(value, one, document) for one in schema["anyOf"]), where,
                 f"{value!r} fits none")
    for one in schema.get("allOf", []):
        if "if" not in one or fits(value, one["if"], document):
            _check(value, one.get("then", one if "if" not in one else {}), document, where)
    if isinstance(value, str):
        _check_text(value, schema, where)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        _require(value >= schema.get("minimum", value), where, f"{value} is too small")
        _require(value <= schema.get("maximum", value), where, f"{value} is too large")
    elif isinstance(value, list):
        _check_list(value, schema, document, where)
    elif isinstance(value, dict):
        _check_object(value, schema, document, where)


def _check_text(value, schema, where):
    if "pattern" in schema:
        _require(re.search(schema["pattern"], value), where, f"{value!r} breaks the pattern")
    _require(len(value) >= schema.get("minLength", 0), where, f"{value!r} is too short")
    _require(len(value) <= schema.get("maxLength", len(value)), where, f"{value!r} is too long")
    if "x-words" in schema:
        _require(value in WORDS[schema["x-words"]], where, f"{value!r} is no word")


def _check_list(value, schema, document, where):
    _require(len(value) >= schema.get("minItems", 0), where, "too few items")
    _require(len(value) <= schema.get("maxItems", len(value)), where, "too many items")
    for index, item in enumerate(value):
        _check(item, schema.get("items", {}), document, f"{where}[{index}]")


def _check_object(value, schema, document, where):
    for name in schema.get("required", []):
        _require(name in value, where, f"{name} is missing")
    _require(len(value) <= schema.get("maxProperties", len(value)), where, "too many fields")
    properties = schema.get("properties", {})
    extra = schema.get("additionalProperties", {})
    for name, item in value.items():
        if name in properties:
            _check(item, properties[name], document, f"{where}.{name}")
        elif extra is False:
            _require(False, where, f"{name} is not allowed")
        else:
            _check(item, extra, document, f"{where}.{name}")
    if {"code", "params", "text"} <= set(value) and isinstance(value["code"], str):
        _require(value["code"] in REASONS, where, f"{value['code']!r} is no reason")
        _require("{" not in value["text"], where, f"unfilled text {value['text']!r}")
