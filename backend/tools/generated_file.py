"""What every generator of one file does: writes it, or with `--check` compares."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path


def write_or_check(description: str | None, target: Path, render: Callable[[], str]) -> int:
    """The exit status: 1 if `--check` was given and the file is not what would be written."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="only report a difference")
    check = parser.parse_args().check
    text = render()
    if not check:
        target.write_text(text)
        return 0
    if target.exists() and target.read_text() == text:
        return 0
    print(f"{target} is out of date: run make generate", file=sys.stderr)
    return 1
