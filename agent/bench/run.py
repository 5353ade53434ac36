#!/usr/bin/env python3
"""`make bench`: what the engine costs and how near it comes to the drives.

    run.py --build BUILD [--markdown] [--json FILE] [--only PART]... [--rounds N] [--seconds N]

Parts:
  engine  CPU of the engine on null drives, beside what the machine can do
  share   a rebuild at rate 30 against a saturating load, on drives with emulated timing
  realtime  RAID 0 over 16 X25-E in real time, in process and through NBD
  files   the engine on files, without NBD, against fio on the same files
  cache   what the write-back cache costs: acknowledgement, lookup, recovery
  closure what it costs to close the write hole, with a journal in shared memory and with the
          stripe log
  nbd     CPU of the NBD server per 4 KiB request, against nbdkit and QEMU
  vd      a virtual drive of arrayd by NBD against fio on the raw files
  predicted  virtual drives on emulated drives in real time, by NBD, against arraysim's prediction
  idle    CPU of an idle arrayd with eight virtual drives and a client connected to each
  show    how long arrayctl takes for "show all" of a controller with 32 drives
  lab-speed  operations that arraysim simulates in a second of one core

Absolute figures depend on the machine, so each stands beside a calibration of the same run;
everything else is a ratio of two sides that took turns, the median of the rounds.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import files
import idle
import lab_speed
import nbd_cpu
import predicted
import realtime
import show
import vd_nbd

PARTS = ("engine", "share", "realtime", "cache", "closure", "files", "nbd", "vd", "predicted", "idle",
         "show", "lab-speed")

# What engine_bench prints: words for the table, and the bound, "<" at most, ">" at least; "~" is
# how far from 1 it may be.
ENGINE = {
    "memcpy_cached": ("calibration: memcpy in cache", None),
    "memcpy_memory": ("calibration: memcpy out of cache", None),
    "memcpy_4k": ("calibration: memcpy of 4 KiB", None),
    "nop_ring": ("calibration: one NOP of io_uring, 32 per call", None),
    "clock": ("calibration: one reading of the clock", None),
    "isal_xor_8_1": ("calibration: ISA-L XOR 8+1 × 64 KiB in cache", None),
    "isal_pq_8_2": ("calibration: ISA-L P+Q 8+2 × 64 KiB in cache", None),
    "harness": ("calibration: loop, load and null drive, taken off below", None),
    "read_4k_raid0": ("4 KiB read, RAID 0", ("<", 200)),
    "read_4k_raid1": ("4 KiB read, RAID 1", ("<", 200)),
    "read_4k_raid5": ("4 KiB read, RAID 5", ("<", 200)),
    "read_4k_raid6": ("4 KiB read, RAID 6", ("<", 200)),
    "read_4k_raid10": ("4 KiB read, RAID 10", ("<", 200)),
    "write_4k_raid0": ("4 KiB write, RAID 0", None),
    "write_4k_raid1": ("4 KiB write, RAID 1", None),
    "rmw_4k_raid5": ("4 KiB read-modify-write, RAID 5 8+1", ("<", 1500)),
    "rmw_4k_raid6": ("4 KiB read-modify-write, RAID 6 8+2", ("<", 2000)),
    "full_stripe_raid5": ("full-stripe write 8+1 × 64 KiB", ("<", 8000)),
    "full_stripe_raid6": ("full-stripe write 8+2 × 64 KiB", ("<", 10000)),
    "turn_rmw_raid6_p999": ("longest turn, 4 KiB RAID 6 writes, p99.9", ("<", 100)),
    "turn_rmw_raid6_max": ("longest turn, 4 KiB RAID 6 writes", None),
    "turn_full_stripe_raid6_p999": ("longest turn, full stripes 8+2, p99.9", ("<", 100)),
    "turn_full_stripe_raid6_max": ("longest turn, full stripes 8+2", None),
    "rebuild_raid1": ("rebuild RAID 1", (">", 6.6)),
    "rebuild_raid5": ("rebuild RAID 5 8+1", (">", 3.9)),
    "share_foreground": ("rebuild at rate 30: share the foreground keeps", (">", 0.65)),
    "share_rebuild": ("rebuild at rate 30: share of its idle speed", (">", 0.22)),
    "share_rebuild_alone": ("rebuild, idle, emulated drives", None),
    "journal_append_4k": ("4 KiB into the journal, checksum included", None),
    "recovery": ("recovery of a cache of 1 GiB", None),
    "recovery_per_4_gib": ("recovery, for each 4 GiB", ("<", 1)),
    "wb_ack_4k": ("4 KiB write back, until it is answered", ("<", 1000)),
    "read_4k_hit": ("4 KiB read out of the cache", None),
    "read_4k_miss": ("4 KiB read past the cache, RAID 5, lookup, loop and null drive included", ("<", 300)),
    "wb_ack_4k_log_alone": ("4 KiB write back to a log on a file, alone", None),
    "wb_writes_log_alone": ("4 KiB writes back to a log on a file, alone", None),
    "wb_ack_4k_log_64_deep": ("4 KiB write back to a log on a file, one of 64", None),
    "wb_writes_log_64_deep": ("4 KiB writes back to a log on a file, 64 at a time", None),
    "closure_rate_raid5": ("random writes, RAID 5 8+1 of X25-E: with journal ÷ without", (">", 0.95)),
    "closure_rate_raid6": ("random writes, RAID 6 8+2 of X25-E: with journal ÷ without", (">", 0.95)),
    "closure_whole_raid5": ("random writes, RAID 5 8+1 of X25-E: stripelog=auto ÷ off", (">", 0.98)),
    "closure_whole_raid6": ("random writes, RAID 6 8+2 of X25-E: stripelog=auto ÷ off", (">", 0.98)),
    "closure_degraded_raid5": ("the same, one drive missing, RAID 5", (">", 0.5)),
    "closure_degraded_raid6": ("the same, one drive missing, RAID 6", (">", 0.5)),
    "closure_cpu_raid5": ("what the journal adds to a read-modify-write, RAID 5", None),
    "closure_cpu_raid6": ("what the journal adds to a read-modify-write, RAID 6", None),
    "realtime_raid0": ("RAID 0 of 16 X25-E: share of their 3,520 MB/s read in process", (">", 0.975)),
    "realtime_raid0_rate": ("RAID 0 of 16 X25-E, in process", None),
    "realtime_cpu": ("RAID 0 of 16 X25-E, in process: CPU of the engine", None),
    "share_foreground_alone": ("random reads alone, emulated drives", None),
}


@dataclass
class Line:
    part: str
    name: str
    value: float
    unit: str = ""
    spread: str = ""
    bound: tuple[str, float] | None = None

    @property
    def verdict(self) -> str:
        if self.bound is None:
            return ""
        sign, limit = self.bound
        if sign == "~":
            return "yes" if abs(self.value - 1) <= limit else "no"
        good = self.value <= limit if sign == "<" else self.value >= limit
        return "yes" if good else f"no ({self.value / limit:.2f} ×)"

    @property
    def must(self) -> str:
        if self.bound is None:
            return ""
        sign = {"<": "≤", ">": "≥", "~": "1 ±"}[self.bound[0]]
        return f"{sign} {self.bound[1]:g}"


def engine_lines(part: str, build: Path):
    command = {"engine": ["engine_bench", "null"],
               "realtime": ["engine_bench", "realtime", str(vd_nbd.PROFILES)],
               "cache": ["cache_bench"],
               "closure": ["closure_bench", str(vd_nbd.PROFILES)]}.get(part, ["engine_bench", part])
    with tempfile.TemporaryDirectory(prefix="aw-bench-", dir=os.environ.get("TMPDIR")) as folder:
        done = subprocess.run([str((build / "bench" / command[0]).resolve()), *command[1:]],
                              check=True, capture_output=True, text=True, cwd=folder).stdout
    for entry in json.loads(done):
        words, bound = ENGINE[entry["name"]]
        yield Line(part, words, entry["value"], entry["unit"], "", bound)


def ratio_lines(part: str, results, sign: str = ">"):
    for name, (median, least, most), must in results:
        yield Line(part, name, round(median, 3), "", "" if least == most else f"{least:.2f}–{most:.2f}",
                   None if must is None else (sign, must))


def files_lines(build: Path, seconds: int, rounds: int, levels: list[str]):
    with tempfile.TemporaryDirectory(prefix="aw-bench-", dir=os.environ.get("TMPDIR")) as name:
        raw = files.prepare(Path(name))
        yield from ratio_lines("files", files.run_loads(build, raw, seconds, rounds, levels))
        if not levels or "raid5" in levels:
            yield from ratio_lines("files", files.run_rebuild(build, raw, seconds, rounds))


def nbd_lines(build: Path, seconds: int, rounds: int):
    limits = {"nbdkit": 0.5, "qemu-storage-daemon": 0.7, "qemu-nbd": 0.7}
    server = nbd_cpu.server_of(str(build))
    for mode, depth in nbd_cpu.MODES:
        for found in nbd_cpu.compare(server, mode, depth, seconds, rounds):
            word = "read" if mode == "randread" else "write"
            yield Line("nbd", f"NBD {word}, {depth} in flight: CPU ÷ {found['peer']}",
                       found["cpu_ratio"], "", f"{found['cpu_us']} ÷ {found['peer_cpu_us']} µs",
                       ("<", limits[found["peer"]]))


def lines_of(part: str, options: argparse.Namespace):
    build, seconds, rounds = options.build, options.seconds, options.rounds
    if part in ("engine", "share", "cache", "closure"):
        yield from engine_lines(part, build)
    elif part == "realtime":
        yield from engine_lines(part, build)
        yield Line(part, "RAID 0 of 16 X25-E, through NBD",
                   round(realtime.measure(build, seconds * rounds) / 1e6), "MB/s")
    elif part == "files":
        yield from files_lines(build, seconds, rounds, options.level)
    elif part == "nbd":
        yield from nbd_lines(build, seconds, rounds)
    elif part == "vd":
        yield from ratio_lines("vd", vd_nbd.run(build, seconds, rounds))
    elif part == "predicted":
        yield from ratio_lines("predicted", predicted.run(build, seconds * rounds), "~")
    elif part == "show":
        for form, (median, least, most), cpu in show.measure(build, rounds):
            yield Line("show", f"show all of 32 drives, {form}", round(median, 2), "ms",
                       f"{least:.1f}–{most:.1f}", ("<", 20))
            yield Line("show", f"show all of 32 drives, {form}: CPU of arrayctl", round(cpu, 2),
                       "ms")
    elif part == "lab-speed":
        yield from lab_lines(build, rounds)
    else:
        yield Line("idle", "idle arrayd, 8 virtual drives, 8 clients",
                   round(idle.measure(build, 20), 3), "% of a CPU", "", ("<", 0.5))


def lab_lines(build: Path, rounds: int):
    program = build / "src" / "lab" / "arraysim"
    rates = sorted(round(lab_speed.measure(program)) for _ in range(rounds))
    yield Line("lab-speed", "arraysim: random reads of 16 disks simulated, of one core",
               statistics.median_low(rates), "/s", f"{rates[0]}–{rates[-1]}",
               (">", lab_speed.GOAL))


def machine() -> str:
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return (f"{model}, {os.cpu_count()} CPUs, Linux {os.uname().release}, load "
            f"{os.getloadavg()[0]:.1f}, {datetime.date.today():%d %B %Y}")


def as_markdown(lines: list[Line], where: str) -> str:
    rows = [f"{where}.", "", "| Measure | Value | Spread | Must | Met |", "|---|---|---|---|---|"]
    for line in lines:
        value = f"{line.value:g} {line.unit}".strip()
        rows.append(f"| {line.name} | {value} | {line.spread} | {line.must} | {line.verdict} |")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", choices=PARTS, default=[])
    parser.add_argument("--level", action="append", default=[], help="files: only this level")
    parser.add_argument("--markdown", action="store_true", help="a table at the end")
    parser.add_argument("--json", type=Path, help="write the results there too")
    options = parser.parse_args()
    if shutil.which("fio") is None:
        sys.exit("fio is needed for the comparison")
    lines = []
    where = machine()
    for part in PARTS:
        if options.only and part not in options.only:
            continue
        for line in lines_of(part, options):
            lines.append(line)
            print(f"{line.name:56} {line.value:9.4g} {line.unit:6} {line.spread:18} "
                  f"{line.must:8} {line.verdict}", file=sys.stderr if options.markdown else None,
                  flush=True)
    if options.markdown:
        print(as_markdown(lines, where))
    if options.json:
        options.json.write_text(json.dumps(
            {"machine": where, "results": [asdict(line) | {"met": line.verdict} for line in lines]},
            indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
