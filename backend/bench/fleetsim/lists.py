"""What the lists and the dashboard cost in a large fleet: no agents, only what they have stored."""

import asyncio
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx

from arraywright.hosts import repository as host_rows
from arraywright.kit.database import Database
from arraywright.link import repository
from arraywright.settings import Settings
from arraywright.storage.projection import placed, project
from bench.fleetsim import hosts
from bench.fleetsim.backend import Backend, Meter

CHUNK = 50
DRIVES = 24
"""Of each host: 240,000 of 10,000 hosts."""
REQUESTS = 10


def _rows(number: int, host_id: UUID) -> Iterable[dict[str, Any]]:
    for item in hosts.everything(number, DRIVES):
        kind, key, doc = item["kind"], item["key"], item["doc"]
        yield {
            "host_id": host_id,
            "kind": kind,
            "key": key,
            "rev": 1,
            "config_rev": 1,
            "life": "bench",
            "deleted": False,
            "changed_us": 1,
            "doc": doc,
            **(row := project(host_id, kind, key, doc)),
            **placed(row["search"], f"host{number:05d}", []),
        }


async def fill(settings: Settings, fleet: hosts.Fleet) -> int:
    """As if every host had told its state; how many objects there are."""
    database = Database(settings.resolved_database_url())
    count = 0
    try:
        for first in range(0, len(fleet.hosts), CHUNK):
            chosen = list(enumerate(fleet.hosts[first : first + CHUNK], first))
            rows = [row for number, host_id in chosen for row in _rows(number, host_id)]
            count += len(rows)
            async with database.write() as session:
                await repository.upsert_objects(session, rows)
                await host_rows.recount(session, [host_id for _, host_id in chosen])
    finally:
        await database.close()
    return count


def _paths(count: int, host: str) -> dict[str, str]:
    number = random.Random(2).randrange(count)
    return {
        "health": "/health",
        "fleet": "/fleet",
        "drives, 100": "/drives?limit=100",
        "drives, a serial number": f"/drives?q=S{number:05d}X003",
        "drives, one of each host": "/drives?q=x003",
        "drives, a part of all": "/drives?q=5000c5",
        "drives, two characters": "/drives?q=x0",
        "drives, a state": "/drives?state=online",
        "drives, a state and a part of all": "/drives?state=failed&q=5000c5",
        "drives, two rare states": "/drives?state=failed&state=missing",
        "drives, a host": f"/drives?host_id={host}",
        "drives, the largest": "/drives?sort=-size",
        "drives, by model, a state": "/drives?sort=model&state=online",
        "drives, few fields": "/drives?fields=path,host_name,state,serial,size_bytes",
        "virtual drives, least redundant": "/virtual-drives?sort=drive_failures_left",
        "hosts, the worst": "/hosts?sort=-worst_state",
        "virtual drives, a host's name": f"/virtual-drives?q=host{number:05d}",
        "hosts, 100": "/hosts?limit=100",
        "hosts, a name": f"/hosts?q=t{number:05d}",
    }


async def ask(backend: Backend, password: str, count: int) -> dict[str, float]:
    """CPU of the backend's process for one request, in milliseconds."""
    found = {}
    base = f"http://127.0.0.1:{backend.port}/api/v1"
    async with httpx.AsyncClient(base_url=base, timeout=300) as client:
        body = {"username": "admin", "password": password}
        (await client.post("/auth/login", json=body)).raise_for_status()
        first = (await client.get("/hosts?limit=1")).raise_for_status().json()["items"]
        for name, path in _paths(count, first[0]["id"]).items():
            (await client.get(path)).raise_for_status()
            meter = Meter(backend)
            for _ in range(REQUESTS):
                (await client.get(path)).raise_for_status()
            found[name] = meter.each_ms(REQUESTS)
    return found


async def measure(state: Path, settings: Settings, count: int) -> dict[str, Any]:
    fleet = await hosts.enrol(settings, count)
    objects = await fill(settings, fleet)
    secret = state / "password"
    async with Backend(state, settings.database_url) as backend:
        await asyncio.sleep(1.0)
        return {"objects": objects, **await ask(backend, secret.read_text().strip(), count)}
