#!/usr/bin/env python3
"""A stock Debian kernel as the judge: its own nbd client and ext4 over a virtual drive, while
arrayd is killed and restarted. No I/O error may be seen, no synced byte may change.

    judge.py --kernel-package linux-image-….deb

Runs under software emulation; needs qemu-system-x86, busybox-static, cpio and e2fsprogs.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = ["nbd", "crc32c_generic", "libcrc32c", "crc16", "mbcache", "jbd2", "ext4"]
LIMIT_S = 600


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def libraries(program):
    listed = subprocess.run(["ldd", str(program)], check=True, capture_output=True, text=True).stdout
    return {path for path in re.findall(r"(/\S+) \(0x", listed)}


def modules_copy(kernel, root, names):
    """The modules named and what they depend on, in an order in which they can be loaded."""
    base = next((kernel / "lib/modules").iterdir())
    found = {path.name.split(".ko")[0].replace("-", "_"): path for path in base.rglob("*.ko*")}
    folder = root / "modules"
    folder.mkdir()
    order = []

    def take(name):
        path = found.get(name.replace("-", "_"))
        if path is None or path.name in order:
            return  # built in, or there already
        listed = re.search(rb"\0depends=([^\0]*)\0", path.read_bytes())[1].decode()
        for other in filter(None, listed.split(",")):
            take(other)
        shutil.copy(path, folder / path.name)
        order.append(path.name)

    for name in names:
        take(name)
    (folder / "order").write_text("\n".join(order) + "\n")


def root_base(root, programs, init):
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


def root_make(root, kernel):
    root_base(root, {"arrayd": os.environ["ARRAYD"], "arrayctl": os.environ["ARRAYCTL"],
                     "arraywright-attach": os.environ["ARRAYWRIGHT_ATTACH"],
                     "mke2fs": "/sbin/mke2fs", "e2fsck": "/sbin/e2fsck"}, HERE / "init.sh")
    (root / "etc/group").write_text("root:x:0:\n")
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n")
    drives = ",\n".join(f'{{ path = "/drives/d{slot}"; enclosure = 252; slot = {slot}; '
                        'emulated = { size = "128 MiB"; }; }' for slot in range(3))
    (root / "etc/arrayd.conf").write_text(
        'state_dir = "/run/state";\npolicy = "lab";\n'
        'control = { socket = "/run/arraywright/control.sock"; mode = "0666"; };\n'
        'nbd = { unix = "/run/nbd.sock"; };\nscan = { enabled = false; };\n'
        'enclosures = ( { eid = 252; model = "Judge"; slots = 3; } );\n'
        f"drives = ({drives});\n")
    modules_copy(kernel, root, MODULES)


def archive_make(root, path):
    with path.open("wb") as file:
        names = subprocess.run(["find", ".", "-print0"], cwd=root, check=True, capture_output=True)
        run("cpio", "--null", "--create", "--format=newc", "--quiet", cwd=root, input=names.stdout,
            stdout=file)


def boot(kernel, archive, devices=()):
    image = next((kernel / "boot").glob("vmlinuz-*"))
    return subprocess.Popen(
        ["qemu-system-x86_64", "-machine", "q35,accel=tcg", "-cpu", "max", "-smp", "2", "-m", "1536",
         "-nographic", "-no-reboot", "-nic", "none", "-kernel", str(image), "-initrd", str(archive),
         "-append", "console=ttyS0 quiet panic=-1 init=/init mitigations=off no_timer_check", *devices],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace")


def judge(machine):
    started = time.monotonic()
    well = False
    for line in machine.stdout:
        line = line.rstrip()
        if line:
            print(f"# {time.monotonic() - started:6.1f} {line}", flush=True)
        well = well or line == "judge: ALL WELL"
        if time.monotonic() - started > LIMIT_S:
            machine.kill()
    machine.wait()
    return well


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel-package", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="aw-judge-") as text:
        folder = Path(text)
        kernel, root, archive = folder / "kernel", folder / "root", folder / "initrd"
        run("dpkg-deb", "-x", options.kernel_package, kernel)
        root.mkdir()
        root_make(root, kernel)
        archive_make(root, archive)
        well = judge(boot(kernel, archive))
    print("# the judge is content" if well else "# FAILED")
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
