"""The live stream: what changed, resume, and its end."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest

from arraywright.kit.roles import Role
from arraywright.live.hub import BACKLOG, Change
from arraywright.settings import Settings
from tests.conftest import Callers
from tests.support import documents
from tests.support.agent import FakeAgent
from tests.support.server import Running, running
from tests.test_commands import only
from tests.test_lab import scenario

pytestmark = pytest.mark.anyio


class Stream:
    """Reads server-sent events as a browser does."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = response.aiter_lines()
        self.last_id = ""

    async def next(self) -> tuple[str, dict[str, Any]]:
        name, data = "", ""
        async with asyncio.timeout(10):
            async for line in self._lines:
                field, _, value = line.partition(": ")
                match field:
                    case "event":
                        name = value
                    case "data":
                        data = value
                    case "id":
                        self.last_id = value
                    case "" if name:
                        return name, json.loads(data)
        raise EOFError

    async def expect(self, name: str) -> dict[str, Any]:
        got, data = await self.next()
        assert got == name, (got, data)
        return data

    async def changes_until(self, kind: str, object_id: str | None = None) -> set[str]:
        """Kinds seen until this one has changed."""
        kinds: set[str] = set()
        while True:
            for change in (await self.expect("change"))["changes"]:
                kinds.add(change["kind"])
                if change["kind"] == kind and object_id in (None, change["id"]):
                    return kinds


@asynccontextmanager
async def listening(
    client: httpx.AsyncClient, last_id: str | None = None, *, after: str | None = None
) -> AsyncIterator[Stream]:
    headers = {"Last-Event-ID": last_id} if last_id is not None else {}
    params = {"after": after} if after is not None else {}
    async with client.stream("GET", "/live/stream", headers=headers, params=params) as response:
        assert response.status_code == 200
        assert response.headers["Content-Type"].startswith("text/event-stream")
        yield Stream(response)


async def test_changes_are_told(raid5: FakeAgent, callers: Callers) -> None:
    viewer = callers.role(Role.VIEWER)
    drive = (await viewer.get("/drives")).json()["items"][0]
    async with listening(viewer) as stream:
        assert (await stream.expect("ready"))["topics"] == ["all"]
        await raid5.change("drive", "d0", documents.drive(0, state="failed"))
        await stream.changes_until("drive", drive["id"])
        await raid5.find(documents.finding("drive_failed", "d0", "/c0/e252/s0"))
        await stream.changes_until("alert")
        await raid5.report_events([documents.event(1)], acked=1)
        await stream.changes_until("event", raid5.agent_id)
        operator = callers.role(Role.OPERATOR)
        answer = await operator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
        await stream.changes_until("command", answer.json()["id"])


async def test_resume_after_a_break(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    async with listening(viewer) as stream:
        await stream.expect("ready")
        await raid5.change("drive", "d0", documents.drive(0, state="hot_spare"))
        await stream.changes_until("host")
        last_id = stream.last_id
    await raid5.change("drive", "d1", documents.drive(1, locating=True))
    async with listening(viewer, last_id) as stream:
        await stream.expect("ready")
        assert "drive" in await stream.changes_until("drive")


async def test_ready_can_be_resumed_from(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    async with listening(viewer) as stream:
        await stream.expect("ready")
        last_id = stream.last_id
    await raid5.change("drive", "d1", documents.drive(1, locating=True))
    async with listening(viewer, last_id) as stream:
        await stream.expect("ready")
        await stream.changes_until("drive")


async def test_nothing_is_missed_between_the_first_answers_and_the_stream(
    raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    position = (await viewer.get("/auth/session")).json()["live_position"]
    drive = (await viewer.get("/drives")).json()["items"][0]
    await raid5.change("drive", "d0", documents.drive(0, state="hot_spare"))
    async with listening(viewer, after=position) as stream:
        await stream.expect("ready")
        await stream.changes_until("drive", drive["id"])
        last_id = stream.last_id
    # A browser that reconnects sends both.
    async with listening(viewer, last_id, after=position) as stream:
        await stream.expect("ready")
        await raid5.change("drive", "d1", documents.drive(1, locating=True))
        await stream.changes_until("drive")


async def test_unknown_id_means_reset(raid5: FakeAgent, viewer: httpx.AsyncClient) -> None:
    for unknown in ("", "nonsense", "00000000-5", "00000000-99999999999999999999"):
        async with listening(viewer, unknown) as stream:
            await stream.expect("ready")
            assert await stream.expect("reset") == {"reset": True}


async def test_overtaken_ring_means_reset(settings: Settings, password_hash: str) -> None:
    small = settings.model_copy(update={"live_ring": 16})
    async with running(small) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        viewer, admin = callers.role(Role.VIEWER), callers.role(Role.ADMINISTRATOR)
        async with listening(viewer) as stream:
            await stream.expect("ready")
            last_id = stream.last_id
        users = {u["username"]: u for u in (await admin.get("/users")).json()["items"]}
        path = f"/users/{users['operator']['id']}"
        for number in range(20):
            await admin.patch(path, json={"display_name": str(number)})
            await server.runtime.outbox.dispatch()
        async with listening(viewer, last_id) as stream:
            await stream.expect("ready")
            await stream.expect("reset")
        await callers.close()


async def test_topics(raid5: FakeAgent, callers: Callers) -> None:
    viewer = callers.role(Role.VIEWER)
    async with listening(viewer) as stream:
        ready = await stream.expect("ready")
        path = f"/live/topics/{ready['stream']}"
        chosen = await viewer.put(path, json={"topics": ["fleet"]})
        assert chosen.status_code == 200
        # What was under way before the choice comes first, with the first host at the latest.
        await raid5.change("drive", "d0", documents.drive(0))
        await stream.changes_until("host")
        await raid5.change("drive", "d0", documents.drive(0, state="hot_spare"))
        assert await stream.changes_until("host") == {"host"}
        host = f"host:{raid5.agent_id}"
        assert (await viewer.put(path, json={"topics": [host]})).status_code == 200
        await raid5.change("drive", "d0", documents.drive(0))
        await stream.changes_until("drive")
        other = callers.role(Role.OPERATOR)
        assert (await other.put(path, json={"topics": ["all"]})).status_code == 404
        for wrong in ([], ["everything"], ["host:x"]):
            assert (await viewer.put(path, json={"topics": wrong})).status_code == 422
    unknown = await viewer.put(f"/live/topics/{uuid4()}", json={"topics": ["all"]})
    assert unknown.status_code == 404


async def test_logout_ends_the_stream(callers: Callers) -> None:
    browser = await callers.logged_in(Role.VIEWER)
    other = await callers.logged_in(Role.VIEWER)
    async with listening(browser) as stream, listening(other) as unaffected:
        await stream.expect("ready")
        await unaffected.expect("ready")
        assert (await browser.post("/auth/logout")).status_code == 204
        assert await stream.expect("end") == {"reason": "logout"}
        with pytest.raises(EOFError):
            await stream.next()
        await callers.role(Role.ADMINISTRATOR).post(
            "/users", json={"username": "ann", "role": "viewer", "password": "a fine secret 1"}
        )
        await unaffected.changes_until("user")


@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [
        ("/api-tokens", "api_token", {"name": "script", "role": "viewer"}),
        ("/enrolment-tokens", "enrolment_token", {"name": "rack"}),
        ("/lab/scenarios", "saved_scenario", {"name": "mine", "scenario": scenario()}),
    ],
)
async def test_lists_without_a_host_are_told(
    callers: Callers, path: str, kind: str, body: dict[str, Any]
) -> None:
    admin = callers.role(Role.ADMINISTRATOR)
    async with listening(admin) as stream:
        await stream.expect("ready")
        made = (await admin.post(path, json=body)).json()
        await stream.changes_until(kind, made["id"])
        await admin.delete(f"{path}/{made['id']}")
        await stream.changes_until(kind, made["id"])


async def test_role_change_ends_the_stream(callers: Callers) -> None:
    admin = callers.role(Role.ADMINISTRATOR)
    users = {u["username"]: u for u in (await admin.get("/users")).json()["items"]}
    browser = await callers.logged_in(Role.OPERATOR)
    async with listening(browser) as stream:
        await stream.expect("ready")
        await admin.patch(f"/users/{users['operator']['id']}", json={"role": "viewer"})
        assert await stream.expect("end") == {"reason": "role_changed"}


async def test_revoked_token_ends_the_stream(callers: Callers) -> None:
    viewer = callers.role(Role.VIEWER)
    token = await only(viewer, "/api-tokens")
    async with listening(viewer) as stream:
        await stream.expect("ready")
        await callers.role(Role.ADMINISTRATOR).delete(f"/api-tokens/{token['id']}")
        assert await stream.expect("end") == {"reason": "logout"}


async def test_stream_does_not_delay_the_shutdown(settings: Settings, password_hash: str) -> None:
    loop = asyncio.get_running_loop()
    async with running(settings) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        async with listening(callers.role(Role.VIEWER)) as stream:
            await stream.expect("ready")
            started = loop.time()
            server.server.should_exit = True
            assert await stream.expect("end") == {"reason": "shutdown"}
        await callers.close()
    assert loop.time() - started < 3


async def test_slow_reader_is_told_to_start_over(
    server: Running, raid5: FakeAgent, viewer: httpx.AsyncClient
) -> None:
    hub = server.runtime.hub
    async with listening(viewer) as stream:
        await stream.expect("ready")
        hub.publish([Change("drive", str(n), 1, None) for n in range(BACKLOG + 1)])
        await stream.expect("reset")
