"""Predictions by the real arraysim."""

import asyncio
import json
import os
import signal
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
import uvloop
from jsonschema import Draft202012Validator

from arraywright.kit.roles import Role
from arraywright.lab import program, scenarios
from arraywright.lab.models import SavedScenario
from arraywright.lab.program import LabFailedError, LabUnavailableError, Program
from arraywright.lab.runs import Lab
from arraywright.lab.schemas import GroupsScenario, RunState, Scenario
from arraywright.lab.service import encode
from arraywright.settings import Settings
from tests.conftest import Callers
from tests.support import documents, programs, wire
from tests.support.agent import FakeAgent
from tests.test_commands import only

pytestmark = pytest.mark.anyio
PATIENCE_S = 120.0

RANDOM_READ = {
    "name": "reads",
    "pattern": "random",
    "mixes": [[{"bytes": 4096, "percent": 100}]],
    "write_percents": [0],
    "depths": [1, 8],
}


def scenario(**changes: Any) -> dict[str, Any]:
    return {
        "controller": {"profile": "native"},
        "drives": {"profile": "intel-x25-e", "count": 4},
        "array": {"level": "raid5"},
        "workloads": [RANDOM_READ],
        "limits": {"operations": 200, "warmup_operations": 50},
        **changes,
    }


def group(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "drives": {"profile": "intel-x25-e", "count": 4},
        "array": {"level": "raid5"},
        "workload": {**RANDOM_READ, "depths": [8]},
        **changes,
    }


def groups(*given: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "controller": {"profile": "native"},
        "groups": list(given) or [group("one"), group("two")],
        "limits": {"operations": 200, "warmup_operations": 50},
        "alone": True,
        **changes,
    }


MEDIUM = [{"bytes": 131072, "percent": 100}]

LONG = scenario(
    workloads=[{"profile": "w01-database"}],
    sweep={"levels": ["raid5", "raid6"]},
    limits={"operations": 15_000, "warmup_operations": 5_000},
)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    changes = {"arraysim": programs.arraysim(), "lab_prediction_timeout_s": PATIENCE_S}
    return settings.model_copy(update=changes)


def settings_with(program: Path | None, **changes: Any) -> Settings:
    return Settings(arraysim=program, profiles_dir=programs.PROFILES, **changes)


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    made = Lab(settings_with(programs.arraysim()))
    yield made
    await made.close()


async def ended(client: httpx.AsyncClient, simulation: dict[str, Any]) -> dict[str, Any]:
    while simulation["state"] in ("waiting", "running"):
        await asyncio.sleep(0.02)
        answer = await client.get(f"/lab/simulations/{simulation['id']}")
        assert answer.status_code == 200, answer.text
        simulation = answer.json()
    return simulation


# What arraysim says is what its schemas say


def schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((wire.FOLDER / f"{name}.schema.json").read_text()))


async def test_scenario_and_prediction_are_those_of_the_protocol(lab: Lab) -> None:
    body = scenario(
        rebuild=True,
        sweep={"levels": ["raid0", "raid5", "raid1e"], "failures": [[], [0]]},
        workloads=[{"profile": "w06-file-server", "depths": [1, 4]}],
    )
    asked = encode(Scenario.model_validate(body))
    schema("scenario").validate(json.loads(asked))
    answer = json.loads(await lab.program.sweep(asked, PATIENCE_S, None))
    schema("prediction").validate(answer)
    assert len(answer["arrays"]) == 6
    schema("catalogue").validate(json.loads(await lab.program.catalogue()))


async def test_policies_are_axes(lab: Lab) -> None:
    policies = {
        "read_policies": ["no_read_ahead", "adaptive_read_ahead"],
        "io_policies": ["direct", "cached"],
    }
    asked = Scenario.model_validate(scenario(sweep=policies))
    assert asked.sweep.arrays() == 4
    schema("scenario").validate(json.loads(encode(asked)))
    answer = json.loads(await lab.program.sweep(encode(asked), PATIENCE_S, None))
    assert [(each["read_policy"], each["io_policy"]) for each in answer["arrays"]] == [
        (read, io) for read in policies["read_policies"] for io in policies["io_policies"]
    ]


FAULTS: list[dict[str, Any]] = [
    {"kind": "slow", "member": 0, "latency_ms": 5},
    {"kind": "fails", "member": 1, "after_ms": 1},
    {"kind": "latent_errors", "member": 2, "offset_bytes": 0, "length_bytes": 1 << 20},
]


async def test_groups_are_those_of_the_protocol(lab: Lab) -> None:
    seen: list[tuple[int, int]] = []
    double = {"level": "raid6", "write_policy": "write_through"}
    body = groups(
        group("hurt", array=double, faults=FAULTS),
        group("made anew", rebuild={"member": 3, "rate_percent": 60}),
        controller={"profile": "native", "expander_bytes_per_s": 1_200_000_000},
    )
    asked = encode(GroupsScenario.model_validate(body))
    schema("scenario").validate(json.loads(asked))
    answer = json.loads(
        await lab.program.sweep(asked, PATIENCE_S, lambda done, count: seen.append((done, count)))
    )
    schema("prediction").validate(answer)
    assert seen == [(1, 3), (2, 3), (3, 3)]


# Over REST


async def test_catalogue(viewer: httpx.AsyncClient) -> None:
    found = (await viewer.get("/lab/catalogue")).json()
    assert found["version"]
    assert found["controllers"][0]["name"] == "native"
    assert {"raid5", "raid1e"} <= {each["level"] for each in found["controllers"][0]["levels"]}
    assert "intel-x25-e" in {each["name"] for each in found["drives"]}
    server = next(each for each in found["workloads"] if each["name"] == "w06-file-server")
    assert server["assumed"]
    files = next(each for each in found["workloads"] if each["name"] == "w10-files-read")
    assert files["file_bytes"] > 0
    assert found["controllers"][0]["quirks"] == []
    card = next(each for each in found["controllers"] if each["name"] == "lsi-megaraid-sas-9260-8i")
    assert all(each["text"] for each in card["quirks"])
    assert "adaptive-cache-lag" in {each["name"] for each in card["quirks"]}


async def test_oddities_of_a_model_are_had_by_name(viewer: httpx.AsyncClient) -> None:
    async def predicted(**controller: Any) -> tuple[float, int]:
        body = scenario(
            controller={"profile": "lsi-megaraid-sas-9260-8i", "cache_bytes": 0, **controller},
            workloads=[{"profile": "w13-streaming-write", "mixes": [MEDIUM]}],
        )
        answer = await viewer.post("/lab/simulations", json=body)
        done = await ended(viewer, answer.json())
        assert done["state"] == "completed", done["problem"]
        array = done["prediction"]["arrays"][0]
        return array["points"][0]["bytes_per_s"], array["size_bytes"]

    rate, size = await predicted()
    odd_rate, odd_size = await predicted(quirks=["medium-block-dip"])
    assert (odd_rate < 0.8 * rate, odd_size) == (True, size)
    # Twice the drives, under a stripe of the host.
    assert (await predicted(count=2))[1] == pytest.approx(2 * size, rel=0.001)
    body = scenario(controller={"profile": "native", "quirks": ["medium-block-dip"]})
    answer = await viewer.post("/lab/simulations", json=body)
    failed = await ended(viewer, answer.json())
    assert failed["state"] == "failed"
    assert "has no quirk" in failed["problem"]


async def test_simulation(viewer: httpx.AsyncClient) -> None:
    body = scenario(rebuild=True, sweep={"levels": ["raid0", "raid5", "raid60"]})
    answer = await viewer.post("/lab/simulations", json=body)
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"/api/v1/lab/simulations/{answer.json()['id']}"
    done = await ended(viewer, answer.json())
    assert done["state"] == "completed", done["problem"]
    assert done["points_done"] == done["points"] == 5
    stripe, parity, refused = done["prediction"]["arrays"]
    assert (stripe["survival"]["pairs_survived"], stripe["rebuild"]) == (0, None)
    assert parity["survival"]["singles_survived"] == 4
    assert len(parity["survival"]["fatal_pairs"]) == 6
    assert parity["rebuild"]["seconds"] > 100
    assert [point["depth"] for point in parity["points"]] == [1, 8]
    assert parity["points"][1]["operations_per_s"] > 3 * parity["points"][0]["operations_per_s"]
    assert refused["refused"].startswith("RAID60 of 4 drives")
    again = await viewer.post("/lab/simulations", json=body)
    assert (again.status_code, again.json()["state"]) == (200, "completed")
    assert again.json()["prediction"] == done["prediction"]


async def predicted(viewer: httpx.AsyncClient, body: dict[str, Any]) -> list[dict[str, Any]]:
    done = await ended(viewer, (await viewer.post("/lab/simulations", json=body)).json())
    assert done["state"] == "completed", done["problem"]
    assert done["points_done"] == done["points"]
    found: list[dict[str, Any]] = done["prediction"]["arrays"]
    return found


async def test_an_expander_is_shared(viewer: httpx.AsyncClient) -> None:
    stream = {"name": "s", "pattern": "sequential", "mixes": [MEDIUM], "depths": [16]}

    async def rate(**controller: Any) -> float:
        body = scenario(controller={"profile": "native", **controller}, workloads=[stream])
        array = (await predicted(viewer, body))[0]
        assert array["group"] is None
        return float(array["points"][0]["bytes_per_s"])

    assert await rate() > 700e6
    assert await rate(expander_bytes_per_s=300_000_000) == pytest.approx(300e6, rel=0.05)


async def test_groups_take_from_each_other(viewer: httpx.AsyncClient) -> None:
    stream = {"name": "s", "pattern": "sequential", "mixes": [MEDIUM], "depths": [16]}
    body = groups(
        group("one", workload=stream),
        group("two", workload=stream, array={"level": "raid10"}, faults=[FAULTS[1]]),
        controller={"profile": "native", "expander_bytes_per_s": 600_000_000},
    )
    one, two = await predicted(viewer, body)
    assert [one["group"]["name"], two["group"]["name"]] == ["one", "two"]
    assert [one["group"]["state"], two["group"]["state"]] == ["optimal", "degraded"]
    alone = one["group"]["alone"]["point"]
    assert alone["bytes_per_s"] == pytest.approx(600e6, rel=0.05)
    assert one["points"][0]["bytes_per_s"] < 0.7 * alone["bytes_per_s"]
    assert two["group"]["alone"]["state"] == "degraded"
    again = await viewer.post("/lab/simulations", json=body)
    assert (again.status_code, again.json()["prediction"]["arrays"]) == (200, [one, two])
    only_together = await predicted(viewer, {**body, "alone": False})
    assert [each["group"]["alone"] for each in only_together] == [None, None]


async def test_what_is_refused_of_groups(viewer: httpx.AsyncClient) -> None:
    async def refused(**changes: Any) -> tuple[str, str]:
        answer = await viewer.post("/lab/simulations", json=groups(**changes))
        assert answer.status_code == 422, answer.text
        return answer.json()["code"], answer.json()["detail"]

    code, detail = await refused(drives={"profile": "intel-x25-e", "count": 4})
    assert (code, detail.split(":")[0]) == ("invalid_argument", "/drives")
    code, detail = await refused(groups=[group("one", faults=[{**FAULTS[0], "latency_ms": 0}])])
    assert detail.startswith("/groups/0/faults/0/slow/latency_ms:")
    code, detail = await refused(groups=[group(str(each)) for each in range(9)])
    assert detail.startswith("/groups:")
    assert (await refused(controller={"profile": "native", "count": 2}))[1].startswith(
        "/controller/count:"
    )

    async def problem(**changes: Any) -> str:
        begun = await viewer.post("/lab/simulations", json=groups(**changes))
        done = await ended(viewer, begun.json())
        assert done["state"] == "failed"
        return str(done["problem"])

    same = [group("one"), group("one")]
    assert await problem(groups=same) == "two groups have the name one"
    assert "name one of them" in await problem(groups=[group("a", workload=RANDOM_READ)])
    card = {"profile": "lsi-megaraid-sas-9260-8i"}
    eight = [group(each, drives={"profile": "intel-x25-e", "count": 5}) for each in "ab"]
    assert "8 ports, the groups have 10 drives" in await problem(groups=eight, controller=card)


async def test_groups_can_be_cancelled(viewer: httpx.AsyncClient) -> None:
    slow = group("slow", drives={"profile": "wd-wd740gd", "count": 4})
    limits = {"operations": 100_000, "warmup_operations": 100_000}
    body = groups(group("quick"), slow, limits=limits)
    begun = (await viewer.post("/lab/simulations", json=body)).json()
    assert (begun["state"] in ("waiting", "running"), begun["points"]) == (True, 3)
    answer = await viewer.post(f"/lab/simulations/{begun['id']}/cancel")
    assert answer.json()["state"] == "cancelled"


async def test_cancel(viewer: httpx.AsyncClient) -> None:
    begun = (await viewer.post("/lab/simulations", json=LONG)).json()
    answer = await viewer.post(f"/lab/simulations/{begun['id']}/cancel")
    assert answer.json()["state"] == "cancelled"
    assert answer.json()["prediction"] is None
    anew = (await viewer.post("/lab/simulations", json=LONG)).json()
    assert anew["state"] in ("waiting", "running")
    await viewer.post(f"/lab/simulations/{begun['id']}/cancel")


async def test_what_is_refused(viewer: httpx.AsyncClient) -> None:
    async def code(**changes: Any) -> tuple[int, str]:
        answer = await viewer.post("/lab/simulations", json=scenario(**changes))
        return answer.status_code, answer.json()["code"]

    assert await code(turbo=True) == (422, "invalid_argument")
    assert await code(drives={"profile": "../etc", "count": 4}) == (422, "invalid_argument")
    assert await code(workloads=[{}]) == (422, "invalid_argument")
    many = [{**RANDOM_READ, "write_percents": list(range(32)), "depths": list(range(1, 33))}]
    assert await code(workloads=many * 2) == (422, "lab_too_many_points")
    large = {"operations": 200_000, "warmup_operations": 200_000}
    database: list[dict[str, Any]] = [{"profile": "w01-database"}]
    assert await code(workloads=database, limits=large) == (422, "lab_too_many_operations")
    # 99 points, each of them twice 200,000 in order to fill a cache: only if it is written back
    filling = {"operations": 10, "warmup_operations": 10, "fill_operations": 200_000}
    back = {"level": "raid5", "write_policy": "write_back"}
    refused = await code(workloads=database, limits=filling, array=back)
    assert refused == (422, "lab_too_many_operations")
    database[0] |= large  # a load's own count
    assert await code(workloads=database) == (422, "lab_too_many_operations")
    absent = await viewer.get(f"/lab/simulations/{'0' * 64}")
    assert absent.status_code == 404


async def test_what_arraysim_itself_refuses(viewer: httpx.AsyncClient) -> None:
    body = scenario(controller={"profile": "nobody"})
    done = await ended(viewer, (await viewer.post("/lab/simulations", json=body)).json())
    assert done["state"] == "failed"
    assert "there is no such profile" in done["problem"]


# Saved ones


async def test_saved_scenarios(callers: Callers) -> None:
    viewer, other = callers.role(Role.VIEWER), callers.role(Role.OPERATOR)
    made = await viewer.post("/lab/scenarios", json={"name": " mine ", "scenario": scenario()})
    assert made.status_code == 201, made.text
    saved = made.json()
    assert saved["name"] == "mine"
    assert saved["scenario"]["array"]["level"] == "raid5"
    assert made.headers["Location"] == f"/api/v1/lab/scenarios/{saved['id']}"
    assert (await viewer.get(f"/lab/scenarios/{saved['id']}")).json() == saved
    body = {"name": "later", "scenario": scenario(rebuild=True)}
    assert (await viewer.post("/lab/scenarios", json=body)).status_code == 201
    listed = (await viewer.get("/lab/scenarios")).json()
    assert ([each["name"] for each in listed["items"]], listed["total"]) == (["later", "mine"], 2)
    # What comes out can be simulated as it is.
    run = await viewer.post("/lab/simulations", json=listed["items"][1]["scenario"])
    assert run.status_code in (200, 202), run.text

    # The names are one's own; what others have saved is not there.
    assert (await other.get("/lab/scenarios")).json()["total"] == 0
    assert (await other.get(f"/lab/scenarios/{saved['id']}")).status_code == 404
    assert (await other.delete(f"/lab/scenarios/{saved['id']}")).status_code == 404
    assert (await other.post("/lab/scenarios", json=body)).status_code == 201

    assert (await viewer.delete(f"/lab/scenarios/{saved['id']}")).status_code == 204
    assert (await viewer.delete(f"/lab/scenarios/{saved['id']}")).status_code == 404
    assert (await viewer.get("/lab/scenarios")).json()["total"] == 1
    trail = (await callers.role(Role.ADMINISTRATOR).get("/audit")).json()["items"]
    acts = [(each["action"], each["target"]) for each in trail if "lab" in each["action"]]
    assert acts == [
        ("lab_scenario.delete", "mine"),
        ("lab_scenario.save", "later"),
        ("lab_scenario.save", "later"),
        ("lab_scenario.save", "mine"),
    ]


async def test_both_kinds_are_saved_in_one_list(
    callers: Callers, viewer: httpx.AsyncClient
) -> None:
    first = await viewer.post("/lab/scenarios", json={"name": "an", "scenario": scenario()})
    body = {"name": "several", "scenario": groups(group("one", faults=FAULTS), group("two"))}
    made = await viewer.post("/lab/scenarios", json=body)
    assert made.status_code == 201, made.text
    # As it was saved before there were expanders.
    async with callers.server.runtime.database.write() as session:
        row = await session.get(SavedScenario, UUID(first.json()["id"]))
        assert row is not None
        controller = dict(row.scenario["controller"])
        del controller["expander_bytes_per_s"]
        row.scenario = {**row.scenario, "controller": controller}
    listed = (await viewer.get("/lab/scenarios")).json()["items"]
    assert [each["name"] for each in listed] == ["several", "an"]
    assert [each["faults"] for each in listed[0]["scenario"]["groups"]] == [FAULTS, []]
    assert listed[1]["scenario"]["controller"]["expander_bytes_per_s"] == 0
    for each in listed:
        run = await viewer.post("/lab/simulations", json=each["scenario"])
        assert run.status_code in (200, 202), run.text


async def test_what_is_not_saved(
    viewer: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def save(name: str, **changes: Any) -> tuple[int, str]:
        body = {"name": name, "scenario": scenario(**changes)}
        answer = await viewer.post("/lab/scenarios", json=body)
        return answer.status_code, answer.json().get("code", "")

    assert await save("one") == (201, "")
    assert await save("one", rebuild=True) == (409, "name_taken")
    assert await save(" ") == (422, "invalid_argument")
    assert await save("x" * 121) == (422, "invalid_argument")
    assert await save("two", turbo=True) == (422, "invalid_argument")
    monkeypatch.setattr(scenarios, "SAVED_MAX", 1)
    assert await save("three") == (422, "lab_too_many_saved")
    listed = (await viewer.get("/lab/scenarios")).json()
    assert [each["name"] for each in listed["items"]] == ["one"]
    assert listed["items"][0]["scenario"]["rebuild"] is False


# The wizard's question


async def wish(client: httpx.AsyncClient, **changes: Any) -> dict[str, Any]:
    controller = await only(client, "/controllers")
    drives = (await client.get("/drives")).json()["items"]
    ids = [drive["id"] for drive in drives[:4]]
    return {"controller_id": controller["id"], "level": "raid5", "drive_ids": ids, **changes}


async def test_choice_next_to_the_others(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    rule = documents.controller()["levels"][0]
    levels = [{**rule, "level": level} for level in ("raid0", "raid5", "raid10", "raid60")]
    items = documents.blank_host()
    next(each for each in items if each["kind"] == "controller")["doc"]["levels"] = levels
    await agent.connect()
    await agent.report_all(items)
    body = await wish(viewer)
    answer = await viewer.post("/lab/choices", json=body, timeout=PATIENCE_S)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["drive"]["exact"] is False
    assert found["drive"]["media"] == "hdd"
    assert (found["host_cache_bytes"], found["bound"]["cache_bytes"]) == (0, 0)
    assert found["capacity_bytes"] == 2 * documents.GIB
    choices = {each["level"]: each for each in found["choices"]}
    assert list(choices) == ["raid0", "raid5", "raid10", "raid60"]
    # Without a cache there is no write-back, so it is what was asked for all the same.
    assert [each["level"] for each in found["choices"] if each["chosen"]] == ["raid5"]
    assert choices["raid10"]["survival"]["pairs_survived"] == 4
    assert choices["raid10"]["survival"]["fatal_pairs"] == [[0, 1], [2, 3]]
    assert choices["raid0"]["rebuild"] is None
    assert choices["raid5"]["rebuild"]["seconds"] > 10
    assert choices["raid0"]["figures"]["random_write_per_s"] > (
        2 * choices["raid5"]["figures"]["random_write_per_s"]
    )
    assert choices["raid60"]["figures"] is None
    assert choices["raid60"]["refused"]
    other = await viewer.post(
        "/lab/choices", json={**body, "drive_profile": "intel-x25-e"}, timeout=PATIENCE_S
    )
    assert other.json()["drive"]["model"] == "INTEL SSDSA2SH064G1"
    unknown = await viewer.post("/lab/choices", json={**body, "drive_profile": "nobody"})
    assert unknown.json()["code"] == "lab_unknown_profile"


async def test_what_is_measured_is_predicted(agent: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await agent.connect()
    await agent.report_all(documents.raid5_host())
    virtual_drive = await only(viewer, "/virtual-drives")
    block = {"bytes": 4096, "percent": 100}
    load = {"pattern": "random", "blocks": [block], "depth": 16}
    loads = [load, {**load, "write_percent": 100}]
    body = {"virtual_drive_id": virtual_drive["id"], "seconds": 5, "loads": loads}
    answer = await viewer.post("/lab/measured", json=body, timeout=PATIENCE_S)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert (found["refused"], found["drive"]["media"]) == (None, "hdd")
    reading, writing = found["loads"]
    assert reading["operations_per_s"] > 2 * writing["operations_per_s"] > 0
    assert reading["bytes_per_s"] == pytest.approx(4096 * reading["operations_per_s"])
    copying = {**load, "pattern": "files_copy", "file_bytes": 1 << 20, "depth": 1}
    files = await viewer.post(
        "/lab/measured", json={**body, "loads": [copying]}, timeout=PATIENCE_S
    )
    assert files.status_code == 200, files.text
    assert files.json()["loads"][0]["bytes_per_s"] > 1_000_000
    nothing = await viewer.post(
        "/lab/measured", json={**body, "loads": [{**copying, "file_bytes": 0}]}
    )
    assert nothing.status_code == 422
    unknown = await viewer.post("/lab/measured", json={**body, "virtual_drive_id": str(uuid4())})
    assert unknown.status_code == 404


async def test_choice_with_a_cache(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    asked = await viewer.post("/lab/choices", json=await wish(viewer), timeout=PATIENCE_S)
    found = asked.json()
    policies = {each["write_policy"]: each["chosen"] for each in found["choices"]}
    assert policies == {"write_through": False, "write_back": True}
    bound = found["bound"]
    assert found["host_cache_bytes"] > bound["cache_bytes"] > 0
    # What is measured of writes is what a full cache does.
    assert bound["write_warmup_operations"] * bound["random_bytes"] > bound["cache_bytes"]


# The program


async def test_no_program() -> None:
    lab = Lab(settings_with(Path("/nowhere/arraysim")))
    with pytest.raises(LabUnavailableError, match="at /nowhere/arraysim"):
        await lab.catalogue()


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "arraysim"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"


async def test_one_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    notes = tmp_path / "pids"
    program = Program(settings_with(script(tmp_path, f"sleep 60 & echo $! $$ > {notes}; wait")))
    with pytest.raises(LabFailedError, match="longer than 4 s"):
        await program.sweep(b"{}", 4.0, None)
    for pid in notes.read_text().split():
        while is_alive(int(pid)):
            await asyncio.sleep(0.01)


async def test_one_that_talks_too_much_is_ended(tmp_path: Path) -> None:
    program = Program(settings_with(script(tmp_path, "cat /dev/zero")))
    with pytest.raises(LabFailedError, match="too long"):
        await program.sweep(b"{}", PATIENCE_S, None)


async def test_one_that_nobody_reads_is_ended(tmp_path: Path) -> None:
    """Its pipe is full and is not being read: asyncio does not notice its end by itself."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        script(tmp_path, "cat /dev/zero"),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        start_new_session=True,
    )
    await asyncio.sleep(0.5)
    async with asyncio.timeout(20):
        await program._end(process)
    assert process.returncode == -signal.SIGKILL


def test_one_that_ended_before_it_was_asked(tmp_path: Path) -> None:
    """On the loop of the server, which differs here from asyncio's own."""
    path = script(tmp_path, "echo early")

    async def talk() -> bytes:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(path, stdin=pipe, stdout=pipe, stderr=pipe)
        await process.wait()
        return await program._talk(process, b"{}", None)

    assert uvloop.run(talk()) == b"early\n"


async def test_it_inherits_no_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARRAYWRIGHT_SECRET", "hidden")
    program = Program(settings_with(script(tmp_path, "/usr/bin/env")))
    assert "hidden" not in (await program.sweep(b"{}", PATIENCE_S, None)).decode()


async def test_memory_is_limited() -> None:
    program = Program(settings_with(programs.arraysim(), lab_memory_mib=64))
    body = scenario(
        controller={"profile": "native", "cache_bytes": 512 * 1024 * 1024},
        array={"level": "raid5", "write_policy": "write_back"},
    )
    with pytest.raises(LabFailedError, match="no cache of that size"):
        await program.sweep(encode(Scenario.model_validate(body)), PATIENCE_S, None)


async def test_progress_and_its_order(lab: Lab) -> None:
    seen: list[tuple[int, int]] = []
    body = encode(Scenario.model_validate(scenario()))
    await lab.program.sweep(body, PATIENCE_S, lambda done, count: seen.append((done, count)))
    assert seen == [(1, 2), (2, 2)]


async def test_short_ones_do_not_wait_for_long_ones(lab: Lab) -> None:
    long_run = await lab.start(encode(Scenario.model_validate(LONG)), 1)
    short_run = await lab.start(encode(Scenario.model_validate(scenario())), 1, short=True)
    await short_run.ended.wait()
    assert short_run.state is RunState.COMPLETED
    assert not long_run.ended.is_set()
    await lab.cancel(long_run)
    assert long_run.state is RunState.CANCELLED


async def test_one_that_waits_can_be_cancelled_too(lab: Lab) -> None:
    first = await lab.start(encode(Scenario.model_validate(LONG)), 1)
    second = await lab.start(encode(Scenario.model_validate({**LONG, "seed": 2})), 1)
    await lab.cancel(second)
    assert (second.state, first.ended.is_set()) == (RunState.CANCELLED, False)
