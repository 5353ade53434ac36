"""Batteries and caches: what hosts report about them, and what can be asked of them."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.support import documents, wire
from tests.support.agent import FakeAgent
from tests.test_commands import follow, only, until_offline

pytestmark = pytest.mark.anyio


async def test_a_battery_is_listed_and_got(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    controller = await only(viewer, "/controllers")
    battery = await only(viewer, "/batteries")
    assert battery["controller_id"] == controller["id"]
    assert (battery["kind"], battery["state"], battery["charge_percent"]) == (
        "emulated",
        "optimal",
        100,
    )
    assert battery["learn"]["next_at"] == "2023-11-14T22:13:20Z"
    assert battery["learn"]["last_at"] is None
    answer = await viewer.get(f"/batteries/{battery['id']}")
    assert answer.json() == battery
    assert answer.headers["ETag"].startswith(f'"{battery["config_rev"]}.')


async def test_filters(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    async def count(**query: Any) -> int:
        answer = await viewer.get("/batteries", params=query)
        assert answer.status_code == 200, answer.text
        return len(answer.json()["items"])

    controller = await only(viewer, "/controllers")
    assert await count(controller_id=controller["id"]) == 1
    assert await count(kind="emulated", state=["optimal", "failed"]) == 1
    assert await count(kind="ups") == 0
    assert await count(state="failed") == 0
    assert await count(q="ibbu01") == 1
    assert await count(q="nothing") == 0
    wrong = await viewer.get("/batteries", params={"state": "tired"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "invalid_argument")


async def test_cache_of_a_controller(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    kept = documents.cache(preserved=[documents.preserved()], pinned_bytes=4096)
    await cached.change("controller", "c0", documents.controller(cache=kept))
    controller = await only(viewer, "/controllers")
    virtual_drive = await only(viewer, "/virtual-drives")
    assert controller["cache"]["read_hit_percent"] == 87.5
    assert controller["cache"]["preserved"][0]["virtual_drive_id"] == virtual_drive["id"]
    assert controller["cache"]["preserved"][0]["virtual_drive_key"] == "v0"


async def test_an_agent_that_knows_nothing_of_it(
    raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """Agents of the former version send none of the new fields."""
    assert (await viewer.get("/batteries")).json()["items"] == []
    controller = await only(viewer, "/controllers")
    assert (controller["cache"], controller["no_battery_rule"]) == (None, None)
    virtual_drive = await only(viewer, "/virtual-drives")
    for field in ("stripe_log", "cache", "read_ahead", "lost_writes", "bad_block_count"):
        assert virtual_drive[field] is None
    for field in ("effective_stripe_log", "effective_hedged_reads"):
        assert virtual_drive[field] is None


async def test_new_fields_of_a_virtual_drive(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    lost = documents.reason("cache_lost_medium", "The medium is gone.", bytes="4096")
    held = {
        "dirty": True,
        "dirty_bytes": 8192,
        "flush_after_ms": 16000,
        "pinned": False,
        "pinned_bytes": 0,
        "read_hit_percent": None,
    }
    ahead = {"state": "reading", "streams": 2, "window_bytes": 1048576}
    await cached.change(
        "virtual_drive",
        "v0",
        documents.virtual_drive(
            stripe_log=True, cache=held, read_ahead=ahead, lost_writes=lost, bad_block_count=3
        ),
    )
    found = await only(viewer, "/virtual-drives")
    assert (found["cache"], found["read_ahead"], found["lost_writes"]) == (held, ahead, lost)
    assert (found["stripe_log"], found["bad_block_count"]) == (True, 3)


async def test_what_is_asked_for_and_not_in_use(
    cached: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    log = {
        "requested": "on",
        "effective": "off",
        "reason": documents.reason("stripe_log_journal", "The journal logs instead."),
    }
    hedged = {"requested": "on", "effective": "sometimes", "reason": log["reason"]}
    await cached.change(
        "virtual_drive",
        "v0",
        documents.virtual_drive(
            stripe_log=True,
            hedged_reads=True,
            effective_stripe_log=log,
            effective_hedged_reads=hedged,  # a word of a later version
        ),
    )
    found = await only(viewer, "/virtual-drives")
    assert (found["effective_stripe_log"], found["effective_hedged_reads"]) == (log, hedged)


async def test_actions_become_commands(cached: FakeAgent, operator: httpx.AsyncClient) -> None:
    battery = await only(operator, "/batteries")
    path = f"/batteries/{battery['id']}"
    sent: list[tuple[str, str, dict[str, Any] | None, str, dict[str, Any]]] = [
        ("POST", f"{path}/actions/learn", None, "battery_learn", {}),
        ("POST", f"{path}/actions/fault", {"fault": "fail"}, "battery_fault", {"fault": "fail"}),
        ("PATCH", path, {"learn_mode": "warn"}, "battery_set", {"learn_mode": "warn"}),
        (
            "PATCH",
            path,
            {"next_learn_at": "2033-05-18T05:33:20+02:00"},
            "battery_set",
            {"next_learn_at_us": 2_000_000_000_000_000},
        ),
    ]
    for method, url, body, op, arguments in sent:
        answer = await operator.request(method, url, json=body)
        assert answer.status_code == 202, answer.text
        command = await cached.expect("command", op=op)
        assert command["args"] == {"battery": "bbu0", **arguments}
        await cached.finish(command)
        assert (await follow(operator, answer))["state"] == "succeeded"
    empty = await operator.patch(path, json={})
    assert empty.status_code == 422
    naive = await operator.patch(path, json={"next_learn_at": "2033-05-18T05:33:20"})
    assert naive.status_code == 422


async def test_counters_of_three_kinds(cached: FakeAgent, operator: httpx.AsyncClient) -> None:
    for kind, url, key in (
        ("controller", "/controllers", "c0"),
        ("virtual_drive", "/virtual-drives", "v0"),
        ("drive", "/drives", "d0"),
    ):
        items = (await operator.get(url)).json()["items"]
        target = next(item for item in items if item["key"] == key)
        answer = await operator.post(f"{url}/{target['id']}/actions/reset-counters")
        assert answer.status_code == 202, answer.text
        command = await cached.expect("command", op="counters_reset")
        assert command["args"] == {"kind": kind, "key": key}
        await cached.finish(command)


async def test_flushes_of_two_kinds(cached: FakeAgent, operator: httpx.AsyncClient) -> None:
    for kind, url, key in (
        ("controller", "/controllers", "c0"),
        ("virtual_drive", "/virtual-drives", "v0"),
    ):
        items = (await operator.get(url)).json()["items"]
        target = next(item for item in items if item["key"] == key)
        answer = await operator.post(f"{url}/{target['id']}/actions/flush-cache")
        assert answer.status_code == 202, answer.text
        command = await cached.expect("command", op="cache_flush")
        assert command["args"] == {"kind": kind, "key": key}
        await cached.finish(command)
        assert (await follow(operator, answer))["state"] == "succeeded"


async def test_discarding_needs_if_match_and_the_name(
    cached: FakeAgent, operator: httpx.AsyncClient
) -> None:
    kept = documents.cache(preserved=[documents.preserved()], pinned_bytes=4096)
    await cached.change("controller", "c0", documents.controller(cache=kept))
    controller = await only(operator, "/controllers")
    url = f"/controllers/{controller['id']}/actions/discard-preserved-cache"
    match = {"If-Match": f'"{controller["config_rev"]}"'}

    async def attempt(headers: dict[str, str], **body: str) -> tuple[int, str]:
        answer = await operator.post(url, json=body, headers=headers)
        return answer.status_code, answer.json().get("code", "")

    right = {"virtual_drive_key": "v0", "confirm": "data"}
    assert (await attempt({}, **right))[0] == 428
    wrong_name = {**right, "confirm": "date"}
    assert await attempt(match, **wrong_name) == (422, "confirm_mismatch")
    unknown = {**right, "virtual_drive_key": "v9"}
    assert await attempt(match, **unknown) == (422, "cache_no_preserved")
    assert (await attempt(match, **right))[0] == 202
    command = await cached.expect("command", op="cache_discard")
    assert command["args"] == {"controller": "c0", "virtual_drive": "v0"}
    assert command["confirm"] == "data"


async def asked(
    agent: FakeAgent, client: httpx.AsyncClient, url: str, data: dict[str, Any] | None, **how: Any
) -> tuple[httpx.Response, dict[str, Any]]:
    """What the caller gets and what the host was asked."""
    request = asyncio.create_task(client.get(url))
    query = await agent.answer_query(data, **how)
    return await request, query


def latencies() -> dict[str, Any]:
    quiet = {
        "count": 0,
        "mean_us": 0,
        "p50_us": 0,
        "p99_us": 0,
        "p999_us": 0,
        "max_us": 0,
        "buckets": [],
    }
    busy = {
        "count": 3,
        "mean_us": 90,
        "p50_us": 80,
        "p99_us": 120,
        "p999_us": 120,
        "max_us": 118,
        "buckets": [{"below_us": 100, "count": 2}, {"below_us": 200, "count": 1}],
    }
    return {"since_us": 5_000_000, "read": busy, "write": busy, "flush": quiet}


async def test_latency_comes_from_the_host(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    virtual_drive = await only(viewer, "/virtual-drives")
    url = f"/virtual-drives/{virtual_drive['id']}/latency"
    wire.validator("commands", "latency_answer").validate(latencies())
    answer, query = await asked(cached, viewer, url, latencies())
    assert (query["name"], query["args"]) == ("latency", {"kind": "virtual_drive", "key": "v0"})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["since"] == "1970-01-01T00:00:05Z"
    assert found["read"]["buckets"] == latencies()["read"]["buckets"]
    assert found["flush"]["count"] == 0


async def test_bad_blocks_come_from_the_host(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    table = {
        "block_bytes": 512,
        "total": 2,
        "more": False,
        "blocks": [{"lba": 4096, "count": 8, "found_us": 5_000_000}],
    }
    virtual_drive = await only(viewer, "/virtual-drives")
    url = f"/virtual-drives/{virtual_drive['id']}/bad-blocks?after_lba=8"
    wire.validator("commands", "bad_blocks_answer").validate(table)
    answer, query = await asked(cached, viewer, url, table)
    assert query["name"] == "bad_blocks"
    assert query["args"] == {"kind": "virtual_drive", "key": "v0", "after_lba": 8}
    assert answer.json()["blocks"] == [
        {"lba": 4096, "count": 8, "found_at": "1970-01-01T00:00:05Z"}
    ]


async def test_foreign_sets_come_from_the_host(
    cached: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    why = documents.reason("foreign_degraded", "Not all of its drives are there and in sync.")
    members = [
        {"drive": "d0", "serial": "S0", "state": "online"},
        {"drive": None, "serial": "", "state": "missing"},
    ]
    volume = {
        "name": "data",
        "level": "RAID1",
        "size_bytes": 1 << 30,
        "strip_bytes": 65536,
        "consistent": True,
        "state": "degraded",
        "reason": why,
        "members": members,
    }
    sets = [
        {
            "format": "ddf",
            "id": "ab" * 24,
            "version": "01.02.00",
            "sequence": 7,
            "drives": ["d0"],
            "virtual_drives": [volume],
        }
    ]
    told = {"sets": sets, "damaged": [{"drive": "d1", "reason": why}]}
    wire.validator("commands", "foreign_answer").validate(told)
    controller = await only(viewer, "/controllers")
    answer, query = await asked(cached, viewer, f"/controllers/{controller['id']}/foreign", told)
    assert query["name"] == "foreign"
    assert answer.status_code == 200, answer.text
    found = answer.json()["sets"][0]
    places = found["virtual_drives"][0]["members"]
    assert [place["drive_id"] is None for place in places] == [False, True]
    assert found["drive_ids"] == [places[0]["drive_id"]]
    assert found["virtual_drives"][0]["reason"]["code"] == "foreign_degraded"
    assert answer.json()["damaged"][0]["drive_id"] != found["drive_ids"][0]


async def test_an_agent_that_does_not_measure(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    virtual_drive = await only(viewer, "/virtual-drives")
    why = documents.reason("unknown_command", "This agent does not know it.", op="latency")
    url = f"/virtual-drives/{virtual_drive['id']}/latency"
    answer, _ = await asked(cached, viewer, url, None, reason=why)
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_command")


async def test_offline_host(cached: FakeAgent, operator: httpx.AsyncClient) -> None:
    battery = await only(operator, "/batteries")
    virtual_drive = await only(operator, "/virtual-drives")
    await cached.close()
    await until_offline(operator, cached)
    stale = await only(operator, "/batteries")
    assert (stale["online"], stale["charge_percent"]) == (False, 100)
    assert stale["blocked"]["battery_learn"]["code"] == "host_offline"
    for method, url in (
        ("POST", f"/batteries/{battery['id']}/actions/learn"),
        ("GET", f"/virtual-drives/{virtual_drive['id']}/latency"),
    ):
        answer = await operator.request(method, url)
        assert (answer.status_code, answer.json()["code"]) == (409, "host_offline")


async def test_a_viewer_is_told_why_not(cached: FakeAgent, viewer: httpx.AsyncClient) -> None:
    battery = await only(viewer, "/batteries")
    assert {name: why["code"] for name, why in battery["blocked"].items()} == {
        "battery_fault": "role_needed",
        "battery_learn": "role_needed",
        "battery_set": "role_needed",
    }
