#!/usr/bin/env python3
"""A long run of the crash simulator that can be stopped and taken up again.

Works in batches of simulated lives: of written-through arrays (kind "crash"), of stripes over several
of them (kind "stripe"), of those behind the write-back cache (kind "cached"), and of whole
controllers whose cache is kept by a UPS or a battery (kind "battery", a program of its own) in turn. Each batch appends a line to the ledger, which is kept
in the repository: commit, kind ("crash" where a line has none), range of seeds, lives, crash
points, what else was counted, failures. The next batch of a kind begins where its highest range
ended, so that no range is ever counted twice.

usage: soak.py --program ARRAYSIM [--battery BATTERY_LIVES] [--kind KIND] [--points N] [--lives N] [--ledger FILE]
       soak.py --sum [--ledger FILE]
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import ledgers  # noqa: E402

HERE = Path(__file__).resolve().parent
FIRST_SEED = 10_000_000


KINDS = ("crash", "stripe", "cached", "battery")


def kind_of(entry: dict) -> str:
    return entry.get("kind", "crash")


def next_seed(entries: list[dict], kind: str) -> int:
    return max([FIRST_SEED, *(entry["seeds"][1] + 1 for entry in entries if kind_of(entry) == kind)])


def batch(command: list[str], kind: str, seed: int, lives: int) -> dict:
    done = subprocess.run([*command, "--json", "--seed", str(seed), "--runs", str(lives)],
                          capture_output=True, text=True, check=False)
    totals: dict = {}
    failures = []
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            totals = json.loads(line)
        elif line.startswith("FAILED"):
            failures.append(line[:300])
    if not totals:  # an assertion ended the process: the seed is in its report
        words = failures[0].split() if failures else []
        last = int(words[2]) if len(words) > 2 and words[1] == "seed" else seed
        totals = {"lives": last - seed + 1, "crash_points": 0}
        failures = failures or [f"ended with status {done.returncode}"]
    totals.pop("first_seed", None)
    return {"kind": kind, "seeds": [seed, seed + totals["lives"] - 1], **totals, "failures": failures}


def print_sum(entries: list[dict]) -> None:
    for kind in KINDS:
        total: dict[str, float] = {}
        firings: dict[str, int] = {}
        chosen = [entry for entry in entries if kind_of(entry) == kind]
        for entry in chosen:
            for key, value in entry.items():
                if isinstance(value, int | float):
                    total[key] = total.get(key, 0) + value
            for name, count in entry.get("firings", {}).items():
                firings[name] = firings.get(name, 0) + count
        failures = sum(len(entry["failures"]) for entry in chosen)
        print(f"{kind}:", ", ".join(f"{key} {value:,.0f}" for key, value in total.items()))
        print(f"failures {failures}; commits", ", ".join(sorted({e["commit"] for e in chosen})))
        if firings:
            print("firings:",
                  ", ".join(f"{name} {count:,}" for name, count in sorted(firings.items())))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program")
    parser.add_argument("--battery")
    parser.add_argument("--kind", choices=KINDS, help="default: each in turn")
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--lives", type=int, default=2000)
    parser.add_argument("--ledger", type=Path, default=HERE / "ledger.jsonl")
    parser.add_argument("--sum", action="store_true")
    arguments = parser.parse_args()
    entries = ledgers.read(arguments.ledger)
    if arguments.sum:
        print_sum(entries)
        return 0
    if arguments.program is None:
        parser.error("--program is wanted")
    built_from = ledgers.origin(engine="agent/src", simulator="agent/sim")
    commands = {kind: [arguments.program, kind] for kind in ("crash", "stripe", "cached")}
    if arguments.battery is not None:
        commands["battery"] = [arguments.battery]
    kinds = [arguments.kind] if arguments.kind else list(commands)
    if kinds[0] not in commands:
        parser.error("--battery is wanted")
    points = 0
    failures = 0
    while points < arguments.points:
        kind = kinds[0]
        kinds.append(kinds.pop(0))
        entry = {**built_from, "began": ledgers.now(),
                 **batch(commands[kind], kind, next_seed(entries, kind), arguments.lives)}
        entries.append(entry)
        ledgers.append(arguments.ledger, entry)
        points += entry["crash_points"]
        failures += len(entry["failures"])
        print(f"{kind} {entry['seeds'][0]}-{entry['seeds'][1]}: {entry['crash_points']} crash points, "
              f"{points} in this run; {entry['failures'] or 'no failures'}", flush=True)
    print(f"{points} crash points in this run, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
