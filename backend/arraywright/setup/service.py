"""The service of the server, if there is a systemd that runs it."""

import pwd
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNIT = "arraywright-backend.service"


def _systemctl(*words: str) -> int:
    command = ["systemctl", *words, UNIT]
    return subprocess.run(command, check=False, capture_output=True).returncode


def _runs() -> bool:
    return Path("/run/systemd/system").exists() and _systemctl("is-active", "--quiet") == 0


@contextmanager
def stopped() -> Iterator[bool]:
    """While it is stopped; whether it runs again afterwards. It runs again whatever happens."""
    runs = _runs()
    if runs:
        _systemctl("stop")
    try:
        yield runs
    finally:
        if runs:
            _systemctl("start")


def restarted() -> bool:
    """Whether it ran, and so runs again."""
    return _runs() and _systemctl("restart") == 0


def owner(state_dir: Path) -> pwd.struct_passwd:
    """The user that the server runs as: the owner of its state directory."""
    return pwd.getpwuid(state_dir.stat().st_uid)
