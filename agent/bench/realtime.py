"""RAID 0 over sixteen emulated X25-E of a running arrayd, read through NBD in real time. What they
hold lies in memory (see predicted.py); the client's CPU is in the figure.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import predicted
import vd_nbd

DRIVES = 16
LOAD = vd_nbd.Load("sequential read, 1 MiB × 8", "read", vd_nbd.MIB, 8, False)


def measure(build: Path, seconds: int) -> float:
    """Bytes per second."""
    kind = f'emulated = {{ size = {predicted.DRIVE_BYTES}L; profile = "intel-x25-e"; }};'
    with tempfile.TemporaryDirectory(prefix="aw-bench-", dir=predicted.storage()) as name:
        agent = vd_nbd.Agent(build, Path(name), 0, DRIVES, [kind] * DRIVES)
        try:
            agent.arrayctl("/c0", "add", "vd", "type=raid0", "name=bench",
                           f"drives=252:0-{DRIVES - 1}", "strip=64", "wt", "nora")
            return vd_nbd.fio(LOAD, seconds, "--ioengine=nbd",
                              f"--uri=nbd+unix:///bench?socket={agent.nbd}")
        finally:
            agent.stop()
