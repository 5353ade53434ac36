"""Child processes that say when they are ready and end when asked."""

from __future__ import annotations

import contextlib
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path


class StackError(Exception):
    """Something of the stack did not start or stop as it should; the text is for people."""


def free_port() -> int:
    """A port of 127.0.0.1 on which nobody listens. Not one of those that the kernel gives to
    outgoing connections: it stays free, also while its server is down for a while."""
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = range(10240, first if first > 12000 else 32768)
    while True:
        port = random.SystemRandom().choice(ports)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def wait_until(what: str, condition: Callable[[], bool], timeout_s: float,
               child: Child | None = None) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if child is not None and not child.is_running():
            raise StackError(f"{child.name} ended before {what}:\n{child.log_tail()}")
        if time.monotonic() > deadline:
            tail = "" if child is None else "\n" + child.log_tail()
            raise StackError(f"timed out after {timeout_s:g} s: {what}{tail}")
        time.sleep(0.05)


class Child:
    """One program with its log file."""

    def __init__(self, name: str, command: list[str], log: Path,
                 env: Mapping[str, str] | None = None) -> None:
        self.name = name
        self._log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as out:
            # A session of its own: a Ctrl-C on the terminal reaches the launcher only, which
            # then stops the children in the right order.
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                             stderr=subprocess.STDOUT, env=env,
                                             start_new_session=True)

    def is_running(self) -> bool:
        return self._process.poll() is None

    def log_tail(self, lines: int = 20) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-lines:])

    def stop(self, timeout_s: float = 20.0) -> None:
        if self.is_running():
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise StackError(f"{self.name} did not stop within {timeout_s:g} s") from None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
