"""The ledgers of the long runs: a file of one JSON object a line, kept in the repository."""

import json
import subprocess
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def read(path: Path) -> list[dict]:
    """The entries of a ledger, oldest first; none if it does not exist yet."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def append(path: Path, entry: dict) -> None:
    with path.open("a") as ledger:
        ledger.write(json.dumps(entry) + "\n")


def origin(**trees: str) -> dict:
    """What is tried: the commit, and the given folders' trees, which outlive a rebase. Marks a
    commit in one of whose trees something, ledgers apart, is not committed."""
    changed = _git("status", "--porcelain", "--", *trees.values(), ":!*.jsonl")
    return {"commit": _git("rev-parse", "--short=12", "HEAD") + ("+changes" if changed else ""),
            **trees_of("HEAD", **trees)}


def trees_of(commit: str, **trees: str) -> dict:
    """The hashes of the given folders in a commit."""
    return {name: _git("rev-parse", "--short=12", f"{commit}:{folder}")
            for name, folder in trees.items()}


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=TOP, check=True, capture_output=True,
                          text=True).stdout.strip()
