"""The state directory is older than the drives: what is printed then is done, and works."""

import os
import re
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from cases import PlainFiles, digest, write_random
from harness import EID, MIB
from taken import Taken, slot_path

# As in docs/recovery.md.
DOCUMENTED = """
arrayctl /c0/fall import preview
arrayctl /c0/v0 del force
arrayctl /c0/fall import
"""


class OlderState(PlainFiles):
    def older(self, old, new, level="r5"):
        """The newer drive group is on some drives that the old state knows, and on others."""
        agent = self.host(6)
        agent.ctl("/c0", "add", "vd", "r5", f"drives={EID}:{old}", "name=old")
        agent.until("consistency", lambda view: view.vd("old")["consistent"])
        agent.stop()
        kept = agent.directory / "kept"
        shutil.copytree(agent.state_dir, kept)
        agent.start()
        agent.ctl("/c0/v0", "del", "force")
        agent.ctl("/c0", "add", "vd", level, f"drives={EID}:{new}", "name=new")
        with agent.nbd(name="new") as disk:
            self.written = write_random(disk, disk.get_size(), seed=1)
        agent.until("consistency", lambda view: view.vd("new")["consistent"])
        agent.stop()
        shutil.rmtree(agent.state_dir)
        kept.rename(agent.state_dir)
        return agent.start()

    def whole(self, agent):
        agent.optimal("new")
        with agent.nbd(name="new") as disk:
            self.assertEqual(digest(disk, disk.get_size()), self.written)
        self.assertIn("Findings = 0", agent.ctl("/c0", "show", "health").stdout)

    def test_as_documented(self):
        for old, new, level in (("0-2", "1-4", "r5"), ("2-4", "0-3", "r5"), ("0-3", "0-4", "r6")):
            with self.subTest(old=old, new=new, level=level):
                agent = self.older(old, new, level)
                for line in DOCUMENTED.split("\n")[1:-1]:
                    self.assertIn("Status = Success", agent.ctl(*line.split()[1:]).stdout, line)
                self.whole(agent)
                agent.stop()
                agent.start()
                self.whole(agent)
                agent.close()

    def test_as_advised(self):
        """Imported while the old drive group is still there, by the commands of the findings."""
        agent = self.older("0-2", "1-4")
        told = agent.ctl("status").stdout
        self.assertIn("delete the virtual drives of drive group 0, then import", told)
        self.assertNotIn("Do not delete", told)
        self.assertIn("foreign configurations: 1.", told)
        command = re.search(r'Import them with "(/c0/fall import)"', told)[1]
        self.assertIn("Status = Success", agent.ctl(*command.split()).stdout)
        agent.ctl("/c0/v0", "del", "force")
        self.whole(agent)


class Deleted(PlainFiles, Taken):
    """A drive group that was deleted comes back with the state directory from before."""

    def back(self, missing=()):
        agent = self.host(4)
        agent.ctl("/c0", "add", "vd", "r5", "size=20MB,20MB", "name=one,two", f"drives={EID}:0-2")
        agent.stop()
        kept = agent.directory / "kept"
        shutil.copytree(agent.state_dir, kept)
        agent.start()
        agent.ctl("/c0/vall", "del", "force")
        agent.stop()
        shutil.rmtree(agent.state_dir)
        kept.rename(agent.state_dir)
        for slot in missing:
            (agent.directory / f"plain{slot}").rename(agent.directory / f"away{slot}")
        return agent.start()

    def told(self, agent):
        rows = self.findings(agent)
        return {name: row["Next Step"] for (_, name), row in rows.items() if name.startswith("/c0/")}

    def names(self, agent):
        return sorted(doc["name"] for doc in agent.view().all("virtual_drive").values())

    def test_all_drives_are_there(self):
        agent = self.back()
        self.command(agent, "remedy_place_unlabelled", "/v0,1 delete force")
        for step in self.told(agent).values():
            self.assertNotIn("missing drives", step)
        self.assertIn(f"without a label: {EID}:0, {EID}:1, {EID}:2", agent.ctl("status").stdout)
        self.take(agent, "remedy_place_unlabelled", "/v0,1 delete force")
        self.assertEqual(agent.view().all("virtual_drive"), {})
        agent.ctl("/c0", "add", "vd", "r5", f"drives={EID}:0-2", "name=anew")

    def test_one_by_one(self):
        agent = self.back()
        for number in (0, 1):
            self.take(agent, "remedy_place_unlabelled", f"/v{number} delete force")
        self.assertEqual(agent.view().all("virtual_drive"), {})

    def test_one_of_two_while_drives_are_away(self):
        """The other one is there again with its drives."""
        agent = self.host(4)
        agent.ctl("/c0", "add", "vd", "r5", "size=20MB,20MB", "name=one,two", f"drives={EID}:0-2")
        written = {}
        for seed, name in enumerate(("one", "two")):
            with agent.nbd(name=name) as disk:
                written[name] = write_random(disk, disk.get_size(), seed=seed)
        agent.stop()
        for slot in (0, 1):
            (agent.directory / f"plain{slot}").rename(agent.directory / f"away{slot}")
        agent.start()
        agent.until("offline", lambda view: view.vd("two")["state"] == "offline")
        agent.ctl("/c0/v0", "delete", "force")
        self.assertEqual(self.names(agent), ["two"])
        agent.stop()
        agent.start()
        self.assertEqual(self.names(agent), ["two"])
        agent.stop()
        for slot in (0, 1):
            (agent.directory / f"away{slot}").rename(agent.directory / f"plain{slot}")
        for _ in range(2):
            agent.start()
            agent.optimal("two")
            self.assertEqual(self.names(agent), ["two"])
            with agent.nbd(name="two") as disk:
                self.assertEqual(digest(disk, disk.get_size()), written["two"])
            agent.stop()
        agent.start()
        agent.ctl("/c0", "restore", "undo=1")
        with agent.nbd(name="one") as disk:
            self.assertEqual(digest(disk, disk.get_size()), written["one"])

    def test_a_drive_is_under_another_path(self):
        """The serial number of a file goes with its path: the label says which drive it is."""
        for level, count in (("r0", 1), ("r5", 3)):
            with self.subTest(level):
                agent = self.host(6)
                agent.ctl("/c0", "add", "vd", level, f"drives={EID}:0-{count - 1}", "name=data")
                agent.stop()
                for slot in range(count):
                    (agent.directory / f"plain{slot}").rename(agent.directory / "moved")
                    (agent.directory / f"plain{slot + 3}").rename(agent.directory / f"plain{slot}")
                    (agent.directory / "moved").rename(agent.directory / f"plain{slot + 3}")
                agent.start()
                agent.until("offline", lambda view: view.vd()["state"] == "offline")
                told = agent.ctl("status").stdout
                self.assertIn("set online", told)
                self.assertNotIn("delete force", told)
                self.assertNotIn("without a label", told)
                agent.close()

    def test_a_drive_is_missing(self):
        """Whether it has a label is not known: nothing is advised to be deleted."""
        agent = self.back(missing=(1,))
        told = self.told(agent)
        self.assertEqual(len(told), 3, told)
        for step in told.values():
            self.assertIn("Put the missing drives back", step)
            self.assertNotIn("delete", step.replace("Do not delete", ""))


class Rebuilt(PlainFiles, Taken):
    """A hot spare took the place of a member; the state directory is from before, and so are some of
    the drives."""

    def test_the_newest_data_are_served(self):
        for level, drives, spare in (("r1", "0,1", 2), ("r5", "0-2", 3)):
            for images in ((), (0,), (0, 1)):
                with self.subTest(level, images=images):
                    agent = self.host(4)
                    agent.ctl("/c0", "add", "vd", level, f"drives={EID}:{drives}", "name=data")
                    agent.until("consistency", lambda view: view.vd()["consistent"])
                    self.write(agent, b"older..." * 512)
                    agent.stop()
                    kept = agent.directory / "kept"
                    shutil.copytree(agent.state_dir, kept)
                    for slot in images:
                        shutil.copy(agent.directory / f"plain{slot}",
                                    agent.directory / f"image{slot}")
                    agent.start()
                    agent.ctl(slot_path(spare), "add", "hotsparedrive")
                    agent.ctl(slot_path(1), "set", "offline")
                    agent.until("the rebuild", lambda view, s=spare: view.vd()["state"] == "optimal"
                                and view.drive(s)["state"] == "online")
                    self.write(agent, b"newest.." * 512)
                    agent.stop()
                    shutil.rmtree(agent.state_dir)
                    kept.rename(agent.state_dir)
                    for slot in images:
                        (agent.directory / f"image{slot}").rename(agent.directory / f"plain{slot}")
                    for _ in range(2):
                        agent.start()
                        agent.until("a start", lambda view: view.vd()["state"] in
                                    ("optimal", "degraded"))
                        with agent.nbd() as disk:
                            self.assertEqual(bytes(disk.pread(4096, 0)), b"newest.." * 512)
                        self.assertNotIn("fall delete", agent.ctl("status").stdout)
                        agent.stop()
                    agent.close()


class OlderDrives(PlainFiles, Taken):
    """Drives were restored from older images, under a state directory that is not older."""

    def restored(self, level, count, images):
        agent = self.host(4)
        agent.ctl("/c0", "add", "vd", level, f"drives={EID}:0-{count - 1}", "name=data")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        self.write(agent, b"older..." * 512)
        agent.stop()
        for slot in images:
            shutil.copy(agent.directory / f"plain{slot}", agent.directory / f"image{slot}")
        agent.start()
        agent.ctl("/c0/v0", "set", "name=renamed")
        agent.ctl("/c0/v0", "set", "name=data")
        self.write(agent, b"newest.." * 512)
        agent.stop()
        for slot in images:
            (agent.directory / f"image{slot}").rename(agent.directory / f"plain{slot}")
        return agent.start()

    def test_one_that_can_be_done_without(self):
        agent = self.restored("r5", 3, (0,))
        self.assertNotIn("Replace it", agent.ctl("status").stdout)
        self.take(agent, "remedy_drive_stale", "start rebuild")
        agent.optimal()
        with agent.nbd() as disk:
            self.assertEqual(bytes(disk.pread(4096, 0)), b"newest.." * 512)

    def test_all_of_them(self):
        for level, count in (("r0", 2), ("r1", 2), ("r5", 3)):
            with self.subTest(level):
                agent = self.restored(level, count, range(count))
                rows = self.findings(agent).values()
                self.assertNotIn("Replace it", agent.ctl("status").stdout)
                self.assertNotIn("missing drives", agent.ctl("status").stdout)
                [record] = {record for row in rows
                            for record in re.findall("move (r-group-[0-9a-f]+) out", row["Next Step"])}
                agent.stop()
                (agent.state_dir / record).rename(agent.directory / record)
                agent.start()
                agent.optimal()
                with agent.nbd() as disk:
                    self.assertEqual(bytes(disk.pread(4096, 0)), b"older..." * 512)
                agent.close()


class Copyback(PlainFiles, Taken):
    """A copyback took the place of a member whose drive is still there, with older data."""

    def member(self, level, drives):
        agent = self.host(6)
        agent.ctl("/c0", "add", "vd", level, f"drives={EID}:{drives}", "name=data")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        self.write(agent)
        return agent

    def copy(self, agent, source, target):
        agent.ctl(slot_path(source), "start", "copyback", f"target={EID}:{target}")
        agent.until("the copyback", lambda view: view.drive(target)["state"] == "online" and
                    not view.running("copyback"))

    def newest(self, agent):
        agent.optimal("data")
        with agent.nbd() as disk:
            self.assertEqual(bytes(disk.pread(4096, 0)), b"newest.." * 512)

    def copied(self, level, drives, copies):
        """Stopped after copybacks, with the state directory from before them."""
        agent = self.member(level, drives)
        agent.stop()
        kept = agent.directory / "kept"
        shutil.copytree(agent.state_dir, kept)
        agent.start()
        for source, target in copies.items():
            self.copy(agent, source, target)
        self.write(agent, b"newest.." * 512)
        agent.stop()
        shutil.rmtree(agent.state_dir)
        kept.rename(agent.state_dir)
        return agent

    def test_the_state_directory_from_before(self):
        for level, drives, copies in (("r0", "0", {0: 4}), ("r1", "0,1", {0: 4}),
                                      ("r1", "0,1", {0: 4, 1: 5}), ("r5", "0-2", {1: 4})):
            with self.subTest(level, copies=copies):
                agent = self.copied(level, drives, copies)
                for _ in range(2):
                    agent.start()
                    self.newest(agent)
                    told = agent.ctl("status").stdout
                    self.assertNotIn("fall delete", told)
                    self.assertNotIn("insert", told)
                    agent.stop()

    def test_the_newest_drive_comes_after_the_start(self):
        agent = self.copied("r0", "0", {0: 4})
        newest = agent.directory / "plain4"
        newest.rename(agent.directory / "away4")
        agent.start()
        agent.until("offline", lambda view: view.vd()["state"] == "offline")
        (agent.directory / "away4").rename(newest)
        self.take(agent, "remedy_foreign_needed", "set online", ends=False)
        for _ in range(2):
            self.newest(agent)
            agent.stop()
            agent.start()

    def test_a_restart_keeps_the_former_member_out(self):
        agent = self.member("r1", "0,1")
        self.copy(agent, 0, 4)
        self.write(agent, b"newest.." * 512)
        agent.stop()
        agent.start()
        self.newest(agent)
        self.assertEqual(agent.view().drive(0)["state"], "unconfigured_bad")
        agent.ctl(slot_path(0), "set", "good")

    def small_state(self, agent):
        """Stopped, with its state directory in a small file system."""
        agent.stop()
        kept = agent.directory / "kept"
        shutil.copytree(agent.state_dir, kept)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs",
                                  str(agent.state_dir)], check=False, capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("a tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(agent.state_dir)], check=False)
        self.addCleanup(agent.stop)
        shutil.copytree(kept, agent.state_dir, dirs_exist_ok=True)

    def fill(self, agent):
        with (agent.state_dir / "ballast").open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass

    @unittest.skipUnless(os.geteuid() == 0, "needs root to mount a tmpfs")
    def test_no_room_for_an_automatic_copyback(self):
        """It is tried again now and then, not all the time."""
        agent = self.member("r1", "0,1")
        agent.ctl("/c0", "set", "glitchtime=0")
        agent.ctl(slot_path(2), "add", "hotsparedrive")
        self.small_state(agent)
        (agent.directory / "plain0").unlink()
        agent.start()
        agent.until("the spare", lambda view: view.drive(2)["state"] == "online")
        agent.optimal("data")
        self.fill(agent)
        agent.stop()
        with (agent.directory / "new0").open("wb") as file:
            file.truncate(96 * MIB)
        text = agent.config_path.read_text()
        agent.config_path.write_text(text.replace('/plain0"', '/new0"'))
        agent.start()

        def ticks():
            stat = Path(f"/proc/{agent.process.pid}/stat").read_text()
            return sum(map(int, stat.rsplit(")", 1)[1].split()[11:13]))

        before = ticks()
        time.sleep(3)
        self.assertLess(ticks() - before, 30)
        (agent.state_dir / "ballast").unlink()
        agent.until("the copyback", lambda view: view.drive(0)["state"] == "online" and
                    view.drive(2)["state"] == "hot_spare")

    @unittest.skipUnless(os.geteuid() == 0, "needs root to mount a tmpfs")
    def test_no_room_to_remember_the_target(self):
        agent = self.member("r0", "0")
        self.small_state(agent)
        agent.start()
        self.fill(agent)
        refused = agent.ctl(slot_path(0), "start", "copyback", f"target={EID}:4", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("state directory", refused.stdout)
        self.write(agent, b"newest.." * 512)
        agent.kill()
        agent.start()
        self.newest(agent)
        (agent.state_dir / "ballast").unlink()
        self.copy(agent, 0, 4)
