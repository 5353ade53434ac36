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
  manage  what commands and snapshots of a controller with 200 drives cost the thread that serves data
  idle    CPU of an idle arrayd with eight virtual drives and a client connected to each
  show    how long arrayctl takes for "show all" of a controller with 32 drives
  depth   how throughput grows with what is outstanding, in simulated time
  streams several sequential readers, with and without read-ahead, in simulated time
  lab-speed  operations that arraysim simulates in a second of one core

Absolute figures depend on the machine: they are information. What is bounded is how many times a
calibration of the same run they take. Everything else is a ratio of two sides that took turns, the
median of the rounds.
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
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import files
import idle
import lab_speed
import nbd_cpu
import predicted
import queue_depth
import realtime
import show
import streams
import vd_nbd

PARTS = ("engine", "share", "realtime", "cache", "closure", "files", "nbd", "vd", "predicted", "manage",
         "idle", "show", "depth", "streams", "lab-speed")

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
    "pq_over_isal_gfni": ("P+Q 8+2 × 64 KiB in cache ÷ ISA-L, with GFNI", (">", 1.3)),
    "pq_over_isal": ("P+Q 8+2 × 64 KiB in cache ÷ ISA-L, without GFNI", None),
    "harness": ("calibration: loop, load and null drive, taken off below", None),
    "read_4k_raid0": ("4 KiB read, RAID 0", None),
    "read_4k_raid1": ("4 KiB read, RAID 1", None),
    "read_4k_raid5": ("4 KiB read, RAID 5", None),
    "read_4k_raid6": ("4 KiB read, RAID 6", None),
    "read_4k_raid10": ("4 KiB read, RAID 10", None),
    "write_4k_raid0": ("4 KiB write, RAID 0", None),
    "write_4k_raid1": ("4 KiB write, RAID 1", None),
    "rmw_4k_raid5": ("4 KiB read-modify-write, RAID 5 8+1", None),
    "rmw_4k_raid6": ("4 KiB read-modify-write, RAID 6 8+2", None),
    "full_stripe_raid5": ("full-stripe write 8+1 × 64 KiB", None),
    "full_stripe_raid6": ("full-stripe write 8+2 × 64 KiB", None),
    "turn_rmw_raid6_p999": ("longest turn, 4 KiB RAID 6 writes, p99.9", None),
    "turn_rmw_raid6_max": ("longest turn, 4 KiB RAID 6 writes", None),
    "turn_full_stripe_raid6_p999": ("longest turn, full stripes 8+2, p99.9", None),
    "turn_full_stripe_raid6_max": ("longest turn, full stripes 8+2", None),
    "rebuild_raid1": ("rebuild RAID 1, out of memory into memory", None),
    "rebuild_raid5": ("rebuild RAID 5 8+1", None),
    "share_foreground": ("rebuild at rate 30: share the foreground keeps", (">", 0.65)),
    "share_rebuild": ("rebuild at rate 30: share of its idle speed", (">", 0.22)),
    "share_rebuild_alone": ("rebuild, idle, emulated drives", None),
    "journal_append_4k": ("4 KiB into the journal, checksum included", None),
    "recovery": ("recovery of a cache of 1 GiB", None),
    "recovery_per_4_gib": ("recovery, for each 4 GiB", None),
    "wb_ack_4k": ("4 KiB write back, until it is answered", None),
    "read_4k_hit": ("4 KiB read out of the cache", None),
    "read_4k_miss": ("4 KiB read past the cache, RAID 5, lookup, loop and null drive included", None),
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
    "closure_degraded_rows_raid50": (
        "whole rows, RAID 50 3x(4+1), one drive missing: stripelog=auto ÷ off", None),
    "closure_cpu_raid5": ("what the journal adds to a read-modify-write, RAID 5", None),
    "closure_cpu_raid6": ("what the journal adds to a read-modify-write, RAID 6", None),
    "realtime_raid0": ("RAID 0 of 16 X25-E: share of their 3,520 MB/s read in process", (">", 0.975)),
    "realtime_raid0_rate": ("RAID 0 of 16 X25-E, in process", None),
    "realtime_cpu": ("RAID 0 of 16 X25-E, in process: CPU of the engine", None),
    "locate": ("one command (locate), 200 drives and 60 virtual drives", None),
    "snapshot": ("the same controller: documents of everything", None),
    "refresh": ("the same controller: looking for what has changed", None),
    "share_foreground_alone": ("random reads alone, emulated drives", None),
}

HARNESS = "loop, load and null drive"
ROW_BYTES = 8 << 16
GIB = 1 << 30


def rows_ns(values: dict[str, float], code: str) -> float:
    """ISA-L's time for the parity of a row of 8 × 64 KiB in cache; GB/s are bytes per ns."""
    return ROW_BYTES / values[code]


# Of figures that depend on the machine: what they are a multiple of, that multiple, and its bound. A
# bound is what the figure had to be in ns, on the machine where that was agreed, divided by what the
# calibration takes there.
MULTIPLES: dict[str, tuple[str, Callable[[dict[str, float]], float], tuple[str, float]]] = {
    **{name: (HARNESS, lambda values, name=name: values[name] / values["harness"], ("<", most))
       for name, most in (("read_4k_raid0", 7), ("read_4k_raid1", 7), ("read_4k_raid5", 7),
                          ("read_4k_raid6", 7), ("read_4k_raid10", 7), ("rmw_4k_raid5", 52),
                          ("rmw_4k_raid6", 69), ("wb_ack_4k", 35), ("read_4k_miss", 11))},
    "locate": (HARNESS, lambda values: values["locate"] * 1000 / values["harness"], ("<", 3800)),
    "full_stripe_raid5": ("ISA-L XOR of the row", lambda values: values["full_stripe_raid5"]
                          / rows_ns(values, "isal_xor_8_1"), ("<", 2.2)),
    "full_stripe_raid6": ("ISA-L P+Q of the row", lambda values: values["full_stripe_raid6"]
                          / rows_ns(values, "isal_pq_8_2"), ("<", 1.6)),
    "turn_rmw_raid6_p999": ("one such write", lambda values: values["turn_rmw_raid6_p999"] * 1000
                            / values["rmw_4k_raid6"], ("<", 120)),
    "turn_full_stripe_raid6_p999": ("one such stripe",
                                    lambda values: values["turn_full_stripe_raid6_p999"] * 1000
                                    / values["full_stripe_raid6"], ("<", 19)),
    # Each byte is copied twice.
    "rebuild_raid1": ("memcpy out of cache", lambda values: values["rebuild_raid1"] * GIB / 1e9
                      / values["memcpy_memory"], (">", 0.35)),
    # Each byte is made of eight.
    "rebuild_raid5": ("ISA-L XOR", lambda values: 8 * values["rebuild_raid5"] * GIB / 1e9
                      / values["isal_xor_8_1"], (">", 0.15)),
    "recovery_per_4_gib": ("memcpy of 4 GiB out of cache",
                           lambda values: values["recovery_per_4_gib"]
                           / (4 * GIB / 1e9 / values["memcpy_memory"]), ("<", 5)),
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


def bench_entries(build: Path, command: list[str]) -> list[dict]:
    with tempfile.TemporaryDirectory(prefix="aw-bench-", dir=os.environ.get("TMPDIR")) as folder:
        done = subprocess.run([str((build / "bench" / command[0]).resolve()), *command[1:]],
                              check=True, capture_output=True, text=True, cwd=folder).stdout
    return json.loads(done)


@cache
def calibration(build: Path) -> dict[str, float]:
    """Once in a run, for parts that have none of their own."""
    return {entry["name"]: entry["value"]
            for entry in bench_entries(build, ["engine_bench", "calibrate"])}


def multiple_lines(part: str, name: str, values: dict[str, float]):
    unit, multiple, bound = MULTIPLES[name]
    yield Line(part, f"{ENGINE[name][0]} ÷ {unit}", round(multiple(values), 2), "", "", bound)


def engine_lines(part: str, build: Path):
    command = {"engine": ["engine_bench", "null"],
               "realtime": ["engine_bench", "realtime", str(vd_nbd.PROFILES)],
               "cache": ["cache_bench"], "manage": ["manage_bench"],
               "closure": ["closure_bench", str(vd_nbd.PROFILES)]}.get(part, ["engine_bench", part])
    entries = bench_entries(build, command)
    values = {entry["name"]: entry["value"] for entry in entries}
    if any(name in MULTIPLES for name in values) and "harness" not in values:
        values = calibration(build) | values
    for entry in entries:
        words, bound = ENGINE[entry["name"]]
        yield Line(part, words, entry["value"], entry["unit"], "", bound)
        if entry["name"] in MULTIPLES:
            yield from multiple_lines(part, entry["name"], values)


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


def busy_poll_lines(build: Path, seconds: int, rounds: int):
    latency, cpu = nbd_cpu.busy_poll(nbd_cpu.server_of(str(build)), seconds, rounds)
    yield Line("nbd", "NBD read, 1 in flight: latency, busy_poll_percent=100 ÷ 0", round(latency, 3))
    yield Line("nbd", "NBD read, 1 in flight: CPU, busy_poll_percent=100 ÷ 0", round(cpu, 3))


def lines_of(part: str, options: argparse.Namespace):
    build, seconds, rounds = options.build, options.seconds, options.rounds
    if part in ("engine", "share", "cache", "closure", "manage"):
        yield from engine_lines(part, build)
    elif part == "realtime":
        yield from engine_lines(part, build)
        yield Line(part, "RAID 0 of 16 X25-E, through NBD",
                   round(realtime.measure(build, seconds * rounds) / 1e6), "MB/s")
    elif part == "files":
        yield from files_lines(build, seconds, rounds, options.level)
    elif part == "nbd":
        yield from nbd_lines(build, seconds, rounds)
        yield from busy_poll_lines(build, seconds, rounds)
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
    elif part == "depth":
        yield from ratio_lines("depth", queue_depth.run(build))
    elif part == "streams":
        yield from ratio_lines("streams", streams.run(build))
    elif part == "lab-speed":
        yield from lab_lines(build, rounds)
    else:
        yield Line("idle", "idle arrayd, 8 virtual drives, 8 clients",
                   round(idle.measure(build, 20), 3), "% of a CPU", "", ("<", 0.5))


def lab_lines(build: Path, rounds: int):
    program = build / "src" / "lab" / "arraysim"
    rates = sorted(round(lab_speed.measure(program)) for _ in range(rounds))
    rate = statistics.median_low(rates)
    yield Line("lab-speed", "arraysim: random reads of 16 disks simulated, of one core", rate, "/s",
               f"{rates[0]}–{rates[-1]}")
    yield Line("lab-speed", f"arraysim: one of them ÷ {HARNESS}",
               round(1e9 / rate / calibration(build)["harness"], 1), "", "",
               ("<", lab_speed.HARNESSES))


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
