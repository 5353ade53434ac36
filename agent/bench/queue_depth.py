"""How throughput grows with what is outstanding, on emulated drives in simulated time.

The figures are the same on every machine: they need neither quiet nor many rounds.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

PROFILES = Path(__file__).resolve().parent.parent / "profiles"
OPERATIONS = 20_000
WARMUP = 2_000
DEPTHS = (1, 4, 16, 64, 256, 1024)


DISK = "fujitsu-mba3073rc"
FLASH = "intel-x25-e"


def rates(build: Path, drive: str, count: int, depths: tuple[int, ...]) -> dict[int, float]:
    """Operations per second at each depth."""
    scenario = {
        "name": "depth", "drives": {"profile": drive, "count": count}, "array": {"level": "raid0"},
        "limits": {"operations": OPERATIONS, "warmup_operations": WARMUP, "seconds": 1_000_000},
        "workloads": [{"profile": "w01-database", "write_percents": [0], "depths": list(depths)}],
    }
    done = subprocess.run([build / "src" / "lab" / "arraysim", "run", "--jobs", "1", "--profiles",
                           PROFILES, "-"], check=True, input=json.dumps(scenario), text=True,
                          stdout=subprocess.PIPE)
    return {point["depth"]: point["operations_per_s"]
            for point in json.loads(done.stdout)["arrays"][0]["points"]}


def row(name: str, value: float, must: float):
    return name, (value, value, value), must


def grown(build: Path, count: int) -> float:
    """The least that a fourfold depth gains, until the disks do 0.95 of what they can at all."""
    found = rates(build, DISK, count, DEPTHS)
    most = max(found.values())
    return min(found[deep] / found[shallow]
               for shallow, deep in zip(DEPTHS, DEPTHS[1:], strict=False)
               if found[shallow] < 0.95 * most)


def run(build: Path):
    found = rates(build, DISK, 16, (64, 512))
    yield row("RAID 0 of 16 disks (15k), random 8 KiB reads: QD 512 ÷ 64", found[512] / found[64], 1.6)
    # 64 requests at a time take 0.83 of the drives already: 1.8 times as much they do not have.
    yield row("RAID 0 of 16 X25-E, random 8 KiB reads at QD 256: of 16 × one drive",
              rates(build, FLASH, 16, (256,))[256] / rates(build, FLASH, 1, (64,))[64] / 16, 0.95)
    for count in (8, 16, 32):
        yield row(f"RAID 0 of {count} disks, QD 1 to 1,024: least gain of a fourfold depth",
                  grown(build, count), 1.1)
