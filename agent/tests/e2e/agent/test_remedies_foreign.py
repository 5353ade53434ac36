"""The commands of findings about places, foreign configurations, preserved cache, drive caches and
batteries."""

import shutil
import time
import unittest
from pathlib import Path

from cases import PlainFiles
from harness import EID, MIB, Agent
from taken import Taken, slot_path

PROFILES = Path(__file__).resolve().parents[3] / "profiles"


def blank(path, size=96 * MIB):
    path.unlink(missing_ok=True)
    with path.open("wb") as file:
        file.truncate(size)


class Files(PlainFiles, Taken):
    def group_of_files(self, level="r5", drives="0-2", count=4):
        agent = self.host(count)
        agent.ctl("/c0", "add", "vd", level, f"drives={EID}:{drives}", "name=data")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        self.write(agent)
        return agent

    def file(self, agent, number):
        return agent.directory / f"plain{number}"

    def stopped_without_state(self, agent):
        agent.stop()
        shutil.rmtree(agent.state_dir)

    def kept(self, agent):
        with agent.nbd() as disk:
            self.assertEqual(bytes(disk.pread(4096, 0)), b"kept" * 1024)


class Places(Files):
    def test_a_blank_drive_while_automatic_rebuild_is_off(self):
        agent = self.group_of_files()
        agent.ctl("/c0", "set", "autorebuild=off")
        agent.stop()
        blank(self.file(agent, 1))
        agent.start()
        self.take(agent, "remedy_place_free", "insert dg=0 array=0 row=1")
        agent.optimal()

    def test_a_member_that_was_taken_out(self):
        """It is free, and in its bay: nobody is asked to put it back."""
        agent = self.group_of_files()
        agent.ctl(slot_path(1), "set", "offline")
        agent.ctl(slot_path(1), "set", "missing")
        self.take(agent, "remedy_place_free", "s1 insert dg=0 array=0 row=1")
        agent.optimal()

    def test_a_foreign_drive_in_the_bay(self):
        agent = self.group_of_files()
        other = self.group_of_files("r1", "0,1")
        other.stop()
        agent.stop()
        shutil.copy(self.file(other, 0), self.file(agent, 1))
        agent.start()
        _, insert = self.command(agent, "remedy_place_foreign", "insert dg=0 array=0 row=1")
        _, free = self.command(agent, "remedy_place_foreign", "set good force")
        for command in (free, insert):
            agent.ctl(*command.split())
        agent.optimal()
        self.kept(agent)

    def test_a_member_that_was_away_at_the_import(self):
        agent = self.group_of_files()
        away = agent.directory / "away"
        self.stopped_without_state(agent)
        self.file(agent, 1).rename(away)
        agent.start()
        agent.ctl("/c0/fall", "import")
        self.command(agent, "remedy_place_unknown", "s3 insert dg=0 array=0 row=1")
        away.rename(self.file(agent, 1))
        self.take(agent, "remedy_place_returned", "insert dg=0 array=0 row=1 force")
        agent.optimal()
        self.kept(agent)

    def test_a_free_drive_for_a_member_that_was_away_at_the_import(self):
        agent = self.group_of_files()
        self.stopped_without_state(agent)
        self.file(agent, 1).unlink()
        agent.start()
        agent.ctl("/c0/fall", "import")
        self.take(agent, "remedy_place_unknown", "s3 insert dg=0 array=0 row=1")
        agent.optimal()
        self.kept(agent)

    def test_a_free_drive_for_a_member_that_is_gone(self):
        agent = self.group_of_files()
        agent.stop()
        self.file(agent, 1).unlink()
        agent.start()
        self.take(agent, "remedy_place_gone", "s3 insert dg=0 array=0 row=1")
        agent.optimal()
        self.kept(agent)

    def test_a_member_that_went_on_alone(self):
        agent = self.group_of_files("r1", "0,1")
        agent.stop()
        kept, away = agent.directory / "kept", agent.directory / "away"
        shutil.copytree(agent.state_dir, kept)
        self.file(agent, 1).rename(away)
        agent.start()
        self.write(agent, b"one." * 1024)
        agent.stop()
        away.rename(self.file(agent, 1))
        self.file(agent, 0).rename(away)
        shutil.rmtree(agent.state_dir)
        shutil.copytree(kept, agent.state_dir)
        agent.start()
        self.write(agent, b"two." * 1024)
        agent.ctl(slot_path(2), "add", "hotsparedrive")
        agent.optimal()
        agent.stop()
        away.rename(self.file(agent, 0))
        agent.start()
        self.take(agent, "remedy_drive_apart", "s0 set good")

    def test_a_member_whose_place_was_taken_and_that_was_written_to(self):
        agent = self.group_of_files("r1", "0,1")
        agent.ctl(slot_path(2), "add", "hotsparedrive")
        agent.stop()
        with self.file(agent, 1).open("r+b") as file:
            file.write(b"not ours" * 512 * 256)
        agent.start()
        self.take(agent, "remedy_drive_replaced_overwritten", "s1 set good")

    def test_a_member_that_is_out_of_date(self):
        agent = self.group_of_files("r1", "0,1")
        agent.ctl("/c0", "set", "autorebuild=off")
        agent.stop()
        away = agent.directory / "away"
        self.file(agent, 1).rename(away)
        agent.start()
        self.write(agent)
        agent.stop()
        away.rename(self.file(agent, 1))
        agent.start()
        self.take(agent, "remedy_drive_out_of_date", "start rebuild")
        agent.optimal()


class Foreign(Files):
    def test_a_whole_set(self):
        for words in ("fall import preview", "fall import", "fall delete"):
            with self.subTest(words):
                agent = self.group_of_files()
                self.stopped_without_state(agent)
                agent.start()
                self.take(agent, "remedy_foreign_configuration", words,
                          ends=words != "fall import preview",
                          confirm="data" if words == "fall delete" else None)
                agent.stop()

    def test_a_set_that_lacks_drives(self):
        agent = self.group_of_files()
        self.stopped_without_state(agent)
        for number in (1, 2):
            self.file(agent, number).rename(agent.directory / f"away{number}")
        agent.start()
        _, command = self.command(agent, "remedy_foreign_incomplete", "fall import")
        self.command(agent, "remedy_foreign_incomplete", "fall delete")
        for number in (1, 2):
            (agent.directory / f"away{number}").rename(self.file(agent, number))
        self.command(agent, "remedy_foreign_configuration", "fall import")
        agent.ctl(*command.split())
        agent.optimal()
        self.kept(agent)

    def test_labels_that_are_gone(self):
        """Where the others do not suffice, the DDF metadata count: nothing is lost with a label."""
        for level, drives, gone in (("r0", "0,1", (1,)), ("r5", "0-2", (0, 2)), ("r1", "0,1", (0, 1))):
            with self.subTest(level):
                agent = self.group_of_files(level, drives)
                self.stopped_without_state(agent)
                for number in gone:
                    with self.file(agent, number).open("r+b") as file:
                        file.seek(32 * MIB)
                        file.write(bytes(MIB))
                agent.start()
                preview = agent.ctl("/c0/fall", "import", "preview").stdout
                self.assertRegex(preview, r"data RAID\d +ddf +optimal")
                self.take(agent, "remedy_foreign_configuration", "fall import")
                for _ in range(2):
                    agent.optimal()
                    self.kept(agent)
                    agent.stop()
                    agent.start()
                agent.stop()

    def test_a_copy_beside_its_original(self):
        agent = self.group_of_files()
        self.stopped_without_state(agent)
        shutil.copy(self.file(agent, 1), self.file(agent, 3))
        agent.start()
        _, command = self.command(agent, "remedy_foreign_duplicate", "fall import")
        self.file(agent, 3).unlink()
        agent.stop()
        agent.start()
        agent.ctl(*command.split())
        agent.optimal()
        self.kept(agent)

    def test_a_copy_of_a_lost_member_that_is_needed(self):
        """A failing drive was copied to another one, in another bay."""
        for level, drives, lost, end in (("r0", "0,1", (1,), Agent.stop),
                                         ("r5", "0-2", (0, 2), Agent.stop),
                                         ("r5", "0-2", (0, 2), Agent.kill)):
            with self.subTest(level, end=end.__name__):
                agent = self.group_of_files(level, drives, count=5)
                end(agent)
                shutil.copy(self.file(agent, lost[0]), self.file(agent, 4))
                for number in lost:
                    self.file(agent, number).unlink()
                agent.start()
                told = agent.ctl("status").stdout
                self.assertNotIn("fall delete", told)
                self.assertNotIn("Remove the cause", told)
                for words in (("/c0/fall", "delete", "confirm=data"),
                              (slot_path(4), "set", "good", "force"),
                              (slot_path(4), "start", "erase", "simple", "force")):
                    refused = agent.ctl(*words, check=False)
                    self.assertNotEqual(refused.returncode, 0, words)
                    self.assertIn("set online", refused.stdout, words)
                self.take(agent, "remedy_foreign_copy_needed", "s4 set online")
                self.kept(agent)
                agent.stop()
                agent.start()
                self.kept(agent)
                agent.stop()

    def test_a_copy_of_a_member_in_use(self):
        agent = self.group_of_files("r1", "0,1")
        agent.stop()
        old = agent.directory / "old"
        shutil.copy(self.file(agent, 1), old)
        blank(self.file(agent, 1))
        agent.start()
        agent.optimal()
        agent.stop()
        shutil.copy(old, self.file(agent, 2))
        agent.start()
        self.take(agent, "remedy_foreign_is_here", "fall delete", confirm="data")
        self.kept(agent)


class CacheAndBattery(Files):
    def test_a_hot_spare_whose_cache_cannot_be_switched(self):
        agent = self.agent(slots=2, media=("ssd", "ssd"))
        plain = agent.directory / "plain2"
        blank(plain, 128 * MIB)
        text = agent.config_path.read_text().replace(
            "\n);", f',\n{{ path = "{plain}"; enclosure = {EID}; slot = 2; }}\n);')
        agent.config_path.write_text(text.replace("slots = 2;", "slots = 3;"))
        agent.start()
        agent.ctl("/c0", "set", "glitchtime=0")
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data", "pdcache=off")
        agent.ctl(slot_path(2), "add", "hotsparedrive")
        agent.fault(1, "pull")
        self.take(agent, "remedy_drive_cache_refused", "set pdcache=default")

    def test_a_learn_cycle_that_is_due(self):
        agent = self.agent(slots=1, config=(
            f'profiles_dir = "{PROFILES}";\n'
            'battery = { source = "emulated"; profile = "lsi-ibbu07"; speed = 1; };')).start()
        agent.until("the battery", lambda view: view.all("battery").get("c0-bbu"))
        agent.ctl("/c0/bbu", "set", "autolearnmode=2")
        with agent.control() as control:
            control.command("battery_set", {"battery": "c0-bbu",
                                            "next_learn_at_us": int((time.time() + 2) * 1e6)})
        self.take(agent, "remedy_battery_learn_due", "start learn")

    def test_writes_that_are_preserved(self):
        agent = self.agent(slots=3, config="")
        cache = agent.directory / "cache"
        with agent.config_path.open("a") as config:
            config.write(f'profile = "native";\ncache = {{ medium = "pmem"; path = "{cache}"; '
                         'size = "16 MiB"; };\n')
        agent.start()
        agent.create("raid0", range(3), write_policy="write_back")
        self.write(agent)
        agent.kill()
        for slot in range(3):
            (agent.directory / f"d{slot}").rename(agent.directory / f"away{slot}")
        agent.start()
        shown = self.take(agent, "remedy_cache_preserved", "show preservedcache", ends=False)
        self.assertIn("data", shown)


if __name__ == "__main__":
    unittest.main()
