"""How long `/c0 show all` of a controller with 32 drives takes, from start to exit."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import vd_nbd

DRIVES = 32
DRIVE_BYTES = 128 << 20
GROUPS = 4


def once(command: list[str], env: dict[str, str]) -> tuple[float, float]:
    """Milliseconds on the clock, and of the processor."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1e3, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def measure(build: Path, rounds: int):
    """Yields (form, (median, least, most) on the clock, median of the processor)."""
    with tempfile.TemporaryDirectory(prefix="aw-bench-", dir=os.environ.get("TMPDIR")) as name:
        agent = vd_nbd.Agent(build, Path(name), DRIVE_BYTES, DRIVES,
                             [f'emulated = {{ size = "{DRIVE_BYTES >> 20} MiB"; }};'] * DRIVES)
        try:
            for group in range(GROUPS):
                first = group * DRIVES // GROUPS
                agent.arrayctl("/c0", "add", "vd", "r5", f"name=show{group}",
                               f"drives=252:{first}-{first + 6}")
            for form, more in (("JSON", ["J"]), ("text", [])):
                command = [str(build / "src/cli/arrayctl"), "--socket", str(agent.control), "/c0",
                           "show", "all", *more]
                once(command, {"PATH": "/"})
                times = [once(command, {"PATH": "/"}) for _ in range(rounds * 10)]
                walls = [wall for wall, _ in times]
                yield (form, (statistics.median(walls), min(walls), max(walls)),
                       statistics.median(cpu for _, cpu in times))
        finally:
            agent.stop()
