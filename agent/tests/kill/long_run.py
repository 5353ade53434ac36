#!/usr/bin/env python3
"""The long run of kills and power cuts, in pieces: each writes one line of JSON to the ledger,
and what the ledger has counts, but for the cycles of a run that failed. Stopped and started again
it goes on; a failure ends it.

    long_run.py --ledger FILE [--kills 2000] [--power-cuts 300] [--piece 50]

ARRAYD, ARRAYCTL and LOSSYDRIVE name the programs.
"""

import argparse
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import ledgers  # noqa: E402

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
    parser.add_argument("--piece", type=int, default=50, help="cycles of one run, one geometry")
    options = parser.parse_args()
    for mode, wanted in (("power", options.power_cuts), ("kill", options.kills)):
        while (left := wanted - totals(options.ledger)[0].get(f"{mode}_cycles", 0)) > 0:
            code = subprocess.run([sys.executable, str(HERE / "restart_cycles.py"), mode,
                                   "--cycles", str(min(left, options.piece)),
                                   "--ledger", str(options.ledger)], check=False).returncode
            if code != 0:
                sys.exit(code)
    done, failures = totals(options.ledger)
    print(f"# without a failure: {done}; failures on record: {failures or 'none'}")


if __name__ == "__main__":
    main()
