"""Programs of the agent that tests run: out of a build of this checkout, made if there is none."""

import fcntl
import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# The folder of the build that `make test` has made, or one of a developer.
BUILDS = [ROOT / ".run/build/agent", ROOT / ".run/b/dbg"]
PROFILES = ROOT / "agent/profiles"


def _build_folder() -> Path:
    for folder in BUILDS:
        if (folder / "build.ninja").exists():
            return folder
    setup = [str(ROOT / ".ci/meson-setup"), str(BUILDS[0]), "--buildtype=debugoptimized"]
    subprocess.run(setup, check=True, cwd=ROOT)
    return BUILDS[0]


def _built(variable: str, target: str) -> Path:
    """As the sources are now. Several workers may ask at the same time."""
    if variable in os.environ:
        return Path(os.environ[variable])
    with (ROOT / ".run/arraysim.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = _build_folder()
        subprocess.run(["ninja", "-C", str(folder), "--quiet", target], check=True, cwd=ROOT)
    return folder / target


@cache
def arraysim() -> Path:
    return _built("ARRAYSIM", "src/lab/arraysim")


@cache
def uplinktalk() -> Path:
    """The real session of the uplink."""
    return _built("UPLINKTALK", "tests/tools/uplinktalk")
