"""Prediction against reality: what arraysim says of an array on the virtual clock, against the same
array of a running arrayd on emulated drives in real time, measured by fio through NBD.

Throughput-bound loads may differ by 10 %, latency-bound ones by 15 %. Each is measured once, as long
as all rounds of other parts: a second round would find the marks of the first still set. What a request
takes through fio, NBD and the daemon is no matter of the drives: it is measured before each array,
one request at a time on a drive that answers at once, and told to arraysim (host.request_us).
What the drives hold lies in memory, unless TMPDIR says otherwise: a disk below them would often be
slower than they are.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import vd_nbd

MIB = 1 << 20
DRIVE_BYTES = 512 * MIB
MEMORY = Path("/dev/shm")
THROUGHPUT = 0.10
LATENCY = 0.15
WAY_SECONDS = 3  # it varies from moment to moment, not within one


@dataclass(frozen=True)
class Case:
    profile: str
    level: str
    drives: int
    span: int = 0

    @property
    def name(self) -> str:
        return f"{self.level} of {self.drives} {self.profile}"


CASES = [
    Case("wd-wd740gd", "raid0", 4),
    Case("wd-wd740gd", "raid10", 4, 2),
    Case("wd-wd740gd", "raid5", 4),
    Case("fujitsu-mba3073rc", "raid6", 5),
    Case("intel-x25-e", "raid1", 2),
]

LOADS = [
    (vd_nbd.Load("sequential read, 1 MiB × 8", "read", MIB, 8, False), THROUGHPUT),
    (vd_nbd.Load("sequential write, 1 MiB × 8", "write", MIB, 8, True), THROUGHPUT),
    (vd_nbd.Load("random read, 4 KiB × 1", "randread", 4096, 1, False), LATENCY),
    (vd_nbd.Load("random read, 4 KiB × 16", "randread", 4096, 16, False), LATENCY),
    (vd_nbd.Load("random write, 4 KiB × 16", "randwrite", 4096, 16, True), LATENCY),
]


def workload(load: vd_nbd.Load, number: int) -> dict[str, object]:
    return {
        "name": f"load-{number}",
        "pattern": "random" if load.rw.startswith("rand") else "sequential",
        "mixes": [[{"bytes": load.block_bytes, "percent": 100}]],
        "write_percents": [100 if load.is_write else 0],
        "workers": [1],
        "depths": [load.depth],
    }


def request_us(build: Path, folder: Path, seconds: int) -> float:
    """The way of one request of 4 KiB, there and back: on a drive in memory, of no model."""
    agent = vd_nbd.Agent(build, folder, 0, 1, [f"emulated = {{ size = {DRIVE_BYTES}L; }};"])
    try:
        agent.arrayctl("/c0", "add", "vd", "type=raid0", "name=bench", "drives=252:0", "wt", "nora")
        load = vd_nbd.Load("way", "randread", 4096, 1, False)
        uri = f"--uri=nbd+unix:///bench?socket={agent.nbd}"
        return 1e6 * load.block_bytes / vd_nbd.fio(load, seconds, "--ioengine=nbd", uri)
    finally:
        agent.stop()


def predict(build: Path, case: Case, seconds: int, way_us: float) -> list[float]:
    """Bytes per second of each load, over as much of the platters as is measured."""
    spans = {"spans": case.drives // case.span} if case.span else {}
    scenario = {
        "name": "predicted",
        "host": {"request_us": round(way_us)},
        "controller": {"profile": "native", "cache_bytes": 0},
        "drives": {"profile": case.profile, "count": case.drives, "capacity_bytes": DRIVE_BYTES},
        "array": {"level": case.level, "strip_bytes": 65536, **spans},
        "workloads": [workload(load, number) for number, (load, _) in enumerate(LOADS)],
        "limits": {"operations": 200_000, "warmup_operations": 0, "seconds": seconds},
    }
    done = subprocess.run([str(build / "src/lab/arraysim"), "run", "--profiles", str(vd_nbd.PROFILES), "-"],
                          input=json.dumps(scenario), check=True, capture_output=True, text=True)
    points = json.loads(done.stdout)["arrays"][0]["points"]
    return [float(point["bytes_per_s"]) for point in points]


def measure(build: Path, case: Case, folder: Path, seconds: int):
    drives = [f'emulated = {{ size = {DRIVE_BYTES}L; profile = "{case.profile}"; }};'] * case.drives
    agent = vd_nbd.Agent(build, folder, 0, case.drives, drives)
    try:
        span = [f"pdperarray={case.span}"] if case.span else []
        agent.arrayctl("/c0", "add", "vd", f"type={case.level}", "name=bench",
                       f"drives=252:0-{case.drives - 1}", "strip=64", "wt", "nora", *span)
        agent.arrayctl("/c0", "set", "bgirate=100")
        if case.level != "raid0":
            agent.wait_consistent()
        uri = f"--uri=nbd+unix:///bench?socket={agent.nbd}"
        for load, _ in LOADS:
            yield vd_nbd.fio(load, seconds, "--ioengine=nbd", uri)
    finally:
        agent.stop()


def storage() -> str | None:
    given = os.environ.get("TMPDIR")
    return given or (str(MEMORY) if os.access(MEMORY, os.W_OK) else None)


def run(build: Path, seconds: int):
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="aw-bench-", dir=storage()) as name:
            way_us = request_us(build, Path(name), min(seconds, WAY_SECONDS))
        yield (f"{case.name}: way of a request through fio, NBD and arrayd, µs",
               (way_us, way_us, way_us), None)
        predicted = predict(build, case, seconds, way_us)
        with tempfile.TemporaryDirectory(prefix="aw-bench-", dir=storage()) as name:
            measured = measure(build, case, Path(name), seconds)
            for (load, must), rate, wanted in zip(LOADS, measured, predicted, strict=True):
                ratio = rate / wanted
                yield (f"{case.name}: {load.name}, measured ÷ predicted",
                       (ratio, ratio, ratio), must)
