#!/usr/bin/env python3
"""The long run of the drawn command lines, in pieces: each writes one line of JSON to the ledger,
and what the ledger has counts. Stopped and started again it goes on where it was; a finding ends
it, and its seed repeats it.

    long_run.py --program test_prop_command_lines [--ledger FILE] [--lines 1000000] [--piece 20000]
    long_run.py --sum [--ledger FILE]
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import ledgers  # noqa: E402

HERE = Path(__file__).resolve().parent


def piece_run(program, first, count):
    """Returns how many lines were run, how many of them asked for a change, and the output."""
    done = subprocess.run([program], text=True, capture_output=True, check=False,
                          env={**os.environ, "AW_SEED": str(first), "AW_CASES": str(count)})
    text = done.stdout + done.stderr
    told = re.search(r"# (\d+) lines, (\d+) of them asked for a change", text)
    if done.returncode != 0 or told is None:
        return 0, 0, text
    return int(told[1]), int(told[2]), text


def print_sum(entries):
    lines, seconds = (sum(entry[key] for entry in entries) for key in ("lines", "seconds"))
    print(f"{lines:,} lines, {sum(entry['changing'] for entry in entries):,} of them asked for a "
          f"change, in {seconds:,} s, {sum(entry['findings'] for entry in entries)} findings")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program")
    parser.add_argument("--ledger", type=Path, default=HERE / "ledger.jsonl")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--piece", type=int, default=20_000, help="20,000 or more: a piece must "
                        "come to every command there is")
    parser.add_argument("--sum", action="store_true")
    options = parser.parse_args()
    entries = ledgers.read(options.ledger)
    if options.sum:
        print_sum(entries)
        return
    if options.program is None:
        parser.error("--program is wanted")
    source = ledgers.origin(cli="agent/src/cli", judge="agent/tests/support")
    while sum(entry["lines"] for entry in entries) < options.lines:
        first = max((entry["seeds"][1] for entry in entries), default=0) + 1
        began, start = ledgers.now(), time.monotonic()
        lines, changing, text = piece_run(options.program, first, options.piece)
        entries.append({**source, "began": began, "seeds": [first, first + options.piece - 1],
                        "lines": lines, "changing": changing,
                        "seconds": round(time.monotonic() - start), "findings": int(lines == 0)})
        ledgers.append(options.ledger, entries[-1])
        if lines == 0:
            sys.exit(text[-4000:])
    print_sum(entries)


if __name__ == "__main__":
    main()
