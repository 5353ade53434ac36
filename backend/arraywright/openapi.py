"""The OpenAPI document: readable operation ids, one Problem schema, words as named types."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from arraywright.dependencies import get_principal
from arraywright.kit.schema import FieldProblem, Problem
from arraywright.link import protocol
from arraywright.live.schemas import LiveChange, LiveEnd, LiveReady, LiveReset

EXTRA_MODELS = (Problem, FieldProblem, LiveReady, LiveChange, LiveReset, LiveEnd)
REF = "#/components/schemas/"


def operation_id(route: APIRoute) -> str:
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name


def _named_words(node: Any, components: dict[str, Any]) -> Any:
    """Replaces inlined enumerations of known words by references to one named schema each."""
    if isinstance(node, list):
        return [_named_words(item, components) for item in node]
    if not isinstance(node, dict):
        return node
    words = node.get("x-words")
    if not isinstance(words, str):
        return {key: _named_words(value, components) for key, value in node.items()}
    components[words] = {"type": "string", "title": words, "enum": node["enum"]}
    rest = {k: v for k, v in node.items() if k not in ("x-words", "enum", "type", "title")}
    return {"$ref": REF + words, **rest}


def _readable_pages(document: dict[str, Any]) -> dict[str, Any]:
    """`Page_Drive_` becomes `DrivePage`."""
    text = re.sub(r"\bPage_([A-Za-z]+)_", r"\1Page", json.dumps(document))
    renamed: dict[str, Any] = json.loads(re.sub(r"Page\[([A-Za-z]+)\]", r"\1Page", text))
    return renamed


def _asks_who_calls(dependant: Dependant) -> bool:
    return any(
        part.call is get_principal or _asks_who_calls(part) for part in dependant.dependencies
    )


def public_operations(prefix: str, routers: Iterable[APIRouter]) -> Iterator[tuple[str, str]]:
    """Path and method of those that need no login."""
    for router in routers:
        for route in router.routes:
            if isinstance(route, APIRoute) and not _asks_who_calls(route.dependant):
                for method in route.methods or ():
                    yield prefix + route.path_format, method.lower()


def build(app: FastAPI, prefix: str, routers: Iterable[APIRouter]) -> dict[str, Any]:
    document = get_openapi(
        title="Arraywright",
        version=app.version,
        description="Drives, drive groups and virtual drives of a fleet of hosts.",
        routes=app.routes,
    )
    components: dict[str, Any] = document["components"]["schemas"]
    components.pop("HTTPValidationError", None)
    components.pop("ValidationError", None)
    _, extra = models_json_schema(
        [(model, "serialization") for model in EXTRA_MODELS], ref_template=REF + "{model}"
    )
    components.update(extra["$defs"])
    words: dict[str, Any] = {}
    document = _named_words(document, words)
    schemas = document["components"]["schemas"]
    for name, schema in words.items():
        schemas.setdefault(name, schema)
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    document = _readable_pages(document)
    document["components"]["securitySchemes"] = {
        "session": {"type": "apiKey", "in": "cookie", "name": "arraywright_session"},
        "token": {"type": "http", "scheme": "bearer"},
    }
    for path, method in public_operations(prefix, routers):
        document["paths"][path][method]["security"] = []
    document["security"] = [{"session": []}, {"token": []}]
    assert protocol.REASONS
    return document
