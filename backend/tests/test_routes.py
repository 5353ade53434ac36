"""What holds for every route."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from arraywright.app import PREFIX, ROUTERS, create_app
from arraywright.dependencies import Needs
from arraywright.kit.roles import Role
from arraywright.settings import Settings
from tests.conftest import Callers

PUBLIC = {
    ("GET", "/health"),
    ("GET", "/version"),
    ("POST", "/auth/login"),
    ("POST", "/agents/enrol"),
    ("POST", "/agents/enrol/status"),
}
# Needs a login, whatever the role.
ANY_ROLE = {("POST", "/auth/logout")}


def routes() -> Iterator[tuple[str, str, APIRoute]]:
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute):
                for method in sorted(route.methods or ()):
                    yield method, route.path, route


def needs(dependant: Dependant) -> Iterator[Role]:
    if isinstance(dependant.call, Needs):
        yield dependant.call.role
    for child in dependant.dependencies:
        yield from needs(child)


def concrete(path: str) -> str:
    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + str(uuid4()) + rest.partition("}")[2]
    return path


def test_there_are_routes() -> None:
    assert len(list(routes())) > 50


def test_every_route_names_its_role() -> None:
    for method, path, route in routes():
        if (method, path) in PUBLIC | ANY_ROLE:
            continue
        assert len(set(needs(route.dependant))) == 1, f"{method} {path}"


@pytest.mark.anyio
async def test_nobody_gets_in_without_login(callers: Callers) -> None:
    client = callers.anonymous()
    for method, path, _ in routes():
        if (method, path) in PUBLIC:
            continue
        answer = await client.request(method, concrete(path), json={})
        assert answer.status_code == 401, f"{method} {path}: {answer.text}"
        assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.anyio
async def test_nobody_goes_beyond_their_role(callers: Callers) -> None:
    for method, path, route in routes():
        needed = next(needs(route.dependant), Role.VIEWER)
        for role in Role:
            if role.allows(needed):
                continue
            answer = await callers.role(role).request(method, concrete(path), json={})
            assert answer.status_code == 403, f"{role} {method} {path}: {answer.text}"
            problem = answer.json()
            assert problem["code"] == "role_needed"
            assert problem["params"] == {"role": needed.value}


@pytest.mark.anyio
async def test_those_with_the_role_get_past_the_door(callers: Callers) -> None:
    for method, path, route in routes():
        if path == "/live/stream" or (method, path) in PUBLIC | ANY_ROLE:
            continue
        needed = next(needs(route.dependant))
        answer = await callers.role(needed).request(method, concrete(path), json={})
        assert answer.status_code not in (401, 403, 500), f"{method} {path}: {answer.text}"


@pytest.mark.anyio
async def test_problems_are_problems(callers: Callers) -> None:
    client = callers.role(Role.VIEWER)
    for method, path, status in (
        ("GET", "/nothing", 404),
        ("GET", f"/drives/{uuid4()}", 404),
        ("GET", "/drives/not-a-uuid", 422),
        ("GET", "/drives?color=red", 422),
        ("GET", "/drives?limit=0", 422),
        ("PUT", "/drives", 405),
    ):
        answer = await client.request(method, path)
        assert answer.status_code == status, path
        assert answer.headers["Content-Type"] == "application/problem+json"
        problem = answer.json()
        assert problem["status"] == status
        assert problem["instance"] == f"/api/v1{path.partition('?')[0]}"
        assert problem["code"]


@pytest.mark.anyio
async def test_headers_of_every_answer(callers: Callers) -> None:
    answer = await callers.anonymous().get("/health")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "server" not in answer.headers


@pytest.mark.anyio
async def test_too_large_a_body(callers: Callers) -> None:
    big = b'{"username": "' + b"x" * 1024 * 1024 + b'"}'
    headers = {"Content-Type": "application/json"}
    client = callers.anonymous()
    declared = await client.post("/auth/login", content=big, headers=headers)
    assert (declared.status_code, declared.json()["code"]) == (413, "body_too_large")

    async def pieces() -> Any:
        for start in range(0, len(big), 65536):
            yield big[start : start + 65536]

    undeclared = await client.post("/auth/login", content=pieces(), headers=headers)
    assert undeclared.status_code == 413


# The OpenAPI document


def document() -> dict[str, Any]:
    return create_app(Settings()).openapi()


def test_committed_document_is_up_to_date() -> None:
    committed = Path(__file__).resolve().parents[1] / "openapi.json"
    assert json.loads(committed.read_text()) == document(), "run: arraywright openapi"


def schemas_in(node: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("schema", "items", "additionalProperties") and isinstance(value, dict):
                yield f"{where}/{key}", value
            if key in ("properties", "schemas") and isinstance(value, dict):
                for name, schema in value.items():
                    yield f"{where}/{key}/{name}", schema
            yield from schemas_in(value, f"{where}/{key}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from schemas_in(value, f"{where}/{number}")


def test_no_schema_is_unknown() -> None:
    """What TypeScript would call `unknown`: a schema that says nothing, or an open object."""
    kinds = ("type", "$ref", "anyOf", "oneOf", "allOf", "const", "enum")
    for where, schema in schemas_in(document(), ""):
        if where.endswith("/200/content/application/json/schema") and schema == {}:
            raise AssertionError(f"{where} says nothing")
        assert any(key in schema for key in kinds), f"{where}: {schema}"
        if schema.get("type") == "object":
            assert "properties" in schema or isinstance(schema.get("additionalProperties"), dict), (
                f"{where}: {schema}"
            )


def test_changes_by_a_session_need_the_csrf_header() -> None:
    schemes = document()["components"]["securitySchemes"]
    assert schemes["csrf"]["in"] == "header"
    assert schemes["csrf"]["name"].lower() == "x-csrf-token"
    for path, operations in document()["paths"].items():
        for method, operation in operations.items():
            if (method.upper(), path.removeprefix(PREFIX)) in PUBLIC:
                assert operation["security"] == []
            elif method == "get":
                assert "security" not in operation, path
            else:
                assert operation["security"] == [{"session": [], "csrf": []}, {"token": []}]


def test_messages_of_the_stream_have_a_schema() -> None:
    described = document()
    answer = described["paths"][f"{PREFIX}/live/stream"]["get"]["responses"]["200"]
    reference = answer["content"]["text/event-stream"]["schema"]["$ref"]
    messages = described["components"]["schemas"][reference.rpartition("/")[2]]["oneOf"]
    assert {item["properties"]["event"]["const"] for item in messages} == {
        *("ready", "change", "reset", "end"),
    }
    for item in messages:
        data = item["properties"]["data"]
        assert data["contentMediaType"] == "application/json"
        assert (
            data["contentSchema"]["$ref"].rpartition("/")[2] in described["components"]["schemas"]
        )


def test_operation_ids_read_well() -> None:
    ids = [
        operation["operationId"]
        for path in document()["paths"].values()
        for operation in path.values()
    ]
    assert len(ids) == len(set(ids))
    assert "virtual_drives_create" in ids
    assert "drives_list" in ids


def test_every_path_is_under_the_prefix() -> None:
    assert all(path.startswith(PREFIX + "/") for path in document()["paths"])
