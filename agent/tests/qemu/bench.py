"""Sets of drives for one life of a guest whose mdadm assembles or makes them (mdadm_init.sh)."""

import hashlib
import random
import tempfile
from pathlib import Path

import machine

HERE = Path(__file__).resolve().parent
MODULES = ["virtio_pci", "virtio_scsi", "sd_mod", "crc32c_generic", "raid0", "raid1", "raid10", "raid456"]
CONTENT_64K = 192
CONTENT = random.Random(1980).randbytes(CONTENT_64K << 16)
MIB = 1 << 20


class Ours:
    """A set that the guest assembles and copies out, and what must be in the copy."""

    def __init__(self, story, name, size, digest, at):
        self.story, self.name, self.size, self.digest, self.at = story, name, size, digest, at


class Bench:
    def __init__(self, folder, kernel, verdicts):
        self.folder, self.kernel, self.verdicts = folder, kernel, verdicts
        self._lines, self._drives, self._ours, self._theirs = [], [], [], []
        self._out_mib = 0

    def place(self, name):
        folder = self.folder / name
        folder.mkdir()
        return folder

    def _attach(self, name, paths):
        self._drives += [(f"{name}-{place}", path) for place, path in enumerate(paths)
                         if path is not None]

    def ours(self, story, name, paths, size, digest, *, copy_64k=0, failing=None):
        """To be assembled and read; None for the path of a drive that is missing. Then written to,
        after the drive in place `failing` has failed."""
        self._lines.append(f"ours {name} {len(paths)} {size} {self._out_mib} {copy_64k} "
                           f"{'-' if failing is None else failing}")
        self._ours.append(Ours(story, name, size, digest, self._out_mib))
        self._out_mib += -(-size // MIB)
        self._attach(name, paths)

    def theirs(self, name, count, mib, line, sectors=0):
        """Empty drives to make a set of, each larger by so many sectors."""
        folder = self.place(name)
        paths = [folder / f"d{number}" for number in range(count)]
        for path in paths:
            with path.open("wb") as file:
                file.truncate(mib * MIB + sectors * 512)
        self._lines.append(line)
        self._theirs.append(name)
        self._attach(name, paths)

    def boot(self):
        """Lets the guest do all of it, and judges what it has read. The names of the sets that it
        made and that are to be looked at."""
        root = Path(tempfile.mkdtemp(dir=self.folder))
        machine.root_make(root, {"mdadm": "/sbin/mdadm", "mdmon": "/sbin/mdmon"},
                          HERE / "mdadm_init.sh")
        (root / "sets").write_text("\n".join(self._lines) + "\n")
        (root / "content").write_bytes(CONTENT)
        self.kernel.modules_copy(root, MODULES)
        out = self.folder / "out"
        with out.open("wb") as file:
            file.truncate(max(self._out_mib, 1) * MIB)
        guest = machine.Guest(self.kernel, root, [("out", out), *self._drives])
        guest.end()
        for one in self._ours:
            self._judge(guest, out, one)
        made = [name for name in self._theirs if name in guest.passed]
        self.verdicts.of_guest("made by mdadm", guest, self._theirs)
        self._lines, self._drives, self._ours, self._theirs = [], [], [], []
        self._out_mib = 0
        return made

    def _judge(self, guest, out, one):
        if one.name not in guest.passed:
            self.verdicts.of_guest(one.story, guest, [one.name])
            return
        with out.open("rb") as file:
            file.seek(one.at * MIB)
            digest = hashlib.sha256(file.read(one.size)).hexdigest()
        self.verdicts.judge(one.story, one.name, digest == one.digest, guest.passed[one.name],
                            "contents differ", guest)
