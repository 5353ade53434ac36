"""The kernel's own nbd client and ext4 over two virtual drives, one written through and one written
back over a log, while arrayd is killed and restarted. No I/O error may be seen, no synced byte may
change. ARRAYD, ARRAYCTL and ARRAYWRIGHT_ATTACH name the
programs under test.
"""

import os
import shutil
from pathlib import Path

import bench
import machine

HERE = Path(__file__).resolve().parent
MODULES = ["virtio_pci", "virtio_scsi", "sd_mod", "nbd", "crc32c_generic", "libcrc32c", "crc16", "mbcache", "jbd2", "ext4"]
STORY = "ext4 over the kernel's nbd"
CASES = ["attached", "nobody takes memory away from those who write it out",
         "used while arrayd is killed and restarted",
         "what was written back was in the log when arrayd was killed", "every synced byte is there",
         "file system is whole", "stays attached while it is mounted, although told to stop",
         "detached, and the kernel saw no error"]

LOG_MIB = 64
EMULATED = 'emulated = { size = "128 MiB"; };'
LOG = f'cache = {{ medium = "log"; path = "/dev/sda"; size = "{LOG_MIB} MiB"; }};'


def controller(path, drive="", more=""):
    """Of three drives, path0 to path2; drive: of each of them, more: of the controller."""
    drives = ",\n".join(f'{{ path = "{path}{slot}"; enclosure = 252; slot = {slot}; {drive} }}'
                        for slot in range(3))
    return ('{ enclosures = ( { eid = 252; model = "Judge"; slots = 3; } );\n'
            f"drives = ({drives});\n{more} }}")


def root_make(root, kernel, init, modules, conf):
    machine.root_make(
        root, {"arrayd": os.environ["ARRAYD"], "arrayctl": os.environ["ARRAYCTL"],
               "arraywright-attach": os.environ["ARRAYWRIGHT_ATTACH"],
               "mke2fs": "/sbin/mke2fs", "e2fsck": "/sbin/e2fsck"}, HERE / init)
    shutil.copy(HERE / "writers.sh", root)
    (root / "etc/group").write_text("root:x:0:\n")
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n")
    (root / "etc/arrayd.conf").write_text(
        'state_dir = "/run/state";\npolicy = "lab";\n'
        'control = { socket = "/run/arraywright/control.sock"; mode = "0666"; };\n'
        'nbd = { unix = "/run/nbd.sock"; };\nscan = { enabled = false; };\n' + conf)
    kernel.modules_copy(root, modules)


def story(folder, kernel, verdicts):
    root = folder / "root"
    root.mkdir()
    root_make(root, kernel, "nbd_init.sh", MODULES,
              f"controllers = ( {controller('/drives/c0d', EMULATED)},\n"
              f"{controller('/drives/c1d', EMULATED, LOG)} );\n")
    log = folder / "log"
    with log.open("wb") as file:
        file.truncate(LOG_MIB * bench.MIB)
    # Two processors: arrayd, the kernel's client and its users run at the same time.
    guest = machine.Guest(kernel, root, [("log", log)], processors=2)
    guest.end()
    verdicts.of_guest(STORY, guest, CASES)
