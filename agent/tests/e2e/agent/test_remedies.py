"""The commands of findings about members, hot spares and virtual drives; and that no command of any
remedy is left out."""

import re
import unittest
from pathlib import Path

import nbd
from cases import PlainFiles
from harness import EID, MIB
from taken import REMEDIES, Taken, matches, slot_path


class Remedies(Taken):
    # Members

    def test_an_offline_member(self):
        agent = self.group()
        agent.ctl(slot_path(1), "set", "offline")
        self.take(agent, "remedy_drive_offline", "start rebuild")
        agent.optimal()

    def test_a_member_that_came_back_without_automatic_rebuild(self):
        agent = self.group()
        agent.ctl("/c0", "set", "autorebuild=off")
        agent.fault(1, "pull")
        agent.until("the loss", lambda view: view.vd()["state"] == "degraded")
        self.write(agent)
        agent.fault(1, "return")
        self.take(agent, "remedy_rebuild_start", "start rebuild")
        agent.optimal()

    def test_automatic_rebuild_is_off(self):
        agent = self.group(slots=4)
        agent.ctl("/c0", "set", "autorebuild=off")
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(1, "pull")
        self.take(agent, "remedy_auto_rebuild_off", "set autorebuild=on")
        agent.optimal()

    def test_a_failed_member(self):
        agent = self.group()
        agent.fault(1, "write_error")
        self.write(agent, b"x" * MIB)
        self.take(agent, "remedy_drive_failed", "start locate", ends=False)

    def test_a_drive_gets_its_place_back_from_a_hot_spare(self):
        """As docs/recovery.md says."""
        agent = self.group(slots=4)
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(1, "pull")
        agent.optimal()
        agent.fault(1, "return")
        agent.until("the drive", lambda v: v.drive_state(1) == "unconfigured_bad")
        agent.ctl(slot_path(1), "set", "good")
        agent.fault(1, "slow", latency_ms=200)
        self.take(agent, "remedy_spares_used_up_start", f"start copyback target={EID}:1",
                  ends=False)
        agent.until("the copyback", lambda v: v.running("copyback"))
        agent.ctl(slot_path(3), "pause", "copyback")
        agent.fault(1, "clear")
        self.take(agent, "remedy_spares_used_up_paused", "resume copyback")
        agent.until("the hot spare", lambda v: v.drive_state(3) == "hot_spare")
        self.assertEqual(agent.view().drive_state(1), "online")
        agent.optimal()

    def test_a_drive_that_is_away_while_it_is_erased(self):
        """Its erase waits for it, is listed and can be stopped."""
        agent = self.agent(slots=2).start()
        serial = agent.view().drive(0)["serial"]
        agent.ctl(slot_path(0), "set", "fault=slow", "latency=300")
        agent.ctl(slot_path(0), "start", "erase", "normal", f"confirm={serial}")
        agent.fault(0, "pull")
        agent.until("the erase to wait", lambda v: [op["state"] for op in v.running("drive_erase")]
                    == ["waiting"])
        row = agent.json(slot_path(0), "show", "erase")["Response Data"][0]
        self.assertEqual((row["Status"], row["Estimated Time Left"]), ("Waiting", "-"))
        self.take(agent, "remedy_erase_waits_away", "stop erase")
        self.assertEqual(agent.json(slot_path(0), "show", "erase")["Response Data"][0]["Status"],
                         "Not in progress")
        agent.fault(0, "return")
        agent.until("what is known of it", lambda v: (v.drive(0)["state_reason"] or {}).get("code")
                    == "drive_partly_erased")

    def test_a_member_that_refuses_its_rebuild(self):
        """It stays the member that it was, says why, and is tried again."""
        agent = self.group(slots=4)
        agent.ctl(slot_path(1), "set", "offline")
        agent.fault(1, "write_error")
        refused = agent.ctl(slot_path(1), "start", "rebuild", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("A write to the drive failed", refused.stdout)
        self.assertEqual(agent.view().drive(1)["state"], "failed")
        self.assertIn("tried again automatically", agent.ctl("/c0", "show", "health").stdout)
        agent.fault(1, "clear")
        agent.optimal()

    def test_a_member_that_holds_the_last_copy(self):
        agent = self.group()
        agent.fault(0, "pull")
        agent.until("the loss", lambda view: view.vd()["state"] == "degraded")
        agent.fault(1, "write_error")
        with self.assertRaises(nbd.Error):
            self.write(agent, b"x" * MIB)
        agent.fault(1, "clear")
        self.take(agent, "remedy_set_online", "s1 set online")
        self.write(agent)

    def test_a_drive_whose_place_was_taken(self):
        agent = self.group(slots=4)
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(1, "write_error")
        self.write(agent, b"x" * MIB)
        agent.until("the spare", lambda view: view.drive(3)["state"] == "online")
        agent.fault(1, "clear")
        self.take(agent, "remedy_drive_unconfigured_bad", "set good")

    def test_a_drive_that_comes_and_goes(self):
        agent = self.group(slots=4)
        agent.ctl("/c0", "set", "glitchtime=30")
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        for _ in range(20):
            agent.fault(1, "pull")
            agent.until("the loss", lambda view: view.drive(1)["state"] != "online")
            agent.fault(1, "return")
            state = agent.until("what becomes of it", lambda view: view.drive(1)["present"] and
                                view.vd()["state"] == "optimal" and view.drive(1)["state"])
            if state == "unconfigured_bad":
                break
        self.take(agent, "remedy_drive_replaced", "set good")

    def rebuilding(self):
        agent = self.group(slots=4)
        agent.fault(3, "slow", latency_ms=300)
        self.addCleanup(lambda: agent.process and agent.fault(3, "clear"))
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(1, "pull")
        agent.until("the rebuild", lambda view: view.running("rebuild"))
        return agent

    def explained(self, agent, slot, command):
        """The drive has no finding of its own: that of its virtual drive says what is to be done."""
        text = agent.ctl("explain", slot_path(slot)).stdout
        self.assertNotIn("Nothing is wrong.", text)
        self.assertRegex(text, "What is wrong: Virtual drive .* is degraded")
        self.assertIn(f'"{command}"', text)

    def test_a_paused_rebuild(self):
        agent = self.rebuilding()
        agent.ctl(slot_path(3), "pause", "rebuild")
        _, command = self.command(agent, "remedy_rebuild_paused", "resume rebuild")
        self.explained(agent, 3, command)
        agent.fault(3, "clear")
        agent.ctl(*command.split())
        agent.optimal()

    def test_a_stopped_rebuild(self):
        agent = self.rebuilding()
        agent.ctl(slot_path(3), "stop", "rebuild")
        _, command = self.command(agent, "remedy_rebuild_stopped", "start rebuild")
        self.explained(agent, 3, command)
        agent.fault(3, "clear")
        agent.ctl(*command.split())
        agent.optimal()

    def test_a_rebuild_whose_source_is_pulled(self):
        """The drive that is rebuilt is not accused: it waits for its drive group."""
        agent = self.rebuilding()
        agent.fault(0, "pull")
        agent.until("the loss", lambda view: view.vd()["state"] == "offline")
        rows = agent.until("what is told of it", lambda _: [
            row for (code, _), row in self.findings(agent).items() if code == "rebuild_failed"])
        self.assertTrue(matches("remedy_rebuild_waits", rows[0]["Next Step"]), rows)
        self.assertNotIn("could not repair", agent.ctl("/c0", "show", "health").stdout)
        self.assertNotIn("could not repair", agent.ctl("/c0", "show", "events").stdout)
        agent.fault(3, "clear")
        agent.fault(0, "return")
        agent.optimal()

    # Hot spares

    def test_a_missing_hot_spare(self):
        agent = self.group(slots=4)
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(3, "pull")
        self.take(agent, "remedy_spare_missing", "delete hotsparedrive")

    def test_a_hot_spare_that_refuses_writes(self):
        agent = self.group(slots=4)
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(3, "write_error")
        agent.fault(1, "pull")
        _, command = self.command(agent, "remedy_spare_again", "delete hotsparedrive")
        agent.fault(3, "clear")
        if agent.ctl(*command.split(), check=False).returncode == 0:
            agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.optimal()  # refused: it was tried again meanwhile, and serves

    # Virtual drives

    def test_lost_blocks(self):
        """A rebuild meets blocks that another member cannot read."""
        agent = self.group(slots=4)
        with agent.nbd() as disk:
            for at in range(0, disk.get_size(), MIB):
                disk.pwrite(b"w" * MIB, at)
        agent.fault(1, "media_error", lba=150, count=8)
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(0, "pull")
        agent.until("the rebuild", lambda view: view.vd()["state"] == "optimal" and
                    not view.running("rebuild"))
        told = self.take(agent, "remedy_virtual_drive_lost_blocks", "show badblocks", ends=False)
        self.assertIn("Lost", told)

    def test_lost_parity(self):
        for later in (False, True):
            with self.subTest(later=later):
                agent = self.group(slots=4)
                with agent.nbd() as disk:
                    for at in range(0, disk.get_size(), MIB):
                        disk.pwrite(b"w" * MIB, at)
                agent.fault(1, "media_error", lba=300, count=8)
                agent.ctl(slot_path(3), "add", "hotsparedrive")
                agent.fault(0, "pull")
                agent.until("the rebuild", lambda view: view.vd()["state"] == "optimal" and
                            not view.running("rebuild"))
                if later:
                    agent.ctl(slot_path(2), "set", "offline")
                    self.command(agent, "remedy_virtual_drive_lost_parity_later", "start cc")
                else:
                    self.take(agent, "remedy_virtual_drive_lost_parity", "start cc")
                agent.close()

    def test_places_that_disagree(self):
        agent = self.group(members=2, level="raid1", slots=2)
        self.write(agent, b"k" * MIB)
        with (agent.directory / "d1").open("r+b") as file:
            file.seek(65536)
            file.write(b"other" * 100)
        agent.ctl("/c0/v0", "start", "cc")
        self.take(agent, "remedy_redundancy_inconsistent", "show cc", ends=False)

    def test_places_that_disagree_while_a_drive_is_away(self):
        agent = self.group(members=4, level="raid6", slots=4)
        self.write(agent, b"k" * MIB)
        agent.ctl(slot_path(3), "set", "offline")
        with (agent.directory / "d1").open("r+b") as file:
            file.seek(65536)
            file.write(b"other" * 100)
        agent.ctl("/c0/v0", "start", "cc")
        self.take(agent, "remedy_redundancy_inconsistent_degraded", "show cc", ends=False)
        agent.until("the end of the check", lambda view: not view.running("consistency_check"))
        agent.ctl(slot_path(3), "start", "rebuild")
        agent.optimal()
        agent.ctl("/c0/v0", "start", "cc")
        agent.until("the check", lambda view: not view.running("consistency_check"))
        (row,) = self.findings(agent).values()
        self.assertTrue(matches("remedy_redundancy_inconsistent_rebuilt", row["Next Step"]), row)

    def test_writes_that_were_lost(self):
        agent = self.agent(slots=3, config="")
        cache = agent.directory / "cache"
        with agent.config_path.open("a") as config:
            config.write(f'profile = "native";\ncache = {{ medium = "pmem"; path = "{cache}"; '
                         'size = "16 MiB"; };\n')
        agent.start()
        agent.create("raid5", range(3), write_policy="write_back")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        self.write(agent)
        agent.kill()
        cache.unlink()
        agent.start()
        self.take(agent, "remedy_writes_lost", "delete preservedcache")


    def test_writes_that_were_damaged(self):
        agent = self.agent(slots=3, config="")
        cache = agent.directory / "cache"
        with agent.config_path.open("a") as config:
            config.write(f'profile = "native";\ncache = {{ medium = "pmem"; path = "{cache}"; '
                         'size = "16 MiB"; };\n')
        agent.start()
        agent.create("raid5", range(3), write_policy="write_back")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        self.write(agent, b"damaged." * 512)
        agent.kill()
        data = cache.read_bytes()
        with cache.open("r+b") as file:
            file.seek(data.index(b"damaged." * 512))
            file.write(b"D")
        agent.start()
        self.take(agent, "remedy_writes_lost_damaged", "delete preservedcache")


class TakenOut(PlainFiles, Taken):
    def test_a_member_that_was_taken_out(self):
        """Another hot spare is left."""
        agent = self.host(5)
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0-1", "name=data")
        for slot in (3, 4):
            agent.ctl(slot_path(slot), "add", "hotsparedrive")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        agent.stop()
        (agent.directory / "plain0").rename(agent.directory / "away0")
        agent.start()
        agent.optimal()
        self.take(agent, "remedy_drive_removed", "set missing")


class Complete(unittest.TestCase):
    # What takes the others' commands: tests that follow the advice where it stands.
    ELSEWHERE = {
        "remedy_drive_foreign": ("test_foreign.py", "test_a_hot_spare_alone_says_how_to_free_it"),
        "remedy_foreign_cache_away": (
            "test_cache.py", "test_state_directory_lost_and_cache_not_configured"),
        "remedy_foreign_conflict": (
            "test_foreign.py", "test_halves_that_went_apart_are_in_conflict"),
        "remedy_foreign_deleted": ("test_advice.py", "test_a_drive_group_that_was_deleted_here"),
        "remedy_foreign_here_conflict": (
            "test_foreign.py", "test_a_half_that_went_on_beside_a_whole_group_is_in_conflict"),
        "remedy_foreign_lacked_elsewhere": (
            "test_controllers.py", "test_members_in_bays_of_the_other_controller"),
        "remedy_foreign_needed_elsewhere": (
            "test_controllers.py", "test_drives_that_the_other_controller_needs"),
        "remedy_foreign_unusable": ("test_advice.py", "test_a_foreign_set_on_a_read_only_drive"),
        "remedy_place_has_data": (
            "test_advice.py", "test_what_sits_in_the_bay_of_a_lost_member"),
        "remedy_place_superseded": ("test_older_state.py", "test_as_advised"),
    }

    # It comes if the host has no memory for a rebuild.
    OUT_OF_REACH = {"rebuild_failed"}

    def test_that_all_are_taken(self):
        folder = Path(__file__).parent
        texts = {path.name: path.read_text() for path in folder.glob("test_*.py")}
        paths = folder.parents[1] / "unit/ctl/test_paths.c"  # they depend on what a drive does
        texts[paths.name] = paths.read_text()
        taken = {said for text in texts.values() for said in re.findall(r'"(remedy_\w+)"', text)}
        commands = {name for name, text in REMEDIES.items()
                    if re.search(r'"\{path\}', text)}
        for name, (file, test) in self.ELSEWHERE.items():
            self.assertIn(f"def {test}(", texts[file], name)
        self.assertEqual(commands - taken - set(self.ELSEWHERE),
                         {f"remedy_{name}" for name in self.OUT_OF_REACH})


if __name__ == "__main__":
    unittest.main()
