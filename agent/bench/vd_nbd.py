"""A virtual drive of a running arrayd over files, through NBD, against fio on the raw files at the
same total depth. The client's own CPU is in it: on few cores it, not the agent, is the limit.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20
PROFILES = Path(__file__).resolve().parent.parent / "profiles"


@dataclass(frozen=True)
class Load:
    name: str
    rw: str
    block_bytes: int
    depth: int
    is_write: bool


LOADS = [
    Load("sequential read, 1 MiB", "read", MIB, 8, False),
    Load("sequential write, 1 MiB", "write", MIB, 8, True),
    Load("random read, 4 KiB", "randread", 4096, 32, False),
    Load("random write, 4 KiB", "randwrite", 4096, 32, True),
]


@dataclass(frozen=True)
class Layout:
    level: str
    drives: int
    span: int
    write_cost: float  # drive bytes moved per byte written at random

    @property
    def data_share(self) -> float:
        """Share of the raw sequential write rate that is left for data."""
        return {"raid0": 1.0, "raid1": 1 / self.drives, "raid10": 0.5,
                "raid5": (self.drives - 1) / self.drives,
                "raid6": (self.drives - 2) / self.drives}[self.level]


LAYOUTS = [Layout("raid0", 4, 0, 1), Layout("raid10", 4, 2, 2), Layout("raid5", 4, 0, 4),
           Layout("raid6", 4, 0, 6)]


def fio(load: Load, seconds: int, *target: str) -> float:
    """Bytes per second."""
    done = subprocess.run(
        ["fio", "--name=bench", f"--rw={load.rw}", f"--bs={load.block_bytes}",
         f"--iodepth={load.depth}", "--time_based", f"--runtime={seconds}", "--randrepeat=0",
         "--norandommap", "--output-format=json", *target],
        check=True, capture_output=True, text=True)
    # Engines may print a line of their own before the document.
    side = json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]["write" if load.is_write else "read"]
    return float(side["bw_bytes"])


class Agent:
    """One arrayd over plain files, or over drives that are more than that."""

    def __init__(self, build: Path, folder: Path, drive_bytes: int, count: int,
                 kinds: list[str] | None = None) -> None:
        self._build = build
        self.nbd = folder / "nbd.sock"
        self.control = folder / "control.sock"
        self.files = [folder / f"drive{index}.img" for index in range(count)]
        for path in self.files if kinds is None else []:
            with path.open("wb") as out:  # written, not sparse: reads must reach the disk
                for _ in range(drive_bytes // MIB):
                    out.write(os.urandom(MIB))
        drives = ",\n".join(
            f'  {{ path = "{path}"; enclosure = 252; slot = {index}; {kind} }}'
            for index, (path, kind) in enumerate(zip(self.files, kinds or [""] * count, strict=True)))
        config = folder / "arrayd.conf"
        config.write_text(f"""state_dir = "{folder}/state";
control = {{ socket = "{self.control}"; mode = "0600"; }};
nbd = {{ unix = "{self.nbd}"; }};
scan = {{ enabled = false; }};
profiles_dir = "{PROFILES}";
enclosures = ( {{ eid = 252; model = "Bench"; slots = {count}; rows = 1; columns = {count}; }} );
drives = (
{drives}
);
""")
        self._log = (folder / "arrayd.log").open("wb")
        self._process = subprocess.Popen([str(build / "src/daemon/arrayd"), "--config",
                                          str(config)], stderr=self._log)
        deadline = time.monotonic() + 20
        while self.arrayctl("show", "ctrlcount", check=False) != 0:
            if time.monotonic() > deadline or self._process.poll() is not None:
                sys.exit(f"arrayd did not start; see {folder}/arrayd.log")
            time.sleep(0.05)

    @property
    def pid(self) -> int:
        return self._process.pid

    def arrayctl(self, *words: str, check: bool = True) -> int:
        done = subprocess.run([str(self._build / "src/cli/arrayctl"), "--socket",
                               str(self.control), *words], capture_output=True, text=True,
                              check=False)
        if check and done.returncode != 0:
            sys.exit(f"arrayctl {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.returncode

    def wait_consistent(self) -> None:
        while True:
            done = subprocess.run([str(self._build / "src/cli/arrayctl"), "--socket",
                                   str(self.control), "/c0/v0", "show", "J"],
                                  capture_output=True, text=True, check=True)
            row = json.loads(done.stdout)["Controllers"][0]["Response Data"]["Virtual Drives"][0]
            if row["Consist"] == "Yes":
                return
            time.sleep(0.2)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)
        self._log.close()


def compare(layout: Layout, build: Path, folder: Path, seconds: int, rounds: int):
    agent = Agent(build, folder, 512 * MIB, layout.drives)
    try:
        span = [f"pdperarray={layout.span}"] if layout.span else []
        agent.arrayctl("/c0", "add", "vd", f"type={layout.level}", "name=bench",
                       f"drives=252:0-{layout.drives - 1}", "strip=64", *span)
        agent.arrayctl("/c0", "set", "bgirate=100")
        if layout.level != "raid0":
            agent.wait_consistent()
        uri = f"--uri=nbd+unix:///bench?socket={agent.nbd}"
        raw_files = ":".join(str(path) for path in agent.files)
        for load in LOADS:
            ratios = []
            for _ in range(rounds):
                virtual = fio(load, seconds, "--ioengine=nbd", uri)
                # The raw side only reads, or writes into the reserved area behind the data.
                raw = fio(load, seconds, "--ioengine=io_uring", "--direct=1",
                          f"--filename={raw_files}", "--file_service_type=roundrobin",
                          *(["--offset=450m", "--size=30m"] if load.is_write
                            else ["--size=440m"]))
                share = 1.0
                if load.is_write:
                    share = (layout.data_share if load.rw == "write" else 1 / layout.write_cost)
                ratios.append(virtual / (raw * share))
            yield (f"{layout.level} {load.name} by NBD ÷ raw",
                   (statistics.median(ratios), min(ratios), max(ratios)), None)
    finally:
        agent.stop()


def run(build: Path, seconds: int, rounds: int):
    for layout in LAYOUTS:
        with tempfile.TemporaryDirectory(prefix="aw-bench-", dir=os.environ.get("TMPDIR")) as name:
            yield from compare(layout, build, Path(name), seconds, rounds)
