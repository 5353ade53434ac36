"""What hosts report, as REST shows it."""

from typing import Any
from uuid import UUID

import httpx
import pytest

from arraywright.kit.ids import object_id
from arraywright.kit.roles import Role
from tests.conftest import Callers, enrolled_agent
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.server import Running
from tests.test_commands import by_path, only, until_offline

pytestmark = pytest.mark.anyio


async def keys(client: httpx.AsyncClient, path: str, **filters: Any) -> list[str]:
    answer = await client.get(f"/{path}", params=filters)
    assert answer.status_code == 200, answer.text
    return [item["key"] for item in answer.json()["items"]]


async def test_keys_become_ids(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    host_id = UUID(raid5.agent_id)

    def expected(kind: str, key: str) -> str:
        return str(object_id(host_id, kind, key))

    drive = await by_path(viewer, "drives", "/c0/e252/s2")
    assert drive["id"] == expected("drive", "d2")
    assert drive["host_id"] == raid5.agent_id
    assert drive["controller_id"] == expected("controller", "c0")
    assert drive["enclosure_id"] == expected("enclosure", "e252")
    assert drive["drive_group_id"] == expected("drive_group", "g0")
    group = await only(viewer, "/drive-groups")
    assert [member["drive_id"] for member in group["members"]] == [
        expected("drive", f"d{n}") for n in range(4)
    ]
    assert group["virtual_drive_ids"] == [expected("virtual_drive", "v0")]
    virtual_drive = await only(viewer, "/virtual-drives")
    assert virtual_drive["drive_group_id"] == group["id"]
    assert virtual_drive["created_at"] == "2023-11-14T22:13:20Z"
    for kind, item in (("drives", drive), ("drive-groups", group)):
        answer = await viewer.get(f"/{kind}/{item['id']}")
        assert answer.json() == item
        assert answer.headers["ETag"].startswith(f'"{item["config_rev"]}.')
    other_kind = await viewer.get(f"/controllers/{drive['id']}")
    assert other_kind.status_code == 404


async def test_the_state_of_each_span(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    assert (await only(viewer, "/drive-groups"))["span_states"] is None  # an older agent
    states = ["degraded", "optimal"]
    changed = documents.drive_group(level="raid50", span_count=2, span_states=states)
    await raid5.change("drive_group", "g0", changed, config_rev=2)
    assert (await only(viewer, "/drive-groups"))["span_states"] == states


async def test_filters(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    controller = await only(viewer, "/controllers")
    enclosure = await only(viewer, "/enclosures")
    group = await only(viewer, "/drive-groups")
    members = ["d0", "d1", "d2", "d3"]
    assert await keys(viewer, "drives", drive_group_id=group["id"]) == members
    assert await keys(viewer, "drives", state="online") == members
    both = await keys(viewer, "drives", state=["online", "unconfigured_good"])
    assert len(both) == 8
    assert await keys(viewer, "drives", q="sn0005") == ["d5"]
    assert await keys(viewer, "drives", q="%") == []
    assert len(await keys(viewer, "drives", q="ALPHA")) == 8
    assert len(await keys(viewer, "drives", enclosure_id=enclosure["id"])) == 8
    assert await keys(viewer, "enclosures", controller_id=controller["id"]) == ["e252"]
    assert await keys(viewer, "controllers", status="optimal") == ["c0"]
    assert await keys(viewer, "controllers", status="failed") == []
    assert await keys(viewer, "virtual-drives", level="raid5", state="optimal") == ["v0"]
    assert await keys(viewer, "virtual-drives", level="raid6") == []
    assert await keys(viewer, "virtual-drives", q="dat") == ["v0"]
    for wrong in ({"state": "broken"}, {"host_id": "x"}, {"unknown": "1"}):
        answer = await viewer.get("/drives", params=wrong)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_argument")


async def test_pages_in_natural_order(
    server: Running, raid5: FakeAgent, administrator: httpx.AsyncClient
) -> None:
    async with await enrolled_agent(server, administrator, "beta") as beta:
        await beta.connect()
        objects = documents.blank_host()
        objects += [
            documents.item("drive", f"x{slot}", 1, documents.drive(slot)) for slot in (10, 11, 9)
        ]
        await beta.report_all(objects)
        seen: list[str] = []
        query: dict[str, Any] = {"limit": 4}
        while True:
            page = (await administrator.get("/drives", params=query)).json()
            seen += [f"{item['host_name']}{item['path']}" for item in page["items"]]
            if page["next_cursor"] is None:
                break
            query["cursor"] = page["next_cursor"]
    assert seen == [f"alpha/c0/e252/s{n}" for n in range(8)] + [
        f"beta/c0/e252/s{n}" for n in range(12) if n < 8 or n in (9, 10, 11)
    ]


async def test_operations(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await raid5.change("operation", "o1", documents.operation(started_at_us=5_000_000))
    ended = documents.operation(
        kind="background_init",
        target_kind="virtual_drive",
        target="v0",
        state="completed",
        started_at_us=9_000_000,
        ended_at_us=10_000_000,
        time_left_s=None,
    )
    await raid5.change("operation", "o2", ended)
    group = await only(viewer, "/drive-groups")
    assert await keys(viewer, "operations") == ["o2", "o1"]  # newest first
    assert await keys(viewer, "operations", active=True) == ["o1"]
    assert await keys(viewer, "operations", active=False) == ["o2"]
    assert await keys(viewer, "operations", kind="rebuild") == ["o1"]
    assert await keys(viewer, "operations", state=["running", "paused"]) == ["o1"]
    assert len(await keys(viewer, "operations", drive_group_id=group["id"])) == 2
    drive = await by_path(viewer, "drives", "/c0/e252/s4")
    rebuild = await only(viewer, "/operations", target_id=drive["id"])
    assert rebuild["target_path"] == "/c0/e252/s4"
    assert rebuild["target_name"] is None
    assert rebuild["started_at"] == "1970-01-01T00:00:05Z"
    init = (await viewer.get("/operations", params={"active": False})).json()["items"][0]
    assert (init["target_name"], init["ended_at"]) == ("data", "1970-01-01T00:00:10Z")
    host = (await viewer.get(f"/hosts/{raid5.agent_id}")).json()
    assert host["summary"]["operations_running"] == 1


async def test_a_copyback_names_both_drives(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await raid5.change("operation", "o1", documents.operation(kind="copyback", source="d1"))
    await raid5.change("operation", "o2", documents.operation())
    drive = await by_path(viewer, "drives", "/c0/e252/s1")
    copyback = await only(viewer, "/operations", kind="copyback")
    assert (copyback["source_id"], copyback["source_path"]) == (drive["id"], "/c0/e252/s1")
    rebuild = await only(viewer, "/operations", kind="rebuild")
    assert (rebuild["source_id"], rebuild["source_path"]) == (None, None)


async def test_patrol_read(raid5: FakeAgent, operator: httpx.AsyncClient) -> None:
    old = await only(operator, "/controllers")
    assert (old["patrol"], old["patrol_mode"], old["patrol_ssds"]) == (None, None, None)
    assert (await by_path(operator, "drives", "/c0/e252/s0"))["patrol"] is None
    running = documents.operation(
        kind="patrol_read", target_kind="controller", target="c0", drive_group=None
    )
    await raid5.change("operation", "o1", running)
    settings = {"patrol_mode": "auto", "patrol_delay_hours": 168, "patrol_drives_max": 8}
    doc = documents.controller(patrol=documents.patrol(), **settings)
    await raid5.change("controller", "c0", doc)
    skipped = documents.reason("patrol_skips_unused", "Only members and hot spares are patrolled.")
    patrolled = {"done_at_us": 5_000_000, "read_bytes": 4096, "skipped": None}
    await raid5.change("drive", "d0", documents.drive(0, patrol=patrolled))
    unused = {"done_at_us": None, "read_bytes": 0, "skipped": skipped}
    await raid5.change("drive", "d5", documents.drive(5, patrol=unused))
    controller = await only(operator, "/controllers")
    operation = await only(operator, "/operations", kind="patrol_read")
    assert {name: controller[name] for name in settings} == settings
    assert controller["patrol"] == {
        "next_at": None,
        "last_at": "2023-11-14T22:13:20Z",
        "iterations": 3,
        "operation_id": operation["id"],
        "drives_done": 1,
        "drives_total": 3,
        "errors": 2,
    }
    assert (operation["target_id"], operation["target_path"]) == (controller["id"], "/c0")
    drive = await by_path(operator, "drives", "/c0/e252/s0")
    assert drive["patrol"]["done_at"] == "1970-01-01T00:00:05Z"
    drive = await by_path(operator, "drives", "/c0/e252/s5")
    assert drive["patrol"]["skipped"] == skipped


async def test_progress_does_not_move_config_rev(
    raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    before = await only(viewer, "/virtual-drives")
    await raid5.change("operation", "o1", documents.operation())
    await raid5.change("operation", "o1", documents.operation(progress_percent=60.0))
    after = await only(viewer, "/virtual-drives")
    assert after["config_rev"] == before["config_rev"]


async def test_blocked_is_completed(raid5: FakeAgent, callers: Callers) -> None:
    text = "Drive d0 holds the last copy of data of g0; it cannot be taken away."
    why = documents.reason("last_copy", text, drive="d0", group="g0")
    doc = documents.drive(
        0, state="online", drive_group="g0", span=0, row=0, blocked={"drive_offline": why}
    )
    await raid5.change("drive", "d0", doc)
    operator, viewer = callers.role(Role.OPERATOR), callers.role(Role.VIEWER)
    seen = await by_path(operator, "drives", "/c0/e252/s0")
    assert seen["blocked"] == {"drive_offline": why}
    seen = await by_path(viewer, "drives", "/c0/e252/s0")
    assert {reason["code"] for reason in seen["blocked"].values()} == {"role_needed"}
    assert {"drive_offline", "drive_locate", "fault_inject"} <= set(seen["blocked"])
    await raid5.close()
    await until_offline(viewer, raid5)
    seen = await by_path(operator, "drives", "/c0/e252/s0")
    assert {reason["code"] for reason in seen["blocked"].values()} == {"host_offline"}
    assert seen["online"] is False
    assert seen["stale_since"] is not None
    seen = await by_path(viewer, "drives", "/c0/e252/s0")
    assert {reason["code"] for reason in seen["blocked"].values()} == {"role_needed"}


async def test_host_figures(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    await raid5.change("drive", "d4", documents.drive(4, state="hot_spare"))
    await raid5.change("drive", "d5", documents.drive(5, state="failed"))
    await raid5.change(
        "virtual_drive",
        "v0",
        documents.virtual_drive(state="degraded", drive_failures_left=0),
        config_rev=2,
    )
    await raid5.find(
        documents.finding("drive_failed", "d5", "/c0/e252/s5"),
        documents.finding("virtual_drive_degraded"),
    )
    host = (await viewer.get(f"/hosts/{raid5.agent_id}")).json()
    summary = host["summary"]
    assert summary == {
        "worst_state": "degraded",
        "controllers": 1,
        "drives": 8,
        "drives_unconfigured": 2,
        "drives_failed": 1,
        "hot_spares": 1,
        "drive_groups": 1,
        "virtual_drives": 1,
        "virtual_drives_degraded": 1,
        "virtual_drives_offline": 0,
        "drive_failures_left": 0,
        "operations_running": 0,
        "raw_bytes": 16 * documents.GIB,
        "usable_bytes": 6 * documents.GIB,
        "open_alerts": 2,
        "worst_alert": "critical",
    }
    assert (host["online"], host["agent_version"], host["os"]) == (
        True,
        "0.1.0",
        "Debian GNU/Linux 12",
    )
    fleet = (await viewer.get("/fleet")).json()
    assert (fleet["hosts"], fleet["hosts_online"], fleet["drive_failures_left"]) == (1, 1, 0)
    assert {"state": "online", "count": 4} in fleet["drives_by_state"]
    assert fleet["virtual_drives_by_state"] == [{"state": "degraded", "count": 1}]
    assert fleet["open_alerts_by_severity"] == [{"severity": "critical", "count": 2}]
    listed = await viewer.get("/hosts", params={"worst_state": "degraded", "alerts": True})
    assert listed.json()["total"] == 1
    assert (await viewer.get("/hosts", params={"online": False})).json()["total"] == 0
    assert (await viewer.get("/hosts", params={"q": "ALP"})).json()["total"] == 1


async def test_a_host_is_as_well_as_its_findings_say(
    raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    """A free drive that was taken out is missed by nobody; a hot spare is."""

    async def figures() -> tuple[str, int]:
        summary = (await viewer.get(f"/hosts/{raid5.agent_id}")).json()["summary"]
        return summary["worst_state"], summary["drives_failed"]

    assert await figures() == ("optimal", 0)
    gone = {"state": "missing", "present": False}
    await raid5.change("drive", "d4", documents.drive(4, **gone))
    await raid5.change("drive", "d5", documents.drive(5, **gone))
    assert await figures() == ("optimal", 0)
    missing = documents.finding("spare_missing", "d4", "/c0/e252/s4")
    await raid5.find(missing)
    assert await figures() == ("needs_attention", 1)
    listed = await viewer.get("/hosts", params={"worst_state": "needs_attention"})
    assert listed.json()["total"] == 1
    await raid5.find(documents.finding("virtual_drive_offline"), missing)
    assert await figures() == ("failed", 1)
    # That it has had media errors informs, and does not make it a failed one.
    await raid5.find(documents.finding("drive_media_errors", "d5", "/c0/e252/s5"))
    assert await figures() == ("optimal", 0)
    unwritable = documents.finding("state_unwritable", "host", "host")
    await raid5.change("host", "host", documents.host(findings=[unwritable]))
    assert await figures() == ("needs_attention", 0)


async def test_a_mere_figure_moves_no_host(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    """Lists of hosts are fetched again when a host's `rev` moves: not with each temperature."""

    async def rev() -> int:
        found = (await viewer.get(f"/hosts/{raid5.agent_id}")).json()
        return int(found["rev"])

    before = await rev()
    await raid5.change("drive", "d7", documents.drive(7, temperature_c=41))
    drives = (await viewer.get("/drives", params={"q": "SN0007"})).json()["items"]
    assert drives[0]["temperature_c"] == 41
    assert await rev() == before
    await raid5.change("drive", "d7", documents.drive(7, state="hot_spare"))
    assert await rev() > before
    fleet = (await viewer.get("/fleet")).json()
    states = {row["state"]: row["count"] for row in fleet["drives_by_state"]}
    assert states == {"online": 4, "unconfigured_good": 3, "hot_spare": 1}


async def test_lists_follow_a_host_that_is_renamed(
    raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    await raid5.close()
    raid5.hostname = "zulu"
    await raid5.connect()
    for query in ({"q": "ZULU"}, {"q": "sn0003"}, {}):
        page = (await viewer.get("/drives", params=query)).json()
        assert {item["host_name"] for item in page["items"]} == {"zulu"}, query
        assert page["total"] == len(page["items"])
    assert (await viewer.get("/drives", params={"q": "alpha"})).json()["items"] == []
