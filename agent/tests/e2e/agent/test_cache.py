"""The write-back cache of a real arrayd: killed under writers, started without its medium, with
another one's, with a damaged one; preserved cache; what the command line says."""

import errno
import os
import random
import re
import shutil
import tempfile
import threading
import unittest
from pathlib import Path

import nbd
from harness import MIB, Agent, LoopDevice, cache_owner, loop_devices_work, wait_for

BLOCK = 4096
BLOCKS = 2048  # of the virtual drive that the writers use
MEMORY = Path("/dev/shm")
HALF_WAY = 400 << 10  # into the first 64 frames of a medium of 16 MiB
needs_loop_devices = unittest.skipUnless(loop_devices_work(), "loop devices cannot be made here")


def cache_config(path, medium="shared-memory", size_mib=16):
    return f'cache = {{ medium = "{medium}"; path = "{path}"; size = "{size_mib} MiB"; }};'


def content(block, version):
    return (block.to_bytes(8, "little") + version.to_bytes(8, "little")) * (BLOCK // 16)


def version_of(block, data):
    version = int.from_bytes(data[8:16], "little")
    if data == bytes(BLOCK):
        return 0
    if data != content(block, version):
        raise AssertionError(f"block {block} is no version of itself")
    return version


class Writer(threading.Thread):
    """Writes random blocks of its own share until the agent dies; knows what was acknowledged
    and what was under way."""

    def __init__(self, agent, share, shares, seed):
        super().__init__()
        self.handle = agent.nbd_open()
        self.blocks = range(share, BLOCKS, shares)
        self.random = random.Random(seed)
        self.acked = {}
        self.under_way = {}
        self.version = seed * 1000000

    def run(self):
        try:
            while True:
                block = self.random.choice(self.blocks)
                self.version += 1
                self.under_way[block] = self.version
                flags = nbd.CMD_FLAG_FUA if self.random.random() < 0.02 else 0
                self.handle.pwrite(content(block, self.version), block * BLOCK, flags)
                self.acked[block] = self.under_way.pop(block)
                if self.random.random() < 0.01:
                    self.handle.flush()
        except nbd.Error:
            pass  # killed


class CacheTest(unittest.TestCase):
    def setUp(self):
        self.memory = tempfile.TemporaryDirectory(
            prefix="aw-cache-", dir=MEMORY if MEMORY.is_dir() else None)
        self.addCleanup(self.memory.cleanup)
        self.medium = Path(self.memory.name) / "cache"

    def agent(self, config=None, **more):
        agent = Agent(config=cache_config(self.medium) if config is None else config, **more)
        self.addCleanup(agent.close)
        return agent

    def write_back(self, agent, level="raid5", slots=(0, 1, 2), policy="always_write_back"):
        """Always: there is no battery, and shared memory alone is not enough for less."""
        agent.create(level, slots, write_policy=policy)
        self.assertEqual(agent.view().vd()["write_policy"]["effective"], policy)

    def cache(self, agent):
        return agent.view().all("controller")["c0"]["cache"]

    def fill(self, agent, version=1, count=64):
        with agent.nbd() as handle:
            for block in range(count):
                handle.pwrite(content(block, version), block * BLOCK)

    def check(self, agent, version=1, count=64):
        with agent.nbd() as handle:
            for block in range(count):
                self.assertEqual(version_of(block, bytes(handle.pread(BLOCK, block * BLOCK))),
                                 version)

    def test_counters_reset_forgets_the_streams(self):
        agent = self.agent(slots=3)
        agent.start()
        agent.create("raid5", (0, 1, 2), read_policy="read_ahead")

        def streams():
            return agent.view().vd()["read_ahead"]["streams"]

        with agent.nbd() as handle:
            for block in range(64):
                handle.pread(BLOCK, block * BLOCK)
            wait_for("a stream", lambda: streams() > 0)
            with agent.control() as control:
                control.command("counters_reset",
                                {"kind": "virtual_drive", "key": agent.view().vd_key()})
            wait_for("no stream", lambda: streams() == 0)

    def told(self, agent, words):
        wait_for(f"an event with: {words}",
                 lambda: words in agent.ctl("/c0", "show", "events").stdout)

    def test_killed_under_writers_nothing_is_lost(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        expected = {}
        for cycle in range(1, 7):
            writers = [Writer(agent, share, 8, cycle * 8 + share) for share in range(8)]
            for writer in writers:
                writer.start()
            wait_for("writes", lambda w=writers: sum(len(x.acked) for x in w) > 300 * cycle % 900)
            agent.kill()
            for writer in writers:
                writer.join()
            agent.start()
            lost = 0
            with agent.nbd() as handle:
                for writer in writers:
                    expected.update(writer.acked)
                    for block in writer.blocks:
                        seen = version_of(block, bytes(handle.pread(BLOCK, block * BLOCK)))
                        allowed = {expected.get(block, 0), writer.under_way.get(block, -1)}
                        lost += seen not in allowed
                        expected[block] = seen
            self.assertEqual(lost, 0)
            self.assertIsNone(agent.view().vd()["lost_writes"])
        self.told(agent, "Cache recovered")

    def test_stop_empties_the_cache(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        agent.stop()
        self.medium.unlink()
        agent.start()
        self.assertIsNone(agent.view().vd()["lost_writes"])
        self.check(agent)

    def test_dirty_blocks_go_to_the_drives_by_themselves(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        self.assertEqual(agent.view().vd()["cache"]["dirty_bytes"], 64 * BLOCK)
        agent.until("the idle flush", lambda view: not view.vd()["cache"]["dirty"])
        self.check(agent)

    def test_medium_gone_after_a_kill_is_told_loudly(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        agent.kill()
        self.medium.unlink()
        agent.start()
        self.assertEqual(agent.view().vd()["lost_writes"]["code"], "cache_lost_medium")
        self.told(agent, "were lost")
        agent.stop()
        agent.start()  # still said
        self.assertIsNotNone(agent.view().vd()["lost_writes"])
        with agent.control() as control:
            # Nothing more is given up by it: no name is asked for.
            key = agent.view().vd_key()
            control.command("cache_discard", {"controller": "c0", "virtual_drive": key})
        self.assertIsNone(agent.view().vd()["lost_writes"])

    def test_medium_out_of_the_configuration_after_a_kill(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        agent.kill()
        text = agent.config_path.read_text()
        agent.config_path.write_text(text.replace(cache_config(self.medium), ""))
        agent.start()
        self.assertIsNotNone(agent.view().vd()["lost_writes"])
        agent.stop()
        # It comes back: what it has belongs to an earlier life, is kept, and never written.
        agent.config_path.write_text(text)
        agent.start()
        preserved = self.cache(agent)["preserved"]
        self.assertEqual([(entry["name"], entry["reason"]["code"]) for entry in preserved],
                         [("data", "cache_preserved_changed")])
        self.assertEqual(agent.view().vd()["write_policy"]["reason"]["code"],
                         "write_policy_cache_pinned")
        self.assertIn("data", agent.ctl("/c0", "show", "preservedcache").stdout)
        agent.ctl("/c0/v0", "delete", "preservedcache", "force")
        self.assertEqual(self.cache(agent)["preserved"], [])
        self.assertEqual(agent.view().vd()["write_policy"]["effective"], "always_write_back")
        self.fill(agent, version=2)
        self.check(agent, version=2)

    def test_flush_reaches_the_drives(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        with agent.nbd() as handle:
            handle.flush()
        self.assertFalse(agent.view().vd()["cache"]["dirty"])
        agent.kill()
        self.medium.unlink()
        agent.start()
        self.check(agent)

    def test_drives_away_the_cache_waits(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        for slot in (0, 1):
            agent.fault(slot, "pull")
        agent.until("the cache to be pinned", lambda view: view.vd()["cache"] is not None
                    and view.vd()["cache"]["pinned"] and view.vd()["state"] == "offline")
        agent.kill()
        agent.start()
        self.check(agent)  # the drives were in their slots again
        agent.until("what waited to be written", lambda view: not view.vd()["cache"]["dirty"])

    def test_deleting_a_virtual_drive_leaves_nothing_behind(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        agent.ctl("/c0/v0", "del", "force")
        self.assertEqual(self.cache(agent)["dirty_bytes"], 0)
        self.write_back(agent)
        with agent.nbd() as handle:
            handle.pread(BLOCK, 0)

    def test_policies_change_at_work(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        agent.ctl("/c0/v0", "set", "wrcache=wt")
        self.assertEqual(agent.view().vd()["write_policy"]["effective"], "write_through")
        agent.until("the cache to be empty", lambda view: not view.vd()["cache"]["dirty"])
        self.fill(agent, version=2)
        self.assertFalse(agent.view().vd()["cache"]["dirty"])
        agent.ctl("/c0/v0", "set", "wrcache=awb", "rdcache=ra", "iopolicy=cached")
        self.fill(agent, version=3)
        self.check(agent, version=3)
        self.check(agent, version=3)
        self.assertGreater(agent.view().vd()["cache"]["read_hit_percent"], 50)
        shown = agent.json("/c0/v0", "show", "all")["Response Data"]
        self.assertIn("Cached Writes KiB", str(shown))

    # Media that cannot be used: nothing starts, nothing is touched.

    def refused(self, agent, words):
        before = self.medium.read_bytes()
        self.assertIn(words, agent.fail_to_start())
        self.assertEqual(self.medium.read_bytes(), before)

    def test_medium_of_another_controller(self):
        first = self.agent(slots=3)
        first.start()
        self.write_back(first)
        self.fill(first)
        first.kill()
        self.refused(self.agent(slots=3), "belongs to another controller")
        first.start()
        self.check(first)

    def lose_state_directory(self, agent):
        """With writes in the cache. Returns where it is kept."""
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        agent.kill()
        return agent.state_dir.rename(agent.directory / "state.kept")

    def writes_survive_the_state_directory(self, agent):
        self.lose_state_directory(agent)
        before = self.medium.read_bytes()
        said = agent.fail_to_start()
        self.assertEqual(self.medium.read_bytes(), before)
        line = re.search(r'add the line (owner = "[-0-9a-f]{36}";) to the cache section', said)
        self.assertIsNotNone(line, said)
        self.assertIn("put it back", said)
        self.assertIn("set path in the cache section", said)
        text = agent.config_path.read_text()
        agent.config_path.write_text(text.replace("cache = {", "cache = { " + line.group(1)))
        agent.start()
        self.assertEqual(len(self.cache(agent)["preserved"]), 1)
        agent.ctl("/c0/fall", "import")
        agent.until("the writes are recovered",
                    lambda _: not self.cache(agent)["preserved"])
        self.assertIsNone(agent.view().vd()["lost_writes"])
        self.check(agent)
        self.fill(agent, version=2)
        agent.kill()
        agent.start()  # the line may stay
        self.check(agent, version=2)
        agent.stop()
        agent.config_path.write_text(text)
        agent.start()  # the empty cache is the new controller's
        self.check(agent, version=2)

    def test_state_directory_lost_shared_memory(self):
        self.writes_survive_the_state_directory(self.agent(slots=3))

    def test_state_directory_lost_log(self):
        self.writes_survive_the_state_directory(self.log_agent())

    def test_state_directory_lost_and_cache_not_configured(self):
        """That writes are in a cache is told before the import would lose them."""
        agent = self.agent(slots=3)
        self.lose_state_directory(agent)
        text = agent.config_path.read_text()
        agent.config_path.write_text(re.sub(r"(?m)^cache = .*$", "", text))
        agent.start()
        for words in (["status"], ["/c0", "show", "health"], ["/c0/fall", "import", "preview"]):
            self.assertIn("An import without that cache loses them", agent.ctl(*words).stdout, words)
        owner = re.search(r'owner = "[-0-9a-f]{36}";', agent.ctl("status").stdout).group()
        agent.stop()
        agent.config_path.write_text(text.replace("cache = {", "cache = { " + owner))
        agent.start()
        for words in (["status"], ["/c0/fall", "import", "preview"]):
            self.assertNotIn("loses them", agent.ctl(*words).stdout, words)
        agent.ctl("/c0/fall", "import")
        agent.until("the writes are recovered", lambda _: not self.cache(agent)["preserved"])
        self.assertIsNone(agent.view().vd()["lost_writes"])
        self.check(agent)

    def test_what_is_said_of_lost_writes_ends_by_the_command_that_is_advised(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        agent.kill()
        self.medium.unlink()
        agent.start()
        (row,) = [row for row in agent.json("/c0", "show", "health")["Response Data"]["Health"]
                  if row["Code"] == "writes_lost"]
        command = re.search(r'"(/c0/v0 [^"]+)"', row["Next Step"])[1]
        agent.ctl(*command.split())
        self.assertIsNone(agent.view().vd()["lost_writes"])

    def test_state_directory_comes_back_after_the_cache_was_opened_without_it(self):
        agent = self.agent(slots=3)
        kept = self.lose_state_directory(agent)
        owner = re.search(r'owner = "[-0-9a-f]{36}";', agent.fail_to_start()).group()
        text = agent.config_path.read_text()
        agent.config_path.write_text(text.replace("cache = {", "cache = { " + owner))
        agent.start()
        agent.kill()
        shutil.rmtree(agent.state_dir)
        kept.rename(agent.state_dir)
        agent.config_path.write_text(text)
        agent.start()
        self.check(agent)

    def test_empty_medium_of_another_controller_is_taken(self):
        first = self.agent(slots=3)
        first.start()
        first.stop()
        self.agent(slots=3).start()

    def test_empty_medium_in_place_of_one_with_writes(self):
        """Another host's, put here by mistake: the writes of this one would be lost."""
        for medium, size_mib in (("shared-memory", 16), ("log", 32)):
            with self.subTest(medium):
                if medium == "log":
                    self.on_disk("log")
                agent, other = (self.agent(slots=3, config=cache_config(path, medium, size_mib))
                                for path in (self.medium, self.medium.with_name("other")))
                other.start()
                other.stop()
                agent.start()
                self.write_back(agent)
                self.fill(agent)
                agent.kill()
                self.medium.rename(self.medium.with_name("own"))
                shutil.copy(self.medium.with_name("other"), self.medium)
                owner = cache_owner(self.medium)
                text = agent.config_path.read_text()
                for line in ("", f'owner = "{owner}"; '):
                    agent.config_path.write_text(text.replace("cache = { ", "cache = { " + line))
                    said = agent.fail_to_start()
                    self.assertIn("may have acknowledged writes in another cache", said)
                    self.assertIn("for good", said)
                    self.assertNotIn("owner =", said)
                agent.config_path.write_text(text)
                self.medium.with_name("own").rename(self.medium)
                agent.start()
                self.check(agent)
                self.assertIsNone(agent.view().vd()["lost_writes"])
                agent.stop()

    def test_damaged_medium(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        agent.kill()
        with self.medium.open("r+b") as file:
            for offset in (20, 4096 + 20):
                file.seek(offset)
                byte = file.read(1)
                file.seek(offset)
                file.write(bytes([byte[0] ^ 1]))
        self.refused(agent, "is damaged")

    def test_damaged_block(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        self.fill(agent)
        agent.kill()
        data = bytearray(self.medium.read_bytes())
        at = data.index(content(7, 1))
        data[at + 100] ^= 1
        with self.medium.open("r+b") as file:
            file.write(data)
        agent.start()
        self.assertIsNotNone(agent.view().vd()["lost_writes"])
        with agent.nbd() as handle:
            self.assertEqual(version_of(8, bytes(handle.pread(BLOCK, 8 * BLOCK))), 1)

    def test_medium_in_use_of_another_size_or_open_to_others(self):
        first = self.agent(slots=3)
        first.start()
        second = self.agent(slots=3)
        self.assertIn("is in use by another process", second.fail_to_start())
        first.stop()
        text = first.config_path.read_text()
        first.config_path.write_text(text.replace("16 MiB", "8 MiB"))
        self.refused(first, "bytes, but the configuration says")
        first.config_path.write_text(text)
        os.chmod(self.medium, 0o644)
        self.refused(first, "must be a plain file of mode 0600")

    def test_errors_of_the_configuration_name_the_line(self):
        for wrong, words in (
                ('cache = { medium = "floppy"; path = "/x/y"; size = "16 MiB"; };',
                 'medium must be "shared-memory", "pmem" or "log"'),
                ('cache = { medium = "pmem"; size = "16 MiB"; };', "path"),
                ('cache = { medium = "pmem"; path = "/x/y"; size = "4 KiB"; };', "size"),
                ('cache = { medium = "pmem"; path = "/x/y"; size = "16777217"; };', "size"),
        ):
            log = self.agent(config=wrong, slots=0).fail_to_start()
            self.assertIn(words, log)
            self.assertRegex(log, r"arrayd\.conf:\d+: ")

    def on_disk(self, name):
        """A file on a real file system, which shared memory is not."""
        folder = tempfile.TemporaryDirectory(prefix="aw-cache-")
        self.addCleanup(folder.cleanup)
        self.medium = Path(folder.name) / name

    def test_what_lives_in_memory_is_no_persistent_medium(self):
        agent = self.agent(slots=1, config=cache_config(self.medium, "pmem"))
        self.assertIn("keeps nothing without power", agent.fail_to_start())
        self.assertFalse(self.medium.exists())
        self.medium.touch(mode=0o600)
        self.assertIn("keeps nothing without power", agent.fail_to_start())
        self.assertEqual(self.medium.read_bytes(), b"")

    def test_persistent_medium(self):
        self.on_disk("cache")
        agent = self.agent(slots=3, config=cache_config(self.medium, "pmem"))
        agent.start()
        self.write_back(agent, policy="write_back")
        self.fill(agent)
        with agent.nbd() as handle:
            handle.flush()  # ends in the cache: it is stable storage
        self.assertTrue(agent.view().vd()["cache"]["dirty"])
        self.assertTrue(self.cache(agent)["stable"])
        agent.kill()
        agent.start()
        self.check(agent)

    def log_agent(self, device=False):
        """A file, or a block device that is a bit larger."""
        self.on_disk("log")
        if device:
            loop = LoopDevice(self.medium, 33)
            self.addCleanup(loop.detach)
            self.medium = Path(loop.path)
        return self.agent(slots=3, config=cache_config(self.medium, "log", 32))

    def test_medium_that_others_write_to(self):
        """While it is in use: what they have changed is told as lost, and not put over anything."""
        for medium, begin in (("pmem", HALF_WAY), ("pmem", 0), ("shared-memory", HALF_WAY)):
            with self.subTest(medium, begin=begin):
                if medium == "pmem":
                    self.on_disk("cache")
                agent = self.agent(slots=3, config=cache_config(self.medium, medium))
                agent.start()
                self.write_back(agent)
                self.fill(agent)
                agent.ctl("/c0", "flushcache")
                self.fill(agent, version=2)
                with self.medium.open("r+b") as file:
                    file.seek(begin)
                    file.write(bytes((16 << 20) - begin))
                self.assert_told_and_whole(agent, {1, 2})
                agent.ctl("/c0", "flushcache")
                agent.stop()
                if begin > 0:
                    agent.start()
                    self.assert_told_and_whole(agent, {1, 2})
                    agent.ctl("/c0/v0", "delete", "preservedcache")
                    self.fill(agent, version=3)
                    agent.kill()
                    agent.start()
                    self.check(agent, version=3)
                    self.assertIsNone(agent.view().vd()["lost_writes"])
                    agent.stop()

    def assert_told_and_whole(self, agent, versions):
        with agent.nbd() as handle:
            for block in range(64):
                self.assertIn(version_of(block, bytes(handle.pread(BLOCK, block * BLOCK))),
                              versions)
        agent.until("what was lost", lambda view: view.vd()["lost_writes"] is not None)

    def test_medium_that_is_cut(self):
        """Its pages are gone: the agent goes on without it."""
        for medium, size in (("pmem", 0), ("pmem", HALF_WAY), ("shared-memory", 0)):
            with self.subTest(medium, size=size):
                if medium == "pmem":
                    self.on_disk("cache")
                agent = self.agent(slots=3, config=cache_config(self.medium, medium))
                agent.start()
                self.write_back(agent)
                self.fill(agent)
                agent.ctl("/c0", "flushcache")
                self.fill(agent, version=2)
                os.truncate(self.medium, size)
                self.assert_told_and_whole(agent, {1, 2})
                self.fill(agent, version=3)
                agent.until("the finding", lambda view: any(
                    finding["code"] == "cache_failed"
                    for finding in view.all("controller")["c0"]["findings"]))
                self.check(agent, version=3)
                agent.kill()
                self.medium.unlink()
                agent.start()
                self.check(agent, version=3)
                agent.stop()
                self.medium.unlink()

    def test_log_whose_file_is_gone(self):
        """Deleted, moved away or cut: nothing more relies on it, and nothing is lost."""
        for harm in (lambda path: path.unlink(), lambda path: path.rename(f"{path}.away"),
                     lambda path: os.truncate(path, MIB)):
            agent = self.log_agent()
            agent.start()
            agent.create("raid5", range(3), write_policy="write_back")
            agent.until("consistency", lambda view: view.vd()["consistent"])
            self.fill(agent)
            harm(self.medium)
            version = 1

            def failed(view):
                nonlocal version
                version += 1
                self.fill(agent, version)
                return any(finding["code"] == "cache_failed"
                           for finding in view.all("controller")["c0"]["findings"])

            agent.until("the finding", failed)
            self.fill(agent, version)
            agent.kill()
            self.medium.unlink(missing_ok=True)
            agent.start()
            self.check(agent, version)
            agent.close()

    def test_log_killed_under_writers_nothing_is_lost(self):
        self.log_killed_under_writers(self.log_agent())

    @needs_loop_devices
    def test_log_on_a_device_killed_under_writers_nothing_is_lost(self):
        agent = self.log_agent(device=True)
        behind = os.urandom(MIB)
        with self.medium.open("r+b") as file:
            file.seek(32 * MIB)
            file.write(behind)
        self.log_killed_under_writers(agent)
        agent.stop()
        self.assertTrue(self.medium.read_bytes()[32 * MIB:] == behind)

    def log_killed_under_writers(self, agent):
        agent.start()
        self.write_back(agent, policy="write_back")
        self.assertEqual(self.cache(agent)["medium"], "file_log")
        self.assertTrue(self.cache(agent)["stable"])
        self.assertEqual(agent.view().vd()["guarantee"]["code"], "guarantee_journal")
        expected = {}
        for cycle in range(1, 4):
            writers = [Writer(agent, share, 8, cycle * 8 + share) for share in range(8)]
            for writer in writers:
                writer.start()
            wait_for("writes", lambda w=writers: sum(len(x.acked) for x in w) > 300 * cycle)
            agent.kill()
            for writer in writers:
                writer.join()
            agent.start()
            with agent.nbd() as handle:
                for writer in writers:
                    expected.update(writer.acked)
                    for block in writer.blocks:
                        seen = version_of(block, bytes(handle.pread(BLOCK, block * BLOCK)))
                        self.assertIn(seen, {expected.get(block, 0),
                                             writer.under_way.get(block, -1)})
                        expected[block] = seen
            self.assertIsNone(agent.view().vd()["lost_writes"])

    def test_log_damaged_of_another_host_or_another_size(self):
        agent = self.log_agent()
        agent.start()
        self.write_back(agent, policy="write_back")
        self.fill(agent)
        agent.kill()
        whole = self.medium.read_bytes()
        for slot in (0, 4096):
            data = bytearray(whole)
            data[slot + 20] ^= 1
            data[4096 - slot + 20] ^= 1
            self.medium.write_bytes(bytes(data))
        self.refused(agent, "it is damaged, or no cache at all")
        self.medium.write_bytes(whole)
        stranger = self.agent(slots=3, config=cache_config(self.medium, "log", 32))
        self.refused(stranger, "it belongs to another controller")
        text = agent.config_path.read_text()
        agent.config_path.write_text(text.replace("32 MiB", "16 MiB"))
        self.refused(agent, "but the configuration says")
        agent.config_path.write_text(text)
        agent.start()
        self.check(agent)

    @needs_loop_devices
    def test_log_on_a_device_is_claimed_and_not_taken_from_others(self):
        agent = self.log_agent(device=True)
        with self.medium.open("r+b") as file:
            file.write(b"somebody's data" * 1000)
        self.refused(agent, "it is damaged, or no cache at all")
        with self.medium.open("r+b") as file:
            file.write(bytes(15 * 1000))
        held = os.open(self.medium, os.O_RDWR | os.O_EXCL)  # as by a mount
        try:
            self.refused(agent, "is claimed by another process")
        finally:
            os.close(held)
        agent.start()
        with self.assertRaises(OSError) as busy:
            os.close(os.open(self.medium, os.O_RDWR | os.O_EXCL))
        self.assertEqual(busy.exception.errno, errno.EBUSY)
        self.write_back(agent, policy="write_back")
        self.fill(agent)
        agent.kill()
        self.assertTrue(content(7, 1) in self.medium.read_bytes())
        stranger = self.agent(slots=3, config=cache_config(self.medium, "log", 32))
        self.refused(stranger, "it belongs to another controller")
        agent.start()
        self.check(agent)

    def test_killed_while_degraded_the_write_hole_is_closed(self):
        agent = self.agent(slots=3)
        agent.start()
        agent.create("raid5", (0, 1, 2))  # write-through: the rows themselves are logged
        self.assertEqual(agent.view().vd()["guarantee"]["code"], "guarantee_journal_agent")
        agent.fault(0, "pull")
        agent.until("degraded", lambda view: view.vd()["state"] == "degraded")
        expected = {}
        for cycle in range(1, 6):
            writers = [Writer(agent, share, 8, cycle * 8 + share) for share in range(8)]
            for writer in writers:
                writer.start()
            wait_for("writes", lambda w=writers: sum(len(x.acked) for x in w) > 100)
            agent.kill()
            for writer in writers:
                writer.join()
            agent.start()
            with agent.nbd() as handle:
                for writer in writers:
                    expected.update(writer.acked)
                    for block in writer.blocks:
                        seen = version_of(block, bytes(handle.pread(BLOCK, block * BLOCK)))
                        self.assertIn(seen, {expected.get(block, 0),
                                             writer.under_way.get(block, -1)})
                        expected[block] = seen

    def test_shown(self):
        agent = self.agent(slots=3)
        agent.start()
        self.write_back(agent)
        cache = self.cache(agent)
        self.assertEqual((cache["medium"], cache["state"], cache["survives_power_loss"]),
                         ("shared_memory", "ready", False))
        self.assertGreater(cache["size_bytes"], 15 * MIB)
        self.assertIn("AWB", agent.ctl("/c0/v0", "show").stdout)
        text = agent.ctl("/c0", "show", "all").stdout
        self.assertIn("On Board Memory Size", text)
        self.assertIn("No Virtual Drive has Preserved Cache Data",
                      agent.ctl("/c0", "show", "preservedcache").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
