"""Foreign sets: what the host says an import would make of them, and the import."""

from typing import Any

import httpx
import pytest

from arraywright.kit.roles import Role
from tests.conftest import Callers
from tests.support import documents, wire
from tests.support.agent import FakeAgent
from tests.test_batteries import asked
from tests.test_commands import only

pytestmark = pytest.mark.anyio
DIGEST = "cd" * 32


def foreign_set(**changes: Any) -> dict[str, Any]:
    members = [
        {"drive": "d0", "serial": "S0", "state": "online", "outcome": "member"},
        {"drive": "d1", "serial": "S1", "state": "stale", "outcome": "left"},
        {"drive": None, "serial": "S2", "state": "missing", "outcome": "missing"},
    ]
    volume = {
        "name": "data",
        "level": "RAID5",
        "size_bytes": 1 << 30,
        "strip_bytes": 65536,
        "consistent": True,
        "state": "degraded",
        "reason": None,
        "outcome": "degraded",
        "imported_as": "data_1",
        "target_id": 1,
        "members": members,
    }
    drives = [
        {"drive": "d0", "sequence": 7, "state": "online", "outcome": "member"},
        {"drive": "d1", "sequence": 3, "state": "stale", "outcome": "left"},
    ]
    return {
        "format": "ddf",
        "id": "ab" * 24,
        "version": "01.02.00",
        "sequence": 7,
        "name": "data",
        "origin": "Linux-MD lake",
        "digest": DIGEST,
        "outcome": "degraded",
        "refusal": None,
        "drives": ["d0", "d1"],
        "drive_states": drives,
        "virtual_drives": [volume],
        **changes,
    }


async def test_preview_of_an_import(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    why = documents.reason("foreign_incomplete", "Too many of its drives are missing.")
    told = {
        "sets": [foreign_set(), foreign_set(id="ef" * 24, outcome="refused", refusal=why)],
        "damaged": [],
    }
    wire.validator("commands", "foreign_answer").validate(told)
    controller = await only(viewer, "/controllers")
    answer, _ = await asked(cached, viewer, f"/controllers/{controller['id']}/foreign", told)
    assert answer.status_code == 200, answer.text
    whole, refused = answer.json()["sets"]
    drives = {item["key"]: item["id"] for item in (await viewer.get("/drives")).json()["items"]}
    assert (whole["name"], whole["origin"], whole["digest"]) == ("data", "Linux-MD lake", DIGEST)
    assert (whole["outcome"], whole["refusal"]) == ("degraded", None)
    assert [(item["drive_id"], item["outcome"]) for item in whole["drives"]] == [
        (drives["d0"], "member"),
        (drives["d1"], "left"),
    ]
    (volume,) = whole["virtual_drives"]
    assert (volume["outcome"], volume["imported_as"], volume["target_id"]) == (
        "degraded",
        "data_1",
        1,
    )
    assert [place["outcome"] for place in volume["members"]] == ["member", "left", "missing"]
    assert (refused["outcome"], refused["refusal"]["code"]) == ("refused", "foreign_incomplete")


async def test_import_says_what_was_seen(cached: FakeAgent, operator: httpx.AsyncClient) -> None:
    controller = await only(operator, "/controllers")
    url = f"/controllers/{controller['id']}/actions/import-foreign"
    answer = await operator.post(url, json={"set": "ab" * 24, "digest": DIGEST})
    assert answer.status_code == 202, answer.text
    command = await cached.expect("command", op="foreign_import")
    assert command["args"] == {"controller": "c0", "set": "ab" * 24, "digest": DIGEST}
    assert answer.json()["command_class"] == "D"


async def test_import_is_refused(cached: FakeAgent, callers: Callers) -> None:
    operator, viewer = callers.role(Role.OPERATOR), callers.role(Role.VIEWER)
    seen = await only(viewer, "/controllers")
    assert seen["blocked"]["foreign_import"]["code"] == "role_needed"
    url = f"/controllers/{seen['id']}/actions/import-foreign"
    assert (await viewer.post(url, json={"set": "ab"})).status_code == 403
    for body in ({}, {"set": "a/b"}, {"set": "ab", "digest": "x" * 65}):
        assert (await operator.post(url, json=body)).status_code == 422, body
    assert (await operator.get("/commands")).json()["total"] == 0


async def test_clearing(cached: FakeAgent, operator: httpx.AsyncClient) -> None:
    controller = await only(operator, "/controllers")
    url = f"/controllers/{controller['id']}/actions/clear-foreign"
    body = {"set": "ab" * 24, "digest": DIGEST, "confirm": "data"}
    answer = await operator.post(url, json=body)
    assert answer.status_code == 202, answer.text
    command = await cached.expect("command", op="foreign_clear")
    assert command["args"] == {"controller": "c0", "set": "ab" * 24, "digest": DIGEST}
    assert command["confirm"] == "data"
    assert answer.json()["command_class"] == "X"


async def test_clearing_is_refused(cached: FakeAgent, callers: Callers) -> None:
    operator, viewer = callers.role(Role.OPERATOR), callers.role(Role.VIEWER)
    seen = await only(viewer, "/controllers")
    assert seen["blocked"]["foreign_clear"]["code"] == "role_needed"
    url = f"/controllers/{seen['id']}/actions/clear-foreign"
    assert (await viewer.post(url, json={"set": "ab", "confirm": "data"})).status_code == 403
    for body in ({"set": "ab"}, {"set": "ab", "confirm": ""}, {"set": "a/b", "confirm": "data"}):
        assert (await operator.post(url, json=body)).status_code == 422, body
    assert (await operator.get("/commands")).json()["total"] == 0
