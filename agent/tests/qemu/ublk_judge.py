"""The kernel's ublk driver and ext4 over two virtual drives, one of blocks of 4096 bytes, while
arrayd is killed, stopped and started again. No I/O error may be seen, no synced byte may change.
ARRAYD, ARRAYCTL and ARRAYWRIGHT_ATTACH name the programs under test.
"""

import machine
import nbd_judge

MODULES = ["configfs", "null_blk", "ublk_drv", "crc32c_generic", "libcrc32c", "crc16", "mbcache", "jbd2", "ext4"]
STORY = "ext4 over the kernel's ublk"
CASES = ["there", "blocks, flushes and discards are what they should be",
         "used while arrayd is killed and restarted", "every synced byte is there",
         "file system is whole", "a discard leaves what is beside it", "gone with its virtual drive",
         "the kernel saw no error"]


def story(folder, kernel, verdicts):
    root = folder / "root"
    root.mkdir()
    nbd_judge.root_make(root, kernel, "ublk_init.sh", MODULES,
                        "ublk = { enabled = true; };\ncontrollers = ( "
                        f"{nbd_judge.controller('/drives/d', nbd_judge.EMULATED)},\n"
                        f"{nbd_judge.controller('/dev/large')} );\n")
    guest = machine.Guest(kernel, root, processors=2)
    guest.end()
    verdicts.of_guest(STORY, guest, CASES)
