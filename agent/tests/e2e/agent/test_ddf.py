"""What arrayd writes for stock Linux: Debian's mdadm reads the members of real arrays, through their
life; and what arrayd does when another system has written to them.
"""

import os
import re
import shutil
import struct
import subprocess
import unittest
import zlib
from pathlib import Path

from cases import AgentCase, digest, write_random
from harness import EID, MIB, wait_for

MDADM = shutil.which("mdadm", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
DRIVE = 96 * MIB
PRIMARY, SECONDARY = DRIVE - 16 * MIB, DRIVE - 32 * MIB

# level, members, more arguments, members of a record, what mdadm calls it
SETS = [
    ("raid0", 3, {}, 3, "RAID0"),
    ("raid1", 2, {}, 2, "RAID1"),
    ("raid1", 3, {"drives_per_span": 3}, 3, "RAID1"),
    ("raid5", 4, {}, 4, "RAID5"),
    ("raid6", 5, {}, 5, "RAID6"),
    ("raid1e", 3, {}, 3, "RAID1E"),
    ("raid10", 4, {}, 2, "RAID1"),
]


def crc(section):
    """DDF's: the register starts at 0, no final inversion, own bytes as FF."""
    data = section[:4] + b"\xff" * 4 + section[8:]
    return zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


def examine(path):
    done = subprocess.run([MDADM, "--examine", str(path)], check=False, capture_output=True,
                          text=True)
    text = done.stdout + done.stderr
    found = {match[1]: match[2].strip() for match in
             re.finditer(r"^\s*([A-Za-z][^:\n]*?)\s*: (.*)$", text, re.MULTILINE)}
    found["drives"] = re.findall(r"^\s+\d+\s+[0-9A-Fa-f]{8}\s+\d+K\s+(\S.*)$", text, re.MULTILINE)
    found["text"] = text
    return found


@unittest.skipIf(MDADM is None, "mdadm is not installed")
class Written(AgentCase):
    maxDiff = None

    def started(self, slots=6, **options):
        agent = self.agent(slots=slots, drive_mib=96, **options)
        agent.start()
        return agent

    def files(self, agent, count):
        return [Path(agent.directory) / f"d{slot}" for slot in range(count)]

    def check_udev(self, path):
        """What dist/63-arraywright.rules goes by."""
        done = subprocess.run(["blkid", "-p", "-o", "udev", str(path)], check=True,
                              capture_output=True)
        self.assertIn(b"ID_FS_TYPE=ddf_raid_member\n", done.stdout)
        self.assertRegex(done.stdout, rb"(?m)^ID_FS_UUID=ARRAYWRT")

    def check_copies(self, path):
        """Every CRC of both copies, which mdadm does not look at, and that both are closed."""
        data = path.read_bytes()
        (sequence,) = struct.unpack_from(">I", data, PRIMARY + 40)
        for copy in (PRIMARY, SECONDARY):
            head = data[copy:copy + 512]
            self.assertEqual(head[48], 0, f"{path}: open")
            self.assertEqual(struct.unpack_from(">I", head, 40), (sequence,))
            sections = [(0, 1), (1, 1), (2, 128), (130, 32), (617, 1)]
            sections += [(162 + 7 * slot, 7) for slot in range(65)
                         if data[copy + (162 + 7 * slot) * 512] == 0xEE]
            for first, count in sections:
                section = data[copy + first * 512:copy + (first + count) * 512]
                self.assertEqual(struct.unpack_from(">I", section, 4), (crc(section),),
                                 f"{path}: section at {first}")
        return sequence

    def test_every_level(self):
        for level, members, more, width, name in SETS:
            with self.subTest(level=level, members=members):
                agent = self.started(slots=members)
                agent.create(level, range(members), **more)
                agent.until("it to be consistent", lambda view: view.vd()["consistent"]
                            and not view.running("bgi"))
                size = agent.view().vd()["size_bytes"]
                agent.stop()
                seen = set()
                for path in self.files(agent, members):
                    self.check_udev(path)
                    found = examine(path)
                    wanted = {"Magic": "de11de11", "Version": "01.02.00", "Redundant hdr": "yes",
                              "Virtual Disks": "1", "state[0]": "Optimal, Consistent",
                              "init state[0]": "Fully Initialised", "access[0]": "Read/Write",
                              "Name[0]": "data", "Raid Level[0]": name,
                              "Array Size[0]": str(size // 1024)}
                    self.assertEqual({key: found.get(key) for key in wanted}, wanted, found["text"])
                    self.assertTrue(found["Raid Devices[0]"].startswith(f"{width} ("))
                    self.assertEqual(found["drives"], ["active/Online"] * members, found["text"])
                    seen.add((found["Seq"], found["Container GUID"], found["VD GUID[0]"],
                              self.check_copies(path)))
                self.assertEqual(len(seen), 1, seen)
                agent.close()

    def odd_drives(self, directory, sizes):
        for slot, size in enumerate(sizes):
            with (directory / f"file{slot}").open("wb") as file:
                file.truncate(size)
        return [f'{{ path = "{directory}/file{slot}"; enclosure = {EID}; slot = {slot}; }}'
                for slot in range(len(sizes))]

    def check_end(self, paths):
        for path in paths:
            found = examine(path)
            self.assertEqual(found.get("Magic"), "de11de11", f"{path}: {found['text']}")
            self.assertEqual(found["drives"], ["active/Online"] * len(paths), found["text"])
            self.check_udev(path)

    def test_drives_of_any_size(self):
        """mdadm looks into the very last sector of 512 bytes. What is less than one stays unused."""
        sizes = [DRIVE + sectors * 512 for sectors in range(8)]
        sizes[3] += 100  # bytes that make no sector
        agent = self.agent(slots=0)
        agent = self.agent(slots=8, directory=agent.directory,
                           drives=self.odd_drives(agent.directory, sizes))
        agent.start()
        self.assertEqual([agent.view().drive(slot)["size_bytes"] for slot in range(8)],
                         [size // 512 * 512 for size in sizes])
        self.assertIn("the last 100 bytes are less than a block", agent.log())
        agent.create("raid6", range(8))
        agent.until("it to be consistent", lambda view: view.vd()["consistent"])
        with agent.nbd() as data:
            sums = write_random(data, data.get_size(), 9)
        agent.stop()
        paths = [agent.directory / f"file{slot}" for slot in range(8)]
        with paths[3].open("r+b") as file:
            file.truncate(sizes[3] // 512 * 512)
        self.check_end(paths)
        agent.start()
        agent.optimal()
        with agent.nbd() as data:
            self.assertEqual(digest(data, data.get_size()), sums)
        with agent.control() as control:
            control.command("vd_delete", {"virtual_drive": agent.view().vd_key()}, confirm="data")
        agent.stop()
        for path in paths:
            self.assertIn("No md superblock", examine(path)["text"])

    def test_image_files_that_have_grown(self):
        """All of them at once, so that nothing but the labels tells what they are."""
        agent = self.agent(slots=0)
        agent = self.agent(slots=3, directory=agent.directory,
                           drives=self.odd_drives(agent.directory, [DRIVE] * 3))
        agent.start()
        agent.create("raid5", range(3))
        agent.until("it to be consistent", lambda view: view.vd()["consistent"])
        with agent.nbd() as data:
            sums = write_random(data, data.get_size(), 10)
        agent.stop()
        for slot in range(3):
            with (agent.directory / f"file{slot}").open("r+b") as file:
                file.truncate(DRIVE + (slot + 1) * 48 * MIB + slot * 512)
        for _ in range(2):
            agent.start()
            agent.optimal()
            for slot in range(3):
                self.assertEqual(agent.view().drive(slot)["state_reason"]["code"], "drive_grown")
            self.assertIn("recognized by its label", agent.ctl("/c0", "show", "events").stdout)
            with agent.nbd() as data:
                self.assertEqual(digest(data, data.get_size()), sums)
            agent.stop()

    def test_metadata_move_to_the_end(self):
        """An older version took the last whole 4096 bytes of such drives for their end."""
        agent, _, sums = self.made()
        paths = self.files(agent, 4)
        for sectors, path in enumerate(paths, 4):
            with path.open("ab") as file:
                file.write(b"x" * (sectors * 512))
            path.rename(agent.directory / f"file{sectors - 4}")
        drives = [f'{{ path = "{agent.directory}/file{slot}"; enclosure = {EID}; slot = {slot}; }}'
                  for slot in range(4)]
        shutil.rmtree(agent.state_dir)  # its drives were emulated
        agent = self.agent(slots=4, directory=agent.directory, drives=drives)
        agent.start()
        agent.ctl("/c0/fall", "import")
        agent.optimal()
        with agent.nbd() as data:
            self.assertEqual(digest(data, data.get_size()), sums)
        agent.stop()
        self.check_end([agent.directory / f"file{slot}" for slot in range(4)])

    def test_expanded(self):
        """While a client uses it; mdadm sees what it has grown to on every member."""
        for level, members, width, name in (("raid5", 3, 3, "RAID5"), ("raid10", 4, 2, "RAID1")):
            with self.subTest(level=level):
                agent = self.started(slots=members)
                agent.create(level, range(members), size_bytes=16 * MIB)
                user = agent.nbd_open()
                kept = bytes(range(256)) * 4096
                user.pwrite(kept, 15 * MIB)
                shown = agent.ctl("/c0/v0", "show", "expansion").stdout
                self.assertRegex(shown, r" 0 16\.000 MB Y +\d+\.000 MB - +Possible")
                refused = agent.ctl("/c0/v0", "expand", "size=8MB", check=False)
                self.assertIn("never becomes smaller", refused.stdout)
                refused = agent.ctl("/c0/v0", "expand", check=False)
                self.assertIn("size= must be", refused.stdout)
                agent.ctl("/c0/v0", "expand", "size=24MB")
                self.assertEqual(agent.view().vd()["size_bytes"], 24 * MIB)

                self.assertTrue(user.pread(MIB, 15 * MIB) == kept)
                self.assertEqual(user.get_size(), 16 * MIB)
                later = agent.nbd_open()
                self.assertEqual(later.get_size(), 24 * MIB)
                later.pwrite(kept, 23 * MIB)
                later.flush()
                user.shutdown()
                later.shutdown()
                agent.until("it to be consistent", lambda view: view.vd()["consistent"]
                            and not view.running("bgi"))
                agent.stop()
                for path in self.files(agent, members):
                    found = examine(path)
                    wanted = {"state[0]": "Optimal, Consistent", "Raid Level[0]": name,
                              "Array Size[0]": str(24 * MIB // 1024)}
                    self.assertEqual({key: found.get(key) for key in wanted}, wanted, found["text"])
                    self.assertTrue(found["Raid Devices[0]"].startswith(f"{width} ("))
                    self.check_copies(path)
                agent.start()
                again = agent.nbd_open()
                self.assertTrue(again.pread(MIB, 15 * MIB) == kept)
                self.assertTrue(again.pread(MIB, 23 * MIB) == kept)
                again.shutdown()
                refused = agent.ctl("/c0/v0", "expand", "size=1TB", check=False)
                self.assertIn("It can grow in steps of", refused.stdout)
                agent.ctl("/c0/v0", "expand", "size=all")
                self.assertIn("no free space", agent.ctl("/c0/v0", "show", "expansion").stdout)
                agent.close()

    def test_through_its_life(self):
        agent = self.started()
        paths = self.files(agent, 4)
        agent.create("raid5", range(4))
        agent.optimal()
        with agent.nbd() as data:
            data.pwrite(b"first" * 1024 + bytes(3072), 0)
            self.assertEqual(examine(paths[0])["state[0]"], "Optimal, Not Consistent")
            agent.fault(1, "pull")
            data.pwrite(b"degraded" * 512, 64 * 1024)
            data.flush()
            # Before that write was acknowledged the survivors said so.
            for path in (paths[0], paths[2], paths[3]):
                self.assertEqual(examine(path)["drives"],
                                 ["active/Online", "active/Offline, Failed, Missing",
                                  "active/Online", "active/Online"])
        agent.kill()
        for path in (paths[0], paths[2], paths[3]):
            self.check_copies(path)
        agent.start()  # the drive is back, and rebuilt
        agent.optimal()
        agent.stop()
        for path in paths:
            found = examine(path)
            self.assertEqual(found["drives"], ["active/Online"] * 4, found["text"])
            self.assertTrue(found["state[0]"].startswith("Optimal"), found["text"])
            self.check_copies(path)
        agent.start()
        with agent.control() as control:
            control.command("vd_delete", {"virtual_drive": agent.view().vd_key()}, confirm="data")
        agent.stop()
        for path in paths:
            self.assertIn("No md superblock", examine(path)["text"])
            self.assertEqual(subprocess.run(["blkid", "-p", str(path)], check=False,
                                            capture_output=True).stdout, b"")

    # Another system: raises the number of both copies, changes what it likes

    def elsewhere(self, path, edit=lambda copy: None, steps=3):
        data = bytearray(path.read_bytes()[DRIVE - 32 * MIB:])
        for at in (0, 16 * MIB):
            copy = memoryview(data)[at:at + 618 * 512]
            struct.pack_into(">I", copy, 40, struct.unpack_from(">I", copy, 40)[0] + steps)
            edit(copy)
            for first, count in ((0, 1), (2, 128), (130, 32)):
                section = copy[first * 512:(first + count) * 512]
                struct.pack_into(">I", section, 4, crc(bytes(section)))
            copy.release()
        with path.open("r+b") as file:
            file.seek(DRIVE - 32 * MIB)
            file.write(data)

    def made(self, level="raid5", slots=4):
        agent = self.started(slots=slots)
        agent.create(level, range(slots))
        agent.until("it to be consistent", lambda view: view.vd()["consistent"])
        with agent.nbd() as data:
            sums = write_random(data, data.get_size(), 5)
        agent.stop()
        return agent, self.files(agent, slots), sums

    def events(self, agent):
        return (agent.directory / "log").read_text()

    def test_taken_over_after_another_system(self):
        agent, paths, sums = self.made()
        for path in paths:
            self.elsewhere(path)
        agent.start()
        agent.until("the resync", lambda view: view.vd()["consistent"])
        with agent.nbd() as data:
            self.assertEqual(digest(data, data.get_size()), sums)
        self.assertIn("Another system has written", agent.ctl("/c0", "show", "events").stdout)
        agent.stop()
        self.assertEqual(len({self.check_copies(path) for path in paths}), 1)
        agent.start()
        agent.optimal()
        agent.stop()

    def test_what_missed_writes_there_is_rebuilt(self):
        agent, paths, sums = self.made("raid1", 2)

        def second_failed(copy):
            struct.pack_into(">HH", copy, 2 * 512 + 2 * 64 + 28, 3, 0x42)

        self.elsewhere(paths[0], second_failed)
        with paths[1].open("r+b") as file:  # what it has is not to be trusted
            file.write(b"stale" * 1000)
        agent.start()
        with agent.nbd() as data:
            self.assertEqual(digest(data, data.get_size()), sums)
        self.assertNotEqual(agent.view().drive(1)["state"], "online")
        agent.stop()

    def test_a_copyback_begins_anew(self):
        agent = self.started(slots=3)
        agent.create("raid0", range(2))
        with agent.nbd() as data:
            write_random(data, data.get_size(), 6)
        agent.fault(2, "slow", latency_ms=50)
        member, drive = (f"/c0/e{EID}/s{slot}" for slot in (0, 2))
        agent.ctl(member, "start", "copyback", f"target={EID}:2")
        agent.until("a part to be copied", lambda view: any(
            doc["kind"] == "copyback" and doc["done_bytes"] > MIB
            for doc in view.all("operation").values()))
        agent.ctl(drive, "pause", "copyback")
        self.assertEqual(agent.view().drive(2)["state"], "copyback")
        agent.stop()
        paths = self.files(agent, 2)
        with paths[0].open("r+b") as file:
            file.write(b"later" * 1000)
        for path in paths:
            self.elsewhere(path)
        agent.start()
        agent.until("the drive to take the place",
                    lambda view: view.drive(2)["state"] == "online")
        with agent.nbd() as data:
            self.assertEqual(bytes(data.pread(8192, 0))[:5000], b"later" * 1000)
        agent.stop()

    # A program that knows nothing of us

    def partitioned(self, path):
        """A GUID partition table without partitions, its copy at the end."""
        table, last = bytes(128 * 128), DRIVE // 512 - 1
        with path.open("r+b") as file:
            for own, other, entries in ((1, last, 2), (last, 1, last - 32)):
                head = bytearray(512)
                struct.pack_into("<8sIIIIQQQQ16sQIII", head, 0, b"EFI PART", 0x10000, 92, 0, 0, own,
                                 other, 34, last - 33, b"d" * 16, entries, 128, 128,
                                 zlib.crc32(table))
                struct.pack_into("<I", head, 16, zlib.crc32(bytes(head[:92])))
                for at, data in ((own, head), (entries, table)):
                    file.seek(at * 512)
                    file.write(data)

    def scribbled(self, path):
        """At the beginning and at the very end, as a partitioning program does."""
        with path.open("r+b") as file:
            file.write(os.urandom(MIB))
            file.seek(-512, os.SEEK_END)
            file.write(os.urandom(512))

    def formatted(self, path):
        subprocess.run(["mkfs.ext4", "-q", "-F", "-E", "nodiscard", str(path)], check=True)

    def content(self, agent):
        with agent.nbd() as data:
            return digest(data, data.get_size())

    def set_aside(self, agent, slot):
        doc = agent.view().drive(slot)
        self.assertEqual((doc["state"], doc["state_reason"]["code"]),
                         ("failed", "drive_lost_overwritten"))

    def test_a_member_that_was_overwritten_is_set_aside(self):
        for level, slots, write in (("raid1", 2, self.scribbled), ("raid1", 2, self.partitioned),
                                    ("raid5", 3, self.formatted), ("raid6", 4, self.scribbled)):
            with self.subTest(level=level, write=write.__name__):
                agent, paths, sums = self.made(level, slots)
                write(paths[1])
                left = paths[1].read_bytes()
                agent.start()
                self.assertEqual(self.content(agent), sums)
                self.set_aside(agent, 1)
                self.assertIn(f"Another program wrote to PD 01(e0x{EID:x}/s1)",
                              agent.ctl("/c0", "show", "events").stdout)
                agent.kill()
                agent.start()  # it stays so, and what is on it is left alone
                self.assertEqual(self.content(agent), sums)
                self.set_aside(agent, 1)
                self.assertTrue(paths[1].read_bytes() == left)
                agent.ctl(f"/c0/e{EID}/s1", "start", "rebuild")
                agent.optimal()
                self.assertEqual(self.content(agent), sums)
                agent.stop()
                agent.start()
                self.assertEqual(agent.view().vd()["state"], "optimal")
                agent.close()

    def test_an_overwritten_member_that_cannot_be_spared_is_used_and_told(self):
        for level, slots, which in (("raid0", 2, [1]), ("raid1", 2, [0, 1])):
            with self.subTest(level=level):
                agent, paths, _ = self.made(level, slots)
                for slot in which:
                    self.scribbled(paths[slot])
                for _ in range(2):  # it is said as long as it lasts
                    agent.start()
                    agent.optimal()
                    for slot in which:
                        self.assertEqual(agent.view().drive(slot)["state_reason"]["code"],
                                         "drive_overwritten_used")
                    self.assertEqual(agent.ctl("/c0", "show", "events").stdout.count(
                        "its data may be wrong"), len(which))
                    agent.stop()
                agent.close()

    def test_an_overwritten_member_waits_for_the_better_copy(self):
        agent, paths, sums = self.made("raid1", 2)
        self.scribbled(paths[1])
        away = paths[0].rename(paths[0].with_suffix(".away"))
        agent.start()  # an emulated drive of its configuration is made anew: a blank one
        self.assertEqual(agent.view().vd()["state"], "offline")
        self.assertIn("a drive that is missing may have a better copy",
                      agent.ctl("/c0", "show", "events").stdout)
        agent.stop()
        away.rename(paths[0])
        agent.start()
        self.assertEqual(self.content(agent), sums)
        self.set_aside(agent, 1)
        agent.stop()

    def test_a_member_in_a_set_of_another_system_is_set_aside(self):
        agent, paths, sums = self.made("raid5", 3)

        def other(copy):
            copy[8:32] = b"Linux-MD" + bytes(range(16))

        self.elsewhere(paths[2], other)
        with paths[2].open("r+b") as file:
            file.seek(-512, os.SEEK_END)
            anchor = bytearray(file.read(512))
            anchor[8:32] = b"Linux-MD" + bytes(range(16))
            struct.pack_into(">I", anchor, 4, crc(bytes(anchor)))
            file.seek(-512, os.SEEK_END)
            file.write(anchor)
        left = paths[2].read_bytes()
        agent.start()
        self.assertEqual(self.content(agent), sums)
        self.set_aside(agent, 2)
        agent.stop()
        self.assertTrue(paths[2].read_bytes() == left)

    def test_an_overwritten_drive_that_returns_is_not_rebuilt(self):
        agent = self.started(slots=2)
        agent.create("raid1", range(2))
        agent.until("it to be consistent", lambda view: view.vd()["consistent"])
        agent.fault(1, "pull")
        agent.until("its loss", lambda view: view.vd()["state"] == "degraded")
        self.scribbled(self.files(agent, 2)[1])
        agent.fault(1, "return")
        agent.until("it to be set aside", lambda view: (view.drive(1)["state_reason"] or {}).get(
            "code") == "drive_lost_overwritten")
        self.assertEqual(agent.view().running("rebuild"), [])
        agent.ctl(f"/c0/e{EID}/s1", "start", "rebuild")
        agent.optimal()
        agent.stop()

    def test_refused_if_more_was_changed(self):
        agent, paths, _ = self.made("raid1", 2)
        for path in paths:
            self.elsewhere(path, lambda copy: struct.pack_into(">Q", copy, 130 * 512 + 64,
                                                               0x4C696E75782D4D44))
        before = [path.read_bytes() for path in paths]
        agent.start()
        wait_for("the refusal", lambda: agent.view().vd()["state"] == "offline")
        reason = agent.view().vd()["blocked"]["vd_set"]
        self.assertEqual(reason["code"], "group_changed_elsewhere", reason)
        self.assertIn("is not started, because another system has written to its drives",
                      agent.ctl("/c0", "show", "events").stdout)
        agent.stop()
        self.assertEqual([path.read_bytes() for path in paths], before)


if __name__ == "__main__":
    unittest.main()
