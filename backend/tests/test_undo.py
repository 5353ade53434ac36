"""What was deleted: what the host has saved of it, and the restoring."""

import httpx
import pytest

from arraywright.kit.roles import Role
from tests.conftest import Callers
from tests.support import documents, wire
from tests.support.agent import FakeAgent
from tests.test_batteries import asked
from tests.test_commands import only

pytestmark = pytest.mark.anyio


def entry(number: int, **changes: object) -> dict[str, object]:
    return {
        "undo": number,
        "kind": "drive_group",
        "name": "data",
        "who": "root by arrayctl",
        "saved_at_us": 1_700_000_000_000_000,
        "until_us": 1_700_604_800_000_000,
        "refusal": None,
        "drives": [{"drive": "d0", "serial": "S0", "refusal": None}],
        **changes,
    }


async def test_what_can_be_restored(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    why = documents.reason("undo_drive_used", "Drive /c0/e252/s1 is in use again.")
    lost = {"drive": "d1", "serial": "S1", "refusal": why}
    told = {"entries": [entry(2), entry(1, kind="word of tomorrow", refusal=why, drives=[lost])]}
    wire.validator("commands", "undo_answer").validate({"entries": [entry(2)]})
    controller = await only(viewer, "/controllers")
    answer, _ = await asked(cached, viewer, f"/controllers/{controller['id']}/undo", told)
    assert answer.status_code == 200, answer.text
    newest, oldest = answer.json()["items"]
    drives = {item["key"]: item["id"] for item in (await viewer.get("/drives")).json()["items"]}
    assert (newest["undo"], newest["kind"], newest["name"]) == (2, "drive_group", "data")
    assert newest["saved_at"].startswith("2023-11-14T22:13:20")
    assert newest["until"].startswith("2023-11-21T22:13:20")
    assert (newest["who"], newest["refusal"]) == ("root by arrayctl", None)
    assert newest["drives"] == [{"drive_id": drives["d0"], "serial": "S0", "refusal": None}]
    assert oldest["refusal"]["code"] == "undo_drive_used"
    assert oldest["drives"][0]["refusal"]["code"] == "undo_drive_used"


async def test_restoring(cached: FakeAgent, operator: httpx.AsyncClient) -> None:
    controller = await only(operator, "/controllers")
    url = f"/controllers/{controller['id']}/actions/restore-undo"
    answer = await operator.post(url, json={"undo": 2})
    assert answer.status_code == 202, answer.text
    command = await cached.expect("command", op="undo_restore")
    assert command["args"] == {"controller": "c0", "undo": 2}
    assert answer.json()["command_class"] == "D"


async def test_restoring_is_refused(cached: FakeAgent, callers: Callers) -> None:
    operator, viewer = callers.role(Role.OPERATOR), callers.role(Role.VIEWER)
    seen = await only(viewer, "/controllers")
    assert seen["blocked"]["undo_restore"]["code"] == "role_needed"
    url = f"/controllers/{seen['id']}/actions/restore-undo"
    assert (await viewer.post(url, json={"undo": 2})).status_code == 403
    for body in ({}, {"undo": 0}, {"undo": "x"}, {"undo": 2**63}):
        assert (await operator.post(url, json=body)).status_code == 422, body
    assert (await operator.get("/commands")).json()["total"] == 0
