"""Hosts as large as real ones, and their rows in a new database.

A drive's document of `arrayd` has about 3.7 KB, most of it why an operation is not possible: the
documents of the tests get such reasons here.
"""

import random
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric import ec

from arraywright import bootstrap, migrations
from arraywright.hosts.models import Host, HostSummary
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.link.models import SyncCursor
from arraywright.link.protocol import REASONS
from arraywright.settings import Settings
from arraywright.storage.blocked import OPERATIONS
from tests.support import documents
from tests.support.agent import public_key_text

Document = dict[str, Any]
SIZES = (8, 16, 24)
MEMBERS = 6
CHUNK = 500
HEALTH = {
    "state": "good",
    "reason": None,
    "failing": False,
    "checked_at_us": 1_700_000_000_000_000,
    "power_on_hours": 12_345,
    "reallocated_sectors": 0,
    "pending_sectors": 0,
    "media_errors": 0,
    "wear_percent": None,
}


@cache
def _blocked(kind: str) -> Document:
    """Every operation has its reason, with a sentence as long as the agent's are."""
    words = sorted(REASONS)
    return {
        op: documents.reason(words[number], f"{REASONS[words[number]]:.90}", object=f"/c0/{kind}")
        for number, op in enumerate(sorted(OPERATIONS[kind]))
    }


def drive(host: int, slot: int, **changes: Any) -> Document:
    """The first ones are members of the RAID 5."""
    if slot < MEMBERS:
        changes |= {"state": "online", "drive_group": "g0", "span": 0, "row": slot}
    return documents.drive(
        slot,
        serial=f"S{host:05d}X{slot:03d}",
        wwn=f"5000c5{host:06x}{slot:04x}",
        blocked=_blocked("drive"),
        health=HEALTH,
        **changes,
    )


def everything(host: int, drives: int) -> list[Document]:
    """A RAID 5 and unconfigured drives."""
    name = f"host{host:05d}"
    objects = [
        documents.item("host", "host", 1, documents.host(hostname=name)),
        documents.item("controller", "c0", 1, documents.controller(blocked=_blocked("controller"))),
        documents.item("enclosure", "e252", 1, documents.enclosure(slot_count=drives)),
    ]
    for slot in range(drives):
        objects.append(documents.item("drive", f"d{slot}", 1, drive(host, slot)))
    members = [
        {"span": 0, "row": n, "drive": f"d{n}", "state": "online", "serial": f"S{host:05d}X{n:03d}"}
        for n in range(MEMBERS)
    ]
    group = documents.drive_group(members=members, blocked=_blocked("drive_group"))
    volume = documents.virtual_drive(blocked=_blocked("virtual_drive"))
    objects.append(documents.item("drive_group", "g0", 1, group))
    objects.append(documents.item("virtual_drive", "v0", 1, volume))
    return objects


def drives_of(host: int) -> int:
    return random.Random(host).choice(SIZES)


@dataclass(frozen=True, slots=True)
class Fleet:
    """What the agents have to know. They share a key: it costs the backend the same."""

    server_id: UUID
    key: ec.EllipticCurvePrivateKey
    hosts: list[UUID]


async def enrol(settings: Settings, count: int) -> Fleet:
    """A new database with so many hosts that have never connected."""
    database = Database(settings.resolved_database_url())
    key = ec.generate_private_key(ec.SECP256R1())
    try:
        await migrations.upgrade(database)
        fleet = Fleet(await bootstrap.server_id(database), key, await add(database, key, count))
        await bootstrap.first_administrator(database, settings, Clock(), lambda _: None)
    finally:
        await database.close()
    return fleet


async def add(database: Database, key: ec.EllipticCurvePrivateKey, count: int) -> list[UUID]:
    made = [UUID(int=random.Random(n).getrandbits(128), version=4) for n in range(count)]
    text = public_key_text(key)
    for first in range(0, count, CHUNK):
        async with database.write() as session:
            for number, host_id in enumerate(made[first : first + CHUNK], first):
                session.add(
                    Host(
                        id=host_id,
                        name=f"host{number:05d}",
                        public_key=text,
                        machine_id_hash="",
                        enrolled_us=1_700_000_000_000_000,
                    )
                )
            await session.flush()
            for host_id in made[first : first + CHUNK]:
                session.add(HostSummary(host_id=host_id))
                session.add(SyncCursor(host_id=host_id))
    return made
