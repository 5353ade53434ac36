"""A private NUT server with a dummy UPS, on loopback and a free port.

The wrappers of the distribution refuse while its own configuration says MODE=none, so the
programs behind them are started; nothing of the system's configuration is read or changed.
"""

import contextlib
import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from harness import free_port

PROGRAMS = [Path("/lib/nut"), Path("/usr/lib/nut"), Path("/usr/libexec/nut")]
USER = "nut"


def program(name):
    return next((folder / name for folder in PROGRAMS if (folder / name).is_file()), None)


def why_not():
    """Why these tests cannot run here, or None."""
    if program("upsd") is None or program("dummy-ups") is None:
        return "NUT's server is not installed"
    if os.geteuid() != 0:
        return "NUT's programs want to be started as root"
    try:
        pwd.getpwnam(USER)
    except KeyError:
        return "there is no user nut"
    return None


GOOD = {
    "ups.status": "OL", "ups.mfr": "Dummy", "ups.model": "Test UPS", "ups.serial": "DU-1",
    "battery.charge": "100", "battery.charge.low": "20", "battery.runtime": "3600",
    "battery.runtime.low": "120", "battery.voltage": "27.1", "battery.temperature": "24",
    "battery.type": "PbAc",
}


class Ups:
    """upsd and dummy-ups; set() changes what the UPS says."""

    name = "bbu0"

    def __init__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="aw-nut-"))
        self.port = free_port()
        self.values = dict(GOOD)
        self.driver = None
        self.server = None
        self.device = self.directory / "ups.dev"
        self._written_s = 0
        (self.directory / "ups.conf").write_text(
            f"maxretry = 1\n[{self.name}]\n  driver = dummy-ups\n  port = {self.device}\n"
            "  mode = dummy-once\n  pollinterval = 1\n")
        (self.directory / "upsd.conf").write_text(f"LISTEN 127.0.0.1 {self.port}\nMAXAGE 5\n")
        (self.directory / "upsd.users").write_text("")
        self._write()
        owner, group = pwd.getpwnam(USER).pw_uid, grp.getgrnam(USER).gr_gid
        for path in [self.directory, *self.directory.iterdir()]:
            os.chown(path, owner, group)
        self.environment = {"PATH": "/usr/bin:/bin", "NUT_CONFPATH": str(self.directory),
                            "NUT_STATEPATH": str(self.directory),
                            "NUT_ALTPIDPATH": str(self.directory)}

    @property
    def address(self):
        return f"{self.name}@127.0.0.1:{self.port}"

    def _write(self):
        text = "".join(f"{name}: {value}\n" for name, value in self.values.items())
        # The driver looks at the time of the file in whole seconds: no two versions may share one,
        # and it must not read half of one.
        self._written_s = max(self._written_s + 1, int(time.time()))
        new = self.device.with_suffix(".new")
        new.write_text(text)
        os.utime(new, (self._written_s, self._written_s))
        new.rename(self.device)

    def set(self, **values):
        """Underscores stand for dots; None takes a variable away (for a driver started later)."""
        for name, value in values.items():
            if value is None:
                self.values.pop(name.replace("_", "."), None)
            else:
                self.values[name.replace("_", ".")] = str(value)
        self._write()

    def _spawn(self, *command):
        log = (self.directory / "log").open("ab")
        with log:
            return subprocess.Popen([str(word) for word in command], env=self.environment,
                                    stdout=log, stderr=log, cwd=self.directory)

    def start_driver(self):
        self.driver = self._spawn(program("dummy-ups"), "-a", self.name, "-u", USER, "-F")

    def start_server(self):
        self.server = self._spawn(program("upsd"), "-u", USER, "-F")

    def wait_for_answer(self, patience_s=30):
        """Until the server gives the status."""
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), \
                    socket.create_connection(("127.0.0.1", self.port), 2) as peer:
                peer.settimeout(2)
                peer.sendall(f"GET VAR {self.name} ups.status\n".encode())
                answer = peer.recv(256)
                if answer.startswith(b"VAR ") and b'"WAIT"' not in answer:
                    return
            time.sleep(0.05)
        raise AssertionError(f"upsd does not answer:\n{(self.directory / 'log').read_text()}")

    def __enter__(self):
        self.start_driver()
        self.start_server()
        self.wait_for_answer()
        return self

    @staticmethod
    def _end(process):
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def stop_driver(self):
        self._end(self.driver)
        self.driver = None

    def stop_server(self):
        self._end(self.server)
        self.server = None

    def freeze_driver(self):
        self.driver.send_signal(signal.SIGSTOP)

    def thaw_driver(self):
        self.driver.send_signal(signal.SIGCONT)

    def freeze_server(self):
        self.server.send_signal(signal.SIGSTOP)

    def thaw_server(self):
        self.server.send_signal(signal.SIGCONT)

    def __exit__(self, *_):
        self.stop_server()
        self.stop_driver()
        shutil.rmtree(self.directory, ignore_errors=True)
