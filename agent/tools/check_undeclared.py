#!/usr/bin/env python3
"""Checks that a call of a function that nobody has declared is an error, whatever the compiler.

C17 compilers take it with a warning, and guess that the function returns an int: of a pointer half
is lost. The flags are those with which a source of the agent is compiled.

usage: check_undeclared.py COMPILE_COMMANDS
"""

import json
import shlex
import subprocess
import sys

SOURCE = "int main(void)\n{\n    return nobody_declares_this();\n}\n"


def flags(commands: str) -> list[str]:
    """Of some source: the compiler, and what decides about warnings."""
    with open(commands) as file:
        entry = next(e for e in json.load(file) if e["file"].endswith("src/base/crc.c"))
    words = shlex.split(entry["command"])
    compiler = words[1] if words[0].endswith("ccache") else words[0]
    return [compiler] + [w for w in words if w.startswith(("-W", "-std="))]


def main() -> int:
    command = flags(sys.argv[1]) + ["-fsyntax-only", "-x", "c", "-"]
    run = subprocess.run(command, input=SOURCE, text=True, capture_output=True)
    if run.returncode == 0:
        print(f"accepted: {' '.join(command)}\n{run.stderr}")
        return 1
    if "nobody_declares_this" not in run.stderr:
        print(f"refused for another reason:\n{run.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
