#!/usr/bin/env python3
"""The long run of a property test, in pieces: each writes one line of JSON to the ledger, and what
the ledger has counts. Stopped and started again it goes on where it was; a finding ends it, and its
seed repeats it.

    long_run.py lines --program test_prop_command_lines [--ledger FILE] [--cases 1000000]
    long_run.py drives --program test_prop_generations [--ledger FILE] [--cases 10000]
    long_run.py lines|drives --sum [--ledger FILE]

lines: drawn command lines. drives: mixtures of drives of several generations.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import ledgers  # noqa: E402

HERE = Path(__file__).resolve().parent


@dataclass
class Run:
    ledger: str
    cases: int
    piece: int  # cases; so many that each kind of them occurs
    cases_per_seed: int
    told: str  # what a piece that was whole says
    counts: dict[str, int]  # of what is told: its name, and the group that has it
    origin: dict[str, str]


RUNS = {
    "lines": Run("ledger.jsonl", 1_000_000, 20_000, 1,
                 r"# (\d+) lines, (\d+) of them asked for a change", {"lines": 1, "changing": 2},
                 {"cli": "agent/src/cli", "judge": "agent/tests/support"}),
    "drives": Run("drives_ledger.jsonl", 10_000, 1_000, 50,
                  r"# (\d+) served\n(?:# .*\n)*?# (\d+) imported", {"served": 1, "imported": 2},
                  {"ctl": "agent/src/ctl", "judge": "agent/tests/prop"}),
}


def piece_run(run, program, first):
    """Returns what it told, by name, or nothing; and its output."""
    done = subprocess.run([program], text=True, capture_output=True, check=False,
                          env={**os.environ, "AW_SEED": str(first), "AW_CASES": str(run.piece)})
    text = done.stdout + done.stderr
    told = re.search(run.told, text)
    if done.returncode != 0 or told is None:
        return {}, text
    return {name: int(told[group]) for name, group in run.counts.items()}, text


def cases_of(run, entries):
    return sum((entry["seeds"][1] - entry["seeds"][0] + 1) * run.cases_per_seed
               for entry in entries if not entry["findings"])


def print_sum(run, entries):
    counts = ", ".join(f"{sum(entry.get(name, 0) for entry in entries):,} {name}"
                       for name in run.counts)
    print(f"{cases_of(run, entries):,} cases ({counts}) in "
          f"{sum(entry['seconds'] for entry in entries):,} s, "
          f"{sum(entry['findings'] for entry in entries)} findings")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=RUNS)
    parser.add_argument("--program")
    parser.add_argument("--ledger", type=Path)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--sum", action="store_true")
    options = parser.parse_args()
    run = RUNS[options.what]
    ledger = options.ledger or HERE / run.ledger
    entries = ledgers.read(ledger)
    if options.sum:
        print_sum(run, entries)
        return
    if options.program is None:
        parser.error("--program is wanted")
    source = ledgers.origin(**run.origin)
    while cases_of(run, entries) < (options.cases or run.cases):
        first = max((entry["seeds"][1] for entry in entries), default=0) + 1
        began, start = ledgers.now(), time.monotonic()
        told, text = piece_run(run, options.program, first)
        entries.append({**source, "began": began,
                        "seeds": [first, first + run.piece // run.cases_per_seed - 1], **told,
                        "seconds": round(time.monotonic() - start), "findings": int(not told)})
        ledgers.append(ledger, entries[-1])
        if not told:
            sys.exit(text[-4000:])
    print_sum(run, entries)


if __name__ == "__main__":
    main()
