"""Mirrors as Linux' md leaves them on drives (metadata 1.2). mdadm makes none without the kernel's
md, which is not everywhere where tests run; it can look at these (mdadm --examine)."""

import struct
from pathlib import Path

MIB = 1 << 20
DATA_OFFSET = MIB


def superblock(*, name, role, data_bytes, drive_bytes, clean=True, events=42):
    """The 4096 bytes of one of two members."""
    offset = DATA_OFFSET // 512
    block = bytearray(4096)
    struct.pack_into("<II", block, 0, 0xA92B4EFC, 1)
    block[16:32] = name.encode().ljust(16, b"+")[:16]
    block[32:64] = name.encode().ljust(32, b"\0")
    struct.pack_into("<IIQII", block, 72, 1, 0, data_bytes // 512, 0, 2)
    struct.pack_into("<QQQ", block, 128, offset, drive_bytes // 512 - offset, 8)
    struct.pack_into("<I", block, 160, role)
    block[168:184] = b"a device of it " + str(role).encode()
    struct.pack_into("<QQ", block, 200, events, (1 << 64) - 1 if clean else 0)
    struct.pack_into("<I2H", block, 220, 2, 0, 0)
    struct.pack_into("<2H", block, 256, 0, 1)
    total = sum(struct.unpack("<65I", block[:260]))
    struct.pack_into("<I", block, 216, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    return bytes(block)


def member_write(path, *, name, role, content, data_bytes, drive_bytes=96 * MIB, clean=True):
    """A drive of its own, as a file."""
    with Path(path).open("wb") as file:
        file.truncate(drive_bytes)
        file.seek(4096)
        file.write(superblock(name=name, role=role, data_bytes=data_bytes,
                              drive_bytes=drive_bytes, clean=clean))
        file.seek(DATA_OFFSET)
        file.write(content)
