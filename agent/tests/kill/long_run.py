#!/usr/bin/env python3
"""The long run of kills and power cuts, in pieces: each writes one line of JSON to the ledger,
and what the ledger has counts, but for the cycles of a run that failed. Stopped and started again
it goes on; a failure ends it.

    long_run.py --ledger FILE [--kills 2000] [--power-cuts 300] [--piece 50]
    long_run.py --ledger FILE --hole 3000 [--piece 50]

So many kills and power cuts of write-through virtual drives, and as many of write-back ones: of
the kills half with the cache in shared memory and half with its log in a file, the power cuts with
its log on a drive that forgets. Each of these counts under a name of its own.

--hole: so many kills of arrays whose drives are pulled under load instead (hole_cycles.py), and half
as many kills and power cuts of arrays whose drives are missing for longer.

ARRAYD, ARRAYCTL and LOSSYDRIVE name the programs.
"""

import argparse
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import ledgers  # noqa: E402
from restart_cycles import kind  # noqa: E402

HERE = Path(__file__).resolve().parent


def totals(ledger):
    """Cycles of the runs without a failure, and failures, by kind."""
    done, failures = {}, {}
    for record in ledgers.read(ledger):
        into, count = (failures, "failures") if record["failures"] else (done, "cycles")
        into[record["kind"]] = into.get(record["kind"], 0) + record[count]
    return done, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ledger", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=2000)
    parser.add_argument("--power-cuts", type=int, default=300)
    parser.add_argument("--hole", type=int, default=0)
    parser.add_argument("--piece", type=int, default=50, help="cycles of one run, one geometry")
    options = parser.parse_args()
    if options.hole:
        plan = [(f"hole_{mode}", ["hole_cycles.py", mode], wanted)
                for mode, wanted in (("pull", options.hole), ("kill", options.hole // 2),
                                     ("power", options.hole // 2))]
    else:
        plan = [(kind(mode, cache), ["restart_cycles.py", mode,
                                     *(["--cache", cache] if cache else [])], wanted)
                for mode, cache, wanted in (
                    ("power", "log", options.power_cuts),
                    ("kill", "shared-memory", (options.kills + 1) // 2),
                    ("kill", "log", options.kills // 2),
                    ("power", None, options.power_cuts), ("kill", None, options.kills))]
    for name, (program, *words), wanted in plan:
        while (left := wanted - totals(options.ledger)[0].get(name, 0)) > 0:
            code = subprocess.run([sys.executable, str(HERE / program), *words,
                                   "--cycles", str(min(left, options.piece)),
                                   "--ledger", str(options.ledger)], check=False).returncode
            if code != 0:
                sys.exit(code)
    done, failures = totals(options.ledger)
    print(f"# without a failure: {done}; failures on record: {failures or 'none'}")


if __name__ == "__main__":
    main()
