"""Clients that write to virtual drives and read back while the agent under them is replaced.

As the kernel's client does, they connect again when their connection is lost, and send again what was
not answered. So each write happens at last, and each sector has one content that it must have."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbd

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "agent/tests/kill"))

from sector_ledger import SECTOR, Ledger  # noqa: E402

SECTORS = 8 * 1024 * 1024 // SECTOR  # that a client has of its virtual drive
LONGEST = 256 * 1024 // SECTOR
PATIENCE_S = 60.0  # for what hangs, not for slow machines


class Writer(threading.Thread):
    """One client of one virtual drive. It ends with the first answer that is wrong."""

    def __init__(self, number: int, name: str, socket: Path, seed: int) -> None:
        super().__init__(name=name, daemon=True)
        self._socket = socket
        self._random = random.Random(seed * 100 + number)
        self._ledger = Ledger(number, 0, SECTORS)
        self._handle: nbd.NBD | None = None
        self.over = False
        self.failure = ""
        self.writes = 0
        self.reads = 0
        self.lost = 0
        self.longest_s = 0.0

    def run(self) -> None:
        try:
            for sector in range(0, SECTORS, LONGEST):
                self._write(sector, LONGEST)
            while not self.over:
                self._step()
            for sector in range(0, SECTORS, LONGEST):
                self._read(sector, LONGEST)
        except Exception as error:  # whatever it is, the test must fail
            self.failure = f"{self.name}: {type(error).__name__}: {error}"

    def _step(self) -> None:
        count = min(self._random.randint(1, 1 << self._random.randrange(10)), LONGEST)
        sector = self._random.randrange(SECTORS - count + 1)
        dice = self._random.random()
        if dice < 0.6:
            self._write(sector, count)
        elif dice < 0.65:
            self._ask(lambda handle: handle.flush())
        else:
            self._read(sector, count)

    def _write(self, sector: int, count: int) -> None:
        version = self._ledger.next_version
        self._ledger.next_version += 1
        data = self._ledger.make(sector, count, version)
        self._ask(lambda handle: handle.pwrite(data, sector * SECTOR))
        self._ledger.written(sector, count, version)
        self.writes += 1

    def _read(self, sector: int, count: int) -> None:
        data = bytes(self._ask(lambda handle: handle.pread(count * SECTOR, sector * SECTOR)))
        self._ledger.check(sector, data, self.name)
        self.reads += 1

    def _ask(self, request: Callable[[nbd.NBD], Any]) -> Any:
        """Asks until there is an answer. An error that the agent answers is a fault."""
        started = time.monotonic()
        while True:
            if self._handle is None:
                self._handle = self._connect()
            try:
                answer = request(self._handle)
            except nbd.Error:
                if not (self._handle.aio_is_dead() or self._handle.aio_is_closed()):
                    raise
                self._handle = None
                self.lost += 1
                assert time.monotonic() < started + PATIENCE_S, "no answer"
            else:
                self.longest_s = max(self.longest_s, time.monotonic() - started)
                return answer

    def _connect(self) -> nbd.NBD:
        end = time.monotonic() + PATIENCE_S
        while True:
            handle = nbd.NBD()
            handle.set_export_name(self.name)
            try:
                handle.connect_unix(str(self._socket))
                return handle
            except nbd.Error:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)


class Load:
    """A client on each of some virtual drives."""

    def __init__(self, names: Sequence[str], socket: Path, seed: int) -> None:
        self._writers = [Writer(number, name, socket, seed) for number, name in enumerate(names, 1)]

    def __enter__(self) -> Load:
        for writer in self._writers:
            writer.start()
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._writers:
            writer.over = True
        for writer in self._writers:
            writer.join(2 * PATIENCE_S)

    def go_on(self, writes: int) -> None:
        """Until each client has written so much more."""
        goals = [writer.writes + writes for writer in self._writers]
        end = time.monotonic() + PATIENCE_S
        while any(writer.writes < goal
                  for writer, goal in zip(self._writers, goals, strict=True)):
            self.check()
            assert time.monotonic() < end, f"a client did not write {writes} times in {PATIENCE_S:g} s"
            time.sleep(0.02)

    def check(self) -> None:
        failures = [writer.failure for writer in self._writers if writer.failure]
        assert not failures, "; ".join(failures)

    def result(self) -> dict[str, float]:
        """When it has ended."""
        self.check()
        assert not any(writer.is_alive() for writer in self._writers), "a client hangs"
        return {"writes": sum(writer.writes for writer in self._writers),
                "reads": sum(writer.reads for writer in self._writers),
                "lost_connections": sum(writer.lost for writer in self._writers),
                "longest_pause_s": round(max(writer.longest_s for writer in self._writers), 2)}
