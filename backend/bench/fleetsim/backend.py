"""The backend in a process of its own, and what that process costs."""

import asyncio
import os
import re
import signal
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")
MIB = 1024 * 1024
READY_S = 120.0


class Backend:
    """`python -m arraywright serve` on a free port."""

    def __init__(self, state: Path, database_url: str = "", port: int = 0) -> None:
        self._state = state
        self._database_url = database_url
        self.port = port
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        log = (self._state / "log").open("ab")
        options = ["--state-dir", str(self._state), "--port", str(self.port)]
        options += ["--log-level", "error"]
        if self._database_url:
            options += ["--database-url", self._database_url]
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "arraywright", "serve"),
            *options,
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
        log.close()
        assert self._process.stdout is not None
        async with asyncio.timeout(READY_S):
            while True:
                line = await self._process.stdout.readline()
                if not line:
                    raise RuntimeError(f"the backend has not started; see {self._state / 'log'}")
                found = re.search(rb"https?://[^ ]*:(\d+)", line)
                if found is not None:
                    self.port = int(found.group(1))
                    return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        await self._process.communicate()

    def cpu_s(self) -> float:
        """User and system time of the process so far."""
        assert self._process is not None
        stat = Path(f"/proc/{self._process.pid}/stat").read_text()
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def rss_mib(self) -> int:
        assert self._process is not None
        statm = Path(f"/proc/{self._process.pid}/statm").read_text().split()
        return int(statm[1]) * os.sysconf("SC_PAGE_SIZE") // MIB


class Meter:
    """CPU and wall time of the backend from here on."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._cpu_s = backend.cpu_s()
        self._began = time.monotonic()

    @property
    def cpu_s(self) -> float:
        return self._backend.cpu_s() - self._cpu_s

    @property
    def wall_s(self) -> float:
        return time.monotonic() - self._began

    @property
    def share_percent(self) -> float:
        return round(100 * self.cpu_s / self.wall_s, 1)

    def each_ms(self, count: int) -> float:
        return round(1000 * self.cpu_s / max(1, count), 2)
