"""How many state deltas and events per second one process stores.

Feeds the writer as connections do, without sockets and signatures: decode, check, queue, one
transaction per group, acknowledgement. Run from backend/: python bench/ingest.py [--hosts N].
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arraywright import bootstrap, migrations
from arraywright.hosts.models import Host, HostSummary
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.link.frames import parse_frame
from arraywright.link.intake import Intake
from arraywright.link.models import SyncCursor
from arraywright.runtime import Runtime
from arraywright.settings import Settings
from tests.support import documents


class Host0:
    """Stands for a connection: measures the time from a frame to its acknowledgement."""

    def __init__(self, runtime: Runtime, epoch: str) -> None:
        self.host_id = uuid4()
        self.fence = 1
        self.has_gone = False
        self.epoch = epoch
        self.rev = 1
        self.latencies_s: list[float] = []
        self.refused: list[str] = []
        self._sent: list[float] = []
        self._acked = asyncio.Semaphore(0)
        self._intake = Intake(self, runtime.writer, runtime.allowances)

    def send(self, _frame: Any) -> None:
        self.latencies_s.append(time.perf_counter() - self._sent.pop(0))
        self._acked.release()

    def nack(self, reason: str, detail: str) -> None:
        self.refused.append(f"{reason}: {detail}")

    def close(self, nack: str | None, detail: str = "") -> None:
        self.refused.append(f"{nack}: {detail}")

    def refuse(self, detail: str) -> bool:
        self.refused.append(detail)
        return False

    def settled(self) -> None:
        pass

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def report(self, objects: list[dict[str, Any]], *, base: int, full: bool) -> None:
        text = json.dumps(
            {
                "v": 1,
                "t": "state",
                "epoch": self.epoch,
                "base_rev": base,
                "to_rev": self.rev,
                "full": full,
                "more": False,
                "objects": objects,
                "tombstones": [],
            }
        )
        self._sent.append(time.perf_counter())
        await self._intake.take(parse_frame(text))
        await self._acked.acquire()

    async def change(self, slot: int) -> None:
        base, self.rev = self.rev, self.rev + 1
        doc = documents.drive(slot, temperature_c=30 + self.rev % 10)
        item = documents.item("drive", f"d{slot}", self.rev, doc)
        await self.report([item], base=base, full=False)


async def prepare(settings: Settings, hosts: int) -> tuple[Runtime, list[Host0]]:
    database = Database(settings.resolved_database_url())
    await migrations.upgrade(database)
    server_id: UUID = await bootstrap.server_id(database)
    runtime = Runtime.build(settings, Clock(), database, server_id, "")
    made = [Host0(runtime, str(uuid4())) for _ in range(hosts)]
    async with database.write() as session:
        for number, host in enumerate(made):
            session.add(
                Host(
                    id=host.host_id,
                    name=f"host{number}",
                    public_key="",
                    machine_id_hash="",
                    enrolled_us=0,
                )
            )
        await session.flush()
        for host in made:
            session.add(HostSummary(host_id=host.host_id, presence="online"))
            session.add(SyncCursor(host_id=host.host_id, fence=1))
    return runtime, made


async def measure(settings: Settings, hosts: int, deltas: int) -> dict[str, Any]:
    runtime, made = await prepare(settings, hosts)
    workers = [asyncio.create_task(runtime.writer.run()), asyncio.create_task(runtime.outbox.run())]
    await asyncio.gather(*(h.report(documents.blank_host(), base=0, full=True) for h in made))
    for host in made:
        host.latencies_s.clear()

    async def work(host: Host0) -> None:
        for number in range(deltas):
            await host.change(number % 8)

    started, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(work(host) for host in made))
    wall_s, cpu_s = time.perf_counter() - started, time.process_time() - cpu
    runtime.hub.close()
    runtime.outbox.wake()
    await runtime.writer.stop()
    await asyncio.gather(*workers)
    await runtime.database.close()
    refused = [text for host in made for text in host.refused]
    assert not refused, refused[:3]
    latencies = sorted(s for host in made for s in host.latencies_s)
    return {
        "database": runtime.database.engine.dialect.name,
        "hosts": hosts,
        "deltas": len(latencies),
        "deltas_per_s": round(len(latencies) / wall_s),
        "cpu_ms_per_delta": round(1000 * cpu_s / len(latencies), 3),
        "ack_p50_ms": round(1000 * statistics.median(latencies), 1),
        "ack_p99_ms": round(1000 * latencies[int(len(latencies) * 0.99)], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--deltas", type=int, default=20, help="per host")
    parser.add_argument("--database-url", default="", help="default: SQLite in a new directory")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as directory:
        settings = Settings(state_dir=Path(directory), database_url=arguments.database_url)
        found = asyncio.run(measure(settings, arguments.hosts, arguments.deltas))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
