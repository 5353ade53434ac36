#!/usr/bin/env python3
"""The long run of the fuzzers, in pieces: each writes one line of JSON to the ledger, and what the
ledger has counts. Stopped and started again it goes on where it was; a finding ends it.

    long_run.py --build FOLDER [--ledger FILE] [--executions 10000000] [--piece 300] [TARGET …]
    long_run.py --sum [--ledger FILE]

Targets take turns, one at a time, those with the fewest executions first. A turn is a piece of the
light build (run.py), which is many times as fast, and a fifth of it under all sanitizers, beginning
with what the light one has kept. A finding stays in FOLDER/findings or FOLDER-light/findings;
mended, its input goes to the target's corpus.
"""

import argparse
import sys
import time
from pathlib import Path

import run

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import ledgers  # noqa: E402

HERE = Path(__file__).resolve().parent


def totals(entries):
    """Of each target: executions, seconds, findings."""
    found = {}
    for entry in entries:
        sums = found.setdefault(entry["target"], [0, 0, 0])
        for place, key in enumerate(("executions", "seconds", "findings")):
            sums[place] += entry[key]
    return found


def print_sum(entries):
    for name, (executions, seconds, findings) in sorted(totals(entries).items()):
        print(f"{name:20} {executions:12,} executions in {seconds:7,} s "
              f"({executions / max(1, seconds):8,.0f} each second), {findings} findings")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, help="the folder of run.py")
    parser.add_argument("--ledger", type=Path, default=HERE / "ledger.jsonl")
    parser.add_argument("--executions", type=int, default=10_000_000, help="of each target")
    parser.add_argument("--piece", type=int, default=300, help="seconds of one line of the ledger")
    parser.add_argument("--sum", action="store_true")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    if options.sum:
        print_sum(ledgers.read(options.ledger))
        return
    if options.build is None:
        parser.error("--build is wanted")
    light = options.build.with_name(options.build.name + "-light")
    run.build(options.build)
    run.build(light, run.LIGHT_OPTIONS)
    turn = [("light", light, options.piece), ("sanitized", options.build, options.piece // 5)]
    source = ledgers.origin(sources="agent/src", targets="agent/fuzz")
    while True:
        done = totals(ledgers.read(options.ledger))
        count, name = min((done.get(name, [0])[0], name)
                          for name in options.targets or run.target_names())
        if count >= options.executions:
            break
        for kind, folder, seconds in turn:
            began, start = ledgers.now(), time.monotonic()
            executed, found, text = run.fuzz(folder, name, seconds,
                                             f"-runs={max(1, options.executions - count)}",
                                             corpora=options.build / "corpus")
            count += executed
            entry = {"target": name, "build": kind, **source, "began": began,
                     "executions": executed, "seconds": round(time.monotonic() - start),
                     "findings": int(found)}
            ledgers.append(options.ledger, entry)
            print(f"{name}, {kind}: {executed} executions, {count} altogether", flush=True)
            if found or executed == 0:
                sys.exit(f"{text}\n{name}: {'a finding' if found else 'nothing was executed'}")
    print_sum(ledgers.read(options.ledger))


if __name__ == "__main__":
    main()
