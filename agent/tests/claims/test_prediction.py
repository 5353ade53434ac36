"""What the wizard asks arraysim: the same answer from every process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROFILES = Path(__file__).resolve().parent.parent.parent / "profiles"
RUNS = 8


def load(name: str, pattern: str, size: int, depth: int, writes: int) -> dict:
    return {"name": name, "pattern": pattern, "mixes": [[{"bytes": size, "percent": 100}]],
            "write_percents": [writes], "depths": [depth]}


def arraysim(program: str, command: str, scenario: dict) -> str:
    return subprocess.run([program, command, "--quiet", "--jobs", "2", "--profiles", PROFILES, "-"],
                          input=json.dumps(scenario), capture_output=True, text=True,
                          check=True).stdout


def the_same_from_every_process(program: str) -> str:
    scenario = {"name": "x", "rebuild": True,
                "drives": {"profile": "fujitsu-mba3073rc", "count": 32},
                "array": {"level": "raid60"}, "limits": {"operations": 10},
                "workloads": [load("read", "random", 4096, 16, 0)]}
    answers = {arraysim(program, "run", scenario) for _ in range(RUNS)}
    return "" if len(answers) == 1 else f"{RUNS} processes gave {len(answers)} answers"


TESTS = [the_same_from_every_process]


def main() -> int:
    print(f"TAP version 13\n1..{len(TESTS)}")
    bad = 0
    for number, test in enumerate(TESTS, 1):
        why = test(sys.argv[1])
        bad += bool(why)
        name = test.__name__.replace("_", " ")
        print(f"{'not ok' if why else 'ok'} {number} - {name}{': ' if why else ''}{why}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
