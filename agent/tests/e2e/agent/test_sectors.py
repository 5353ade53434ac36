"""Lost sectors: an error exactly there, healed by a write of exactly that, listed as such."""

import nbd
from cases import AgentCase
from harness import MIB

SECTOR = 512
SIZE = 1 * MIB


class Sectors(AgentCase):
    def reads(self, handle, sector):
        try:
            return handle.pread(SECTOR, sector * SECTOR)
        except nbd.Error as error:
            self.assertEqual(error.errno, "EIO")
            return None

    def lost(self, handle, sectors):
        return [sector for sector in sectors if self.reads(handle, sector) is None]

    def listed(self, agent):
        """The sectors of the virtual drive that are listed as bad."""
        with agent.control() as control:
            answer = control.ask("query", {"name": "bad_blocks", "args": {
                "kind": "virtual_drive", "key": control.view().vd_key()}})
        return sorted(block["lba"] + i for block in answer["blocks"]
                      for i in range(block["count"]))

    def story(self, level, slots, faults, around, **more):
        with self.agent(slots=len(slots)) as agent:
            agent.create(level, slots, strip_bytes=64 * 1024, **more)
            agent.until("consistency", lambda v: v.vd()["consistent"])
            with agent.nbd() as handle:
                data = [bytes([sector % 255 + 1]) * SECTOR for sector in range(SIZE // SECTOR)]
                handle.pwrite(b"".join(data), 0)
                handle.flush()
                agent.stop()
            agent.start()
            for slot, lba, count in faults:
                agent.fault(slot, "media_error", lba=lba, count=count)
            with agent.nbd() as handle:
                lost = self.lost(handle, around)
                self.assertTrue(lost, "nothing was lost")
                good = [sector for sector in around if sector not in lost]
                for sector in good:
                    self.assertEqual(self.reads(handle, sector), data[sector])
                self.assertEqual([s for s in self.listed(agent) if s in around], lost)
                # A good neighbor, then the lost ones, one by one.
                neighbor = max(sector for sector in good if sector < lost[0])
                handle.pwrite(b"\xee" * SECTOR, neighbor * SECTOR)
                self.assertEqual(self.reads(handle, neighbor), b"\xee" * SECTOR)
                self.assertEqual(self.lost(handle, around), lost)
                for i, sector in enumerate(lost):
                    handle.pwrite(b"\xdd" * SECTOR, sector * SECTOR)
                    self.assertEqual(self.reads(handle, sector), b"\xdd" * SECTOR)
                    self.assertEqual(self.lost(handle, around), lost[i + 1:])
                for sector in good:
                    if sector != neighbor:
                        self.assertEqual(self.reads(handle, sector), data[sector])
                handle.flush()
                self.assertEqual([s for s in self.listed(agent) if s in around], [])
                agent.stop()
            agent.start()
            with agent.nbd() as handle:
                self.assertEqual(self.lost(handle, around), [])
            return lost

    def test_raid5(self):
        lost = self.story("raid5", [0, 1, 2, 3], [(0, 130, 3), (2, 131, 4)], range(508, 524))
        self.assertEqual(lost, [515, 516])

    def test_mirror_halves(self):
        lost = self.story("raid1", [0, 1], [(0, 200, 3), (1, 201, 4)], range(192, 216))
        self.assertEqual(lost, [201, 202])

    def test_no_redundancy(self):
        lost = self.story("raid0", [0, 1], [(0, 21, 2)], range(16, 32))
        self.assertEqual(lost, [21, 22])
