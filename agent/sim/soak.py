#!/usr/bin/env python3
"""A long run of the crash simulator that can be stopped and taken up again.

Works in batches of simulated lives. Each batch appends a line to the ledger, which is kept in
the repository: commit, range of seeds, lives, crash points, firings of each class of faults,
failures. The next batch begins where the highest range ended, so that no range is ever counted
twice.

usage: soak.py --program ARRAYSIM [--points N] [--lives N] [--ledger FILE]
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


def next_seed(entries: list[dict]) -> int:
    return max([FIRST_SEED, *(entry["seeds"][1] + 1 for entry in entries)])


def batch(program: str, seed: int, lives: int) -> dict:
    done = subprocess.run([program, "crash", "--json", "--seed", str(seed), "--runs", str(lives)],
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
    return {"seeds": [seed, seed + totals["lives"] - 1], **totals, "failures": failures}


def print_sum(entries: list[dict]) -> None:
    total = {"lives": 0, "crash_points": 0, "loss_sets": 0, "seconds": 0}
    firings: dict[str, int] = {}
    failures = 0
    for entry in entries:
        for key in total:
            total[key] += entry.get(key, 0)
        for name, count in entry.get("firings", {}).items():
            firings[name] = firings.get(name, 0) + count
        failures += len(entry["failures"])
    print(", ".join(f"{key} {value:,.0f}" for key, value in total.items()))
    print(f"failures {failures}; commits", ", ".join(sorted({e["commit"] for e in entries})))
    print("firings:", ", ".join(f"{name} {count:,}" for name, count in sorted(firings.items())))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program")
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
    points = 0
    failed = False
    while points < arguments.points:
        entry = {**built_from, "began": ledgers.now(),
                 **batch(arguments.program, next_seed(entries), arguments.lives)}
        entries.append(entry)
        ledgers.append(arguments.ledger, entry)
        points += entry["crash_points"]
        failed = failed or bool(entry["failures"])
        print(f"{entry['seeds'][0]}-{entry['seeds'][1]}: {entry['crash_points']} crash points, "
              f"{points} in this run; {entry['failures'] or 'no failures'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
