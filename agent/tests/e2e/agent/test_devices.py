"""Loop devices and plain files instead of emulated drives."""

import os
import subprocess
import unittest
from pathlib import Path

from cases import AgentCase, digest, need, write_random
from harness import EID, MIB, LoopDevice, Refused, loop_devices_work


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
        with agent.control() as control: # a file has no cache that could be switched
            self.assert_refused("drive_cache_fixed", control.command, "vd_set",
                                {"virtual_drive": agent.view().vd_key(),
                                 "drive_cache_policy": "off"})
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
        agent = self.started(device, other, config="claim_wait_s = 1;")
        self.assertIn(agent.view().drive(0)["unsuitable"]["code"],
                      ("drive_unsuitable_claimed", "drive_unsuitable_held"))
        with agent.control() as control, self.assertRaises(Refused):
            control.command("vd_create", {"controller": "c0", "level": "raid1", "name": "data",
                                          "drives": agent.slots(0, 1), "force": True})
        self.assertEqual(agent.view().all("virtual_drive"), {})

    def test_a_drive_left_to_the_host_is_the_hosts(self):
        first, second = self.loop(), self.loop()
        scan = (f'scan = {{ loop_devices = true; include = ["{first.path}", "{second.path}"]; }};')
        agent = self.started(config=scan)
        keys = {doc["device"]: key for key, doc in agent.view().all("drive").items()}

        def state():
            return agent.view().all("drive")[keys[first.path]]["state"]

        create = {"controller": "c0", "level": "raid0", "name": "data",
                  "drives": [keys[first.path]]}
        with agent.control() as control:
            control.command("drive_jbod", {"drive": keys[first.path]})
            self.assertEqual(state(), "jbod")
            before = self.first_bytes(first)
            self.assert_refused("drive_not_ugood", control.command, "vd_create", create)
        held = os.open(first.path, os.O_RDONLY | os.O_EXCL)
        agent.stop()
        agent.start()
        self.assertEqual(state(), "jbod")
        self.assertEqual(before, self.first_bytes(first))
        os.close(held)
        with agent.control() as control:
            control.command("drive_good", {"drive": keys[first.path]})
            self.assertEqual(state(), "unconfigured_good")
            control.command("vd_create", create)

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

    def agent_of_files(self):
        """Three files that are configured as drives are."""
        paths = [self.directory / f"file{number}" for number in range(3)]
        for path in paths:
            with path.open("wb") as file:
                file.truncate(128 * MIB)
        drives = [f'{{ path = "{path}"; enclosure = {EID}; slot = {slot}; }}'
                  for slot, path in enumerate(paths)]
        return paths, self.agent(slots=len(paths), drives=drives).start()

    def test_a_file_that_is_put_back_is_taken_again(self):
        paths, agent = self.agent_of_files()
        agent.create("raid5", [0, 1, 2])
        with agent.nbd() as handle:
            written = write_random(handle, 16 * MIB, seed=9)
        agent.stop()
        away = paths[1].rename(self.directory / "away")
        agent.start()
        agent.until("it to be missed", lambda v: v.vd()["state"] == "degraded")
        away.rename(paths[1])
        agent.optimal()
        agent.stop()
        paths[2].unlink()
        agent.start()
        agent.until("it to be missed", lambda v: v.vd()["state"] == "degraded")
        with paths[2].open("wb") as file:  # a new one in its place
            file.truncate(128 * MIB)
        agent.optimal()
        with agent.nbd() as handle:
            self.assertEqual(digest(handle, 16 * MIB), written)

    def test_a_loop_device_whose_file_is_attached_later(self):
        loops = [self.loop() for _ in range(3)]
        agent = self.started(*loops)
        agent.create("raid5", [0, 1, 2])
        with agent.nbd() as handle:
            written = write_random(handle, 16 * MIB, seed=9)
        agent.stop()
        loops[1].detach()
        agent.start()
        agent.until("it to be missed", lambda v: v.vd()["state"] == "degraded")
        view = agent.view()
        self.assertEqual(view.drive(1)["unsuitable"]["code"], "drive_unsuitable_empty")
        told = {finding["cause"]["code"]: finding for finding in
                view.all("controller")["c0"]["findings"] if finding["cause"] is not None}
        self.assertIn("drive_unsuitable_empty", told)
        subprocess.run(["losetup", loops[1].path, str(loops[1].file)], check=True)
        agent.optimal()
        with agent.nbd() as handle:
            self.assertEqual(digest(handle, 16 * MIB), written)

    def test_a_read_only_member_under_another_path(self):
        paths, agent = self.agent_of_files()
        agent.create("raid5", [0, 1, 2])
        with agent.nbd() as handle:
            written = write_random(handle, 16 * MIB, seed=9)
        agent.stop()
        other = LoopDevice(paths[0])
        self.addCleanup(other.detach)
        subprocess.run(["blockdev", "--setro", other.path], check=True)
        text = agent.config_path.read_text()
        agent.config_path.write_text(text.replace(f'"{paths[0]}"', f'"{other.path}"'))
        agent.start()
        agent.until("it to be found", lambda v: any(
            finding["code"] == "foreign_configuration"
            and finding["cause"]["code"] == "foreign_here_unusable"
            for finding in v.all("controller")["c0"]["findings"]))
        subprocess.run(["blockdev", "--setrw", other.path], check=True)
        agent.until("it to be free of its cause", lambda v: v.drive(0)["unsuitable"] is None
                    or v.drive(0)["unsuitable"]["code"] != "drive_unsuitable_read_only")
        with agent.nbd() as handle:
            self.assertEqual(digest(handle, 16 * MIB), written)
