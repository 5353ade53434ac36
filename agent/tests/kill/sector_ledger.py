"""What every sector of a virtual drive must hold, so that a lost write cannot hide.

Each sector's content names the virtual drive, the write and the sector itself: a sector from
another place or another time is recognized at once.
"""

import struct

SECTOR = 512


class WrongBytes(AssertionError):
    """A sector does not hold what was written last."""


class Ledger:
    """What every sector of one part of a virtual drive holds: the number of its last write,
    0 for zeros; and the writes of which nobody knows whether they happened."""

    def __init__(self, vd_number, first, count):
        self.vd_number = vd_number
        self.first = first
        self.versions = [0] * count
        self.next_version = 1
        self.unsettled = {}  # sector -> set of versions it may hold

    def sector_bytes(self, sector, version):
        if version == 0:
            return bytes(SECTOR)
        return struct.pack("<IIQ", self.vd_number, version, sector) * (SECTOR // 16)

    def make(self, sector, count, version):
        return b"".join(self.sector_bytes(s, version) for s in range(sector, sector + count))

    def expected(self, sector, count):
        versions = self.versions[sector - self.first:sector - self.first + count]
        return b"".join(self.sector_bytes(sector + i, v) for i, v in enumerate(versions))

    def written(self, sector, count, version):
        start = sector - self.first
        self.versions[start:start + count] = [version] * count

    def unknown(self, sector, count, version):
        for at in range(sector, sector + count):
            may = self.unsettled.setdefault(at, {self.versions[at - self.first]})
            may.add(version)

    def is_settled(self, sector, count):
        return not self.unsettled or not any(
            at in self.unsettled for at in range(sector, sector + count))

    def check(self, sector, data, what):
        if data == self.expected(sector, len(data) // SECTOR):
            return
        for i in range(len(data) // SECTOR):
            found = data[i * SECTOR:(i + 1) * SECTOR]
            at = sector + i
            version = self.versions[at - self.first]
            if found != self.sector_bytes(at, version):
                vd, is_version, is_sector = struct.unpack("<IIQ", found[:16])
                raise WrongBytes(
                    f"{what}: sector {at} should hold write {version} but reads as vd {vd} "
                    f"write {is_version} sector {is_sector} ({found[:16].hex()})")

    def settle(self, read, what):
        """Reads the unsettled sectors and holds the agent to what it answers."""
        for at, may in sorted(self.unsettled.items()):
            found = read(at, 1)
            for version in may:
                if found == self.sector_bytes(at, version):
                    self.versions[at - self.first] = version
                    break
            else:
                raise WrongBytes(f"{what}: sector {at} holds none of the writes {sorted(may)}: "
                                 f"{found[:16].hex()}")
        self.unsettled.clear()


class PowerLedger(Ledger):
    """A ledger that knows what a power cut may take: what was acknowledged after the last
    flush. A sector then holds what was durable, or any write since."""

    def __init__(self, vd_number, first, count):
        super().__init__(vd_number, first, count)
        self.since = {}  # sector -> [durable version, every version since]

    def written(self, sector, count, version):
        for at in range(sector, sector + count):
            self.since.setdefault(at, [self.versions[at - self.first]]).append(version)
        super().written(sector, count, version)

    def written_durably(self, sector, count, version):
        for at in range(sector, sector + count):
            self.since.pop(at, None)
        super().written(sector, count, version)

    def flushed(self):
        self.since.clear()

    def power_was_cut(self):
        for at, may in self.since.items():
            self.unsettled.setdefault(at, set()).update(may)
        self.since.clear()
