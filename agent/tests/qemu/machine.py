"""A guest with a stock Debian kernel under software emulation, made of the kernel's package and of
programs of this machine. What it prints comes over its serial line; lines that count begin with
"judge: ".

    judge: passed NAME: …      one case
    judge: FAILED: NAME: …     and the guest ends
    judge: ALL WELL            the guest has come to its end
"""

import lzma
import re
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT_S = 3600  # for a guest that hangs, not for a slow machine
LAST_LINES = 25
ANSWER = "judge: out "  # to a story that asked for it, and judges it
LARGE = ["drivers/net", "drivers/gpu", "drivers/media", "sound"]  # of the modules, and not needed


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


class Kernel:
    """The kernel and the modules of its package, which is unpacked once and never installed."""

    def __init__(self, *packages):
        """One package, or several that together are the kernel."""
        folder = packages[0].with_suffix(".unpacked")
        if not (folder / "vmlinux").exists():
            shutil.rmtree(folder, ignore_errors=True)
            with tempfile.TemporaryDirectory(dir=packages[0].parent) as text:
                made = Path(text) / "made"
                made.mkdir()
                for package in packages:
                    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)],
                                          stdout=subprocess.PIPE) as archive:
                        run("tar", "-x", "-C", made, *(f"--exclude=*/{name}" for name in LARGE),
                            stdin=archive.stdout)
                if (made / "usr/lib/modules").is_dir():  # newer ones
                    (made / "usr/lib").rename(made / "lib")
                image = next(made.rglob("vmlinuz*"))
                (made / "vmlinux").write_bytes(self._elf(image) or image.read_bytes())
                made.rename(folder)
        self.image = folder / "vmlinux"
        base = next((folder / "lib/modules").iterdir())
        self.modules = {path.name.split(".ko")[0].replace("-", "_"): path
                        for path in base.rglob("*.ko*")}

    @staticmethod
    def _elf(image):
        """Unpacked here: started by its PVH note the kernel is there in half the time. None: it is
        not packed by xz, and unpacks itself."""
        packed = image.read_bytes()
        for found in re.finditer(re.escape(b"\xfd7zXZ\0"), packed):
            try:
                elf = lzma.LZMADecompressor().decompress(packed[found.start():])
            except lzma.LZMAError:
                continue
            if elf.startswith(b"\x7fELF"):
                return elf
        return None

    def modules_copy(self, root, names):
        """The modules named and what they depend on, in an order in which they can be loaded."""
        folder = root / "modules"
        folder.mkdir()
        order = []

        def take(name):
            name = name.replace("-", "_")
            path = self.modules.get(name)
            if path is None or f"{name}.ko" in order:
                return  # built in, or there already
            content = path.read_bytes()
            if path.suffix == ".xz":
                content = lzma.decompress(content)
            listed = re.search(rb"\0depends=([^\0]*)\0", content)[1].decode()
            for other in filter(None, listed.split(",")):
                take(other)
            (folder / f"{name}.ko").write_bytes(content)
            order.append(f"{name}.ko")

        for name in names:
            take(name)
        (folder / "order").write_text("\n".join(order) + "\n")


def libraries(program):
    listed = subprocess.run(["ldd", str(program)], check=True, capture_output=True, text=True).stdout
    return {path for path in re.findall(r"(/\S+) \(0x", listed)}


def root_make(root, programs, init):
    """busybox, the programs with their libraries, and init."""
    for name in ("bin", "sbin", "etc", "dev", "proc", "sys", "run", "tmp", "mnt", "drives", "lib64",
                 "var/lib"):
        (root / name).mkdir(parents=True)
    shutil.copy("/bin/busybox", root / "bin/busybox")
    applets = subprocess.run(["/bin/busybox", "--list"], check=True, capture_output=True,
                             text=True).stdout.split()
    for applet in applets:
        if applet not in ("busybox", "mke2fs", "e2fsck"):
            (root / "bin" / applet).symlink_to("busybox")
    for name, path in programs.items():
        shutil.copy(path, root / "sbin" / name)
        for library in libraries(path):
            target = root / library.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, target)
    shutil.copy(init, root / "init")
    (root / "init").chmod(0o755)


def archive_make(root, path):
    with path.open("wb") as file:
        names = subprocess.run(["find", ".", "-print0"], cwd=root, check=True, capture_output=True)
        run("cpio", "--null", "--create", "--format=newc", "--quiet", cwd=root, input=names.stdout,
            stdout=file)


def place_of(number):
    """Of a drive on the machine's only SCSI bus: target and unit. (A PCI function for each would
    take longer the more there are.)"""
    return number // 8, number % 8


def devices(drives):
    yield from ("-device", "virtio-scsi-pci,id=bus")
    for number, (_, path) in enumerate(drives):
        target, unit = place_of(number)
        yield from ("-drive", f"if=none,id=d{number},file={path},format=raw,cache=unsafe",
                    "-device", f"scsi-hd,drive=d{number},bus=bus.0,scsi-id={target},lun={unit}")


class Guest:
    """One life of a machine. drives: (what the guest calls it, file); more: of QEMU's arguments,
    instead of the bus that the drives are on."""

    def __init__(self, kernel, root, drives=(), processors=1, more=None):
        (root / "drives.list").write_text("".join(
            "{} {}:{}\n".format(name, *place_of(number)) for number, (name, _) in enumerate(drives)))
        shutil.copy(HERE / "common.sh", root)
        with tempfile.NamedTemporaryFile(prefix="aw-initrd-") as archive:
            archive_make(root, Path(archive.name))
            self._process = subprocess.Popen(
                ["qemu-system-x86_64", "-machine", "pc,accel=tcg", "-cpu", "max",
                 "-smp", str(processors), "-m", "1024", "-nographic", "-no-reboot", "-nic", "none",
                 "-kernel", str(kernel.image), "-initrd", archive.name,
                 "-append", "console=ttyS0 quiet panic=-1 init=/init mitigations=off "
                            "no_timer_check scsi_mod.scan=sync",
                 *(devices(drives) if more is None else more)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                errors="replace")
            self.lines = []
            self.passed = {}  # name: what was said of it
            self.failed = None  # the name, if the guest has named one
            self.well = False
            hung = threading.Timer(LIMIT_S, self._process.kill)
            hung.daemon = True
            hung.start()
            self._started = time.monotonic()
            self._output = self._read()
            next(self._output, None)  # it has read its initramfs
            self._hung = hung

    def _read(self):
        for line in self._process.stdout:
            line = re.sub(r"\x1b(\[[?0-9;]*[A-Za-z]|c)", "", line).strip()
            if not line:
                continue
            if not line.startswith(ANSWER):
                print(f"# {time.monotonic() - self._started:6.1f} {line}", flush=True)
            self.lines.append(line)
            if found := re.search(r"judge: passed ([^:]+): (.*)", line):
                self.passed[found[1]] = found[2]
            elif found := re.search(r"judge: FAILED: ([^:]+)", line):
                self.failed = found[1]
            self.well = self.well or line.endswith("judge: ALL WELL")
            yield line

    def reading(self):
        """Each line as it comes."""
        return self._output

    def until(self, text):
        """Reads until a line ends so; whether it came."""
        return any(line.endswith(text) for line in self._output)

    def answer(self, word):
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def end(self):
        """Reads on to the end; whether all was well."""
        for _ in self._output:
            pass
        self._process.stdin.close()
        self._process.wait()
        self._hung.cancel()
        return self.well

    def last_words(self):
        return self.lines[-LAST_LINES:]
