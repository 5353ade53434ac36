"""Simulated operations per second of one core: random reads of 16 disks. run.py has the bound."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

# A simulated operation may take so many times what the loop, the load and a null drive take for one:
# 300,000 a second where that is 29 ns.
HARNESSES = 115
OPERATIONS = 300_000
SCENARIO = {
    "name": "speed", "drives": {"profile": "fujitsu-mba3073rc", "count": 16},
    "array": {"level": "raid0"},
    "limits": {"operations": OPERATIONS, "warmup_operations": 0, "seconds": 1_000_000},
    "workloads": [{"profile": "w01-database", "write_percents": [0], "depths": [64]}],
}


def measure(program: Path) -> float:
    """Processor time, start of the program included: others may be using the machine."""
    profiles = Path(__file__).resolve().parent.parent / "profiles"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "run", "--jobs", "1", "--profiles", profiles, "-"], check=True,
                   input=json.dumps(SCENARIO), text=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return OPERATIONS / (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, type=Path)
    rate = measure(parser.parse_args().program)
    print(f"{rate:.0f} simulated operations per second of one core")
    return 0


if __name__ == "__main__":
    sys.exit(main())
