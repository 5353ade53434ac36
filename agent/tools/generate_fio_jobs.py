#!/usr/bin/env python3
"""Writes agent/profiles/fio: the loads of agent/profiles/workloads as fio job files.

    generate_fio_jobs.py            write them
    generate_fio_jobs.py --check    exit 1 if a committed file differs
"""

import json
import sys
from pathlib import Path

PROFILES = Path(__file__).resolve().parent.parent / "profiles"
NOTES_PERCENT = 2  # of the space hold what a file system notes of its files, as in the lab
CHUNK_BYTES = 65536
FLOW_MAX = 1000  # fio's
FILES_WRITTEN = ("files_create", "files_copy", "files_copy_far")


def comments(load: dict) -> list[str]:
    writes = load["pattern"] in FILES_WRITTEN or max(load["write_percents"]) > 0
    lines = [f"{load['id']} {load['title']}. Made from workloads/{load['name']}.json by "
             "tools/generate_fio_jobs.py; do not edit.",
             "URI='nbd+unix:///NAME?socket=/run/arraywright/nbd.sock' RUNTIME=60 "
             f"fio {load['name']}.fio"]
    if writes:
        lines.append("It writes over what is on the virtual drive.")
    if load["id"] == "W03":
        lines.append("The reviews let it run for ten minutes: RUNTIME=600.")
    if len(load["mixes"][0]) > 1:
        lines.append("fio places blocks of all sizes on multiples of the smallest, the lab each "
                     "on multiples of its own.")
    if load["pattern"].startswith("files_"):
        lines.append("fio moves notes and bytes of a file side by side, the lab one after the "
                     "other.")
        if load["zone_bytes"]:
            volumes = 2 if load["pattern"] == "files_copy_far" else 1
            lines.append(f"It needs {volumes * load['zone_bytes'] // 10**9} GB; the lab takes less "
                         "where there is no more.")
        if load["file_bytes"] > FLOW_MAX * CHUNK_BYTES:
            lines.append(f"A note comes after {FLOW_MAX} blocks, the most that fio's flow takes, "
                         "and not after each file.")
    lines += [f"Assumed, not printed by the reviews: {text}" for text in load["assumed"]]
    return [f"; {line}" for line in lines]


def size(bytes_: int) -> str:
    return f"{bytes_ // 1024}k" if bytes_ % 1024 == 0 else str(bytes_)


def blocks(mix: list[dict]) -> str:
    if len(mix) == 1:
        return f"bs={size(mix[0]['bytes'])}"
    return "bssplit=" + ":".join(f"{size(part['bytes'])}/{part['percent']}" for part in mix)


def direction(load: dict, writes: int) -> list[str]:
    word = {0: "read", 100: "write"}.get(writes, "rw")
    if load["pattern"] == "random":
        word = "rand" + word
    return [f"rw={word}"] + ([] if writes in (0, 100) else [f"rwmixwrite={writes}"])


def section(name: str, lines: list[str]) -> list[str]:
    return ["", f"[{name}]", *lines]


def steps(load: dict) -> list[str]:
    """One section for each combination of the steps, one after the other."""
    out = []
    for mix in load["mixes"]:
        for writes in load["write_percents"]:
            for workers in load["workers"]:
                for depth in load["depths"]:
                    parts = [size(mix[0]["bytes"]) if len(mix) == 1 else "mix", f"w{writes}",
                             f"j{workers}", f"q{depth}"]
                    lines = [*direction(load, writes), blocks(mix), f"iodepth={depth}"]
                    if workers > 1:
                        share = 100 // workers
                        lines += [f"numjobs={workers}", f"size={share}%",
                                  f"offset_increment={share}%", "group_reporting=1"]
                    out += section("-".join(parts), ["stonewall", *lines])
    return out


def part(load: dict, at: int, percent: int) -> list[str]:
    """From the `at`th percent of the volume on; from 100 on it is the second one behind it."""
    def share(percent: int) -> str:
        if not load["zone_bytes"]:
            return f"{percent}%"
        return str(load["zone_bytes"] * percent // 100 // CHUNK_BYTES * CHUNK_BYTES)
    begin = [f"offset={share(at)}"] if at else []
    return [*begin, f"size={share(percent)}"]


def files(load: dict) -> list[str]:
    chunks = min(FLOW_MAX, max(1, -(-load["file_bytes"] // CHUNK_BYTES)))
    bytes_ = size(min(load["file_bytes"], CHUNK_BYTES))
    reads = load["pattern"] == "files_read"
    far = load["pattern"] == "files_copy_far"
    files_percent = 100 - NOTES_PERCENT
    out = section("notes", ["stonewall", f"rw={'randread' if reads else 'randwrite'}", "bs=4k",
                            *part(load, 100 if far else 0, NOTES_PERCENT), "flow=1"])
    if load["pattern"] in ("files_copy", "files_copy_far"):
        each = files_percent if far else files_percent // 2
        to = 100 + NOTES_PERCENT if far else NOTES_PERCENT + each
        return out + section("from", ["rw=read", f"bs={bytes_}", *part(load, NOTES_PERCENT, each),
                                      f"flow={chunks}"]) + section(
            "to", ["rw=write", f"bs={bytes_}", *part(load, to, each), f"flow={chunks}"])
    return out + section("files", [f"rw={'read' if reads else 'write'}", f"bs={bytes_}",
                                   *part(load, NOTES_PERCENT, files_percent), f"flow={chunks}"])


def job(load: dict) -> str:
    lines = [*comments(load), "", "[global]", "ioengine=nbd", "uri=${URI}", "randseed=1",
             "norandommap=1", "time_based=1", "runtime=${RUNTIME}"]
    if load["zone_bytes"] and not load["file_bytes"]:
        lines.append(f"size={load['zone_bytes']}")
    return "\n".join(lines + (files(load) if load["file_bytes"] else steps(load))) + "\n"


def main() -> int:
    loads = [json.loads(path.read_text()) for path in sorted((PROFILES / "workloads").glob("*.json"))]
    wanted = {PROFILES / "fio" / f"{load['name']}.fio": job(load) for load in loads}
    present = set((PROFILES / "fio").glob("*"))
    stale = [path for path, text in wanted.items()
             if not path.exists() or path.read_text() != text] + sorted(present - set(wanted))
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path} is not what generate_fio_jobs.py writes", file=sys.stderr)
        return 1 if stale else 0
    (PROFILES / "fio").mkdir(exist_ok=True)
    for path in stale:
        if path in wanted:
            path.write_text(wanted[path])
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
