"""Every query parameter and every field of every body, at and beyond its bounds."""

import asyncio
import contextlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest

from arraywright.app import create_app
from arraywright.link import session as link_session
from arraywright.settings import Settings
from tests.conftest import Callers
from tests.support.agent import Closed, FakeAgent
from tests.support.server import Running
from tests.test_bounds import changed, every_page, places

pytestmark = pytest.mark.anyio

PREFIX = "/api/v1"
STEPS = ("exclusiveMaximum", "maximum", "maxLength", "maxItems", "minimum")
IN_QUERY = (
    "",
    "-1",
    "1",
    str(2**53 - 1),
    str(2**62 - 1),
    "9999-12-31T23:59:59.999999Z",
    str(2**63),
    "9" * 5000,
    "a%00b",
    "%ED%A0%80",
    "x" * 601,
    "9999-12-31T23:59:59-14:00",
)
IN_BODY: tuple[Any, ...] = (-1, 2**63, 10**30, "a\x00b", "x" * 5000)
ODD: tuple[Any, ...] = (
    "\ud800",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    None,
    [],
    {},
    2**53 - 1,
    2**53,
    2**62 - 1,
)
"""One of these in turn: each kind of field meets all of them."""


def document() -> dict[str, Any]:
    return create_app(Settings()).openapi()


DOCUMENT = document()


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def unbounded(schema: dict[str, Any], place: str, seen: frozenset[str]) -> Iterator[str]:
    """Places of a schema that take values of any size."""
    name = schema.get("$ref", "")
    if name in seen:
        return
    seen |= {name} if name else frozenset()
    schema = resolved(schema)
    for group in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(group, []):
            yield from unbounded(part, place, seen)
    kind = schema.get("type")
    limits = set(STEPS) & set(schema)
    if kind in ("integer", "number") and not limits & {"maximum", "exclusiveMaximum"}:
        yield place
    words = {"maxLength", "pattern", "format", "enum", "const"}
    if kind == "string" and not words & set(schema):
        yield place
    if kind == "array":
        if "maxItems" not in schema:
            yield place
        yield from unbounded(schema["items"], f"{place}[]", seen)
    for field, part in schema.get("properties", {}).items():
        yield from unbounded(part, f"{place}/{field}", seen)


async def test_everything_a_caller_says_has_bounds() -> None:
    found: list[str] = []
    for path, method, operation in operations():
        for parameter in operation.get("parameters", []):
            place = f"{method} {path} {parameter['name']}"
            found += unbounded(parameter["schema"], place, frozenset())
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body:
            found += unbounded(body["schema"], f"{method} {path}", frozenset())
    assert found == []


async def test_every_query_parameter(
    callers: Callers,
    raid5: FakeAgent,
    administrator: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link_session, "QUERY_TIMEOUT_S", 0.01)
    ids = await known_ids(administrator)
    reader = asyncio.create_task(_drain(raid5))
    met = set()
    for path, method, operation in operations():
        if method != "get" or path.endswith("/stream"):
            continue
        url = addressed(path, ids)
        for parameter in operation.get("parameters", []):
            if parameter["in"] != "query":
                continue
            met.add(path)
            for value in IN_QUERY:
                whole = f"{url}?{parameter['name']}={value}"
                answer = await administrator.get(whole)
                told = answer.status_code in (200, 404, 409, 422)
                told = told or answer.json()["code"] == "host_timeout"
                assert told, (whole[:200], answer.text)
    assert any("{" in path for path in met)
    reader.cancel()


async def test_every_header(raid5: FakeAgent, administrator: httpx.AsyncClient) -> None:
    drive = (await administrator.get("/drives")).json()["items"][0]
    for name in ("If-Match", "Idempotency-Key", "Prefer", "X-CSRF-Token", "Last-Event-ID"):
        for value in (b"\xff", b"x" * 5000, b'"' + b"9" * 30 + b'"', b"\xc2\xb2", b"wait=0"):
            answer = await administrator.post(
                f"/drives/{drive['id']}/actions/spin-up",
                headers=[(name.encode(), value)],
            )
            assert answer.status_code < 500, (name, value, answer.text)


class Examples:
    """Bodies with every field, as far as the schema says what is good."""

    def __init__(self, ids: dict[str, str]) -> None:
        self._ids = ids

    def of(self, schema: dict[str, Any], name: str = "") -> Any:
        schema = resolved(schema)
        for group in ("anyOf", "oneOf", "allOf"):
            if group in schema:
                return self.of(schema[group][0], name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        match schema.get("type"):
            case "integer" | "number":
                return max(schema.get("minimum", 1), schema.get("multipleOf", 1))
            case "boolean":
                return True
            case "array":
                return [self.of(schema["items"], name.removesuffix("s"))]
            case "object":
                return {
                    field: self.of(part, field)
                    for field, part in schema.get("properties", {}).items()
                }
        if schema.get("format") == "uuid":
            return self._ids.get(name, str(uuid4()))
        return "2030-01-01T00:00:00Z" if schema.get("format") == "date-time" else "abc"


async def known_ids(client: httpx.AsyncClient) -> dict[str, str]:
    found = {}
    for path in ("hosts", "controllers", "enclosures", "drives", "drive-groups", "virtual-drives"):
        items = (await client.get(f"/{path}")).json()["items"]
        found[path.removesuffix("s").replace("-", "_") + "_id"] = items[0]["id"]
    users = (await client.get("/users")).json()["items"]
    found["user_id"] = next(user["id"] for user in users if user["username"] == "viewer")
    return found


def addressed(path: str, ids: dict[str, str]) -> str:
    """With the ids of what there is."""
    url = path.removeprefix(PREFIX)
    for name, value in ids.items():
        url = url.replace(f"{{{name}}}", value)
    return url.replace("{", "").replace("}", "")


async def _drain(agent: FakeAgent) -> None:
    with contextlib.suppress(Closed, TimeoutError, AssertionError):
        while True:
            await agent.receive()


async def test_every_field_of_every_body(
    server: Running,
    callers: Callers,
    raid5: FakeAgent,
    administrator: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Predictions are left out: the lab's own tests have them."""
    monkeypatch.setattr(link_session, "QUERY_TIMEOUT_S", 0.01)
    ids = await known_ids(administrator)
    examples = Examples(ids)
    turn = 0
    reader = asyncio.create_task(_drain(raid5))
    headers = {"Content-Type": "application/json", "If-Match": '"1"'}
    for path, method, operation in operations():
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if not body or path.startswith(f"{PREFIX}/lab"):
            continue
        url = addressed(path, ids)
        example = examples.of(body["schema"])
        for place in places(example):
            turn += 1
            for value in (*IN_BODY, ODD[turn % len(ODD)]):
                text = json.dumps(changed(example, place, value))
                answer = await administrator.request(
                    method, quote(url), content=text, headers=headers
                )
                told = answer.status_code < 500 or answer.json()["code"] == "host_timeout"
                assert told, (url, text[:300], answer.text)
    await every_page(administrator)
    reader.cancel()
