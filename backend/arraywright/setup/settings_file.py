"""Changes settings in a file of lines NAME=value, and nothing else of it."""

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

PREFIX = "ARRAYWRIGHT_"


def _placed(lines: list[str], name: str, value: str) -> None:
    """In place of the line that sets it, else of the one that shows its default, else at the end.

    A value of "" means the default: the line is commented out.
    """
    line = f"{PREFIX}{name.upper()}={value}" if value else f"#{PREFIX}{name.upper()}="
    for pattern in (rf"\s*{PREFIX}{name.upper()}\s*=", rf"#\s*{PREFIX}{name.upper()}\s*="):
        found = [number for number, each in enumerate(lines) if re.match(pattern, each)]
        if found:
            lines[found[-1]] = line
            for number in reversed(found[:-1]):  # only the last one counted
                if not lines[number].startswith("#"):
                    del lines[number]
            return
    if value:
        lines.append(line)


def changed(text: str, values: Mapping[str, str]) -> str:
    lines = text.splitlines()
    for name, value in values.items():
        _placed(lines, name, value)
    return "\n".join(lines) + "\n"


def change(path: Path, values: Mapping[str, str]) -> None:
    """The file is the old or the new one at any time."""
    text = path.read_text() if path.exists() else ""
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(changed(text, values))
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
