"""Several sequential readers of one virtual drive, and long reads anywhere on it, on emulated disks
in simulated time.

Each sequential reader reads its own part from the beginning, 64 KiB at a time. The figures are the
same on every machine: they need neither quiet nor many rounds.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import queue_depth

KIB = 1 << 10
MIB = 1 << 20
LEVELS = ("raid0", "raid5", "raid6", "raid10")
DRIVES = (4, 8)
READERS = (1, 2, 4)
CACHE_BYTES = 512 * MIB
BYTES = 1 << 30
BLOCKS = tuple(4 * KIB << i for i in range(10))
LONG = 8 * MIB
DEPTHS = (1, 4, 16)


def rates(build: Path, level: str, drives: int, policy: str, readers: tuple[int, ...] = READERS,
          blocks: tuple[int, ...] = (64 * KIB,), pattern: str = "sequential",
          depths: tuple[int, ...] = (1,)) -> list[float]:
    """Bytes per second, depth after depth of readers after readers of each block size."""
    found = []
    for block in blocks:
        operations = min(16_000, max(400, BYTES // block))
        scenario = {
            "name": "streams", "drives": {"profile": queue_depth.DISK, "count": drives},
            "controller": {"profile": "native", "cache_bytes": CACHE_BYTES},
            "array": {"level": level, "read_policy": policy},
            "limits": {"operations": operations, "warmup_operations": operations // 8,
                       "seconds": 1_000_000},
            "workloads": [{"name": "streams", "pattern": pattern,
                           "mixes": [[{"bytes": block, "percent": 100}]], "write_percents": [0],
                           "workers": list(readers), "depths": list(depths)}],
        }
        done = subprocess.run([build / "src" / "lab" / "arraysim", "run", "--jobs", "1", "--profiles",
                               queue_depth.PROFILES, "-"], check=True, input=json.dumps(scenario),
                              text=True, stdout=subprocess.PIPE)
        found += [point["bytes_per_s"] for point in json.loads(done.stdout)["arrays"][0]["points"]]
    return found


def row(name: str, value: float, must: float):
    return name, (value, value, value), must


def run(build: Path):
    for level in LEVELS:
        for drives in DRIVES:
            ahead = rates(build, level, drives, "read_ahead")
            plain = rates(build, level, drives, "no_read_ahead")
            name = f"RAID {level[4:]} of {drives} disks"
            for readers, rate in list(zip(READERS, ahead, strict=True))[1:]:
                yield row(f"{name}, {readers} sequential readers ÷ one", rate / ahead[0], 0.6)
            yield row(f"{name}, 1, 2, 4 readers: least of read-ahead ÷ none",
                      min(on / off for on, off in zip(ahead, plain, strict=True)), 1)
    for level in LEVELS:
        for drives in DRIVES:
            alone, *queued = rates(build, level, drives, "no_read_ahead", (1,), (LONG,), "random",
                                   DEPTHS)
            yield row(f"RAID {level[4:]} of {drives} disks, random reads of 8 MiB: QD 4 and 16 ÷ 1, "
                      "the least", min(queued) / alone, 0.9)
    pairs = rates(build, "raid10", 8, "no_read_ahead", (1,), BLOCKS)
    halves = rates(build, "raid0", 4, "no_read_ahead", (1,), BLOCKS)
    yield row("RAID 10 of 8 ÷ RAID 0 of 4 disks, a reader of 4 KiB to 2 MiB: the least",
              min(pair / half for pair, half in zip(pairs, halves, strict=True)), 1)
