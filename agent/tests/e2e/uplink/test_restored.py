"""A backend that went back to a backup meets a host that is ahead, on both databases."""

import importlib.util
import subprocess
import unittest
from pathlib import Path

from harness import wait_for
from link_harness import Backend
from linked import Linked
from test_uplink import needs_backend

POSTGRES = Path(__file__).resolve().parents[4] / "backend/tests/support/postgres.py"


class Restored:
    """The backend is the test's own."""

    database_url = ""

    def setUp(self):
        self.backend = self.make(Backend(database_url=self.database_url)).start()
        self.backend.log_in()
        super().setUp()

    def names(self):
        return sorted(doc["name"] for doc in self.agent.view().all("virtual_drive").values())

    def order(self, name, slots, **headers):
        drives = {drive["slot"]: drive["id"]
                  for drive in self.backend.items(f"/drives?limit=50&host_id={self.host_id}")}
        (controller,) = self.backend.items(f"/controllers?host_id={self.host_id}")
        body = {"controller_id": controller["id"], "level": "raid1", "name": name,
                "size_bytes": "all", "drive_ids": [drives[slot] for slot in slots]}
        return self.backend.request("POST", "/virtual-drives", body, headers)

    def state_of(self, command):
        return self.backend.request("GET", f"/commands/{command['id']}")["state"]

    def test_no_command_runs_twice_and_no_event_is_lost(self):
        # A command that waits for its host when the backup is made, and runs afterwards.
        self.link.stop()
        waiting = self.order("waited", [2, 3])
        backup = self.backend.directory / "backup.tar.gz"
        self.backend.administer("backup", str(backup))
        self.link.start()
        wait_for("the command to have run", lambda: self.state_of(waiting) == "succeeded")
        # What the backup does not know: a command of a later number, drives that came and went.
        later = self.order("later", [4, 5], Prefer="wait=30")
        self.assertEqual(later["state"], "succeeded", later)
        for number in (1, 2):
            self.agent.ctl(f"/c0/v{number}", "del", "force")
        self.assertEqual(self.names(), ["one"])
        self.agent.fault(1, "pull")
        self.once_each(self.settled())

        database = "arraywright.sqlite" if not self.database_url else "arraywright"
        restore = ("restore", str(backup), "--replace", database)
        with self.assertRaisesRegex(AssertionError, "systemctl stop arraywright-backend"):
            self.backend.administer(*restore)
        self.backend.stop()
        self.backend.administer(*restore)
        self.backend.start()
        self.backend.log_in()
        self.once_each(self.settled())
        # The host has seen the command: whatever is made of it, it does not run again.
        self.assertEqual(self.state_of(waiting), "indeterminate")
        self.assertEqual(self.names(), ["one"])
        again = self.order("again", [4, 5], Prefer="wait=30")
        self.assertEqual(again["state"], "succeeded", again)
        self.once_each(self.settled())
        self.assertEqual(self.names(), ["again", "one"])
        trail = [entry["action"] for entry in self.backend.items("/audit?limit=100")]
        self.assertIn("database.restore", trail)


@needs_backend
class OnSqlite(Restored, Linked):
    pass


@needs_backend
class OnPostgres(Restored, Linked):
    @classmethod
    def setUpClass(cls):
        spec = importlib.util.spec_from_file_location("postgres", POSTGRES)
        postgres = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(postgres)
        place = cls.enterClassContext(postgres.cluster())
        cls.database_url = f"postgresql://postgres@/arraywright?host={place}"
        subprocess.run(["psql", "--no-psqlrc", "-q", "-c", "create database arraywright",
                        f"postgresql://postgres@/postgres?host={place}"], check=True)


del Linked  # not a test of this module

if __name__ == "__main__":
    unittest.main()
