"""Start, configuration, restarts."""

import os
import socket
import subprocess
import time
import unittest

from cases import AgentCase
from harness import ARRAYD, EID, View, free_port, wait_for


class Daemon(AgentCase):
    def test_a_typo_in_the_configuration(self):
        agent = self.agent(slots=1, config="nbdd = { };")
        log = agent.fail_to_start()
        self.assertIn(f"{agent.config_path}:", log)
        self.assertIn("unknown key nbdd", log)
        self.assertFalse(agent.state_dir.exists())

    def test_check_config(self):
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
                               f'{{ enabled = true; port = {port}; }}; }};\n'
                               'claim_wait_s = 1;')
            log = agent.fail_to_start()
            self.assertIn(str(port), log)
            self.assertIn("in use", log.lower())
            self.assertFalse((agent.directory / "d0").exists())

    @unittest.skipIf(os.path.exists("/dev/ublk-control"), "this kernel has ublk")
    def test_ublk_without_a_driver(self):
        agent = self.agent(slots=1, config="ublk = { enabled = true; };")
        log = agent.fail_to_start()
        self.assertIn("ublk.enabled is true, but this kernel has no ublk", log)

    def test_a_second_daemon_is_refused(self):
        with self.agent(slots=1) as agent:
            second = self.agent(slots=1, config="claim_wait_s = 1;")
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

    def holders(self, agent, port):
        """Somebody listens wherever this agent wants to."""
        addresses = [(socket.AF_UNIX, str(agent.nbd_path)), (socket.AF_INET, ("127.0.0.1", port)),
                     (socket.AF_UNIX, str(agent.control_path))]
        for family, address in addresses:
            holder = socket.socket(family)
            self.addCleanup(holder.close)
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind(address)
            holder.listen()
            yield holder

    def held_agent(self, wait_s):
        port = free_port()
        directory = self.agent(slots=0).directory
        agent = self.agent(slots=1, directory=directory, config=f"""nbd = {{
            unix = "{directory}/nbd.sock"; tcp = {{ enabled = true; port = {port}; }}; }};
            claim_wait_s = {wait_s};""")
        return agent, list(self.holders(agent, port))

    def test_sockets_of_a_dying_predecessor_are_waited_for(self):
        """As long as its drives would be: a ring with transfers under way is taken down late."""
        agent, holders = self.held_agent(wait_s=30)
        agent.spawn()
        time.sleep(6)  # the holders' end is what is tried: later than they were waited for once
        self.assertIsNone(agent.process.poll(), agent.log())
        self.assertIn("waited for until 30 s", agent.log())
        for holder in holders:
            holder.close()
        wait_for("arrayd to go online", lambda: "online: " in agent.log())
        self.assertEqual(len(agent.view().all("drive")), 1)

    def test_a_start_that_waits_for_sockets_can_be_stopped(self):
        agent, _ = self.held_agent(wait_s=300)
        agent.spawn()
        wait_for("the wait", lambda: "waited for" in agent.log())
        agent.process.terminate()
        self.assertNotEqual(agent.process.wait(10), 0)
        agent.process = None

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
