"""The drives that forget (tests/tools/lossydrive.c), mounted for a test."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

LOSSYDRIVE = os.environ.get("LOSSYDRIVE", "lossydrive")


class LossyDrives:
    def __init__(self, count, size_mib):
        self.directory = Path(tempfile.mkdtemp(prefix="aw-lossy-"))
        self.mount = self.directory / "mount"
        self.store = self.directory / "store"
        self.mount.mkdir()
        self.store.mkdir()
        self.process = subprocess.Popen(
            [LOSSYDRIVE, str(self.mount), str(self.store), str(count), str(size_mib)],
            stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "mounted\n":
            raise AssertionError("the drives cannot be mounted; is /dev/fuse there?")
        self.paths = [self.mount / f"d{number}" for number in range(count)]

    def command(self, *words):
        line = " ".join(str(word) for word in words).encode()
        fd = os.open(self.mount / "ctl", os.O_WRONLY)
        try:
            os.write(fd, line)
        finally:
            os.close(fd)

    def status(self):
        fd = os.open(self.mount / "status", os.O_RDONLY)
        try:
            lines = os.read(fd, 4096).decode().splitlines()  # at once: it changes meanwhile
        finally:
            os.close(fd)
        return {name: int(value) for name, value in (line.split() for line in lines)}

    def until(self, what, check, patience_s=30):
        deadline = time.monotonic() + patience_s
        while not check(self.status()):
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {patience_s} s in vain for {what}: {self.status()}")
            time.sleep(0.005)

    def configured(self, enclosure):
        """Entries for the list of drives of arrayd.conf."""
        return [f'{{ path = "{path}"; enclosure = {enclosure}; slot = {slot}; }}'
                for slot, path in enumerate(self.paths)]

    def close(self):
        """Nobody may have a drive open any more."""
        subprocess.run(["fusermount3", "-u", str(self.mount)], check=True)
        self.process.wait(120)
        for path in self.store.iterdir():
            path.unlink()
        for path in (self.mount, self.store, self.directory):
            path.rmdir()
