#!/usr/bin/env python3
"""packages.py check|story: what is tried on the packages that packaging/build has made, on record.

check: the same bytes twice, and lintian (packaging/reproducible).
story: the life of arraywright-backend in a fresh Debian 12 (backend_story); root, debootstrap, and port
       8080 of this machine.

What passed is appended to packaging/tests/ledger.jsonl.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / ".ci"), str(TOP / "agent/tools")]
import ledgers
from bare_root import BareError, Root, say

LEDGER = TOP / "packaging/tests/ledger.jsonl"
PACKAGES = TOP / ".run/deb/out"


def check() -> None:
    subprocess.run([str(TOP / "packaging/reproducible")], check=True)


def story() -> None:
    newest = max(PACKAGES.glob("arraywright-backend_*.deb"), default=None,
                 key=lambda path: path.stat().st_mtime)
    if newest is None:
        raise BareError("There is no package of the backend. Build it first: make deb")
    root = Root("backend-story")
    root.make()
    try:
        say("installing what every Debian machine has")
        root.install("python3", "systemd", "curl")
        subprocess.run([str(TOP / "packaging/tests/backend_story"), str(root.path), str(newest)],
                       check=True)
    finally:
        root.remove()


def main() -> int:
    tried: dict[str, Callable[[], None]] = {"check": check, "story": story}
    if len(sys.argv) != 2 or sys.argv[1] not in tried:
        sys.exit(__doc__)
    began = time.monotonic()
    origin = ledgers.origin(agent="agent", backend="backend", frontend="frontend", packaging="packaging")
    try:
        tried[sys.argv[1]]()
    except (BareError, subprocess.CalledProcessError) as error:
        print(f"not ok: {error}", file=sys.stderr)
        return 1
    ledgers.append(LEDGER, {"kind": sys.argv[1], **origin, "at": ledgers.now(),
                            "minutes": round((time.monotonic() - began) / 60, 1)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
