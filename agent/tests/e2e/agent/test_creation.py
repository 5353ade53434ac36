"""Drive groups and virtual drives: made, refused, deleted."""

import json
import subprocess

from cases import AgentCase, need
from harness import EID, MIB, Refused, View


class Creation(AgentCase):
    @need("nbdcopy")
    @need("nbdinfo")
    @need("mkfs.ext4")
    def test_raid1_by_command_line_holds_a_file_system(self):
        with self.agent(slots=4) as agent:
            agent.ctl("/c0", "add", "vd", "type=raid1", f"drives={EID}:0-1", "name=data",
                      "strip=64")
            info = json.loads(subprocess.run(["nbdinfo", "--json", agent.uri()], check=True,
                                             capture_output=True, text=True).stdout)
            self.assertEqual(info["protocol"], "newstyle-fixed")
            export = info["exports"][0]
            self.assertEqual(export["export-size"], 64 * MIB)
            self.assertTrue(export["can_flush"] and export["can_fua"] and export["can_trim"])
            image = agent.directory / "image"
            with image.open("wb") as file:
                file.truncate(64 * MIB)
            subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True)
            subprocess.run(["nbdcopy", "--flush", str(image), agent.uri()], check=True)
            agent.stop()
            agent.start()
            back = agent.directory / "back"
            subprocess.run(["nbdcopy", agent.uri(), str(back)], check=True)
            self.assertEqual(image.read_bytes(), back.read_bytes())
            subprocess.run(["e2fsck", "-f", "-n", str(back)], check=True, capture_output=True)
            # Both copies are on the drives themselves, where the layout says they are.
            agent.stop()
            for slot in (0, 1):
                with (agent.directory / f"d{slot}").open("rb") as drive:
                    self.assertEqual(drive.read(64 * MIB), image.read_bytes())

    def test_every_level_is_created_previewed_and_deleted(self):
        cases = [("raid0", [0, 1], 128, 0, {}), ("raid1", [0, 1], 64, 1, {}),
                 ("raid1", [0, 1, 2], 64, 2, {"drives_per_span": 3}),
                 ("raid5", [0, 1, 2], 128, 1, {}), ("raid6", [0, 1, 2, 3], 128, 2, {}),
                 ("raid10", [0, 1, 2, 3], 128, 1, {}), ("raid1e", [0, 1, 2], 96, 1, {}),
                 ("raid50", [0, 1, 2, 3, 4, 5], 256, 1, {"drives_per_span": 3})]
        with self.agent() as agent, agent.control() as control:
            for level, slots, mib, tolerance, more in cases:
                view = View(control.state())
                drives = [view.drive_key(slot) for slot in slots]
                preview = control.preview(level=level, drives=drives, name="data", **more)
                self.assertTrue(preview["ok"], preview)
                self.assertEqual(preview["size_bytes"], mib * MIB)
                self.assertEqual(preview["drive_failures_tolerated"], tolerance)
                control.command("vd_create", {"controller": "c0", "level": level, "name": "data",
                                              "drives": drives,
                                              "plan_digest": preview["plan_digest"], **more})
                view = View(control.state())
                self.assertEqual(view.vd()["size_bytes"], mib * MIB)
                self.assertEqual(view.vd()["state"], "optimal")
                self.assertEqual(view.vd()["drive_failures_left"], tolerance)
                with agent.nbd() as handle:
                    self.assertEqual(handle.get_size(), mib * MIB)
                control.command("vd_delete", {"virtual_drive": view.vd_key()}, confirm="data")
                view = View(control.state())
                self.assertEqual(view.all("virtual_drive"), {})
                self.assertEqual(view.all("drive_group"), {})
                self.assertEqual({doc["state"] for doc in view.all("drive").values()},
                                 {"unconfigured_good"})

    def test_a_deleted_configuration_comes_back_with_its_spares(self):
        """Dedicated hot spares are counted, and are those of their groups again."""
        def spares(agent):
            view = agent.view()
            groups = {key: doc["index"] for key, doc in view.all("drive_group").items()}
            found = {}
            for slot in (4, 5, 6):
                spare = view.drive(slot)["hot_spare"]
                found[slot] = spare and (sorted(groups[key] for key in spare["drive_groups"]),
                                         spare["revertible"])
            return found

        with self.agent(slots=7) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0-1", "name=a")
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:2-3", "name=b")
            agent.ctl(f"/c0/e{EID}/s4", "add", "hotsparedrive", "dgs=0,1")
            agent.ctl(f"/c0/e{EID}/s5", "add", "hotsparedrive", "dgs=1", "nonrevertible")
            agent.ctl(f"/c0/e{EID}/s6", "add", "hotsparedrive")
            before = {4: ([0, 1], True), 5: ([1], False), 6: ([], True)}
            self.assertEqual(spares(agent), before)
            asked = agent.ctl("/c0", "delete", "config", check=False)
            self.assertIn("2 virtual drives and 3 hot spares of the controller would be deleted. "
                          "The restoration leaves out 1 global hot spare. Repeat with force",
                          asked.stdout)
            done = agent.json("/c0", "delete", "config", "force")["Response Data"]
            self.assertEqual((done["Virtual Drives deleted"], done["Hot Spares deleted"]), (2, 3))
            self.assertEqual(spares(agent), {4: None, 5: None, 6: None})
            agent.stop()
            agent.start()  # what is saved outlives the agent
            agent.ctl("/c0", "restore", "undo=1")
            self.assertEqual(spares(agent), {4: ([0], True), 5: None, 6: None})
            agent.ctl("/c0", "restore", "undo=2")
            self.assertEqual(spares(agent), {4: ([0, 1], True), 5: ([1], False), 6: None})
            agent.stop()
            agent.start()
            self.assertEqual(spares(agent), {4: ([0, 1], True), 5: ([1], False), 6: None})
            # One that has another use since stays what it is, and the answer says so.
            agent.ctl("/c0/v1", "del", "force")
            agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:5", "name=c")
            answer = agent.ctl("/c0", "restore", "undo=1").stdout
            self.assertRegex(answer, "Restored, but drive 252:5 .*is not a hot spare of drive group "
                                     r".*/c0/d\d again\. Drive .*/c0/e252/s5")
            self.assertEqual(spares(agent)[4][0], sorted(
                doc["index"] for doc in agent.view().all("drive_group").values()
                if doc["level"] == "raid1"))

    def test_refusals_change_nothing(self):
        with self.agent(slots=5) as agent, agent.control() as control:
            d0, d1, d2, d3, d4 = agent.slots(0, 1, 2, 3, 4)
            base = {"controller": "c0", "level": "raid5", "drives": [d0, d1, d2], "name": "data"}
            control.command("vd_create", base)
            before = View(control.state())

            def create(**changes):
                return control.command("vd_create", {**base, **changes})

            self.assert_refused("drive_not_ugood", create, name="two")
            free = [d3, d4]
            self.assert_refused("name_taken", create, level="raid1", drives=free)
            self.assert_refused("too_few_drives", create, drives=free, name="two")
            self.assert_refused("drive_repeated", create, level="raid1", drives=[d3, d3], name="b")
            self.assert_refused("name_invalid", create, level="raid1", drives=free, name="a b")
            self.assert_refused("strip_invalid", create, level="raid1", drives=free, name="b",
                                strip_bytes=5000)
            self.assert_refused("drive_gone", create, level="raid1", drives=[d3, "sn-none"],
                                name="b")
            self.assert_refused("plan_changed", create, level="raid1", drives=free, name="b",
                                plan_digest="0" * 64)
            self.assert_refused("size_invalid", create, level="raid1", drives=free, name="b",
                                size_bytes=1 << 50)
            refused = self.assert_refused("invalid_argument", create, level="raid1", drives=free,
                                          color="red")
            self.assertEqual(refused.reason["params"]["field"], "color")
            self.assert_refused("invalid_argument", create, level="raid1", drives=[])
            self.assert_refused("invalid_argument", create, level="raid7", drives=free)
            self.assert_refused("invalid_argument", create, level="raid1", drives=free,
                                name="x" * 16)
            after = View(control.state())
            self.assertEqual(before.all("drive_group").keys(), after.all("drive_group").keys())
            self.assertEqual(after.drive(3)["state"], "unconfigured_good")

    def test_a_drive_that_vanishes_between_preview_and_create(self):
        with self.agent(slots=3) as agent, agent.control() as control:
            drives = agent.slots(0, 1, 2)
            preview = control.preview(level="raid5", drives=drives, name="data")
            agent.fault(2, "pull")
            with self.assertRaises(Refused) as caught:
                control.command("vd_create", {"controller": "c0", "level": "raid5",
                                              "drives": drives, "name": "data",
                                              "plan_digest": preview["plan_digest"]})
            self.assertIn(caught.exception.code, ("drive_gone", "plan_changed"))
            self.assertEqual(View(control.state()).all("virtual_drive"), {})

    def test_delete_needs_the_right_name(self):
        with self.agent(slots=2) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0-1", "name=data")
            done = agent.ctl("/c0/v0", "del", "confirm=date", check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("nothing was changed", done.stdout)
            self.assertEqual(agent.view().vd()["state"], "optimal")
            agent.ctl("/c0/v0", "del", "confirm=data")
            self.assertEqual(agent.view().all("virtual_drive"), {})

    def test_delete_of_a_drive_in_use_needs_force(self):
        with self.agent(slots=2) as agent, agent.control() as control:
            agent.create("raid1", [0, 1])
            key = agent.view().vd_key()
            handle = agent.nbd_open()
            refused = self.assert_refused("virtual_drive_in_use", control.command, "vd_delete",
                                          {"virtual_drive": key}, confirm="data")
            self.assertEqual(refused.reason["params"]["connections"], "1")
            handle.pread(4096, 0)
            control.command("vd_delete", {"virtual_drive": key, "force": True}, confirm="data")
            del handle

    def test_two_operators_at_once(self):
        with self.agent(slots=2) as agent, agent.control() as one, agent.control() as two:
            agent.create("raid1", [0, 1])
            view = View(one.state())
            seen = {"kind": "virtual_drive", "key": view.vd_key(),
                    "config_rev": view.config_rev("virtual_drive", view.vd_key())}
            two.command("vd_set", {"virtual_drive": view.vd_key(), "name": "renamed"},
                        preconditions=[seen])
            self.assert_refused("stale_precondition", one.command, "vd_delete",
                                {"virtual_drive": view.vd_key()}, confirm="data",
                                preconditions=[seen])
            self.assertEqual(View(one.state()).vd("renamed")["state"], "optimal")

    def test_a_running_background_task_breaks_no_precondition(self):
        with self.agent(slots=2, emulated="transfer_per_s = \"20 MB\";") as agent:
            agent.create("raid1", [0, 1])
            view = agent.until("background initialization",
                               lambda v: v if v.running("background_init") else None)
            seen = {"kind": "virtual_drive", "key": view.vd_key(),
                    "config_rev": view.config_rev("virtual_drive", view.vd_key())}
            agent.until("progress", lambda v: any(
                o["done_bytes"] > view.running("background_init")[0]["done_bytes"]
                for o in v.running("background_init")))
            with agent.control() as control:
                control.command("vd_set", {"virtual_drive": view.vd_key(),
                                           "read_policy": "read_ahead"}, preconditions=[seen])
