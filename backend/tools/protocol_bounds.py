"""Bounds of the protocol's fields, as agent/protocol/bounds.schema.json states them."""

import json
from copy import deepcopy
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[2] / "agent" / "protocol" / "bounds.schema.json"
STATED = json.loads(SOURCE.read_text())
DEFINITIONS: dict[str, dict[str, Any]] = STATED["$defs"]
LOWEST = ("maximum", "maxLength", "maxItems", "maxProperties")


def bounds_of(name: str, kind: str, node: dict[str, Any]) -> dict[str, Any]:
    """The definition that holds for a field of this name and type."""
    if kind == "integer":
        for definition, patterns in STATED["x-fields"].items():
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                return DEFINITIONS[definition]
    if kind == "string":
        return DEFINITIONS["word" if "x-words" in node else "text"]
    return DEFINITIONS.get(kind, {})


def bounded(name: str, node: dict[str, Any]) -> dict[str, Any]:
    """The field's schema with its bounds written into it; what was narrower already stays."""
    kinds = node.get("type", [])
    result = dict(node)
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if "properties" in node:
            continue
        for rule, value in bounds_of(name, kind, node).items():
            if rule in LOWEST:
                result[rule] = min(value, node.get(rule, value))
            elif rule in ("minimum", "pattern"):
                result.setdefault(rule, value)
    return result


def apply(schema: dict[str, Any]) -> dict[str, Any]:
    """A copy of a whole schema in which every field has its bounds."""
    return _visited("", deepcopy(schema))


def _visited(name: str, node: dict[str, Any]) -> dict[str, Any]:
    for group in ("$defs", "properties"):
        if group in node:
            node[group] = {field: _visited(field, part) for field, part in node[group].items()}
    for part in ("items", "additionalProperties"):
        if isinstance(node.get(part), dict):
            node[part] = _visited(name, node[part])
    if "anyOf" in node:
        node["anyOf"] = [_visited(name, part) for part in node["anyOf"]]
    return bounded(name, node)
