"""The engine on files, in its own process without NBD, against fio on the same raw files.

Both sides run in turns over the same files with the same number of drive transfers in flight;
the median of the per-round ratios counts. The files are overwritten.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20
EXTENT_BYTES = 512 * MIB
FILE_BYTES = EXTENT_BYTES + 64 * MIB
STRIP_BYTES = 64 * 1024


@dataclass(frozen=True)
class Layout:
    level: str
    drives: int
    spans: int
    data_share: float  # of the raw sequential rate, left for data
    reads: int  # drive transfers of one small write
    writes: int


LAYOUTS = [
    Layout("raid0", 4, 1, 1.0, 0, 1),
    Layout("raid1", 2, 1, 0.5, 0, 2),
    Layout("raid10", 4, 2, 0.5, 0, 2),
    Layout("raid5", 5, 1, 4 / 5, 2, 2),
    Layout("raid6", 6, 1, 4 / 6, 3, 3),
]

# Load of the engine, its name in the table, the least ratio that is good enough.
LOADS = [
    ("read:8", "sequential read", 0.93),
    ("write:8", "sequential write", 0.88),
    ("randread:32", "random read", 0.93),
    ("randwrite:32", "random write", 0.80),
]


def fio(files: list[Path], seconds: float, **options: object) -> float:
    """Bytes per second, both directions together."""
    done = subprocess.run(
        ["fio", "--name=raw", "--ioengine=io_uring", "--direct=1", "--time_based",
         f"--runtime={seconds}", "--randrepeat=0", "--norandommap", "--output-format=json",
         "--file_service_type=roundrobin", f"--size={EXTENT_BYTES * len(files)}",
         f"--filename={':'.join(map(str, files))}",
         *(f"--{name}={value}" for name, value in options.items())],
        check=True, capture_output=True, text=True).stdout
    job = json.loads(done[done.index("{"):])["jobs"][0]
    return float(job["read"]["bw_bytes"]) + float(job["write"]["bw_bytes"])


def engine(build: Path, layout: Layout, load: str, seconds: float, files: list[Path]) -> float:
    done = subprocess.run(
        [str(build / "bench/engine_bench"), "files", layout.level, str(layout.spans),
         str(STRIP_BYTES), str(EXTENT_BYTES), load, str(int(seconds)), *map(str, files)],
        check=True, capture_output=True, text=True).stdout
    return float(json.loads(done)["bytes_per_s"])


def raw_for(layout: Layout, load: str, seconds: float, files: list[Path]) -> float:
    """What the raw files allow the virtual drive, in its bytes per second."""
    if load == "read:8":
        # Mirrors read each byte once, wherever.
        return fio(files, seconds, rw="read", bs="1m", iodepth=8)
    if load == "write:8":
        return fio(files, seconds, rw="write", bs="1m", iodepth=8) * layout.data_share
    if load == "randread:32":
        return fio(files, seconds, rw="randread", bs="4k", iodepth=32)
    transfers = layout.reads + layout.writes
    in_flight = 32 * max(layout.reads, layout.writes)
    if layout.reads == 0:
        return fio(files, seconds, rw="randwrite", bs="4k", iodepth=in_flight) / transfers
    mixed = fio(files, seconds, rw="randrw", rwmixread=50, bs="4k", iodepth=in_flight)
    return mixed / transfers


def prepare(folder: Path) -> list[Path]:
    files = [folder / f"raw{index}.img" for index in range(max(x.drives for x in LAYOUTS))]
    for path in files:
        with path.open("wb") as out:  # written, not sparse: reads must reach the disk
            block = os.urandom(MIB)
            for _ in range(FILE_BYTES // MIB):
                out.write(block)
            out.flush()
            os.fsync(out.fileno())
    return files


def alternate(rounds: int, ours, raw) -> tuple[float, float, float]:
    """The median, least and greatest of ours ÷ raw; the two sides take turns."""
    ratios = [ours() / raw() for _ in range(rounds)]
    return statistics.median(ratios), min(ratios), max(ratios)


def run_loads(build: Path, files: list[Path], seconds: float, rounds: int, levels: list[str]):
    for layout in LAYOUTS:
        if levels and layout.level not in levels:
            continue
        some = files[:layout.drives]
        for load, name, must in LOADS:
            found = alternate(rounds, lambda: engine(build, layout, load, seconds, some),
                              lambda: raw_for(layout, load, seconds, some))
            yield f"{layout.level} {name} ÷ raw", found, must


def run_rebuild(build: Path, files: list[Path], seconds: float, rounds: int):
    """Against the slower of reading the survivors and writing the target, each alone; and
    against fio doing both at once, which is what one shared disk can give at best."""
    layout = next(one for one in LAYOUTS if one.level == "raid5")
    some = files[:layout.drives]
    survivors, target = some[:-1], some[-1:]

    def slowest() -> float:
        read = fio(survivors, seconds, rw="read", bs="1m", iodepth=8) / len(survivors)
        return min(read, fio(target, seconds, rw="write", bs="1m", iodepth=8))

    def both() -> float:
        share = round(100 * len(survivors) / len(some))
        return fio(some, seconds, rw="rw", rwmixread=share, bs="256k", iodepth=16) / len(some)

    def ours() -> float:
        return engine(build, layout, "rebuild", seconds, some)

    yield "raid5 rebuild ÷ slowest of raw read and write", alternate(rounds, ours, slowest), 0.85
    yield "raid5 rebuild ÷ raw reads and writes at once", alternate(rounds, ours, both), None


if __name__ == "__main__":
    sys.exit("run.py calls this")
