"""The OpenAPI document: readable operation ids, one Problem schema, words as named types."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from arraywright.auth.cookies import CSRF_HEADER, SESSION_COOKIE
from arraywright.commands.schemas import CommandProblem
from arraywright.dependencies import get_principal
from arraywright.kit.schema import FieldProblem, Problem
from arraywright.link import protocol
from arraywright.live.schemas import LiveChange, LiveEnd, LiveReady, LiveReset

EXTRA_MODELS = (Problem, FieldProblem, CommandProblem, LiveReady, LiveChange, LiveReset, LiveEnd)
REF = "#/components/schemas/"
SAFE_METHODS = frozenset({"get", "head", "options"})
MESSAGES: dict[str, type[BaseModel]] = {
    "ready": LiveReady,
    "change": LiveChange,
    "reset": LiveReset,
    "end": LiveEnd,
}
SECURITY_SCHEMES = {
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": SESSION_COOKIE,
        "description": "set by auth_login",
    },
    "csrf": {
        "type": "apiKey",
        "in": "header",
        "name": CSRF_HEADER,
        "description": "`csrf_token` of the session, with every request that is not a GET or HEAD",
    },
    "token": {"type": "http", "scheme": "bearer", "description": "an API token"},
}


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


def _message(event: str, model: type[BaseModel]) -> dict[str, Any]:
    """One server-sent event, its fields as a client gets them."""
    content = {
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": REF + model.__name__},
    }
    return {
        "type": "object",
        "description": model.__doc__ or "",
        "properties": {
            "event": {"const": event},
            "data": {"type": "string", **content},
            "id": {"type": "string", "description": "for Last-Event-ID; not in `end`"},
            "retry": {"type": "integer", "description": "milliseconds; in `ready` only"},
        },
        "required": ["event", "data"],
    }


def _add_security(document: dict[str, Any], prefix: str, routers: Iterable[APIRouter]) -> None:
    """A session proves with each change that the console sent it; a token need not."""
    document["components"]["securitySchemes"] = SECURITY_SCHEMES
    document["security"] = [{"session": []}, {"token": []}]
    public = set(public_operations(prefix, routers))
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if (path, method) in public:
                operation["security"] = []
            elif method not in SAFE_METHODS:
                operation["security"] = [{"session": [], "csrf": []}, {"token": []}]


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
        description=(
            "Drives, drive groups and virtual drives of a fleet of hosts.\n\n"
            "Whatever has GET has HEAD. JSON answers carry an `ETag`; with `If-None-Match` an "
            "answer that has not changed is 304. The part of an object's `ETag` before the point "
            "is its `config_rev`; `If-Match` takes either."
        ),
        routes=app.routes,
    )
    components: dict[str, Any] = document["components"]["schemas"]
    components.pop("HTTPValidationError", None)
    components.pop("ValidationError", None)
    _, extra = models_json_schema(
        [(model, "serialization") for model in EXTRA_MODELS], ref_template=REF + "{model}"
    )
    components.update(extra["$defs"])
    components["LiveMessage"] = {
        "title": "LiveMessage",
        "oneOf": [_message(event, model) for event, model in MESSAGES.items()],
    }
    words: dict[str, Any] = {}
    document = _named_words(document, words)
    schemas = document["components"]["schemas"]
    for name, schema in words.items():
        schemas.setdefault(name, schema)
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    document = _readable_pages(document)
    _add_security(document, prefix, routers)
    assert protocol.REASONS
    return document
