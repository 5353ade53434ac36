"""Drives that refuse writes though they are well: no space below their files, or read-only."""

import contextlib
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import nbd
from cases import digest, need, write_random
from harness import EID, MIB, Agent, Refused, loop_devices_work, wait_for
from taken import Taken, slot_path
from test_tried_again import fill, small_file_system

DRIVE_MIB = 128


class RefusedWrites(Taken):
    def small_folder(self, size):
        folder = small_file_system(size, "aw-thin-")
        if folder is None:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(lambda: (subprocess.run(["umount", str(folder)], check=True),
                                 folder.rmdir()))
        return folder

    def started(self, paths):
        drives = [f'{{ path = "{path}"; enclosure = {EID}; slot = {slot}; }}'
                  for slot, path in enumerate(paths)]
        agent = Agent(slots=len(paths), drives=drives)
        self.addCleanup(agent.close)
        agent.start()
        return agent

    def assert_writes_fail(self, handle, offset, length):
        """Some of them: those for which there is no room."""
        failed = 0
        for at in range(offset, offset + length, MIB):
            try:
                handle.pwrite(b"\xa5" * MIB, at)
            except nbd.Error as error:
                self.assertIn(error.errno, ("ENOSPC", "EIO"))
                failed += 1
        self.assertGreater(failed, 0)

    def assert_told(self, view, cause):
        told = [finding["cause"] for finding in view.all("controller")["c0"]["findings"]
                if finding["code"] == "drive_refuses_writes"]
        self.assertGreater(len(told), 0)
        self.assertEqual({reason["code"] for reason in told}, {cause})

    def write_again(self, handle, offset, length):
        """What failed is written as soon as it can be."""
        def written():
            try:
                handle.pwrite(b"\x5a" * length, offset)
            except nbd.Error:
                return False
            return True
        wait_for("writes to succeed", written)

    def full_file_system(self, level, width):
        folder = self.small_folder(f"{width * 200}m")
        paths = [folder / f"d{slot}" for slot in range(width)]
        for path in paths:
            with path.open("wb") as target:
                target.truncate(DRIVE_MIB * MIB)
        agent = self.started(paths)
        agent.ctl("/c0", "set", "bgirate=0")
        with agent.control() as control:
            control.command("vd_create", {
                "controller": "c0", "level": level, "name": "data",
                "drives": [control.view().drive_key(slot) for slot in range(width)]})
            with contextlib.suppress(Refused):  # RAID 0 has none
                control.command("bgi", {"virtual_drive": control.view().vd_key(), "action": "stop"})
        agent.until("its end", lambda v: not v.running("background_init"))
        # What it has written is zeros, as there were: the room is free again.
        for path in paths:
            subprocess.run(["fallocate", "--dig-holes", str(path)], check=True)
        subprocess.run(["mount", "-o", f"remount,size={width * 24}m", str(folder)], check=True)
        with agent.nbd() as handle:
            written = write_random(handle, 8 * MIB, seed=1)
            filler = fill(folder)
            self.assert_writes_fail(handle, 32 * MIB, 24 * MIB)
            view = agent.view()
            self.assertIn(view.vd()["state"], ("optimal", "degraded"))
            self.assertNotIn("failed", [view.drive(slot)["state"] for slot in range(width)])
            reasons = [(view.drive(slot)["state_reason"] or {}).get("code")
                       for slot in range(width)]
            self.assertTrue({"drive_no_space", "drive_lost_no_space"} & set(reasons), reasons)
            self.assert_told(view, "drive_no_space")
            self.assertEqual(digest(handle, 8 * MIB), written)
            filler.unlink()
            subprocess.run(["mount", "-o", f"remount,size={width * 200}m", str(folder)], check=True)
            self.write_again(handle, 32 * MIB, 8 * MIB)
            agent.ctl("/c0", "set", "bgirate=100")
            agent.ctl("/c0/v0", "start", "bgi", check=False)
            agent.until("all drives to be in use", lambda v: v.vd()["state"] == "optimal"
                        and v.vd()["consistent"])
            self.assertEqual(digest(handle, 8 * MIB), written)
            self.assertEqual(handle.pread(8 * MIB, 32 * MIB), b"\x5a" * (8 * MIB))

    def erase_without_room(self):
        folder = self.small_folder("48m")
        path = folder / "d0"
        with path.open("wb") as target:
            target.truncate(DRIVE_MIB * MIB)
        agent = self.started([path])
        serial = agent.view().drive(0)["serial"]
        agent.ctl(slot_path(0), "start", "erase", f"confirm={serial}")
        _, command = self.command(agent, "remedy_erase_waits", "stop erase")
        self.assertEqual(agent.view().drive(0)["state_reason"]["code"], "erase_tried_again")
        row = agent.json(slot_path(0), "show", "erase")["Response Data"][0]
        self.assertEqual((row["Status"], row["Estimated Time Left"]), ("Waiting", "-"))
        self.assertRegex(agent.ctl("status").stdout, r"drive erase \d+ %, waiting")
        return agent, folder, command

    @need("mount")
    def test_erase_goes_on_when_there_is_room(self):
        agent, folder, _ = self.erase_without_room()
        subprocess.run(["mount", "-o", "remount,size=200m", str(folder)], check=True)
        agent.until("the erase to be complete",
                    lambda v: v.drive(0)["state"] == "unconfigured_good")
        self.assertEqual(self.findings(agent), {})

    @need("mount")
    def test_erase_that_waits_for_room_is_stopped(self):
        agent, _, command = self.erase_without_room()
        agent.ctl(*command.split())
        agent.until("the end of the erase", lambda v:
                    v.drive(0)["state_reason"]["code"] == "drive_partly_erased")
        self.assertEqual(agent.json(slot_path(0), "show", "erase")["Response Data"][0]["Status"],
                         "Not in progress")
        self.assertNotIn("erase_waits", [code for code, _ in self.findings(agent)])

    @need("mount")
    def test_full_file_system_raid5(self):
        self.full_file_system("raid5", 4)

    @need("mount")
    def test_full_file_system_raid6(self):
        self.full_file_system("raid6", 4)

    @need("mount")
    def test_full_file_system_raid1(self):
        self.full_file_system("raid1", 2)

    @need("mount")
    def test_full_file_system_raid0(self):
        self.full_file_system("raid0", 2)

    @unittest.skipUnless(loop_devices_work(), "loop devices do not work here")
    def test_read_only_devices(self):
        folder = Path(tempfile.mkdtemp(prefix="aw-loop-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        loops = []
        for slot in range(3):
            path = folder / f"d{slot}"
            with path.open("wb") as target:
                target.truncate(DRIVE_MIB * MIB)
            done = subprocess.run(["losetup", "--find", "--show", str(path)], text=True,
                                  capture_output=True, check=True)
            loops.append(done.stdout.strip())
            self.addCleanup(subprocess.run, ["losetup", "-d", loops[-1]], check=True)
            self.addCleanup(subprocess.run, ["blockdev", "--setrw", loops[-1]], check=True)
        agent = self.started(loops)
        self.addCleanup(agent.stop)
        agent.create("raid5", [0, 1, 2])
        with agent.nbd() as handle:
            written = write_random(handle, 8 * MIB, seed=2)
            agent.until("consistency", lambda v: v.vd()["consistent"])
            for loop in loops:
                subprocess.run(["blockdev", "--setro", loop], check=True)
            self.assert_writes_fail(handle, 32 * MIB, 4 * MIB)
            view = agent.view()
            self.assertIn(view.vd()["state"], ("optimal", "degraded"))
            self.assert_told(view, "drive_read_only")
            self.assertEqual(digest(handle, 8 * MIB), written)
            for loop in loops:
                subprocess.run(["blockdev", "--setrw", loop], check=True)
            self.write_again(handle, 0, 8 * MIB)
            agent.until("all drives to be in use", lambda v: v.vd()["state"] == "optimal"
                        and v.vd()["consistent"])
            self.assertEqual(handle.pread(8 * MIB, 0), b"\x5a" * (8 * MIB))
