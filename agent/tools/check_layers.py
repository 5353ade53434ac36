#!/usr/bin/env python3
"""Checks the ladder: a source folder includes only itself and folders above it.

Above the line a file may also include the few system headers of pure C and ISA-L; an
operating-system header there is a fault even if nothing of it is used.

usage: check_layers.py SRC_DIR
       check_layers.py --self-test
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ABOVE = ["base", "port", "drive", "raid", "cache", "meta", "vd", "task", "emulate", "ctl"]
BELOW = ["host", "export", "control", "uplink", "daemon", "cli", "attach", "lab"]
LADDER = ABOVE + BELOW

# Folders that, although further down, build on less than their place allows.
ONLY = {"emulate": {"base", "port"}}

PURE_HEADERS = {
    "ctype.h", "errno.h", "inttypes.h", "limits.h", "stdalign.h", "stdarg.h", "stdbool.h",
    "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "stdnoreturn.h", "string.h", "math.h",
    "immintrin.h",  # the processor's instructions, not the system's
}
PURE_PREFIXES = ("isa-l/", "isa-l.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def may_include(folder: str, other: str) -> bool:
    if other == folder:
        return True
    if folder in ONLY:
        return other in ONLY[folder]
    return LADDER.index(other) < LADDER.index(folder)


def complaint(folder: str, quote: str, header: str) -> str | None:
    """Why a file of this folder must not have this include, or None."""
    if quote == "<":
        pure = header in PURE_HEADERS or header.startswith(PURE_PREFIXES)
        if folder in ABOVE and not pure:
            return f"<{header}> is not for code above the line"
        return None
    other = header.split("/")[0]
    if "/" not in header or other not in LADDER:
        return f'"{header}" does not name a folder of the ladder'
    if not may_include(folder, other):
        return f'"{header}" is out of reach of {folder}/'
    return None


def check(root: Path) -> list[str]:
    faults = []
    for path in sorted(root.rglob("*.[ch]")):
        relative = path.relative_to(root)
        folder = relative.parts[0]
        if folder not in LADDER or len(relative.parts) < 2:
            faults.append(f"{relative}: not in a folder of the ladder")
            continue
        text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8"))
        for match in INCLUDE.finditer(text):
            why = complaint(folder, match[1], match[2])
            if why is None and match[1] == '"' and not (root / match[2]).is_file():
                why = f'"{match[2]}" does not exist'
            if why is not None:
                line = text.count("\n", 0, match.start(1)) + 1
                faults.append(f"{relative}:{line}: {why}")
    return faults


def self_test() -> None:
    """The check itself must be able to fail."""
    cases = {
        "raid/a.c": ('#include "vd/v.h"\n', 1),
        "raid/b.c": ('#include "base/b.h"\n#include <string.h>\n#include <isa-l/raid.h>\n', 0),
        "raid/c.c": ("#include <unistd.h>\n", 1),
        "raid/d.c": ("/*\n#include <unistd.h>\n*/\n", 0),
        "raid/e.c": ('#include "b.h"\n', 1),
        "vd/v.h": ("#include <sys/types.h>\n# include \"emulate/e.h\"\n", 2),
        "base/b.h": ("", 0),
        "base/f.c": ('#include "base/gone.h"\n', 1),
        "emulate/e.h": ('#include "base/b.h"\n#include "raid/r.h"\n', 1),
        "task/t.c": ('#include "emulate/e.h"\n', 1),
        "ctl/c.c": ('#include "emulate/e.h"\n', 0),
        "host/h.c": ('#include <liburing.h>\n#include "vd/v.h"\n#include "daemon/d.h"\n', 1),
        "daemon/d.h": ("", 0),
        "other/o.c": ("", 1),
    }
    for name, (text, expected) in cases.items():
        with TemporaryDirectory() as directory:
            root = Path(directory)
            for other in cases:
                (root / other).parent.mkdir(exist_ok=True)
                if other.endswith(".h"):
                    (root / other).touch()
            (root / name).write_text(text)
            faults = check(root)
            assert len(faults) == expected, (name, faults)


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    faults = check(Path(sys.argv[1]))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
