"""Flushing the cache by command: StorCLI's words and 3ware's."""

import tempfile
import unittest
from pathlib import Path

import faces
import in_memory
from harness import Agent

in_memory.use()
BLOCK = 4096
BLOCKS = 64
MEMORY = Path("/dev/shm")


class FlushTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(
            prefix="aw-cache-", dir=MEMORY if MEMORY.is_dir() else None))
        self.agent = Agent(slots=8, config=f'cache = {{ medium = "shared-memory"; '
                                           f'path = "{folder}/cache"; size = "16 MiB"; }};')
        self.addCleanup(self.agent.close)
        self.agent.start()
        # Always: there is no battery, and shared memory alone is not enough for less.
        for name, level, slots in (("data", "raid5", (0, 1, 2)), ("more", "raid1", (4, 5))):
            self.agent.create(level, slots, name, write_policy="always_write_back")

    def tw(self, words, code=0):
        done = faces.run("tw_cli", str(self.agent.control_path), words.split())
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def write(self, fill):
        for name in ("data", "more"):
            with self.agent.nbd(name) as handle:
                for block in range(BLOCKS):
                    handle.pwrite(bytes([fill]) * BLOCK, block * BLOCK)

    def dirty(self):
        view = self.agent.view()
        return [view.vd(name)["cache"]["dirty_bytes"] // BLOCK for name in ("data", "more")]

    def test_long_before_it_is_due(self):
        both, one = [0, 0], [0, BLOCKS]
        ways = ((lambda: self.agent.ctl("/c0", "flushcache").stdout, both),
                (lambda: self.agent.ctl("/c0", "flush", "J").stdout, both),
                (lambda: self.agent.ctl("/c0/vall", "flushcache").stdout, both),
                (lambda: self.agent.ctl("/c0/v0", "flush").stdout, one),
                (lambda: self.tw("flush"), both), (lambda: self.tw("flush c0"), both),
                (lambda: self.tw("maint flush c0"), both), (lambda: self.tw("/c0 flush"), both),
                (lambda: self.tw("maint flush c0 u0"), one),
                (lambda: self.tw("flush c0 u0"), one), (lambda: self.tw("/c0/u0 flush"), one))
        for fill, (flush, left) in enumerate(ways, 1):
            self.write(fill)
            self.assertEqual(self.dirty(), [BLOCKS, BLOCKS])
            self.assertRegex(flush(), r"Flush Cache Succeeded\.|Done\.")
            self.assertEqual(self.dirty(), left)
        with self.agent.nbd() as handle:
            self.assertEqual(bytes(handle.pread(BLOCK, 0)), bytes([len(ways)]) * BLOCK)

    def test_write_through(self):
        self.agent.ctl("/c0/vall", "set", "wrcache=wt")
        self.write(1)
        self.agent.ctl("/c0", "flushcache")
        self.assertEqual(self.agent.view().vd()["cache_flush"], "done")

    def test_drives_that_are_not_there(self):
        self.write(1)
        for slot in (0, 1):
            self.agent.fault(slot, "pull")
        self.agent.until("the virtual drive to be offline",
                         lambda view: view.vd()["state"] == "offline")
        for words in (("/c0", "flushcache"), ("/c0/v0", "flushcache")):
            done = self.agent.ctl(*words, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("Flush Cache Failed.", done.stdout)
        self.assertIn("OfLn", done.stdout)
        self.assertIn("Not flushed", self.tw("/c0 flush", code=1))
        self.assertEqual(self.dirty()[1], 0)  # what could go went
        self.agent.ctl("/c0/v1", "flushcache")

    def test_no_such_virtual_drive(self):
        done = self.agent.ctl("/c0/v7", "flushcache", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Flush Cache Failed.", done.stdout)
        self.assertIn("(CLI:053)", self.tw("/c0/u7 flush", code=1))


if __name__ == "__main__":
    unittest.main()
