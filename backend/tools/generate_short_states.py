"""Writes frontend/src/entities/states/short-states.gen.ts from agent/protocol/words.json.

Refusals name a state as the command line does; the console turns that into its own word for it.
`--check` compares instead of writing.
"""

import json
import sys
from pathlib import Path
from typing import Any

from generated_file import write_or_check

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "agent" / "protocol" / "words.json"
TARGET = ROOT / "frontend" / "src" / "entities" / "states" / "short-states.gen.ts"
HEAD = """// What the command line calls the states of drives and virtual drives. Generated from
// agent/protocol/words.json by backend/tools/generate_short_states.py; do not edit.
"""
# The enumerations of the protocol, and where the console has its words for them.
CATALOGUES = {"drive_state": "driveState", "virtual_drive_state": "virtualDriveState"}


def short_states(enums: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """The key of each state's text by its short word, and that of the drive where both have it."""
    found: dict[str, str] = {}
    for enum, catalogue in CATALOGUES.items():
        for state in enums[enum]:
            found.setdefault(state["short"], f"{catalogue}.{state['word']}")
    return found


def render(states: dict[str, str]) -> str:
    lines = [f"  {short}: '{key}'," for short, key in states.items()]
    return "\n".join([HEAD, "export const SHORT_STATES = {", *lines, "} as const", ""])


def main() -> int:
    enums = json.loads(SOURCE.read_text())["enums"]
    return write_or_check(__doc__, TARGET, lambda: render(short_states(enums)))


if __name__ == "__main__":
    sys.exit(main())
