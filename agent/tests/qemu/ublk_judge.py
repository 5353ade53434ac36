"""The kernel's ublk driver and ext4 over two virtual drives, one of blocks of 4096 bytes, while
arrayd is killed, stopped and started again. No I/O error may be seen, no synced byte may change.
ARRAYD and ARRAYCTL name the programs under test.
"""

import os
import shutil
from pathlib import Path

import machine

HERE = Path(__file__).resolve().parent
MODULES = ["configfs", "null_blk", "ublk_drv", "crc32c_generic", "libcrc32c", "crc16", "mbcache", "jbd2", "ext4"]
STORY = "ext4 over the kernel's ublk"
CASES = ["there", "blocks, flushes and discards are what they should be",
         "used while arrayd is killed and restarted", "every synced byte is there",
         "file system is whole", "what is discarded reads as zeros", "gone with its virtual drive",
         "the kernel saw no error"]


def controller(path, more=""):
    drives = ",\n".join(f'{{ path = "{path}{slot}"; enclosure = 252; slot = {slot}; {more} }}'
                        for slot in range(3))
    return ('{ enclosures = ( { eid = 252; model = "Judge"; slots = 3; } );\n'
            f"drives = ({drives}); }}")


def root_make(root, kernel):
    machine.root_make(root, {"arrayd": os.environ["ARRAYD"], "arrayctl": os.environ["ARRAYCTL"],
                             "mke2fs": "/sbin/mke2fs", "e2fsck": "/sbin/e2fsck"},
                      HERE / "ublk_init.sh")
    shutil.copy(HERE / "writers.sh", root)
    (root / "etc/group").write_text("root:x:0:\n")
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n")
    (root / "etc/arrayd.conf").write_text(
        'state_dir = "/run/state";\npolicy = "lab";\n'
        'control = { socket = "/run/arraywright/control.sock"; mode = "0666"; };\n'
        'nbd = { unix = "/run/nbd.sock"; };\nscan = { enabled = false; };\n'
        "ublk = { enabled = true; };\n"
        'controllers = ( '
        + controller("/drives/d", 'emulated = { size = "128 MiB"; };') + ", "
        + controller("/dev/large") + " );\n")
    kernel.modules_copy(root, MODULES)


def story(folder, kernel, verdicts):
    root = folder / "root"
    root.mkdir()
    root_make(root, kernel)
    guest = machine.Guest(kernel, root, processors=2)
    guest.end()
    verdicts.of_guest(STORY, guest, CASES)
