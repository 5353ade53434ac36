"""Simulated operations per second of one core: random reads of 16 disks. Fails below the goal."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

GOAL = 300_000
OPERATIONS = 300_000
SCENARIO = {
    "name": "speed", "drives": {"profile": "fujitsu-mba3073rc", "count": 16},
    "array": {"level": "raid0"},
    "limits": {"operations": OPERATIONS, "warmup_operations": 0, "seconds": 1_000_000},
    "workloads": [{"profile": "w01-database", "write_percents": [0], "depths": [64]}],
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    profiles = Path(__file__).resolve().parent.parent / "profiles"
    subprocess.run([options.program, "run", "--jobs", "1", "--profiles", profiles, "-"], check=True,
                   input=json.dumps(SCENARIO), text=True, stdout=subprocess.DEVNULL)
    # Processor time, start of the program included: others may be using the machine.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    rate = OPERATIONS / (used.ru_utime + used.ru_stime)
    print(f"{rate:.0f} simulated operations per second of one core; goal {GOAL}")
    return 0 if rate >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
