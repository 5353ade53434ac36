"""A Debian 12 machine under software emulation: a bootstrapped root, which is kept for the next time,
its disk and other drives, and a root shell on its second serial line."""

from __future__ import annotations

import codecs
import hashlib
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, Queue

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "agent/tests/qemu"))

import machine  # noqa: E402

MIRROR = "http://deb.debian.org/debian"
BASE = ["systemd-sysv", "udev", "dbus", "kmod", "procps", "initramfs-tools", "linux-image-amd64",
        "mdadm", "e2fsprogs", "smartmontools", "sudo", "libnbd-bin"]
BOOT_S, COMMAND_S = 900, 900  # for what hangs, not for slow machines
DISK = "4G"
SHELL_UNIT = """[Unit]
Description=Shell of the journey
After=multi-user.target
[Service]
Environment=HOME=/root TERM=dumb DEBIAN_FRONTEND=noninteractive
WorkingDirectory=/root
ExecStart=/bin/bash --noprofile --norc --noediting
StandardInput=tty-force
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS1
Restart=always
KillMode=process
TimeoutStopSec=2
[Install]
WantedBy=graphical.target
"""


class JourneyError(Exception):
    """What went wrong, in a sentence and with what was printed."""


def run(*words: str | Path, **options) -> str:
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=False, **options)
    if done.returncode != 0:
        raise JourneyError(f"{' '.join(map(str, words))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def dependencies(packages: Sequence[Path]) -> list[str]:
    """Names of what the packages depend on: of alternatives the first."""
    found = set()
    for package in packages:
        for clause in run("dpkg-deb", "-f", package, "Depends").split(","):
            found.add(re.match(r"\s*([a-z0-9.+-]*)", clause)[1])
    return sorted(found - {""})


def root_prepare(new: Path) -> None:
    """What the machine has besides: its names, its disk and the shell."""
    run("chroot", new, "apt-get", "clean")
    (new / "etc/hostname").write_text("journey\n")
    (new / "etc/hosts").write_text("127.0.0.1 localhost\n127.0.1.1 journey\n")
    (new / "etc/fstab").write_text("LABEL=root / ext4 errors=remount-ro 0 1\n")
    # The machine has no network.
    (new / "etc/apt/apt.conf.d/90journey").write_text('APT::Install-Recommends "false";\n')
    # An initramfs with the few modules that this machine needs: making one with all takes minutes.
    (new / "etc/initramfs-tools/conf.d/journey").write_text(
        "MODULES=list\nCOMPRESS=gzip\nCOMPRESSLEVEL=1\n")
    (new / "etc/initramfs-tools/modules").write_text(
        "virtio_pci\nvirtio_blk\nvirtio_scsi\nsd_mod\next4\ncrc32c_generic\n")
    run("chroot", new, "update-initramfs", "-u")
    # An emulated boot may take longer than systemd waits for the device of a file system.
    manager = new / "etc/systemd/system.conf.d"
    manager.mkdir(exist_ok=True)
    (manager / "90journey.conf").write_text(
        "[Manager]\nDefaultDeviceTimeoutSec=900\nDefaultTimeoutStartSec=900\n")
    (new / "etc/systemd/system/journey-shell.service").write_text(SHELL_UNIT)
    wants = new / "etc/systemd/system/graphical.target.wants"
    wants.mkdir(exist_ok=True)
    (wants / "journey-shell.service").symlink_to("/etc/systemd/system/journey-shell.service")
    for name in ("apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "fstrim.timer",
                 "serial-getty@ttyS1.service"):
        (new / "etc/systemd/system" / name).symlink_to("/dev/null")


def root_bootstrap(cache: Path, packages: Sequence[Path]) -> Path:
    """A root with what the packages depend on, but without them. Made once."""
    own = {run("dpkg-deb", "-f", package, "Package").strip() for package in packages}
    wanted = [*BASE, *(name for name in dependencies(packages) if name not in own)]
    key = hashlib.sha256(" ".join(wanted).encode()).hexdigest()[:12]
    root = cache / f"root-{key}"
    if root.exists():
        return root
    cache.mkdir(parents=True, exist_ok=True)
    for old in cache.glob("root-*"):
        shutil.rmtree(old)
    print("== bootstrapping Debian 12: some minutes, once", flush=True)
    new = cache / "new"
    shutil.rmtree(new, ignore_errors=True)
    run("debootstrap", "--variant=minbase", f"--include={','.join(wanted)}", "bookworm", new, MIRROR)
    root_prepare(new)
    new.rename(root)
    return root


class Guest:
    """The disk is made of the root and of the files given; it stays for all lives of the machine."""

    def __init__(self, folder: Path, root: Path, files: Sequence[Path], drives: Sequence[Path]) -> None:
        self.folder = folder
        self.drives = drives
        self.disk = folder / "disk"
        self._process: subprocess.Popen | None = None
        run("mke2fs", "-q", "-t", "ext4", "-L", "root", "-d", root, self.disk, DISK)
        self._disk_write(*(f'write "{file}" "/root/{file.name}"' for file in files))
        self._vmlinux = folder / "vmlinux"
        self._vmlinux.write_bytes(machine.Kernel._elf(next((root / "boot").glob("vmlinuz-*"))))
        self._initrd_name = next((root / "boot").glob("initrd.img-*")).name

    def _disk_write(self, *requests: str) -> None:
        for request in requests:
            run("debugfs", "-w", "-R", request, self.disk)

    def _drive_options(self) -> list[str]:
        """Half of the drives on a SCSI bus, the others by virtio."""
        options = ["-device", "virtio-scsi-pci,id=bus"]
        for number, path in enumerate(self.drives):
            kind = ("virtio-blk-pci" if number % 2 else "scsi-hd,bus=bus.0") + f",drive=d{number}"
            options += ["-drive", f"if=none,id=d{number},file={path},format=raw,cache=unsafe",
                        "-device", f"{kind},serial=JOURNEY{number}"]
        return options

    def boot(self) -> None:
        """By the initramfs that is on the disk, as a boot loader would."""
        initrd = self.folder / "initrd"
        run("debugfs", "-R", f"dump /boot/{self._initrd_name} {initrd}", self.disk)
        console = self.folder / f"console-{time.strftime('%H%M%S')}.log"
        self._process = subprocess.Popen(
            ["qemu-system-x86_64", "-machine", "pc,accel=tcg", "-cpu", "max", "-smp", "2",
             "-m", "2048", "-display", "none", "-no-reboot", "-nic", "none",
             "-kernel", str(self._vmlinux), "-initrd", str(initrd),
             "-append", "root=LABEL=root rw console=ttyS0 quiet mitigations=off no_timer_check "
                        "systemd.show_status=false",
             "-drive", f"if=none,id=root,file={self.disk},format=raw,cache=unsafe",
             "-device", "virtio-blk-pci,drive=root", "-serial", f"file:{console}",
             "-serial", "stdio", *self._drive_options()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._said: Queue[bytes | None] = Queue()
        log = (self.folder / "shell.log").open("ab", buffering=0)
        threading.Thread(target=self._read, args=(self._process.stdout, self._said, log),
                         daemon=True).start()
        self._text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")  # parts end within characters
        self._await_shell()

    @staticmethod
    def _read(stream, said: Queue, log) -> None:
        while part := stream.read1():
            said.put(part)
            log.write(part)
        log.close()
        said.put(None)

    def _type(self, text: str) -> None:
        self._process.stdin.write(text.encode())
        self._process.stdin.flush()

    def _until(self, pattern: str, seconds: float) -> re.Match | None:
        """Reads until there is such a text, and takes it out of what was read."""
        end = time.monotonic() + seconds
        while True:
            if found := re.search(pattern, self._text, flags=re.S):
                self._text = self._text[found.end():]
                return found
            try:
                part = self._said.get(timeout=max(0.01, end - time.monotonic()))
            except Empty:
                return None
            if part is None:
                raise JourneyError("the machine ended:\n" + self._text[-2000:])
            self._text += self._decoder.decode(part).replace("\r", "")

    def _await_shell(self) -> None:
        for _ in range(BOOT_S // 5):
            self._type("stty -echo; PS1= PS2=; echo shell-''ready\n")
            if self._until("shell-ready\n", 5):
                self._type("echo all-''read\n")  # what earlier tries have printed comes before
                self._until("all-read\n", COMMAND_S)
                return
        raise JourneyError("the machine does not come up; its console:\n" + self.console()[-3000:])

    def console(self) -> str:
        return "".join(file.read_text(errors="replace") for file in
                       sorted(self.folder.glob("console-*.log")))

    def try_command(self, command: str, seconds: float = COMMAND_S) -> tuple[int, str]:
        """Its exit status and all that it prints."""
        self._type(f"{{ {command}\n}} </dev/null 2>&1 | cat; "
                   "printf '\\n@@%d@@\\n' ${PIPESTATUS[0]}\n")
        found = self._until(r"\n?@@(\d+)@@\n", seconds)
        if found is None:
            raise JourneyError(f"{command}: no end after {seconds} s:\n{self._text[-2000:]}")
        return int(found[1]), found.string[:found.start()]

    def command(self, command: str, seconds: float = COMMAND_S) -> str:
        status, said = self.try_command(command, seconds)
        if status != 0:
            raise JourneyError(f"{command}: exit status {status}\n{said}")
        return said.strip()

    def until_true(self, command: str, seconds: float = 300) -> None:
        end = time.monotonic() + seconds
        while self.try_command(command)[0] != 0:
            if time.monotonic() > end:
                raise JourneyError(f"{command}: not true after {seconds} s")
            time.sleep(1)

    def write(self, path: str, text: str) -> None:
        self.command(f"cat >{path} <<'END-OF-FILE'\n{text}\nEND-OF-FILE")

    def reboot(self) -> None:
        self._type("systemctl reboot\n")
        self._end()
        self.boot()

    def _end(self) -> None:
        try:
            self._process.wait(BOOT_S)
        except subprocess.TimeoutExpired:
            raise JourneyError("the machine does not stop; its console:\n"
                               + self.console()[-3000:]) from None

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
