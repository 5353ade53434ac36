"""Copies of a host: real state directories restored, replaced and cloned under a real backend."""

import shutil
import unittest

from harness import Agent, wait_for
from link_harness import Backend, Uplink
from linked import Linked
from test_uplink import needs_backend


@needs_backend
class Copied(Linked):
    """The backend is the same for all tests; each test's host is new."""

    @classmethod
    def setUpClass(cls):
        cls.backend = Backend()
        cls.addClassCleanup(cls.backend.close)
        cls.backend.start()
        cls.backend.log_in()

    # What the backend knows

    def alerts(self):
        found = self.backend.items(f"/alerts?host_id={self.host_id}&state=open&limit=100")
        return {alert["rule"]: alert["reason"]["text"] for alert in found}

    def told(self, rule):
        return wait_for(f"the alert {rule}", lambda: self.alerts().get(rule))

    def names(self):
        found = self.backend.items(f"/virtual-drives?host_id={self.host_id}")
        return sorted(drive["name"] for drive in found)

    # Doing things to the host

    def restart_with(self, change):
        self.agent.stop()
        change()
        self.agent.start()

    def backup(self, name="backup"):
        """Of arrayd's state directory, while it stands still."""
        kept = self.agent.directory / name
        self.restart_with(lambda: shutil.copytree(self.agent.state_dir, kept))
        return kept

    def restore(self, kept):
        shutil.rmtree(self.agent.state_dir)
        shutil.copytree(kept, self.agent.state_dir)

    def make_events(self, times):
        for _ in range(times):
            self.agent.ctl("/c0/e252/s4", "add", "hotsparedrive")
            self.agent.ctl("/c0/e252/s4", "delete", "hotsparedrive")

    # Tests

    def test_a_restored_state_directory_hides_nothing(self):
        kept = self.backup()
        self.settled()
        self.make_events(8)
        self.settled()
        self.restart_with(lambda: self.restore(kept))
        self.agent.fault(1, "pull")
        self.told("virtual_drive_degraded")
        self.assertIn("arrayd", self.told("host_restored"))
        events = self.settled()
        self.once_each(events)
        (host,) = [host for host in self.backend.items("/hosts") if host["id"] == self.host_id]
        self.assertEqual(host["summary"]["worst_state"], "degraded")
        # And it goes on as any host does.
        self.agent.stop()
        self.agent.start()
        self.once_each(self.settled())

    def test_an_earlier_event_log_goes_on(self):
        first = self.agent.directory / "first"
        self.restart_with(lambda: shutil.move(self.agent.state_dir, first))
        self.agent.ctl("/c0/fall", "import")
        self.settled()
        self.restart_with(lambda: self.restore(first))
        self.make_events(2)
        self.once_each(self.settled())
        self.assertIn("host_restored", self.alerts())
        self.assertNotIn("host_cloned", self.alerts())
        self.assertNotIn("IntegrityError", self.backend.log_path.read_text())

    def test_a_cloned_identity_is_refused_and_named(self):
        other = self.make(Agent()).start()
        other.create("raid5", [0, 1, 2], "two")
        clone = self.uplink(self.backend.url, control_socket=other.control_path)
        shutil.copytree(self.link.state_dir, clone.state_dir)
        clone.state_dir.chmod(0o700)
        clone.start()
        told = self.told("host_cloned")
        self.assertEqual(told.count("boot"), 2, told)
        wait_for("the clone to say why", lambda: clone.said("another machine uses"))
        wait_for("arrayctl to say why", lambda: "enrol --force" in other.ctl("status").stdout)
        self.assertNotIn("enrol --force", self.agent.ctl("status").stdout)
        self.make_events(2)
        self.settled()
        self.assertEqual(self.names(), ["one"])
        # An identity of its own is the remedy, and ends the alert.
        clone.stop()
        done = clone.enrol(self.backend.token(), "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        clone.start()
        mine = clone.identity()["agent_id"]
        self.assertNotEqual(mine, self.host_id)
        wait_for("the clone to report", lambda: [
            drive["name"] for drive in self.backend.items(f"/virtual-drives?host_id={mine}")])
        wait_for("the alert to end", lambda: "host_cloned" not in self.alerts())
        self.assertNotIn("link:", other.ctl("status").stdout)
        self.assertEqual(self.names(), ["one"])

    def test_a_whole_copy_in_place_of_the_machine(self):
        """Both directories on other hardware; the first one never comes back."""
        self.agent.stop()
        self.link.stop()
        other = self.make(Agent())
        shutil.copytree(self.agent.state_dir, other.state_dir)
        other.start()
        moved = Uplink(self.backend.url, control_socket=other.control_path)
        self.make(moved)
        shutil.copytree(self.link.state_dir, moved.state_dir)
        moved.state_dir.chmod(0o700)
        self.link = moved.start()
        self.settled(other)
        self.assertNotIn("host_cloned", self.alerts())


del Linked  # not a test of this module

if __name__ == "__main__":
    unittest.main()
