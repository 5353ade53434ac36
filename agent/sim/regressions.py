"""Runs the recorded seeds: regressions.py ARRAYSIM FILE..."""

import shlex
import subprocess
import sys
from pathlib import Path


def main() -> int:
    program, *files = sys.argv[1:]
    lives = [shlex.split(line) for name in files for line in Path(name).read_text().splitlines()
             if line.strip() and not line.startswith("#")]
    failed = 0
    for arguments in lives:
        done = subprocess.run([program, "crash", "--runs", "1", *arguments], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            failed += 1
            print(" ".join(arguments), done.stdout, done.stderr, sep="\n")
    print(f"{len(lives)} recorded seeds, {failed} failed")
    return 1 if failed or not lives else 0


if __name__ == "__main__":
    sys.exit(main())
