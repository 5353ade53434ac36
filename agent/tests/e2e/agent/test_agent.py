"""Black-box tests of arrayd and arrayctl: creation, loss and repair, restarts, refusals."""

import hashlib
import json
import os
import random
import shutil
import socket
import subprocess
import threading
import unittest
import uuid
from pathlib import Path

import schema_check
from harness import (EID, MIB, Agent, Control, LoopDevice, Refused, View, loop_devices_work,
                     wait_for)


def need(program):
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


def digest(handle, size, step=4 * MIB):
    sums = hashlib.sha256()
    for offset in range(0, size, step):
        sums.update(handle.pread(min(step, size - offset), offset))
    return sums.hexdigest()


def write_random(handle, size, seed, step=1 * MIB):
    """Fills the drive and returns the digest of what was written."""
    sums = hashlib.sha256()
    source = random.Random(seed)
    for offset in range(0, size, step):
        data = source.randbytes(min(step, size - offset))
        handle.pwrite(data, offset)
        sums.update(data)
    handle.flush()
    return sums.hexdigest()


class AgentCase(unittest.TestCase):
    def agent(self, **options):
        agent = Agent(**options)
        self.addCleanup(agent.close)
        return agent

    def assert_refused(self, code, call, *arguments, **options):
        with self.assertRaises(Refused) as caught:
            call(*arguments, **options)
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        return caught.exception


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
                 ("raid10", [0, 1, 2, 3], 128, 1, {}),
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
                                          colour="red")
            self.assertEqual(refused.reason["params"]["field"], "colour")
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
            done = agent.ctl("/c0/v0", "del", check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("confirm=data", done.stdout)
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


class Repair(AgentCase):
    def events(self, agent, after=0):
        with agent.control() as control:
            result = control.ask("events.read", {"after_seq": after, "limit": 256})
            schema_check.check(result, "events_result", "control.schema.json")
            return result["events"]

    def test_pull_spare_rebuild(self):
        with self.agent(slots=5) as agent:
            agent.create("raid5", [0, 1, 2])
            with agent.nbd() as handle:
                written = write_random(handle, 128 * MIB, seed=1)
                agent.ctl(f"/c0/e{EID}/s3", "add", "hotsparedrive")
                self.assertEqual(agent.view().drive(3)["state"], "hot_spare")
                agent.ctl(f"/c0/e{EID}/s1", "set", "fault=pull")
                self.assertEqual(digest(handle, 128 * MIB), written)
                agent.until("the spare to be online",
                            lambda v: v.vd()["state"] == "optimal"
                            and v.drive(3)["state"] == "online")
                self.assertEqual(digest(handle, 128 * MIB), written)
            def names_seen():
                names = [event["name"] for event in self.events(agent)]
                return names if "rebuild_completed" in names else None
            names = wait_for("the events to be durable", names_seen)
            for name in ("drive_removed", "virtual_drive_degraded", "rebuild_started_auto",
                         "rebuild_completed", "virtual_drive_optimal"):
                self.assertEqual(names.count(name), 1, f"{name}: {names}")
            seqs = [event["seq"] for event in self.events(agent)]
            self.assertEqual(seqs, list(range(1, len(seqs) + 1)))

    def test_replaced_drive_rebuilds_by_itself(self):
        with self.agent(slots=3) as agent:
            agent.create("raid1", [0, 1])
            with agent.nbd() as handle:
                written = write_random(handle, 64 * MIB, seed=2)
                old = agent.view().drive(0)["serial"]
                agent.fault(0, "pull")
                agent.fault(0, "replace")
                view = agent.until("the new drive to be online", lambda v: v if
                                   v.vd()["state"] == "optimal" and
                                   v.drive(0)["state"] == "online" else None)
                self.assertNotEqual(view.drive(0)["serial"], old)
                agent.fault(1, "pull")
                self.assertEqual(digest(handle, 64 * MIB), written)

    def test_beyond_redundancy_is_offline_and_the_data_come_back(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            with agent.nbd() as handle:
                written = write_random(handle, 128 * MIB, seed=3)
                agent.until("the virtual drive to be consistent", lambda v: v.vd()["consistent"])
                agent.stop()
            agent.start()
            agent.fault(0, "pull")
            agent.until("degraded", lambda v: v.vd()["state"] == "degraded")
            agent.fault(1, "pull")
            agent.until("offline", lambda v: v.vd()["state"] == "offline")
            with agent.nbd() as handle, self.assertRaises(Exception):
                handle.pread(4096, 0)
            agent.stop()
            agent.start()  # both are back: the last state that was in sync is served again
            agent.until("the virtual drive to be back",
                        lambda v: v.vd()["state"] in ("degraded", "optimal"))
            with agent.nbd() as handle:
                self.assertEqual(digest(handle, 128 * MIB), written)

    def restart_mid_rebuild(self, end):
        """Ends the agent when more than half is rebuilt, which takes longer than a checkpoint."""
        slow = 'transfer_per_s = "12 MB";'
        with self.agent(slots=3, drive_mib=192, emulated=slow) as agent:
            agent.create("raid1", [0, 1])
            with agent.nbd() as handle:
                written = write_random(handle, 8 * MIB, seed=4)
            agent.until("consistency", lambda v: v.vd()["consistent"], 90)
            agent.ctl(f"/c0/e{EID}/s2", "add", "hotsparedrive")
            agent.fault(1, "pull")
            total = 128 * MIB
            agent.until("60 % of the rebuild", lambda v: any(
                total * 6 // 10 < o["done_bytes"] < total * 9 // 10
                for o in v.running("rebuild")))
            end(agent)
            agent.start()
            resumed = agent.until("the rebuild to go on", lambda v: next(
                (o["done_bytes"] for o in v.running("rebuild")), None))
            self.assertGreater(resumed, total // 8, "the rebuild began again")
            agent.until("the spare to be in sync", lambda v: v.vd()["state"] == "optimal")
            names = [event["name"] for event in self.events(agent)]
            self.assertIn("rebuild_resumed", names)
            agent.fault(0, "pull")
            with agent.nbd() as handle:
                self.assertEqual(digest(handle, 8 * MIB), written)

    def test_rebuild_goes_on_after_a_stop(self):
        self.restart_mid_rebuild(lambda agent: agent.stop())

    def test_rebuild_goes_on_after_a_kill(self):
        self.restart_mid_rebuild(lambda agent: agent.kill())

    def test_rebuild_is_paused_and_resumed(self):
        with self.agent(slots=3, emulated='transfer_per_s = "24 MB";') as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda v: v.vd()["consistent"])
            agent.ctl(f"/c0/e{EID}/s2", "add", "hotsparedrive", "dgs=0")
            agent.fault(0, "pull")
            agent.until("the rebuild", lambda v: v.running("rebuild"))
            agent.ctl(f"/c0/e{EID}/s2", "pause", "rebuild")
            paused = agent.until("the pause", lambda v: next(
                (o for o in v.running("rebuild") if o["state"] == "paused"), None))
            row = agent.json(f"/c0/e{EID}/s2", "show", "rebuild")["Response Data"][0]
            self.assertEqual(row["Status"], "Paused")
            self.assertEqual(row["Drive-ID"], f"/c0/e{EID}/s2")
            self.assertIsInstance(row["Progress%"], int)
            # At 24 MB/s a rebuild that goes on would pass this mark in less than half a second.
            with self.assertRaises(AssertionError):
                agent.until("a rebuild that is not paused", lambda v: any(
                    o["done_bytes"] > paused["done_bytes"] + 4 * MIB
                    for o in v.running("rebuild")), patience_s=1)
            agent.ctl(f"/c0/e{EID}/s2", "resume", "rebuild")
            agent.optimal()

    def test_media_error_is_repaired_and_counted(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            with agent.nbd() as handle:
                written = write_random(handle, 16 * MIB, seed=5)
                agent.until("consistency", lambda v: v.vd()["consistent"])
                # Strips of 64 KiB: rows 16 and 65, where these two drives hold data.
                agent.fault(0, "media_error", lba=16 * 128, count=64)
                agent.fault(1, "media_error", lba=65 * 128, count=64)
                self.assertEqual(digest(handle, 16 * MIB), written)
                agent.until("both errors to be counted and repaired", lambda v: all(
                    v.drive(slot)["media_error_count"] > 0 and not v.drive(slot)["faults"]
                    for slot in (0, 1)))
                self.assertEqual(agent.view().vd()["state"], "optimal")

    def test_write_error_degrades_and_succeeds(self):
        with self.agent(slots=2) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda v: v.vd()["consistent"])
            agent.fault(0, "write_error")
            with agent.nbd() as handle:
                written = write_random(handle, 4 * MIB, seed=6)
                agent.until("degraded", lambda v: v.vd()["state"] == "degraded")
                self.assertEqual(digest(handle, 4 * MIB), written)
            self.assertIn(agent.view().drive(0)["state"], ("failed", "unconfigured_bad"))


class Daemon(AgentCase):
    def test_a_typo_in_the_configuration(self):
        agent = self.agent(slots=1, config="nbdd = { };")
        log = agent.fail_to_start()
        self.assertIn(f"{agent.config_path}:", log)
        self.assertIn("unknown key nbdd", log)
        self.assertFalse(agent.state_dir.exists())

    def test_check_config(self):
        from harness import ARRAYD
        agent = self.agent(slots=1)
        done = subprocess.run([ARRAYD, "--config", str(agent.config_path), "--check-config"],
                              capture_output=True, text=True, check=True)
        self.assertIn("good", done.stdout)
        self.assertFalse(agent.state_dir.exists())
        self.assertFalse((agent.directory / "d0").exists())
        self.assertNotEqual(subprocess.run([ARRAYD, "--bogus"], capture_output=True,
                                           check=False).returncode, 0)

    def test_a_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            directory = self.agent(slots=0).directory
            agent = self.agent(slots=1, config=f'nbd = {{ unix = "{directory}/n"; tcp = '
                               f'{{ enabled = true; port = {port}; }}; }};')
            log = agent.fail_to_start()
            self.assertIn(str(port), log)
            self.assertIn("in use", log.lower())
            self.assertFalse((agent.directory / "d0").exists())

    def test_a_second_daemon_is_refused(self):
        with self.agent(slots=1) as agent:
            second = self.agent(slots=1)
            text = second.config_path.read_text()
            second.config_path.write_text(text.replace(str(second.state_dir),
                                                       str(agent.state_dir)))
            self.assertIn(str(agent.state_dir), second.fail_to_start())
            second.config_path.write_text(text.replace(str(second.control_path),
                                                       str(agent.control_path)))
            self.assertIn("another arrayd answers", second.fail_to_start())
            self.assertEqual(len(agent.view().all("drive")), 1)

    def test_a_stale_socket_is_replaced(self):
        agent = self.agent(slots=1)
        agent.start()
        agent.kill()
        self.assertTrue(agent.control_path.exists())
        agent.start()
        self.assertEqual(len(agent.view().all("drive")), 1)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to mount a tmpfs")
    def test_a_full_state_directory(self):
        agent = self.agent(slots=4)
        agent.state_dir.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs",
                                  str(agent.state_dir)], check=False, capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("a tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(agent.state_dir)], check=False)
        self.addCleanup(agent.stop)
        agent.start()
        agent.create("raid1", [0, 1])
        ballast = agent.state_dir / "ballast"
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        with agent.control() as control:
            self.assert_refused("store_full", control.command, "vd_create",
                                {"controller": "c0", "level": "raid1", "name": "two",
                                 "drives": agent.slots(2, 3)})
            view = View(control.state())
            self.assertEqual(list(view.all("virtual_drive")), [view.vd_key("data")])
            self.assertEqual(view.drive(2)["state"], "unconfigured_good")
            with agent.nbd() as handle:  # what exists goes on working
                handle.pwrite(b"y" * 4096, 0)
                handle.flush()
            ballast.unlink()
            control.command("vd_create", {"controller": "c0", "level": "raid1", "name": "two",
                                          "drives": agent.slots(2, 3)})

    def test_drives_and_names_survive_a_restart(self):
        agent = self.agent(slots=4)
        agent.start()
        agent.create("raid1", [0, 1])
        agent.ctl(f"/c0/e{EID}/s2", "add", "hotsparedrive")
        agent.ctl("/c0", "set", "rebuildrate=77")
        agent.until("consistency", lambda v: v.vd()["consistent"])
        before = agent.view()
        agent.stop()
        agent.start()
        after = agent.view()
        for kind in ("drive", "drive_group", "virtual_drive", "controller"):
            self.assertEqual(before.all(kind).keys(), after.all(kind).keys())
        self.assertEqual(after.drive(2)["state"], "hot_spare")
        self.assertEqual(after.vd()["guid"], before.vd()["guid"])
        self.assertEqual(after.all("controller")["c0"]["rebuild_rate_percent"], 77)
        self.assertTrue(after.vd()["consistent"])
        self.assertGreater(after.rev, before.rev)

    def test_a_swapped_drive_is_not_mistaken_for_a_member(self):
        agent = self.agent(slots=4)
        agent.start()
        agent.create("raid1", [0, 1])
        agent.stop()
        # The file of slot 0 is exchanged for that of slot 3, which belongs to nobody.
        for name in ("", ".serial"):
            first, second = agent.directory / f"d0{name}", agent.directory / f"d3{name}"
            aside = agent.directory / "aside"
            first.rename(aside)
            second.rename(first)
            aside.rename(second)
        agent.start()
        view = agent.until("the array", lambda v: v if v.vd()["state"] == "optimal" else None)
        self.assertEqual(view.drive(3)["state"], "online")
        self.assertEqual(view.drive(0)["state"], "unconfigured_good")


@unittest.skipUnless(loop_devices_work(), "loop devices cannot be made here")
class RealDevices(AgentCase):
    def setUp(self):
        self.directory = Path(self.agent(slots=0).directory)
        self.loops = []

    def loop(self, size_mib=128):
        device = LoopDevice(self.directory / f"loop{len(self.loops)}", size_mib)
        self.loops.append(device)
        self.addCleanup(device.detach)
        return device

    def first_bytes(self, device):
        with open(device.path, "rb") as file:
            return file.read(MIB)

    def started(self, *devices, config="", **options):
        drives = [f'{{ path = "{device.path}"; slot = {slot}; }}'
                  for slot, device in enumerate(devices)]
        agent = self.agent(slots=0, drives=drives, config=config, **options)
        return agent.start()

    def test_raid1_over_loop_devices(self):
        agent = self.started(self.loop(), self.loop(), self.loop())
        agent.create("raid1", [0, 1])
        with agent.nbd() as handle:
            written = write_random(handle, 64 * MIB, seed=7)
        agent.stop()
        agent.start()
        with agent.nbd() as handle:
            self.assertEqual(digest(handle, 64 * MIB), written)
        with agent.control() as control:
            self.assert_refused("not_emulated", control.command, "fault_inject",
                                {"drive": agent.slots(0)[0], "fault": "pull"})

    def test_raid1_over_plain_files(self):
        files = []
        for number in range(2):
            path = self.directory / f"plain{number}"
            with path.open("wb") as file:
                file.truncate(128 * MIB)
            files.append(path)
        agent = self.agent(slots=0, drives=[f'{{ path = "{path}"; slot = {slot}; }}'
                                            for slot, path in enumerate(files)])
        agent.start()
        agent.create("raid1", [0, 1])
        with agent.nbd() as handle:
            written = write_random(handle, 16 * MIB, seed=8)
        agent.kill()
        agent.start()
        with agent.nbd() as handle:
            self.assertEqual(digest(handle, 16 * MIB), written)

    @need("mkfs.ext4")
    def test_members_that_carry_a_file_system_are_claimed_again(self):
        """A mirror shows the signature of what is on it; that must not lock us out."""
        agent = self.started(self.loop(), self.loop())
        agent.create("raid1", [0, 1])
        image = self.directory / "image"
        with image.open("wb") as file:
            file.truncate(64 * MIB)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True)
        subprocess.run(["nbdcopy", "--flush", str(image), agent.uri()], check=True)
        agent.stop()
        agent.start()
        self.assertEqual(agent.optimal() and agent.view().drive(0)["state"], "online")
        back = self.directory / "back"
        subprocess.run(["nbdcopy", agent.uri(), str(back)], check=True)
        self.assertEqual(image.read_bytes(), back.read_bytes())

    @need("mkfs.ext4")
    def test_a_drive_with_data_needs_force_and_its_serial(self):
        device, other = self.loop(), self.loop()
        subprocess.run(["mkfs.ext4", "-q", device.path], check=True)
        before = self.first_bytes(device)
        agent = self.started(device, other)
        drives = agent.slots(0, 1)
        view = agent.view()
        self.assertEqual(view.drive(0)["unsuitable"]["code"], "drive_unsuitable_signature")
        base = {"controller": "c0", "level": "raid1", "drives": drives, "name": "data"}
        with agent.control() as control:
            self.assert_refused("drive_has_data", control.command, "vd_create", base)
            self.assert_refused("drive_has_data", control.command, "vd_create",
                                {**base, "force": True, "serials": ["WRONG"]})
            self.assertEqual(before, self.first_bytes(device))
            control.command("vd_create", {**base, "force": True,
                                          "serials": [view.drive(0)["serial"]]})
        self.assertEqual(agent.view().vd()["state"], "optimal")

    @need("mkfs.ext4")
    def test_a_mounted_device_is_refused_even_by_force(self):
        device, other = self.loop(), self.loop()
        subprocess.run(["mkfs.ext4", "-q", device.path], check=True)
        mount = self.directory / "mount"
        mount.mkdir()
        subprocess.run(["mount", device.path, str(mount)], check=True)
        self.addCleanup(subprocess.run, ["umount", str(mount)], check=False)
        (mount / "file").write_text("kept")
        agent = self.started(device, other)
        view = agent.view()
        self.assertEqual(view.drive(0)["unsuitable"]["code"], "drive_unsuitable_mounted")
        self.assertIn(str(mount), view.drive(0)["unsuitable"]["text"])
        with agent.control() as control, self.assertRaises(Refused):
            control.command("vd_create", {"controller": "c0", "level": "raid1", "name": "data",
                                          "drives": agent.slots(0, 1), "force": True,
                                          "serials": [view.drive(0)["serial"]]})
        self.assertEqual((mount / "file").read_text(), "kept")

    def test_a_device_somebody_holds_is_refused(self):
        device, other = self.loop(), self.loop()
        held = os.open(device.path, os.O_RDONLY | os.O_EXCL)
        self.addCleanup(os.close, held)
        agent = self.started(device, other)
        self.assertIn(agent.view().drive(0)["unsuitable"]["code"],
                      ("drive_unsuitable_claimed", "drive_unsuitable_held"))
        with agent.control() as control, self.assertRaises(Refused):
            control.command("vd_create", {"controller": "c0", "level": "raid1", "name": "data",
                                          "drives": agent.slots(0, 1), "force": True})
        self.assertEqual(agent.view().all("virtual_drive"), {})

    def test_scanned_devices_are_offered_and_claimed_only_when_used(self):
        first, second = self.loop(), self.loop()
        scan = (f'scan = {{ loop_devices = true; include = ["{first.path}", "{second.path}"]; }};')
        agent = self.started(config=scan)
        keys = {doc["device"]: key for key, doc in agent.view().all("drive").items()}
        self.assertEqual(set(keys), {first.path, second.path})
        os.close(os.open(first.path, os.O_RDONLY | os.O_EXCL))  # nobody holds it yet
        with agent.control() as control:
            control.command("vd_create", {"controller": "c0", "level": "raid1", "name": "data",
                                          "drives": [keys[first.path], keys[second.path]]})
        with self.assertRaises(OSError):
            os.open(first.path, os.O_RDONLY | os.O_EXCL)
        agent.stop()
        agent.start()
        agent.optimal()

    def test_a_device_too_small(self):
        agent = self.started(self.loop(32), self.loop())
        self.assertEqual(agent.view().drive(0)["unsuitable"]["code"], "drive_unsuitable_small")


class ControlSocket(AgentCase):
    def test_malformed_requests_harm_nobody(self):
        with self.agent(slots=2) as agent, agent.control() as good:
            for data, code in ((b"{\n", "invalid_argument"), (b"[]\n", "invalid_argument"),
                               (b'{"id":1}\n', "invalid_argument"),
                               (b'{"v":2,"id":1,"method":"hello","params":{}}\n',
                                "invalid_argument"),
                               (b'{"v":1,"id":1,"method":"frob","params":{}}\n',
                                "unknown_command"),
                               (b'{"v":1,"id":1,"method":"hello","params":[]}\n',
                                "invalid_argument"),
                               (b'{"v":1,"id":1,"id":2,"method":"hello","params":{}}\n',
                                "invalid_argument"),
                               (b'\xff\xfe\n', "invalid_argument")):
                with agent.control() as bad:
                    bad.send_raw(data)
                    self.assertEqual(bad.read()["error"]["code"], code, data)
            with agent.control() as bad:
                with self.assertRaises((EOFError, ConnectionError)):
                    bad.send_raw(b"x" * 70000)
                    bad.read()
            self.assertTrue(good.ask("hello")["online"])

    def test_requests_in_one_packet_are_answered_in_order(self):
        with self.agent(slots=1) as agent, agent.control() as control:
            lines = b"".join(json.dumps({"v": 1, "id": n, "method": "hello", "params": {}}).encode()
                             + b"\n" for n in range(200))
            control.send_raw(lines)
            self.assertEqual([control.read()["id"] for _ in range(200)], list(range(200)))

    def test_hello(self):
        with self.agent(slots=1) as agent, agent.control() as control:
            hello = control.ask("hello")
            schema_check.check(hello, "hello_result", "control.schema.json")
            self.assertEqual(hello["role"],
                             "administrator" if os.geteuid() == 0 else hello["role"])
            self.assertEqual(hello["policy_preset"], "lab")

    def test_commands_are_run_once(self):
        agent = self.agent(slots=4)
        agent.start()
        name = str(uuid.uuid4())
        args = {"controller": "c0", "level": "raid1", "name": "data", "drives": agent.slots(0, 1)}
        with agent.control() as control:
            first = control.outcome(control.submit("vd_create", args, command_id=name, number=7))
            self.assertEqual(first["state"], "succeeded")
            self.assertEqual([o["kind"] for o in first["objects"]][:1], ["virtual_drive"])
            again = control.submit("vd_create", {**args, "name": "other"}, command_id=name,
                                   number=7)
            self.assertEqual(again, first)
            # A used number with an unknown id is a replay.
            replay = control.submit("vd_create", args, number=7)
            self.assertEqual(replay["state"], "refused")
            self.assertEqual(control.ask("hello")["command_number"], 7)
            listed = control.ask("command.list", {"unacknowledged": True})["commands"]
            self.assertEqual([c["command_id"] for c in listed], [name])
        agent.kill()
        agent.start()
        with agent.control() as control:
            self.assertEqual(control.ask("command.get", {"command_id": name}), first)
            self.assertEqual(control.submit("vd_create", args, command_id=name, number=7), first)
            control.ask("command.acknowledge", {"command_id": name})
            self.assertEqual(control.ask("command.list", {"unacknowledged": True})["commands"], [])
        self.assertEqual(len(agent.view().all("virtual_drive")), 1)

    def test_an_expired_command_is_not_run(self):
        with self.agent(slots=2) as agent, agent.control() as control:
            args = {"controller": "c0", "level": "raid1", "name": "data",
                    "drives": agent.slots(0, 1)}
            status = control.outcome(control.submit("vd_create", args, number=1, not_after_us=1))
            self.assertEqual(status["state"], "expired")
            self.assertEqual(View(control.state()).all("virtual_drive"), {})

    def test_policies_bind_the_backend_only(self):
        for policy, confirm, allowed in (("lab", "data", True), ("standard", "data", True),
                                         ("strict", "data", False)):
            with self.agent(slots=2, policy=policy) as agent, agent.control() as control:
                agent.create("raid1", [0, 1])
                args = {"virtual_drive": agent.view().vd_key()}
                self.assert_refused("not_permitted", control.command, "vd_delete", args,
                                    confirm=confirm, number=1, role="viewer")
                if policy == "standard":
                    self.assert_refused("policy_denied", control.command, "vd_delete", args,
                                        number=2)
                if allowed:
                    control.command("vd_delete", args, confirm=confirm, number=3)
                else:
                    self.assert_refused("policy_denied", control.command, "vd_delete", args,
                                        confirm=confirm, number=3)
                    control.command("vd_delete", args, confirm=confirm)  # on the host itself

    def test_always_write_back_is_not_for_a_strict_hosts_backend(self):
        with self.agent(slots=2, policy="strict") as agent, agent.control() as control:
            agent.create("raid1", [0, 1])
            args = {"virtual_drive": agent.view().vd_key(), "write_policy": "always_write_back"}
            self.assert_refused("policy_denied", control.command, "vd_set", args, number=1)
            control.command("vd_set", {**args, "write_policy": "write_back"}, number=2)
            control.command("vd_set", args)  # on the host itself

    def test_standard_policy_limits_destruction_per_hour(self):
        with self.agent(slots=2, policy="standard") as agent, agent.control() as control:
            number = 0
            for _ in range(20):
                agent.create("raid1", [0, 1])
                number += 1
                control.command("vd_delete", {"virtual_drive": agent.view().vd_key()},
                                confirm="data", number=number)
            agent.create("raid1", [0, 1])
            self.assert_refused("policy_denied", control.command, "vd_delete",
                                {"virtual_drive": agent.view().vd_key()}, confirm="data",
                                number=number + 1)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become somebody else")
    def test_a_stranger_may_only_read(self):
        with self.agent(slots=2) as agent:
            agent.directory.chmod(0o755)
            drives = agent.slots(0, 1)
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:  # becomes nobody and tells what it was answered
                try:
                    os.setgroups([])
                    os.setgid(65534)
                    os.setuid(65534)
                    with Control(agent.control_path) as control:
                        role = control.ask("hello")["role"]
                        count = len(View(control.state()).all("drive"))
                        status = control.submit("vd_create", {
                            "controller": "c0", "level": "raid1", "drives": drives})
                        numbered = control.submit("vd_create", {
                            "controller": "c0", "level": "raid1", "drives": drives}, number=1)
                        os.write(writer, json.dumps([role, count, status["reason"]["code"],
                                                     numbered["reason"]["code"]]).encode())
                finally:
                    os._exit(0)
            os.close(writer)
            os.waitpid(child, 0)
            told = json.loads(os.read(reader, 4096))
            os.close(reader)
            self.assertEqual(told, ["viewer", 2, "not_permitted", "not_permitted"])
            self.assertEqual(agent.view().all("virtual_drive"), {})

    def test_subscription_tells_health_at_once_and_deltas_add_up(self):
        with self.agent(slots=3) as agent, agent.control() as follower:
            state = follower.ask("state.subscribe", {"since_rev": 0})
            schema_check.check(state, "state_result", "control.schema.json")
            self.assertTrue(state["full"])
            mirror = {(o["kind"], o["key"]): o for o in state["objects"]}
            rev = state["to_rev"]

            def follow():
                nonlocal rev
                delta = follower.notification("state")
                schema_check.check(delta, "state_result", "control.schema.json")
                self.assertEqual((delta["full"], delta["base_rev"]), (False, rev))
                self.assertGreater(delta["to_rev"], rev)
                rev = delta["to_rev"]
                for item in delta["objects"]:
                    mirror[item["kind"], item["key"]] = item
                for stone in delta["tombstones"]:
                    mirror.pop((stone["kind"], stone["key"]), None)

            agent.create("raid1", [0, 1])
            agent.fault(0, "pull")

            def vd_state():
                return next((o["doc"]["state"] for (kind, _), o in mirror.items()
                             if kind == "virtual_drive"), None)
            while vd_state() != "degraded":
                follow()
            with agent.control() as control:
                view = View(control.state())
                control.command("vd_delete", {"virtual_drive": view.vd_key()}, confirm="data")
                final = control.state()
            while rev < final["to_rev"]:
                follow()
            now = {(o["kind"], o["key"]) for o in final["objects"]}
            self.assertEqual(set(mirror), now)

    def test_a_reader_that_never_reads_does_not_stop_the_others(self):
        with self.agent(slots=3) as agent:
            with socket.socket(socket.AF_UNIX) as deaf:
                deaf.connect(str(agent.control_path))
                line = json.dumps({"v": 1, "id": 1, "method": "state.get",
                                   "params": {"since_rev": 0}}).encode() + b"\n"
                deaf.setblocking(False)
                try:
                    for _ in range(20000):
                        deaf.send(line)
                except (BlockingIOError, ConnectionError, BrokenPipeError):
                    pass
                agent.create("raid1", [0, 1])
                self.assertEqual(agent.view().vd()["state"], "optimal")

    def test_many_clients_at_once(self):
        with self.agent(slots=2) as agent:
            wrong = []

            def ask():
                try:
                    with agent.control() as control:
                        for _ in range(20):
                            control.state()
                except Exception as error:  # noqa: BLE001 - whatever it is, the test must show it
                    wrong.append(error)
            threads = [threading.Thread(target=ask) for _ in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])


class CommandLine(AgentCase):
    def test_not_running(self):
        agent = self.agent(slots=1)
        done = agent.ctl("show", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Is arrayd running?", done.stderr)
        document = json.loads(agent.ctl("show", "J", check=False).stdout)
        self.assertEqual(document["Controllers"][0]["Command Status"]["Status"], "Failure")

    def test_keys_and_types(self):
        with self.agent(slots=5) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.fault(3, "pull")
            host = agent.json("show")
            self.assertEqual(host["Command Status"]["Status Code"], 0)
            row = host["Response Data"]["System Overview"][0]
            self.assertEqual((row["Ctl"], row["PDs"], row["DGs"], row["VDs"]), (0, 4, 1, 1))
            self.assertEqual(agent.json("show", "ctrlcount")["Response Data"]["Controller Count"],
                             1)
            data = agent.json("/c0", "show", "all")["Response Data"]
            self.assertEqual(data["Version"]["Driver Name"], "megaraid_sas")
            self.assertEqual(data["Status"]["BBU Status"], "NA")
            self.assertEqual(data["Physical Drives"], 4)
            drive = data["PD LIST"][0]
            self.assertEqual((drive["EID:Slt"], drive["DG"], drive["State"]),
                             (f"{EID}:0", 0, "Onln"))
            self.assertEqual(data["PD LIST"][3]["DG"], "-")
            vd = data["VD LIST"][0]
            self.assertEqual((vd["DG/VD"], vd["TYPE"], vd["State"], vd["Access"], vd["Cache"],
                              vd["Size"], vd["Name"]),
                             ("0/0", "RAID5", "Optl", "RW", "NRWTD", "128.000 MB", "data"))
            topology = data["TOPOLOGY"]
            self.assertEqual([(t["Arr"], t["Row"], t["Type"]) for t in topology],
                             [("-", "-", "RAID5"), (0, "-", "RAID5"), (0, 0, "DRIVE"),
                              (0, 1, "DRIVE"), (0, 2, "DRIVE")])
            details = agent.json(f"/c0/e{EID}/sall", "show", "all")["Response Data"]
            name = f"Drive /c0/e{EID}/s0"
            attributes = details[f"{name} - Detailed Information"][f"{name} Device attributes"]
            self.assertRegex(attributes["Raw size"], r"^128.000 MB \[0x40000 Sectors\]$")
            self.assertTrue(attributes["SN"])
            properties = agent.json("/c0/v0", "show", "all")["Response Data"]["VD0 Properties"]
            self.assertEqual(properties["Strip Size"], "64 KB")
            self.assertRegex(properties["SCSI NAA Id"], "^6[0-9a-f]{31}$")
            self.assertIn("nbd+unix://", properties["OS Drive Name"])
            idle = agent.json(f"/c0/e{EID}/s0", "show", "rebuild")["Response Data"]
            self.assertEqual(idle[0]["Progress%"], "-")
            raw = agent.ctl("/c0/v0", "show", "j", "nolog").stdout
            self.assertIn('\t\t"Status" : "Success",\n', raw)

    def test_missing_things_fail(self):
        with self.agent(slots=1) as agent:
            for words in (["/c0/v5", "show"], [f"/c0/e{EID}/s7", "show"], ["/c3", "show"],
                          ["/c0/d1", "show"], ["/c0/bbu", "show"], ["/c0/v0", "frob"],
                          ["/c0", "add", "vd", "r5"], ["/c0", "set", "rebuildrate=101"],
                          ["/c0/v0", "del", "force"], ["/zzz"], ["/c0/v9", "del", "force"]):
                document = json.loads(agent.ctl(*words, "J", check=False).stdout)
                status = document["Controllers"][0]["Command Status"]
                self.assertEqual(status["Status"], "Failure", words)
                self.assertNotEqual(agent.ctl(*words, check=False).returncode, 0)

    def test_settings(self):
        with self.agent(slots=2) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1")
            agent.ctl("/c0/v0", "set", "name=new-name", "rdcache=ra", "pdcache=off")
            vd = agent.view().vd("new-name")
            self.assertEqual(vd["read_policy"]["requested"], "read_ahead")
            self.assertEqual(vd["drive_cache_policy"], "off")
            done = agent.ctl("/c0/v0", "set", "wrcache=purple", check=False)
            self.assertIn("purple is not a value of wrcache", done.stdout)
            agent.ctl("/c0/v0", "set", "wrcache=wb")
            policy = agent.view().vd("new-name")["write_policy"]
            self.assertEqual((policy["requested"], policy["effective"], policy["reason"]["code"]),
                             ("write_back", "write_through", "no_cache_memory"))
            agent.ctl("/c0", "set", "autorebuild=off")
            shown = agent.json("/c0", "show", "autorebuild")["Response Data"]
            self.assertEqual(shown["Controller Properties"][0],
                             {"Ctrl_Prop": "AutoRebuild", "Value": "OFF"})
            agent.ctl(f"/c0/e{EID}/s0", "start", "locate")
            self.assertTrue(agent.view().drive(0)["locating"])

    def test_events(self):
        with self.agent(slots=2) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
            wait_for("the event", lambda: "Created /c0/v0 (data)" in
                     agent.ctl("/c0", "show", "events").stdout)
            text = agent.ctl("/c0", "show", "events", "type=latest=1").stdout
            self.assertEqual(text.count("seqNum: 0x"), 1)
            self.assertIn("Status = Success", text)

    def test_help(self):
        agent = self.agent(slots=0)
        self.assertIn("/cX add vd", agent.ctl("--help").stdout)
        self.assertIn("hotsparedrive", agent.ctl("help", "add").stdout)
        self.assertIn("arrayctl", agent.ctl("--version").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
