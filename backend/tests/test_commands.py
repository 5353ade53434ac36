"""Commands: each runs once, whatever happens to connection, caller or server."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest

from arraywright.commands import service
from arraywright.kit.roles import Role
from arraywright.settings import Settings
from tests.conftest import Callers, enrolled_agent
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.clock import HandClock
from tests.support.server import Running, running

pytestmark = pytest.mark.anyio


async def only(client: httpx.AsyncClient, path: str, **filters: Any) -> dict[str, Any]:
    answer = await client.get(path, params=filters)
    items = answer.json()["items"]
    assert len(items) == 1, items
    found: dict[str, Any] = items[0]
    return found


async def by_path(client: httpx.AsyncClient, kind: str, path: str) -> dict[str, Any]:
    items = (await client.get(f"/{kind}")).json()["items"]
    return next(item for item in items if item["path"] == path)


def fresh_tag(found: dict[str, Any]) -> dict[str, str]:
    return {"If-Match": f'"{found["config_rev"]}"'}


async def follow(client: httpx.AsyncClient, answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 202, answer.text
    found = await client.get(answer.headers["Location"].removeprefix("/api/v1"))
    command: dict[str, Any] = found.json()
    return command


async def until_finished(client: httpx.AsyncClient, answer: httpx.Response) -> dict[str, Any]:
    async with asyncio.timeout(10):
        while not (command := await follow(client, answer))["finished"]:
            await asyncio.sleep(0.01)
    return command


async def test_create_virtual_drive(agent: FakeAgent, operator: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_all(documents.blank_host())
    controller = await only(operator, "/controllers")
    drives = (await operator.get("/drives")).json()["items"]
    body = {
        "controller_id": controller["id"],
        "level": "raid5",
        "drive_ids": [item["id"] for item in drives[:4]],
        "size_bytes": "all",
        "spare_ids": [drives[4]["id"]],
        "strip_bytes": 65536,
        "name": "data",
        "write_policy": "write_through",
        "plan_digest": "abc",
    }
    answer = await operator.post(
        "/virtual-drives", json=body, headers={"If-Match": f'"{controller["config_rev"]}"'}
    )
    # The link may have it by the time the answer is written.
    assert answer.json()["state"] in ("queued", "offered")
    command = await agent.expect("command", op="vd_create", confirm=None)
    assert command["args"] == {
        "controller": "c0",
        "level": "raid5",
        "drives": ["d0", "d1", "d2", "d3"],
        "spares": ["d4"],
        "strip_bytes": 65536,
        "name": "data",
        "write_policy": "write_through",
        "plan_digest": "abc",
    }
    assert command["preconditions"] == [{"kind": "controller", "key": "c0", "config_rev": 1}]
    assert command["actor"] == {"name": "operator", "role": "operator", "via": "rest"}
    await agent.acknowledge(command)
    await agent.finish(command, objects=[{"kind": "virtual_drive", "key": "v0"}])
    done = await follow(operator, answer)
    assert (done["state"], done["finished"], done["number"]) == ("succeeded", True, 1)
    assert done["command_class"] == "O"
    assert done["objects"][0]["key"] == "v0"
    await agent.report_all(documents.raid5_host())
    made = await operator.get(f"/virtual-drives/{done['objects'][0]['id']}")
    assert made.json()["name"] == "data"
    assert made.headers["ETag"].startswith(f'"{made.json()["config_rev"]}.')


async def test_wait_returns_the_finished_command(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    drive = await by_path(operator, "drives", "/c0/e252/s0")
    asked = asyncio.create_task(
        operator.post(
            f"/drives/{drive['id']}/actions/locate",
            json={"on": True},
            headers={"Prefer": "wait=10"},
        )
    )
    command = await raid5.expect("command", op="drive_locate", args={"drive": "d0", "on": True})
    await raid5.finish(command)
    answer = await asked
    assert (answer.status_code, answer.json()["state"]) == (200, "succeeded")
    assert answer.headers["Preference-Applied"] == "wait=10"
    assert answer.headers["Location"] == f"/api/v1/commands/{command['command_id']}"


async def test_wait_ends_in_time(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    drive = await by_path(operator, "drives", "/c0/e252/s0")
    answer = await operator.post(
        f"/drives/{drive['id']}/actions/locate", json={"on": True}, headers={"Prefer": "wait=1"}
    )
    assert (answer.status_code, answer.json()["state"]) == (202, "offered")


@pytest.mark.parametrize(
    ("state", "code", "status"),
    [
        ("refused", "last_copy", 409),
        ("refused", "stale_precondition", 412),
        ("failed", "io_error", 409),
        ("indeterminate", "interrupted", 504),
    ],
)
async def test_wait_tells_a_bad_end_as_a_problem(
    raid5: FakeAgent, operator: httpx.AsyncClient, state: str, code: str, status: int
) -> None:
    """A script that looks at the status alone must not take it for a success."""
    drive = await by_path(operator, "drives", "/c0/e252/s0")
    path = f"/drives/{drive['id']}/actions/offline"
    key = {"Prefer": "wait=10", "Idempotency-Key": "once"}
    asked = asyncio.create_task(operator.post(path, headers=key))
    command = await raid5.expect("command", op="drive_offline")
    why = documents.reason(code, "Drive d0 holds the last copy.", drive="d0")
    await raid5.finish(command, state=state, reason=why)
    for answer in (await asked, await operator.post(path, headers=key)):
        assert answer.status_code == status, answer.text
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.headers["Location"] == f"/api/v1/commands/{command['command_id']}"
        problem = answer.json()
        assert (problem["code"], problem["detail"], problem["params"]) == (
            *(code, "Drive d0 holds the last copy.", {"drive": "d0"}),
        )
        assert problem["status"] == status
        assert problem["command"]["state"] == state
    unwaited = await operator.post(path, headers={"Idempotency-Key": "once"})
    assert (unwaited.status_code, unwaited.json()["state"]) == (202, state)


async def test_refusal_reaches_the_caller(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    drive = await by_path(operator, "drives", "/c0/e252/s0")
    answer = await operator.post(f"/drives/{drive['id']}/actions/offline")
    command = await raid5.expect("command", op="drive_offline")
    text = "Drive d0 holds the last copy of data of g0; it cannot be taken away."
    why = documents.reason("last_copy", text, drive="d0", group="g0")
    await raid5.finish(command, state="refused", reason=why)
    done = await follow(operator, answer)
    assert (done["state"], done["reason"]) == ("refused", why)


ACTIONS: list[tuple[str, str, dict[str, Any] | None, str, dict[str, Any]]] = [
    ("/c0/e252/s4", "make-hot-spare", {}, "spare_add", {"drive": "d4"}),
    ("/c0/e252/s4", "remove-hot-spare", None, "spare_remove", {"drive": "d4"}),
    ("/c0/e252/s0", "rebuild", {"action": "pause"}, "rebuild", {"drive": "d0", "action": "pause"}),
    ("/c0/e252/s0", "copyback", {"action": "stop"}, "copyback", {"drive": "d0", "action": "stop"}),
    ("/c0/e252/s0", "offline", None, "drive_offline", {"drive": "d0"}),
    ("/c0/e252/s0", "online", None, "drive_online", {"drive": "d0"}),
    ("/c0/e252/s0", "missing", None, "drive_missing", {"drive": "d0"}),
    ("/c0/e252/s5", "spin-down", None, "drive_spindown", {"drive": "d5"}),
    ("/c0/e252/s5", "spin-up", None, "drive_spinup", {"drive": "d5"}),
    (
        "/c0/e252/s0",
        "locate",
        {"on": True, "seconds": 60},
        "drive_locate",
        {"drive": "d0", "on": True, "seconds": 60},
    ),
    (
        "/c0/e252/s0",
        "erase",
        {"action": "stop"},
        "drive_erase",
        {"drive": "d0", "action": "stop"},
    ),
    ("/c0/e252/s5", "fault", {"fault": "pull"}, "fault_inject", {"drive": "d5", "fault": "pull"}),
    (
        "/c0/e252/s5",
        "fault",
        {"fault": "media_error", "lba": 100, "count": 8},
        "fault_inject",
        {"drive": "d5", "fault": "media_error", "lba": 100, "count": 8},
    ),
]


async def test_drive_actions_become_commands(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    for path, action, body, op, args in ACTIONS:
        drive = await by_path(operator, "drives", path)
        answer = await operator.post(f"/drives/{drive['id']}/actions/{action}", json=body)
        assert answer.status_code == 202, answer.text
        command = await raid5.expect("command", op=op)
        assert command["args"] == args
        await raid5.finish(command)


async def test_actions_with_references(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    group = await only(operator, "/drive-groups")
    drive = await by_path(operator, "drives", "/c0/e252/s4")
    await operator.post(
        f"/drives/{drive['id']}/actions/make-hot-spare", json={"drive_group_ids": [group["id"]]}
    )
    spare = await raid5.expect("command", op="spare_add")
    assert spare["args"] == {"drive": "d4", "drive_groups": ["g0"]}
    member = await by_path(operator, "drives", "/c0/e252/s0")
    await operator.post(
        f"/drives/{member['id']}/actions/copyback",
        json={"action": "start", "target_drive_id": drive["id"]},
    )
    copyback = await raid5.expect("command", op="copyback")
    assert copyback["args"] == {"drive": "d0", "action": "start", "target": "d4"}
    await operator.post(
        f"/drives/{drive['id']}/actions/replace",
        json={"drive_group_id": group["id"], "span": 0, "row": 2},
    )
    replace = await raid5.expect("command", op="drive_replace")
    assert replace["args"] == {"drive": "d4", "drive_group": "g0", "span": 0, "row": 2}


async def test_settings_become_commands(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    controller = await only(operator, "/controllers")
    wanted: dict[str, object] = {
        "rebuild_rate_percent": 60,
        "glitch_seconds": 20,
        "copyback": False,
        "predictive_copyback": True,
    }
    await operator.patch(f"/controllers/{controller['id']}", json=wanted)
    command = await raid5.expect("command", op="controller_set")
    assert command["args"] == {"controller": "c0", **wanted}
    patrol = {"patrol_mode": "manual", "patrol_delay_hours": 24, "patrol_ssds": True}
    path = f"/controllers/{controller['id']}"
    await operator.patch(path, json={**patrol, "patrol_next_at": "2033-05-18T05:33:20+02:00"})
    times = {"patrol_next_at_us": 2_000_000_000_000_000}
    args = {"controller": "c0", **patrol, **times}
    await raid5.expect("command", op="controller_set", args=args)
    await operator.post(f"{path}/actions/patrol-read", json={"action": "pause"})
    args = {"controller": "c0", "action": "pause"}
    await raid5.expect("command", op="patrol_read", args=args)
    virtual_drive = await only(operator, "/virtual-drives")
    await operator.patch(f"/virtual-drives/{virtual_drive['id']}", json={"name": "new"})
    command = await raid5.expect("command", op="vd_set")
    assert command["args"] == {"virtual_drive": "v0", "name": "new"}
    preset: dict[str, object] = {"preset": "safest", "accept_risk": True}
    await operator.patch(f"/virtual-drives/{virtual_drive['id']}", json=preset)
    command = await raid5.expect("command", op="vd_set", args={"virtual_drive": "v0", **preset})
    degraded = {"degraded_policy": "write_through"}
    await operator.patch(f"/virtual-drives/{virtual_drive['id']}", json=degraded)
    await raid5.expect("command", op="vd_set", args={"virtual_drive": "v0", **degraded})
    path = f"/virtual-drives/{virtual_drive['id']}/actions/bgi"
    await operator.post(path, json={"action": "start"})
    await raid5.expect("command", op="bgi", args={"virtual_drive": "v0", "action": "start"})
    for empty in ({}, {"name": None}):
        answer = await operator.patch(f"/virtual-drives/{virtual_drive['id']}", json=empty)
        assert answer.status_code == 422


async def test_delete_needs_if_match_and_the_name(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    virtual_drive = await only(operator, "/virtual-drives")
    path = f"/virtual-drives/{virtual_drive['id']}"
    fresh, stale = fresh_tag(virtual_drive), {"If-Match": '"7"'}

    async def attempt(headers: dict[str, str], confirm: str | None) -> tuple[int, str]:
        query = {"confirm": confirm} if confirm is not None else {}
        answer = await operator.delete(path, params=query, headers=headers)
        return answer.status_code, answer.json().get("code", "")

    assert await attempt({}, "data") == (428, "if_match_needed")
    assert await attempt({"If-Match": "*"}, "data") == (428, "if_match_needed")
    assert await attempt({"If-Match": "1"}, "data") == (422, "invalid_argument")
    assert await attempt(stale, "data") == (412, "stale_precondition")
    assert await attempt(fresh, None) == (422, "confirm_needed")
    assert await attempt(fresh, "date") == (422, "confirm_mismatch")
    assert (await operator.get("/commands")).json()["items"] == []
    assert await attempt(fresh, "data") == (202, "")
    command = await raid5.expect("command", op="vd_delete", confirm="data")
    assert command["args"] == {"virtual_drive": "v0"}
    assert command["preconditions"] == [{"kind": "virtual_drive", "key": "v0", "config_rev": 1}]
    by_body = await operator.request(
        "DELETE", path, json={"confirm": "data", "force": True}, headers=fresh
    )
    assert by_body.status_code == 202
    command = await raid5.expect("command", op="vd_delete", confirm="data")
    assert command["args"] == {"virtual_drive": "v0", "force": True}


async def test_initialization_needs_the_name(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    drive = (await operator.get("/virtual-drives")).json()["items"][0]
    path = f"/virtual-drives/{drive['id']}/actions/initialize"
    fresh = {"If-Match": f'"{drive["config_rev"]}"'}

    async def attempt(headers: dict[str, str], **body: Any) -> tuple[int, str]:
        answer = await operator.post(path, json=body, headers=headers)
        return answer.status_code, answer.json().get("code", "")

    assert await attempt({}, confirm="data") == (428, "if_match_needed")
    assert await attempt(fresh, confirm="date") == (422, "confirm_mismatch")
    assert await attempt(fresh, confirm="data") == (202, "")
    command = await raid5.expect("command", op="vd_init", confirm="data")
    assert command["args"] == {"virtual_drive": "v0"}
    assert await attempt(fresh, confirm="data", unless_content=True) == (202, "")
    command = await raid5.expect("command", op="vd_init", confirm="data")
    assert command["args"] == {"virtual_drive": "v0", "unless_content": True}


async def test_stripes_are_made_of_keys_and_dissolved_by_name(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    stripe = {
        "key": "5f1c8a52-0000-4000-8000-000000000001",
        "name": "wide",
        "state": "incomplete",
        "position": 0,
        "member_count": 2,
        "members_found": 1,
        "strip_bytes": 65536,
        "member_bytes": 1 << 30,
        "size_bytes": 1 << 31,
        "exports": [],
    }
    virtual_drive = await only(operator, "/virtual-drives")
    assert virtual_drive["stripe"] is None
    path = f"/virtual-drives/{virtual_drive['id']}/actions"
    nobody = {"virtual_drive_ids": [str(uuid4())], "name": "wide"}
    answer = await operator.post(f"{path}/create-stripe", json=nobody)
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_object")
    # The host judges whether it may be: here one is named twice.
    wish = {"virtual_drive_ids": [virtual_drive["id"]], "name": "wide", "force": True}
    answer = await operator.post(f"{path}/create-stripe", json=wish)
    assert (answer.status_code, answer.json()["code"]) == (422, "confirm_needed")
    answer = await operator.post(f"{path}/create-stripe", json=wish | {"confirm": "wide"})
    assert (answer.status_code, answer.json()["code"]) == (422, "confirm_mismatch")
    wish["confirm"] = virtual_drive["name"]
    assert (await operator.post(f"{path}/create-stripe", json=wish)).status_code == 202
    command = await raid5.expect("command", op="stripe_create", confirm=virtual_drive["name"])
    assert command["args"] == {"virtual_drives": ["v0", "v0"], "name": "wide", "force": True}
    fresh = fresh_tag(virtual_drive)
    answer = await operator.post(f"{path}/delete-stripe", json={"confirm": "wide"}, headers=fresh)
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_object")
    await raid5.change("virtual_drive", "v0", documents.virtual_drive(stripe=stripe), config_rev=2)
    assert (await only(operator, "/virtual-drives"))["stripe"] == stripe
    fresh = fresh_tag(await only(operator, "/virtual-drives"))
    answer = await operator.post(f"{path}/delete-stripe", json={"confirm": "no"}, headers=fresh)
    assert (answer.status_code, answer.json()["code"]) == (422, "confirm_mismatch")
    answer = await operator.post(f"{path}/delete-stripe", json={"confirm": "wide"}, headers=fresh)
    assert answer.status_code == 202
    command = await raid5.expect("command", op="stripe_delete", confirm="wide")
    assert command["args"] == {"stripe": stripe["key"]}


async def test_expanding(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    virtual_drive = await only(operator, "/virtual-drives")
    assert virtual_drive["expansion"] is None
    path = f"/virtual-drives/{virtual_drive['id']}/actions/expand"
    expansion = {"maximum_bytes": 3 << 40, "row_bytes": 1 << 20}
    blocked = {"vd_expand": {"code": "expand_no_space", "params": {}, "text": "No."}}
    doc = documents.virtual_drive(expansion=expansion, blocked=blocked)
    await raid5.change("virtual_drive", "v0", doc)
    virtual_drive = await only(operator, "/virtual-drives")
    assert virtual_drive["expansion"] == expansion
    assert virtual_drive["blocked"]["vd_expand"]["code"] == "expand_no_space"
    for nothing in ({}, {"size_bytes": None}, {"size_bytes": 0}, {"size_bytes": ""}):
        refused = await operator.post(path, json=nothing)
        assert refused.status_code == 422, nothing
        assert refused.json()["errors"][0]["pointer"] == "/size_bytes", nothing
    assert (await operator.post(path, json={"size_bytes": "all"})).status_code == 202
    command = await raid5.expect("command", op="vd_expand")
    assert command["args"] == {"virtual_drive": "v0"}
    assert (await operator.post(path, json={"size_bytes": 2 << 40})).status_code == 202
    command = await raid5.expect("command", op="vd_expand")
    assert command["args"] == {"virtual_drive": "v0", "size_bytes": 2 << 40}
    for size in (0, -1, "every"):
        assert (await operator.post(path, json={"size_bytes": size})).status_code == 422


async def test_consistency_check(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    virtual_drive = await only(operator, "/virtual-drives")
    assert virtual_drive["consistency_check"] is None
    place = {
        "strip": 4,
        "corrected": False,
        "earlier": True,
        "offset_bytes": 524288,
        "piece_bytes": 4096,
        "piece_count": 2,
        "piece_distance_bytes": 65536,
        "member": None,
        "member_offset_bytes": None,
    }
    result = {
        "state": "completed",
        "correct": False,
        "compared_bytes": 1 << 30,
        "left_out_bytes": 0,
        "unreadable_bytes": 0,
        "corrected_count": 0,
        "inconsistent_count": 1,
        "earlier_inconsistent_count": 1,
        "places": [place],
    }
    times = {"started_at_us": 2_000_000_000_000_000, "ended_at_us": 2_000_000_001_000_000}
    doc = documents.virtual_drive(consistency_check={**result, **times})
    await raid5.change("virtual_drive", "v0", doc)
    virtual_drive = await only(operator, "/virtual-drives")
    shown = virtual_drive["consistency_check"]
    assert {name: shown[name] for name in result} == result
    assert shown["ended_at"].startswith("2033-05-18T03:33:21")
    path = f"/virtual-drives/{virtual_drive['id']}/actions/consistency-check"
    for action in ("start", "pause", "resume", "stop"):
        assert (await operator.post(path, json={"action": action})).status_code == 202
        command = await raid5.expect("command", op="consistency_check")
        assert command["args"] == {"virtual_drive": "v0", "action": action}
    # To take the data as right needs the name.
    wish = {"action": "start", "correct": True}
    fresh = {"If-Match": f'"{virtual_drive["config_rev"]}"'}
    answer = await operator.post(path, json={**wish, "confirm": "no"}, headers=fresh)
    assert (answer.status_code, answer.json()["code"]) == (422, "confirm_mismatch")
    name = virtual_drive["name"]
    answer = await operator.post(path, json={**wish, "confirm": name}, headers=fresh)
    assert answer.status_code == 202
    command = await raid5.expect("command", op="consistency_check", confirm=name)
    assert command["args"] == {"virtual_drive": "v0", **wish}


async def test_measuring_needs_the_name_only_to_overwrite(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    virtual_drive = await only(operator, "/virtual-drives")
    assert virtual_drive["measurement"] is None
    path = f"/virtual-drives/{virtual_drive['id']}/actions/measure"
    load: dict[str, Any] = {"pattern": "random", "blocks": [{"bytes": 4096, "percent": 100}]}
    reading = {"action": "start", "seconds": 5, "loads": [load]}
    assert (await operator.post(path, json={"action": "start"})).status_code == 422
    assert (await operator.post(path, json=reading)).status_code == 202
    command = await raid5.expect("command", op="vd_measure")
    assert command["args"] == {"virtual_drive": "v0", **reading}
    writing = {**reading, "loads": [load, {**load, "write_percent": 1}]}
    copying = {**reading, "loads": [{**load, "pattern": "files_copy", "file_bytes": 4096}]}
    fresh = fresh_tag(virtual_drive)
    for wish in (writing, copying):
        assert (await operator.post(path, json=wish)).status_code == 428
        answer = await operator.post(path, json=wish, headers=fresh)
        assert (answer.status_code, answer.json()["code"]) == (422, "confirm_needed")
        answer = await operator.post(path, json={**wish, "confirm": "no"}, headers=fresh)
        assert (answer.status_code, answer.json()["code"]) == (422, "confirm_mismatch")
        answer = await operator.post(path, json={**wish, "confirm": "data"}, headers=fresh)
        assert answer.status_code == 202
        command = await raid5.expect("command", op="vd_measure", confirm="data")
        assert command["args"] == {"virtual_drive": "v0", **wish}
    assert (await operator.post(path, json={"action": "stop"})).status_code == 202
    command = await raid5.expect("command", op="vd_measure")
    assert command["args"] == {"virtual_drive": "v0", "action": "stop"}


async def test_measurements_are_shown(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    latency = dict.fromkeys(("count", "mean_us", "p50_us", "p99_us", "p999_us", "max_us"), 7)
    load = {
        "pattern": "random",
        "blocks": [{"bytes": 4096, "percent": 100}],
        "write_percent": 10,
        **dict.fromkeys(("zone_bytes", "start_bytes", "file_bytes"), 0),
        **dict.fromkeys(("workers", "depth", "duration_us", "operation_count"), 1),
        **dict.fromkeys(("operations_per_s", "bytes_per_s"), 0.5),
        "read_latency": latency,
        "write_latency": latency,
    }
    shown = {"state": "running", "reason": None, "overwrites": True, "seconds": 5, "loads": [load]}
    doc = {**shown, "progress_percent": 40, "started_at_us": 1_000_000, "ended_at_us": None}
    await raid5.change("virtual_drive", "v0", documents.virtual_drive(measurement=doc))
    assert (await only(operator, "/virtual-drives"))["measurement"] == {
        **shown,
        "progress_percent": 40,
        "started_at": "1970-01-01T00:00:01Z",
        "ended_at": None,
    }


async def test_good_needs_the_serial_only_with_force(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    drive = await by_path(operator, "drives", "/c0/e252/s6")
    path = f"/drives/{drive['id']}/actions/good"
    assert (await operator.post(path, json={})).status_code == 428
    fresh = fresh_tag(drive)
    assert (await operator.post(path, json={}, headers=fresh)).status_code == 202
    command = await raid5.expect("command", op="drive_good", confirm=None)
    assert command["args"] == {"drive": "d6"}
    wrong = {"force": True, "confirm": "SN0005"}
    answer = await operator.post(path, json=wrong, headers=fresh)
    assert (answer.status_code, answer.json()["code"]) == (422, "confirm_mismatch")
    right = {"force": True, "confirm": "SN0006"}
    assert (await operator.post(path, json=right, headers=fresh)).status_code == 202
    command = await raid5.expect("command", op="drive_good", confirm="SN0006")
    assert command["args"] == {"drive": "d6", "force": True, "serial": "SN0006"}


async def test_erase_needs_the_serial_always(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    drive = await by_path(operator, "drives", "/c0/e252/s6")
    path = f"/drives/{drive['id']}/actions/erase"
    wish = {"action": "start", "mode": "normal", "pattern_a": 7}
    assert (await operator.post(path, json=wish)).status_code == 428
    fresh = fresh_tag(drive)
    answer = await operator.post(path, json=wish, headers=fresh)
    assert (answer.status_code, answer.json()["code"]) == (422, "confirm_needed")
    wrong = {**wish, "force": True, "confirm": "SN0005"}
    answer = await operator.post(path, json=wrong, headers=fresh)
    assert (answer.status_code, answer.json()["code"]) == (422, "confirm_mismatch")
    right = {**wish, "confirm": "SN0006"}
    assert (await operator.post(path, json=right, headers=fresh)).status_code == 202
    command = await raid5.expect("command", op="drive_erase", confirm="SN0006")
    assert command["args"] == {"drive": "d6", **wish}


async def test_stale_if_match_of_an_ordinary_change(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    drive = await by_path(operator, "drives", "/c0/e252/s0")
    await raid5.change("drive", "d0", documents.drive(0, state="offline"), config_rev=2)
    answer = await operator.post(
        f"/drives/{drive['id']}/actions/rebuild",
        json={"action": "start"},
        headers={"If-Match": f'"{drive["config_rev"]}"'},
    )
    assert (answer.status_code, answer.json()["code"]) == (412, "stale_precondition")
    present = await by_path(operator, "drives", "/c0/e252/s0")
    assert answer.headers["ETag"] == f'"{present["config_rev"]}"'
    assert answer.headers["Content-Type"] == "application/problem+json"


async def test_two_operators_at_once(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    """Both saw the same revision; the host decides, and says so to the second."""
    virtual_drive = await only(operator, "/virtual-drives")
    path = f"/virtual-drives/{virtual_drive['id']}"
    fresh = fresh_tag(virtual_drive)
    first, second = await asyncio.gather(
        operator.patch(path, json={"name": "one"}, headers=fresh),
        operator.patch(path, json={"name": "two"}, headers=fresh),
    )
    assert {first.status_code, second.status_code} == {202}
    winner = await raid5.expect("command")
    loser = await raid5.expect("command")
    assert (winner["number"], loser["number"]) == (1, 2)
    await raid5.finish(winner)
    why = documents.reason("stale_precondition", "It has changed.", kind="virtual_drive", key="v0")
    await raid5.finish(loser, state="refused", reason=why)
    states = {item["state"] for item in (await operator.get("/commands")).json()["items"]}
    assert states == {"succeeded", "refused"}


async def test_idempotency_key(raid5: FakeAgent, callers: Callers) -> None:
    operator = callers.role(Role.OPERATOR)
    drive = await by_path(operator, "drives", "/c0/e252/s0")
    path, key = f"/drives/{drive['id']}/actions/locate", {"Idempotency-Key": "once"}
    answers = await asyncio.gather(
        *(operator.post(path, json={"on": True}, headers=key) for _ in range(4))
    )
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["id"] for answer in answers}) == 1
    command = await raid5.expect("command", op="drive_locate")
    await raid5.finish(command)
    again = await operator.post(path, json={"on": True}, headers=key)
    assert again.json()["state"] == "succeeded"
    other = await operator.post(path, json={"on": False}, headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")
    someone_else = callers.role(Role.ADMINISTRATOR)
    theirs = await someone_else.post(path, json={"on": True}, headers=key)
    assert theirs.json()["id"] != again.json()["id"]


async def test_offline_host_takes_no_commands(
    raid5: FakeAgent, operator: httpx.AsyncClient, server: Running
) -> None:
    drive = await by_path(operator, "drives", "/c0/e252/s0")
    await raid5.close()
    await until_offline(operator, raid5)
    answer = await operator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    assert (answer.status_code, answer.json()["code"]) == (409, "host_offline")
    assert (await operator.get("/commands")).json()["items"] == []


async def until_offline(client: httpx.AsyncClient, agent: FakeAgent) -> dict[str, Any]:
    async with asyncio.timeout(10):
        while True:
            host: dict[str, Any] = (await client.get(f"/hosts/{agent.agent_id}")).json()
            if not host["online"]:
                return host
            await asyncio.sleep(0.02)


async def test_references_are_checked(
    server: Running, raid5: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    controller = await only(administrator, "/controllers")
    group = await only(administrator, "/drive-groups")
    wish = {"controller_id": controller["id"], "level": "raid5", "size_bytes": "all"}
    unknown = await administrator.post(
        "/virtual-drives", json={**wish, "drive_ids": [str(uuid4())]}
    )
    assert (unknown.status_code, unknown.json()["code"]) == (422, "unknown_object")
    assert unknown.json()["errors"][0]["pointer"] == "/drive_ids/0"
    async with await enrolled_agent(server, administrator, "beta") as beta:
        await beta.connect()
        await beta.report_all(documents.blank_host())
        foreign = (await administrator.get("/drives", params={"host_id": beta.agent_id})).json()
        body = {**wish, "drive_ids": [foreign["items"][0]["id"]]}
        answer = await administrator.post("/virtual-drives", json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "other_host")
    missing = await administrator.post(
        "/virtual-drives", json={**wish, "controller_id": group["id"]}
    )
    assert missing.status_code == 404


async def test_resent_after_reconnect_until_acknowledged(
    raid5: FakeAgent, operator: httpx.AsyncClient
) -> None:
    drive = await by_path(operator, "drives", "/c0/e252/s0")
    answer = await operator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    first = await raid5.expect("command")
    await raid5.abort()  # before the acknowledgement
    await raid5.connect(command_number=1)
    again = await raid5.expect("command")
    assert again == first
    await raid5.acknowledge(again, state="running")
    await raid5.send({"v": 1, "t": "progress", "command_id": again["command_id"], "percent": 40})
    # What an aborted connection has not delivered is gone.
    async with asyncio.timeout(10):
        while (await follow(operator, answer))["progress_percent"] != 40:
            await asyncio.sleep(0.01)
    await raid5.abort()  # before the result
    await raid5.connect(command_number=1)
    await raid5.finish(again)  # nothing is sent again: the next frame is the ack
    await raid5.finish(again, state="failed")  # a late repeat changes nothing
    done = await follow(operator, answer)
    assert (done["state"], done["progress_percent"]) == ("succeeded", 40)


async def test_commands_survive_a_restart_of_the_server(
    settings: Settings, password_hash: str
) -> None:
    patient = settings.model_copy(update={"disconnect_grace_s": 30.0})
    async with running(patient) as first:
        callers = Callers(first, password_hash)
        await callers.create()
        agent = await enrolled_agent(first, callers.role(Role.ADMINISTRATOR), "alpha")
        await agent.connect()
        await agent.report_all(documents.raid5_host())
        operator = callers.role(Role.OPERATOR)
        drive = await by_path(operator, "drives", "/c0/e252/s0")
        answer = await operator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
        sent = await agent.expect("command")
        await agent.abort()
        await callers.close()
    async with running(patient) as second:
        restarted = Callers(second, password_hash)
        restarted.tokens = callers.tokens
        operator = restarted.role(Role.OPERATOR)
        host = (await operator.get(f"/hosts/{agent.agent_id}")).json()
        assert host["online"] is True  # it gets time to come back
        agent.base_url = second.url
        await agent.connect(command_number=sent["number"])
        assert await agent.expect("command") == sent
        await agent.finish(sent)
        done = await operator.get(f"/commands/{answer.json()['id']}")
        assert done.json()["state"] == "succeeded"
        await agent.close()
        await restarted.close()


async def test_number_goes_on_above_the_hosts_mark(
    agent: FakeAgent, operator: httpx.AsyncClient
) -> None:
    """As after a restored backup: the host has seen higher numbers than we remember."""
    await agent.connect(command_number=41)
    await agent.report_all(documents.blank_host())
    drive = await by_path(operator, "drives", "/c0/e252/s0")
    await operator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    await agent.expect("command", number=42)


async def test_never_offered_command_expires(settings: Settings, password_hash: str) -> None:
    patient = settings.model_copy(update={"command_expiry_s": 1, "disconnect_grace_s": 30.0})
    async with running(patient) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        agent = await enrolled_agent(server, callers.role(Role.ADMINISTRATOR), "alpha")
        await agent.connect()
        await agent.report_all(documents.blank_host())
        operator = callers.role(Role.OPERATOR)
        drive = await by_path(operator, "drives", "/c0/e252/s0")
        await agent.close()
        async with asyncio.timeout(10):
            while len(server.runtime.registry):
                await asyncio.sleep(0.005)
        answer = await operator.post(
            f"/drives/{drive['id']}/actions/locate",
            json={"on": True},
            headers={"Prefer": "wait=10"},
        )
        assert (answer.status_code, answer.json()["code"]) == (409, "expired")
        assert answer.json()["command"]["state"] == "expired"
        await callers.close()


async def test_offered_command_that_nobody_answers_ends(
    settings: Settings, password_hash: str
) -> None:
    clock = HandClock()
    async with running(settings, clock) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        administrator = callers.role(Role.ADMINISTRATOR)
        async with await enrolled_agent(server, administrator, "alpha") as agent:
            await agent.connect()
            await agent.report_all(documents.raid5_host())
            drive = await by_path(administrator, "drives", "/c0/e252/s0")
            path = f"/drives/{drive['id']}/actions/locate"
            answer = await administrator.post(path, json={"on": True})
            command = await agent.expect("command")
            clock.offset_s += settings.command_expiry_s + 1
            await agent.close()
            await agent.connect()
            await agent.send({"v": 1, "t": "heartbeat", "state_rev": 1, "event_seq": 0})
            clock.offset_s += 31
            server.runtime.registry.wake_commands()
            found = await until_finished(administrator, answer)
            assert (found["state"], found["reason"]["code"]) == (
                "indeterminate",
                "command_unanswered",
            )
            # It was not sent again, and what the host says after all is better.
            await agent.finish(command)
            assert (await follow(administrator, answer))["state"] == "succeeded"
            await agent.finish(command, state="failed", reason=documents.reason())
            assert (await follow(administrator, answer))["state"] == "succeeded"
        await callers.close()


async def test_commands_of_a_retired_host_end(
    server: Running, raid5: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    drive = await by_path(administrator, "drives", "/c0/e252/s0")
    answer = await administrator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    command = await raid5.expect("command")
    await raid5.acknowledge(command)
    host = (await administrator.get("/hosts")).json()["items"][0]
    await administrator.delete(f"/hosts/{host['id']}", params={"confirm": host["name"]})
    server.runtime.registry.wake_commands()
    assert (await until_finished(administrator, answer))["state"] == "indeterminate"


async def test_command_larger_than_a_frame_is_refused(
    raid5: FakeAgent, operator: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "LARGEST_FRAME_BYTES", 200)
    drive = await by_path(operator, "drives", "/c0/e252/s4")
    answer = await operator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    assert (answer.status_code, answer.json()["code"]) == (422, "command_too_large")


async def test_unknown_result_is_taken_and_audited(
    agent: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    await agent.connect()
    await agent.finish({"command_id": str(uuid4())})
    trail = (await administrator.get("/audit", params={"action": "command.unknown"})).json()
    assert trail["total"] == 1


async def test_one_host_cannot_speak_for_another(
    server: Running, raid5: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    drive = await by_path(administrator, "drives", "/c0/e252/s0")
    answer = await administrator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    command = await raid5.expect("command")
    async with await enrolled_agent(server, administrator, "beta") as beta:
        await beta.connect()
        await beta.finish(command)
    assert (await follow(administrator, answer))["state"] == "offered"


async def test_command_filters(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    drives = (await operator.get("/drives")).json()["items"]
    for drive in drives[:3]:
        await operator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    commands = [await raid5.expect("command") for _ in range(3)]
    await raid5.finish(commands[0])
    by_target = await only(operator, "/commands", target_id=drives[1]["id"])
    assert by_target["target"]["key"] == "d1"
    assert (await only(operator, "/commands", finished=True))["state"] == "succeeded"
    running_ones = await operator.get("/commands", params={"state": ["offered", "running"]})
    assert running_ones.json()["total"] == 2
    first = await operator.get("/commands", params={"limit": 2})
    second = await operator.get("/commands", params={"cursor": first.json()["next_cursor"]})
    numbers = [item["number"] for page in (first, second) for item in page.json()["items"]]
    assert numbers == [3, 2, 1]
