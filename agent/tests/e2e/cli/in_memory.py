"""Drives in memory where that is possible: what the command line says does not depend on how long
this machine's disk takes to sync, and a disk that others keep busy takes seconds."""

import mmap
import os
import shutil
import tempfile

FOLDER = "/dev/shm"
NEEDED_BYTES = 4 << 30


def usable():
    """There is room, and the file system takes direct I/O (tmpfs does since Linux 6.6)."""
    try:
        if shutil.disk_usage(FOLDER).free < NEEDED_BYTES:
            return False
        with tempfile.NamedTemporaryFile(dir=FOLDER, prefix="aw-") as file:
            file.truncate(mmap.PAGESIZE)
            handle = os.open(file.name, os.O_RDWR | os.O_DIRECT)
            try:
                return os.preadv(handle, [mmap.mmap(-1, mmap.PAGESIZE)], 0) == mmap.PAGESIZE
            finally:
                os.close(handle)
    except OSError:
        return False


def use():
    """All temporary folders of this run are there."""
    if usable():
        tempfile.tempdir = FOLDER
