"""CPU of an idle arrayd with eight virtual drives and a client connected to each."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

import vd_nbd

DRIVES = 8
DRIVE_BYTES = 128 << 20


def cpu_s(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(build: Path, seconds: float) -> float:
    """Percent of one CPU."""
    with tempfile.TemporaryDirectory(prefix="aw-bench-", dir=os.environ.get("TMPDIR")) as name:
        agent = vd_nbd.Agent(build, Path(name), DRIVE_BYTES, DRIVES)
        clients = []
        try:
            for index in range(DRIVES):
                agent.arrayctl("/c0", "add", "vd", "type=raid0", f"name=idle{index}",
                               f"drives=252:{index}")
            for index in range(DRIVES):
                uri = f"nbd+unix:///idle{index}?socket={agent.nbd}"
                script = ("import nbd, sys; h = nbd.NBD(); h.connect_uri(sys.argv[1]);"
                          "h.pread(4096, 0); print('connected', flush=True); sys.stdin.read()")
                client = subprocess.Popen(["/usr/bin/python3", "-c", script, uri],
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                clients.append(client)
                client.stdout.readline()
            time.sleep(6)  # start-up and the idle clean are over
            before = cpu_s(agent.pid)
            time.sleep(seconds)
            return (cpu_s(agent.pid) - before) / seconds * 100
        finally:
            for client in clients:
                client.terminate()
                client.wait()
            agent.stop()
