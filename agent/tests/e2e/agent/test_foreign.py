"""Drives that carry a set of somebody else's: recognized, shown, and left as they are."""

import fcntl
import hashlib
import os
import re
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

from cases import AgentCase, PlainFiles
from harness import EID, MIB, wait_for
from md_set import member_write
from taken import matches

DDFIMAGE = os.environ["DDFIMAGE"]


def sums(paths):
    return [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in paths]


def header_crc(header):
    """DDF's: the register starts at 0, no final inversion, own bytes as FF."""
    data = header[:4] + b"\xff" * 4 + header[8:]
    return zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


def sectors_add(path, sectors):
    """The drive as mdadm makes one that is larger by so many sectors: its copies lie as far from the
    true end, the anchor is the last sector."""
    data = path.read_bytes()
    more = bytearray(data + bytes(sectors * 512))
    size = len(data)
    for back, length in ((32 * MIB, 618), (16 * MIB, 618), (512, 1)):
        block = bytearray(data[size - back:size - back + length * 512])
        more[size - back:size - back + length * 512] = bytes(length * 512)
        for at in (96, 104, 120):
            struct.pack_into(">Q", block, at, struct.unpack_from(">Q", block, at)[0] + sectors)
        struct.pack_into(">I", block, 4, header_crc(bytes(block[:512])))
        at = len(more) - back
        more[at:at + len(block)] = block
    path.write_bytes(more)


class Foreign(AgentCase):
    def images(self, level, spans, members, *missing):
        folder = Path(self.agent(slots=0).directory) / level
        folder.mkdir()
        subprocess.run([DDFIMAGE, folder, level, str(spans), str(members), "96", *missing],
                       check=True)
        return [folder / f"d{place}" for place in range(spans * members)
                if str(place) not in missing]

    def started(self, paths):
        """Plain files, as if they were drives of the machine."""
        agent = self.agent(slots=0, drives=[f'{{ path = "{path}"; slot = {slot}; }}'
                                            for slot, path in enumerate(paths)])
        agent.start()
        return agent

    def ask(self, agent):
        with agent.control() as control:
            return control.ask("query", {"name": "foreign",
                                         "args": {"controller": "c0"}})

    def test_a_whole_set_is_shown_and_left_alone(self):
        paths = self.images("raid5", 1, 4)
        before = sums(paths)
        agent = self.started(paths[::-1])
        found = self.ask(agent)
        self.assertEqual(found["damaged"], [])
        (only,) = found["sets"]
        self.assertEqual((only["format"], only["version"], only["sequence"]),
                         ("ddf", "01.02.00", 5))
        self.assertEqual(only["id"], b"ARRAYWRTgroup-0123456789".hex())
        (volume,) = only["virtual_drives"]
        self.assertEqual((volume["name"], volume["level"], volume["state"], volume["reason"]),
                         ("judge", "RAID5", "optimal", None))
        self.assertEqual((volume["size_bytes"], volume["strip_bytes"], volume["consistent"]),
                         (24 * MIB, 65536, True))
        view = agent.view()
        self.assertEqual([place["drive"] for place in volume["members"]],
                         [view.drive_key(slot) for slot in (3, 2, 1, 0)])
        self.assertEqual([view.drive(slot)["foreign"] for slot in range(4)], [True] * 4)
        with agent.control() as control:
            self.assert_refused("drive_has_data", control.command, "vd_create",
                                {"controller": "c0", "level": "raid1", "name": "mine",
                                 "drives": [view.drive_key(0), view.drive_key(1)]})
        shown = agent.ctl("/c0/fall", "show", "all").stdout
        for text in ("Total foreign Drive Groups", "FOREIGN VD LIST", "judge", "Frgn"):
            self.assertIn(text, shown)
        self.assertEqual((only["name"], only["outcome"], only["refusal"], volume["outcome"],
                          volume["imported_as"]), ("judge", "optimal", None, "optimal", "judge"))
        self.assertEqual({(place["state"], place["outcome"]) for place in only["drive_states"]},
                         {("online", "member")})
        self.assertIn("FOREIGN DRIVE LIST", agent.ctl("/c0/fall", "import", "preview").stdout)
        agent.stop()
        self.assertEqual(sums(paths), before)

    def test_import(self):
        """What the host holds is refused, nothing is written; then all of it, and it stays."""
        paths = self.images("raid5", 1, 4, "2")
        before = sums(paths)
        agent = self.started(paths)
        found = self.ask(agent)["sets"][0]
        self.assertEqual(found["outcome"], "degraded")
        with agent.control() as control:
            args = {"controller": "c0", "set": found["id"]}
            self.assert_refused("foreign_changed", control.command, "foreign_import",
                                {**args, "digest": "00"})
            self.assert_refused("unknown_object", control.command, "foreign_import",
                                {**args, "set": "00"})
        self.assertEqual(sums(paths), before)
        self.assertIn("Successfully imported", agent.ctl("/c0/fall", "import").stdout)
        self.assertEqual(self.ask(agent), {"sets": [], "damaged": []})
        self.assertEqual(agent.view().vd("judge")["state"], "degraded")
        agent.stop()
        agent.start()
        self.assertEqual(agent.view().vd("judge")["state"], "degraded")
        self.assertEqual([agent.view().drive(slot)["state"] for slot in range(3)], ["online"] * 3)
        agent.stop()

    def test_drives_of_any_size(self):
        """A set of mdadm's is whole on drives that end within a block of 4096, is imported whole,
        handed back readable, and its metadata can be taken off and given back."""
        for sectors in (1, 4, 7):
            with self.subTest(sectors=sectors):
                paths = self.images("raid5", 1, 4)
                sectors_add(paths[2], sectors)
                before = sums(paths)
                agent = self.started(paths)
                (found,) = self.ask(agent)["sets"]
                self.assertEqual(self.ask(agent)["damaged"], [])
                self.assertEqual(found["virtual_drives"][0]["state"], "optimal")
                agent.ctl("/c0/fall", "delete", "confirm=judge")
                agent.until("no foreign set is left", lambda _: self.ask(agent)["sets"] == [])
                self.assertEqual(self.ask(agent)["damaged"], [])
                self.assertEqual(subprocess.run(["blkid", "-p", str(paths[2])], check=False,
                                                capture_output=True).stdout, b"")
                agent.ctl("/c0", "restore", "undo=1")
                agent.stop()
                self.assertEqual(sums(paths), before)
                agent.start()
                agent.ctl("/c0/fall", "import")
                agent.optimal("judge")
                with agent.nbd(name="judge") as disk:
                    got = b"".join(bytes(disk.pread(MIB, at))
                                   for at in range(0, disk.get_size(), MIB))
                self.assertEqual(got, (paths[0].parent / "data").read_bytes())
                agent.stop()
                agent.start()
                agent.optimal("judge")
                agent.close()
                shutil.rmtree(paths[0].parent)

    def test_a_mirror_keeps_every_sector(self):
        """One that mdadm made without a size ends where the drive's size has it end."""
        for sectors in (2, 12):
            with self.subTest(sectors=sectors):
                paths = self.images("raid1", 1, 2)
                size = 8 * MIB - sectors * 512
                for path in paths:
                    data = bytearray(path.read_bytes())
                    for back in (32 * MIB, 16 * MIB):
                        at = len(data) - back + 162 * 512
                        struct.pack_into(">QQ", data, at + 72, size // 512, size // 512)
                        data[at + 384:at + 512] = b"\xff" * 128
                        struct.pack_into(">I", data, at + 4,
                                         header_crc(bytes(data[at:at + 7 * 512])))
                    path.write_bytes(data)
                agent = self.started(paths)
                (found,) = self.ask(agent)["sets"]
                (volume,) = found["virtual_drives"]
                self.assertEqual((volume["state"], volume["size_bytes"], found["outcome"]),
                                 ("optimal", size, "optimal"))
                agent.ctl("/c0/fall", "import")
                agent.until("the last row", lambda view: view.vd("judge")["consistent"])
                with agent.nbd(name="judge") as disk:
                    self.assertEqual(disk.get_size(), size)
                    kept = (paths[0].parent / "data").read_bytes()
                    last = size // 4096 * 4096
                    self.assertEqual(bytes(disk.pread(MIB, 0)), kept[:MIB])
                    self.assertEqual(bytes(disk.pread(size - last, last)), kept[last:size])
                    disk.pwrite(b"e" * 512, size - 512)
                    disk.flush()
                    self.assertEqual(bytes(disk.pread(512, size - 512)), b"e" * 512)
                agent.stop()
                agent.close()
                shutil.rmtree(paths[0].parent)

    def test_single_drives_are_made_good(self):
        """Whatever set is on them, by force alone; undo gives it back."""
        paths = self.images("raid5", 1, 3)
        folder = paths[0].parent
        md = folder / "md"
        member_write(md, name="host:0", role=0, content=b"", data_bytes=8 * MIB)
        plain = folder / "plain"
        with plain.open("wb") as file:
            file.truncate(96 * MIB)
        broken = folder / "broken"
        data = bytearray(paths[2].read_bytes())
        for back in (32 * MIB, 16 * MIB):
            data[len(data) - back + 1024:len(data) - back + 1536] = bytes(512)
        broken.write_bytes(data)
        before = sums([paths[0], md, broken])
        agent = self.started([paths[0], md, broken, plain])
        where = agent.view().drive(0)["path"].rsplit("s", 1)[0] + "s"
        refused = agent.ctl(f"{where}3", "set", "good", "force", check=False)
        self.assertIn("that does not permit set good", refused.stdout)
        for slot in range(3):
            refused = agent.ctl(f"{where}{slot}", "set", "good", check=False)
            self.assertNotEqual(refused.returncode, 0)
            agent.ctl(f"{where}{slot}", "set", "good", "force")
        agent.until("nothing foreign is left", lambda view: not any(
            doc["foreign"] for doc in view.all("drive").values()))
        for path in (paths[0], md, broken):
            self.assertEqual(subprocess.run(["blkid", "-p", str(path)], check=False,
                                            capture_output=True).stdout, b"")
        for undo in (1, 2, 3):
            agent.ctl("/c0", "restore", f"undo={undo}")
        agent.stop()
        self.assertEqual(sums([paths[0], md, broken]), before)

    def test_a_hot_spare_comes_with_its_set(self):
        for state, dedicated in (("hot_spare", []), ("dedicated_hot_spare", ["dgs=0"])):
            with self.subTest(state=state):
                agent = self.agent(slots=4).start()
                agent.create("raid5", range(3))
                agent.optimal()
                agent.ctl(f"/c0/e{EID}/s3", "add", "hotsparedrive", *dedicated)
                agent.stop()
                shutil.rmtree(agent.state_dir)
                agent.start()
                (found,) = self.ask(agent)["sets"]
                self.assertEqual([(place["state"], place["outcome"])
                                  for place in found["drive_states"]],
                                 [("online", "member")] * 3 + [("spare", "spare")])
                self.assertIn("spare", agent.ctl("/c0/fall", "import", "preview").stdout)
                agent.ctl("/c0/fall", "import")
                agent.until("the spare to be one again", lambda view:
                            view.drive(3)["state"] == state and
                            not view.drive(3)["foreign"])
                agent.stop()
                agent.start()
                self.assertEqual(agent.view().drive(3)["state"], state)
                agent.fault(1, "pull")
                agent.until("it to serve", lambda view: view.drive(3)["state"] == "online")
                agent.close()

    def use_apart(self, files):
        """A mirror of the first two files: each was imported and written to without the other."""
        folder = Path(self.agent(slots=0).directory)
        paths = [folder / f"file{number}" for number in range(files)]
        for path in paths:
            path.write_bytes(bytes(128 * MIB))
        agent = self.started(paths)
        agent.create("raid1", range(2))
        agent.optimal()
        agent.stop()
        away = paths[0].with_name("away")
        for other, data in ((1, b"a"), (0, b"b")):
            paths[other].rename(away)
            shutil.rmtree(agent.state_dir)
            agent.start()
            agent.ctl("/c0/fall", "import")
            with agent.nbd() as disk:
                disk.pwrite(data * 4096, 0)
                disk.flush()
            agent.stop()
            away.rename(paths[other])
        return agent, paths, away

    def test_a_half_that_went_on_beside_a_whole_group_is_in_conflict(self):
        agent, paths, _ = self.use_apart(3)
        agent.start()
        agent.ctl("/c0/s1", "add", "hotsparedrive")  # numbered while the first half was away
        agent.optimal()
        before = sums(paths[:1])
        for words in (("/c0/fall", "import"), ("status",)):
            self.assertIn("was in use without the drives that work now",
                          " ".join(agent.ctl(*words, check=False).stdout.split()))
        self.assertIn("in conflict with drive group", agent.ctl("/c0/fall", "import",
                                                                check=False).stdout)
        self.assertNotIn("old or copied", agent.ctl("status").stdout)
        with agent.nbd() as disk:
            self.assertEqual(bytes(disk.pread(4096, 0)), b"b" * 4096)
        agent.stop()
        self.assertEqual(sums(paths[:1]), before)

    def test_halves_that_went_apart_are_in_conflict(self):
        """Nobody chooses for the user."""
        agent, paths, away = self.use_apart(2)
        agent.start()  # the group is in use with the second half
        self.assertIn("in use without the drives that work now", agent.ctl("status").stdout)
        agent.stop()
        shutil.rmtree(agent.state_dir)
        before = sums(paths)
        agent.start()
        for words in (("/c0/fall", "import", "preview"), ("status",)):
            self.assertIn("in conflict: each was in use without the other",
                          agent.ctl(*words, check=False).stdout)
        self.assertIn("in conflict", agent.ctl("/c0/fall", "import", check=False).stdout)
        agent.stop()
        self.assertEqual(sums(paths), before)
        for other, data in ((1, b"a"), (0, b"b")):  # each half is still there
            paths[other].rename(away)
            shutil.rmtree(agent.state_dir)
            agent.start()
            agent.ctl("/c0/fall", "import")
            with agent.nbd() as disk:
                self.assertEqual(bytes(disk.pread(4096, 0)), data * 4096)
            agent.stop()
            away.rename(paths[other])

    def test_a_hot_spare_alone_says_how_to_free_it(self):
        agent = self.agent(slots=2).start()
        agent.ctl(f"/c0/e{EID}/s1", "add", "hotsparedrive")
        agent.stop()
        shutil.rmtree(agent.state_dir)
        agent.start()
        for words in (("import",), ("delete",)):
            answer = agent.ctl("/c0/fall", *words).stdout
            self.assertIn(f"/c0/e{EID}/s1 set good force", answer)
        agent.ctl(f"/c0/e{EID}/s1", "set", "good", "force")
        self.assertFalse(agent.view().drive(1)["foreign"])
        agent.stop()

    def test_clear_and_undo(self):
        """By its name only; the drives are free then, and undo gives back every byte."""
        paths = self.images("raid5", 1, 4)
        before = sums(paths)
        agent = self.started(paths)
        refused = agent.ctl("/c0/fall", "delete", check=False)
        self.assertIn("confirm=judge", refused.stdout)
        refused = agent.ctl("/c0/fall", "delete", "confirm=other", check=False)
        self.assertIn("does not match", refused.stdout)
        self.assertEqual(sums(paths), before)
        self.assertIn("FOREIGN VD LIST", agent.ctl("/c0/fall", "delete", "preview").stdout)
        self.assertIn("Successfully deleted",
                      agent.ctl("/c0/f0", "delete", "confirm=judge").stdout)
        agent.until("no foreign set is left", lambda _: self.ask(agent)["sets"] == [])
        agent.stop()
        agent.start()
        self.assertEqual(self.ask(agent), {"sets": [], "damaged": []})
        shown = agent.ctl("/c0", "show", "undo").stdout
        for text in ("UNDO LIST", "judge", "Frgn", "Yes"):
            self.assertIn(text, shown)
        self.assertIn("Restored.", agent.ctl("/c0", "restore", "undo=1").stdout)
        self.assertIn("nothing to undo", agent.ctl("/c0", "show", "undo").stdout)
        agent.stop()
        self.assertEqual(sums(paths), before)
        agent.start()  # drives of its configuration file are held, and looked at with a start
        self.assertEqual(len(self.ask(agent)["sets"]), 1)

    def test_a_deleted_drive_comes_back(self):
        agent = self.agent(slots=4).start()
        agent.create("raid5", range(3))
        agent.optimal()
        with agent.nbd() as disk:
            disk.pwrite(b"kept" * 1024, 0)
            disk.flush()
        guid = agent.view().vd("data")["guid"]
        self.assertIn("nothing to undo", agent.ctl("/c0", "show", "undo").stdout)
        agent.ctl("/c0/v0", "del", "force")
        self.assertIn("VD+DG", agent.ctl("/c0", "show", "undo").stdout)
        agent.stop()
        agent.start()
        refused = agent.ctl("/c0", "restore", "undo=9", check=False)
        self.assertIn("no saved configuration 9", refused.stdout)
        self.assertIn("Restored.", agent.ctl("/c0", "restore", "undo=1").stdout)
        self.assertEqual(agent.view().vd("data")["guid"], guid)
        with agent.nbd() as disk:
            self.assertEqual(bytes(disk.pread(4096, 0)), b"kept" * 1024)
        agent.ctl("/c0/v0", "del", "force")
        agent.create("raid0", [1], name="other")
        refused = agent.ctl("/c0", "restore", "undo=2", check=False)
        self.assertIn("is in use again", refused.stdout)

    def test_missing_damaged_and_incomplete(self):
        paths = self.images("raid6", 1, 5, "2")
        with paths[0].open("r+b") as file:  # the primary's record: the secondary counts
            file.seek((96 * 2048 - 32768 + 162) * 512 + 600)
            file.write(b"damage")
        with paths[3].open("r+b") as file:  # both copies
            for copy in (32768, 65536):
                file.seek((96 * 2048 - copy + 130) * 512 + 100)
                file.write(b"damage")
        agent = self.started(paths)
        found = self.ask(agent)
        (volume,) = found["sets"][0]["virtual_drives"]
        self.assertEqual([place["state"] for place in volume["members"]],
                         ["online", "online", "missing", "online", "missing"])
        self.assertEqual((volume["state"], volume["reason"]["code"]),
                         ("degraded", "foreign_degraded"))
        self.assertEqual(found["damaged"][0]["reason"]["code"], "foreign_damaged")
        agent.stop()
        agent = self.started(paths[:2])
        (volume,) = self.ask(agent)["sets"][0]["virtual_drives"]
        self.assertEqual(volume["state"], "incomplete")
        self.assertEqual(volume["reason"]["code"], "foreign_incomplete")
        refused = agent.ctl("/c0/fall", "import", check=False)
        self.assertIn("Incomplete foreign configuration", refused.stdout)

    def test_nothing_foreign(self):
        agent = self.agent(slots=2).start()
        self.assertEqual(self.ask(agent), {"sets": [], "damaged": []})
        self.assertIn("Couldn't find any foreign", agent.ctl("/c0/fall", "show").stdout)


def marks(path):
    """What stock Linux sees on it, by libblkid's and by wipefs's count."""
    probed = subprocess.run(["blkid", "-p", "-o", "export", str(path)], check=False,
                            capture_output=True, text=True).stdout
    listed = subprocess.run(["wipefs", "--no-act", str(path)], check=True, capture_output=True,
                            text=True).stdout
    return probed + listed


class OfPlainFiles(PlainFiles):
    """A set that an earlier agent left on files."""

    def test_a_drive_that_another_process_has(self):
        """The preview says what the import would: that the drive cannot be claimed."""
        agent = self.host(3)
        agent.ctl("/c0", "add", "vd", "r5", f"drives={EID}:0-2", "name=data")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        agent.stop()
        shutil.rmtree(agent.state_dir)
        with (agent.directory / "plain1").open("r+b") as holder:
            fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            agent.start()
            why = (f"Drive /c0/e{EID}/s1 cannot be used: plain1 is claimed by another process.")
            preview = agent.json("/c0/fall", "import", "preview")["Response Data"]
            vd = preview["FOREIGN VD LIST"][0]
            self.assertEqual((vd["Import"], vd["Remark"]), ("refused", why))
            self.assertIn(why, agent.ctl("/c0/fall", "import", check=False).stdout)

        def allowed():
            listed = agent.json("/c0/fall", "import", "preview")["Response Data"]
            return listed["FOREIGN VD LIST"][0]["Import"] == "optimal"

        wait_for("the drive to be free", allowed)
        agent.ctl("/c0/fall", "import")
        agent.optimal()


class TakenByForce(AgentCase):
    """Used drives given to an array by force: nobody finds their former owner again."""

    def used(self, name, *writes, kind=None):
        path = Path(self.directory) / name
        with path.open("wb") as file:
            file.truncate(96 * MIB)
            for offset, data in writes:
                file.seek(offset if offset >= 0 else 96 * MIB + offset)
                file.write(data)
        if kind:
            subprocess.run([f"mkfs.{kind}", "-q", str(path)], check=True)
        return path

    def md1(self, minor, offset):
        """Enough of an md superblock of version 1.<minor> for libblkid and mdadm."""
        sector = (offset if offset >= 0 else 96 * MIB + offset) // 512
        block = bytearray(4096)
        struct.pack_into("<II", block, 0, 0xA92B4EFC, 1)
        block[16:32] = os.urandom(16)
        struct.pack_into("<Q", block, 144, sector)
        block[32:40] = b"former-" + str(minor).encode()
        struct.pack_into("<QI", block, 80, 65536, 128)
        struct.pack_into("<QQ", block, 128, 2048, 65536)
        total = sum(struct.unpack("<64I", block[:256]))
        struct.pack_into("<I", block, 216, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
        return offset, bytes(block)

    def gpt(self):
        def header(own, other, table):
            head = bytearray(512)
            struct.pack_into("<8sIIIIQQQQ", head, 0, b"EFI PART", 0x10000, 92, 0, 0, own, other,
                             34, 96 * 2048 - 34)
            head[56:72] = os.urandom(16)
            struct.pack_into("<QIII", head, 72, table, 128, 128, zlib.crc32(bytes(128 * 128)))
            struct.pack_into("<I", head, 16, zlib.crc32(bytes(head[:92])))
            return bytes(head)
        last = 96 * 2048 - 1
        mbr = bytearray(512)
        mbr[446:462] = struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xEE, b"\xff\xff\xff", 1, last)
        mbr[510:] = b"\x55\xaa"
        return [(0, bytes(mbr)), (512, header(1, last, 2)),
                (-512, header(last, 1, last - 32))]

    def md090(self):
        block = bytearray(4096)
        struct.pack_into("<IIII", block, 0, 0xA92B4EFC, 0, 90, 0)
        struct.pack_into("<IIII", block, 20, 1, 2, 3, 4)
        return 96 * MIB - 65536, bytes(block)

    def test_marks_are_gone(self):
        agent = self.agent(slots=0)
        self.directory = agent.directory
        ddf = Path(self.directory) / "ddf"
        ddf.mkdir()
        subprocess.run([DDFIMAGE, ddf, "raid5", "1", "3", "96"], check=True)
        with (ddf / "d1").open("r+b") as file:  # several at once
            file.write(b"\xeb\x3c\x90" + b"former")
        paths = [ddf / "d0", ddf / "d1", self.used("ext4", kind="ext4"),
                 self.used("md090", self.md090()), self.used("md10", self.md1(0, -8192)),
                 self.used("md11", self.md1(1, 0)), self.used("md12", self.md1(2, 4096)),
                 self.used("gpt", *self.gpt()),
                 self.used("lvm", (512, b"LABELONE" + struct.pack("<Q", 1)))]
        for path in paths[:-1]:
            self.assertNotEqual(marks(path), "", path)
        agent = self.agent(slots=0, drives=[f'{{ path = "{path}"; slot = {slot}; }}'
                                            for slot, path in enumerate(paths)])
        agent.start()
        view = agent.view()
        keys = [view.drive_key(slot) for slot in range(len(paths))]
        base = {"controller": "c0", "level": "raid6", "name": "mine", "drives": keys[:6]}
        before = sums(paths)
        with agent.control() as control:
            self.assert_refused("drive_has_data", control.command, "vd_create", base)
            self.assert_refused("drive_has_data", control.command, "vd_create",
                                {**base, "force": True})
        self.assertEqual(sums(paths), before)
        serials = [view.drive(slot)["serial"] for slot in range(len(paths))]
        with agent.control() as control:
            control.command("vd_create", {**base, "force": True, "serials": serials[:6]})
            control.command("spare_add", {"drive": keys[6], "force": True, "serial": serials[6]})
            agent.optimal("mine")
            control.command("spare_add", {"drive": keys[7], "force": True, "serial": serials[7]})
            control.command("spare_add", {"drive": keys[8], "force": True, "serial": serials[8]})
        self.assertEqual([drive["state"] for drive in map(agent.view().drive, range(9))],
                         ["online"] * 6 + ["hot_spare"] * 3)
        agent.stop()
        # Members carry our own set and nothing else, spares nothing.
        for path in paths[:6]:
            seen = marks(path)
            self.assertIn("TYPE=ddf_raid_member\n", seen)
            self.assertIn("\nUUID=ARRAYWRT", seen)
            self.assertNotIn("group-0123456789", seen)
            self.assertEqual(len([line for line in seen.splitlines() if " 0x" in line]), 1, seen)
        for path in paths[6:]:
            self.assertEqual(marks(path), "", path)
        mdadm = shutil.which("mdadm", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
        for path in paths[6:] if mdadm else ():
            seen = subprocess.run([mdadm, "--examine", str(path)], check=False,
                                  capture_output=True, text=True)
            self.assertIn("No md superblock detected", seen.stdout + seen.stderr)


class OfMd(AgentCase):
    """A mirror in md's own format."""

    def member(self, folder, place, content, clean=True):
        path = Path(folder) / f"d{place}"
        member_write(path, name="lake:data", role=place, content=content, data_bytes=24 * MIB,
                     clean=clean)
        return path

    def started(self, paths):
        agent = self.agent(slots=0, drives=[f'{{ path = "{path}"; slot = {slot}; }}'
                                            for slot, path in enumerate(paths)])
        return agent.start()

    def test_taken_over_in_place(self):
        folder = self.agent(slots=0).directory
        content = os.urandom(24 * MIB)
        paths = [self.member(folder, place, content) for place in range(2)]
        for path in paths:
            self.assertIn("TYPE=linux_raid_member\n", marks(path))
        before = sums(paths)
        agent = self.started(paths)
        told = agent.ctl("/c0/fall", "import", "preview").stdout
        self.assertIn("The md superblocks are taken off", told)
        self.assertNotEqual(agent.ctl("/c0/fall", "del", "confirm=data", check=False).returncode, 0)
        self.assertEqual(sums(paths), before)
        agent.ctl("/c0/fall", "del", "confirm=lake:data")
        for path in paths:
            self.assertEqual(marks(path), "")
        agent.ctl("/c0", "restore", "undo=1")
        self.assertEqual(sums(paths), before)
        agent.stop()  # drives that are configured are looked at when it starts
        agent.start()
        agent.ctl("/c0/fall", "import")
        with agent.nbd("data") as data:
            self.assertEqual(data.get_size(), 24 * MIB)
            self.assertTrue(bytes(data.pread(24 * MIB, 0)) == content)
            data.pwrite(b"\x5a" * MIB, 3 * MIB)
            data.flush()
        agent.stop()
        now = content[:3 * MIB] + b"\x5a" * MIB + content[4 * MIB:]
        for path in paths:
            seen = marks(path)
            self.assertIn("TYPE=ddf_raid_member\n", seen)
            self.assertNotIn("linux_raid_member", seen)
            self.assertTrue(path.read_bytes()[MIB:25 * MIB] == now)

    def test_one_that_was_not_stopped_is_left(self):
        folder = self.agent(slots=0).directory
        paths = [self.member(folder, place, b"", clean=False) for place in range(2)]
        before = sums(paths)
        agent = self.started(paths)
        refused = agent.ctl("/c0/fall", "import", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("a resynchronization", refused.stdout)
        (row,) = agent.json("/c0", "show", "health")["Response Data"]["Health"]
        self.assertTrue(matches("remedy_foreign_refused", row["Next Step"]), row)
        shown, cleared = re.findall(r'"(/c0[^"]+)"', row["Next Step"])
        self.assertIn("a resynchronization", agent.ctl(*shown.split()).stdout)
        asked = agent.ctl(*cleared.split(), check=False)
        self.assertNotEqual(asked.returncode, 0)
        self.assertIn("confirm=", asked.stdout)
        agent.stop()
        self.assertEqual(sums(paths), before)
