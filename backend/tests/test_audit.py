"""The audit trail is complete and cannot be thinned out unnoticed."""

import asyncio

import httpx
import pytest
from sqlalchemy import delete, update

from arraywright.audit import repository, service
from arraywright.audit.models import AuditEntry
from tests.support.agent import FakeAgent
from tests.support.server import Running
from tests.test_commands import by_path

pytestmark = pytest.mark.anyio


async def actions(client: httpx.AsyncClient) -> list[tuple[str, str, str]]:
    items = (await client.get("/audit")).json()["items"]
    return [(item["actor"], item["action"], item["outcome"]) for item in items]


async def test_what_is_written(raid5: FakeAgent, administrator: httpx.AsyncClient) -> None:
    drive = await by_path(administrator, "drives", "/c0/e252/s0")
    await administrator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    await raid5.finish(await raid5.expect("command"))
    assert await actions(administrator) == [
        ("administrator", "drive_locate", "succeeded"),
        ("administrator", "drive_locate", "requested"),
        ("agent", "host.enrol", "done"),
        ("administrator", "enrolment_token.create", "done"),
    ]
    filtered = await administrator.get("/audit", params={"actor": "agent"})
    assert filtered.json()["total"] == 1


async def test_targets_are_named(raid5: FakeAgent, administrator: httpx.AsyncClient) -> None:
    drive = await by_path(administrator, "drives", "/c0/e252/s0")
    await administrator.post(f"/drives/{drive['id']}/actions/locate", json={"on": True})
    await raid5.finish(await raid5.expect("command"))
    ended, asked = (await administrator.get("/audit")).json()["items"][:2]
    assert asked["detail"]["name"] == "/c0/e252/s0"
    assert asked["detail"]["target_id"] == ended["detail"]["target_id"] == drive["id"]


async def test_a_span_of_time(administrator: httpx.AsyncClient) -> None:
    await administrator.post("/enrolment-tokens", json={"name": "rack"})
    at = (await administrator.get("/audit")).json()["items"][0]["at"]

    async def total(**span: str) -> int:
        return int((await administrator.get("/audit", params=span)).json()["total"])

    assert await total(since=at) == 1
    assert await total(until=at) == 0
    assert await total(since="2020-01-01T00:00:00Z", until="2020-01-02T00:00:00Z") == 0


async def test_chain_under_contention(server: Running, administrator: httpx.AsyncClient) -> None:
    made = await asyncio.gather(
        *(administrator.post("/enrolment-tokens", json={"name": str(n)}) for n in range(12))
    )
    assert {answer.status_code for answer in made} == {201}
    async with server.runtime.database.read() as session:
        assert (await service.verify(session)).intact


async def test_tampering_shows(server: Running, administrator: httpx.AsyncClient) -> None:
    for number in range(4):
        await administrator.post("/enrolment-tokens", json={"name": str(number)})
    database = server.runtime.database
    async with database.write() as session:
        await session.execute(update(AuditEntry).where(AuditEntry.seq == 3).values(actor="nobody"))
    async with database.read() as session:
        assert (await service.verify(session)).first_broken == 3
    async with database.write() as session:
        await session.execute(delete(AuditEntry).where(AuditEntry.seq == 2))
    async with database.read() as session:
        assert (await service.verify(session)).first_broken == 2


async def test_verification_over_http(
    server: Running, administrator: httpx.AsyncClient, viewer: httpx.AsyncClient
) -> None:
    await administrator.post("/enrolment-tokens", json={"name": "one"})
    newest = (await administrator.get("/audit")).json()["items"][0]
    found = (await administrator.get("/audit/verification")).json()
    assert found == {
        "intact": True,
        "entries": newest["seq"],
        "first_broken": None,
        "last_hash": newest["hash"],
    }
    assert (await viewer.get("/audit/verification")).status_code == 403
    async with server.runtime.database.write() as session:
        await session.execute(update(AuditEntry).where(AuditEntry.seq == 1).values(target="x"))
    found = (await administrator.get("/audit/verification")).json()
    assert (found["intact"], found["first_broken"]) == (False, 1)


async def test_verification_looks_at_every_entry(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "AT_A_TIME", 3)
    async with server.runtime.database.write() as session:
        for number in range(10):
            await service.record(session, number, actor="a", action="b")
    async with server.runtime.database.read() as session:
        found = await service.verify(session)
    assert (found.intact, found.entries) == (True, 10)
