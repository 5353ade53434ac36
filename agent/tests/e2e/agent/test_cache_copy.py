"""An older copy of the cache medium is put in its place, as from a backup: nothing of it goes over
newer data, and what was lost with the medium is told."""

import shutil
import tempfile
import unittest
from pathlib import Path

from taken import Taken
from test_cache import BLOCK, MEMORY, Writer, cache_config, content, version_of, wait_for

MEDIA = {"shared-memory": 16, "pmem": 16, "log": 32}
BLOCKS = 64


class OlderCopy(Taken):
    def started(self, medium):
        folder = tempfile.TemporaryDirectory(
            prefix="aw-cache-", dir=MEMORY if medium == "shared-memory" else None)
        self.addCleanup(folder.cleanup)
        self.medium = Path(folder.name) / "cache"
        self.copy = self.medium.with_name("copy")
        return self.agent(slots=4, config=cache_config(self.medium, medium, MEDIA[medium])).start()

    def fill(self, agent, version):
        with agent.nbd() as disk:
            for block in range(BLOCKS):
                disk.pwrite(content(block, version), block * BLOCK)

    def versions(self, agent):
        with agent.nbd() as disk:
            return {version_of(block, bytes(disk.pread(BLOCK, block * BLOCK)))
                    for block in range(BLOCKS)}

    def record(self, agent):
        [path] = agent.state_dir.glob("r-group-*")
        return path.read_bytes()

    def put_back(self, agent):
        agent.kill()
        shutil.copy(self.copy, self.medium)
        agent.start()

    def test_cached_writes(self):
        for medium in MEDIA:
            with self.subTest(medium):
                agent = self.started(medium)
                agent.create("raid5", (0, 1, 2), write_policy="always_write_back")
                self.fill(agent, 1)
                agent.kill()
                shutil.copy(self.medium, self.copy)
                agent.start()
                self.assertEqual(self.versions(agent), {1})
                stamped = self.record(agent)
                self.fill(agent, 2)
                wait_for("the stamp", lambda a=agent, s=stamped: self.record(a) != s)
                agent.ctl("/c0/v0", "flush")
                with agent.nbd() as disk:
                    disk.pwrite(content(BLOCKS, 2), BLOCKS * BLOCK)
                self.put_back(agent)
                self.assertEqual(self.versions(agent), {2})
                self.assertEqual(agent.view().vd()["lost_writes"]["code"], "cache_lost_medium")
                self.take(agent, "remedy_cache_preserved_changed", "show preservedcache",
                          ends=False)
                agent.ctl("/c0/v0", "delete", "preservedcache", "force")
                self.take(agent, "remedy_writes_lost", "delete preservedcache")
                self.assertIsNone(agent.view().vd()["lost_writes"])
                self.fill(agent, 3)
                agent.kill()  # the medium is the right one again
                agent.start()
                self.assertEqual(self.versions(agent), {3})
                self.assertIsNone(agent.view().vd()["lost_writes"])
                agent.close()

    def test_write_intents(self):
        for medium in ("pmem", "log"):
            with self.subTest(medium):
                agent = self.started(medium)
                agent.create("raid5", (0, 1, 2), write_policy="write_through")
                writers = [Writer(agent, share, 4, share) for share in range(4)]
                for writer in writers:
                    writer.start()
                wait_for("writes", lambda w=writers: sum(len(x.acked) for x in w) > 100)
                agent.kill()
                for writer in writers:
                    writer.join()
                shutil.copy(self.medium, self.copy)
                agent.start()
                stamped = self.record(agent)
                with agent.nbd() as disk:
                    size = min(disk.get_size(), 4 << 20)
                    disk.pwrite(b"newest.." * (size // 8), 0)
                    disk.flush()
                wait_for("the stamp", lambda a=agent, s=stamped: self.record(a) != s)
                self.put_back(agent)
                with agent.nbd() as disk:
                    self.assertEqual(bytes(disk.pread(size, 0)), b"newest.." * (size // 8))
                agent.optimal()
                agent.close()

    def images(self, agent):
        """Of the drives and the state directory, in the middle of cached writes."""
        self.kept = agent.directory / "kept"
        shutil.copytree(agent.state_dir, self.kept)
        for slot in range(3):
            shutil.copy(agent.directory / f"d{slot}", agent.directory / f"image{slot}")

    def restore(self, agent):
        shutil.rmtree(agent.state_dir)
        self.kept.rename(agent.state_dir)
        for slot in range(3):
            (agent.directory / f"image{slot}").rename(agent.directory / f"d{slot}")

    def test_drives_older_than_the_medium(self):
        """What the medium has now would make a state that never was; what it has not is lost."""
        for medium in ("pmem", "log"):
            for drained in (False, True):
                with self.subTest(medium, drained=drained):
                    agent = self.started(medium)
                    agent.create("raid5", (0, 1, 2), write_policy="always_write_back")
                    self.fill(agent, 1)
                    agent.ctl("/c0/v0", "flush")
                    self.fill(agent, 2)
                    agent.kill()
                    self.images(agent)
                    agent.start()
                    agent.ctl("/c0/v0", "flush")
                    if drained:
                        agent.stop()
                    else:
                        with agent.nbd() as disk:
                            disk.pwrite(content(0, 3), 0)
                        agent.kill()
                    self.restore(agent)
                    for _ in range(2):
                        agent.start()
                        self.assertEqual(self.versions(agent), {1})
                        self.assertEqual(agent.view().vd()["lost_writes"]["code"],
                                         "cache_lost_medium")
                        agent.stop()
                    agent.close()

    def test_images_of_a_clean_stop(self):
        """Everything is on them: nothing is missed."""
        agent = self.started("log")
        agent.create("raid5", (0, 1, 2), write_policy="always_write_back")
        self.fill(agent, 1)
        agent.stop()
        self.images(agent)
        agent.start()
        self.fill(agent, 2)
        agent.stop()
        self.restore(agent)
        agent.start()
        self.assertEqual(self.versions(agent), {1})
        self.assertIsNone(agent.view().vd()["lost_writes"])

    def test_of_a_virtual_drive_that_is_not_known(self):
        agent = self.started("pmem")
        agent.stop()
        before = agent.directory / "before"
        shutil.copytree(agent.state_dir, before)
        agent.start()
        agent.create("raid5", (0, 1, 2), write_policy="always_write_back")
        self.fill(agent, 1)
        agent.kill()
        shutil.rmtree(agent.state_dir)
        before.rename(agent.state_dir)
        for slot in range(3):
            (agent.directory / f"d{slot}").rename(agent.directory / f"away{slot}")
        agent.start()
        self.take(agent, "remedy_cache_preserved_unknown", "show preservedcache", ends=False)
        self.command(agent, "remedy_cache_preserved_unknown", "/fall show")
        agent.kill()
        for slot in range(3):
            (agent.directory / f"away{slot}").rename(agent.directory / f"d{slot}")
        agent.start()
        agent.ctl("/c0/fall", "import")
        agent.optimal()
        self.assertEqual(self.versions(agent), {1})


if __name__ == "__main__":
    unittest.main()
