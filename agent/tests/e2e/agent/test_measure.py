"""Measuring a virtual drive of the running daemon."""

import socket
import struct
import unittest

import nbd
from cases import AgentCase
from harness import MIB, wait_for

def refusal(path, name):
    """What the server says to a client that asks for this export; libnbd keeps it to itself."""
    with socket.socket(socket.AF_UNIX) as client, client.makefile("rwb") as stream:
        client.connect(str(path))
        stream.read(18)
        wish = struct.pack(">I", len(name)) + name.encode() + struct.pack(">H", 0)
        stream.write(struct.pack(">I", 1) + b"IHAVEOPT" + struct.pack(">II", 7, len(wish)) + wish)
        stream.flush()
        kind, length = struct.unpack(">12xII", stream.read(20))
        return kind, stream.read(length).decode()


def measurement(agent):
    return agent.view().vd()["measurement"]


class Measure(AgentCase):
    def told(self, agent):
        with agent.control() as control:
            events = control.ask("events.read", {"after_seq": 0, "limit": 256})["events"]
        return [event["name"] for event in events if event["name"].startswith("measurement")]

    def ended(self, agent):
        agent.until("the measurement's end", lambda view:
                    view.vd()["measurement"] and view.vd()["measurement"]["ended_at_us"])
        return measurement(agent)

    def test_story(self):
        with self.agent(slots=2, drive_mib=96) as agent:
            agent.create("raid0", [0, 1])
            kept = bytes(range(256)) * 4096
            handle = agent.nbd_open()
            handle.pwrite(kept, 0)
            handle.flush()

            # Somebody uses it.
            refused = agent.ctl("/c0/v0", "start", "measure", check=False)
            self.assertIn("open connections", refused.stdout)
            handle.shutdown()
            agent.until("the client's end", lambda view: all(
                export["connections"] == 0 for export in view.vd()["exports"]))

            # What only reads needs no name, and nobody can use it meanwhile.
            reading = ("/c0/v0", "start", "measure", "block=64", "depth=4", "pattern=sequential")
            agent.ctl(*reading, "seconds=600")
            with self.assertRaises(nbd.Error):
                agent.nbd_open()
            policy, unknown = 0x80000002, 0x80000006
            self.assertEqual(refusal(agent.nbd_path, "data"),
                             (policy, "the virtual drive is being measured"))
            self.assertEqual(refusal(agent.nbd_path, "date"), (unknown, "no such export"))
            self.assertEqual(agent.view().vd()["exports"], [])
            agent.ctl("/c0/v0", "stop", "measure")
            self.assertEqual(self.ended(agent)["state"], "stopped")

            # As long as it was asked to.
            agent.ctl(*reading, "seconds=2")
            shown = self.ended(agent)
            self.assertEqual((shown["state"], shown["overwrites"]), ("completed", False))
            load = shown["loads"][0]
            self.assertGreater(load["operation_count"], 10)
            self.assertEqual(load["read_latency"]["count"], load["operation_count"])
            self.assertAlmostEqual(load["duration_us"], 2_000_000, delta=500_000)
            table = agent.ctl("/c0/v0", "show", "measure").stdout
            self.assertIn("completed", table)
            self.assertIn("sequential, 64 KiB", table)
            agent.until("the export", lambda view: view.vd()["exports"])
            handle = agent.nbd_open()
            self.assertTrue(handle.pread(MIB, 0) == kept)
            handle.shutdown()
            agent.until("the client's end", lambda view: all(
                export["connections"] == 0 for export in view.vd()["exports"]))

            # What writes does.
            writing = ("/c0/v0", "start", "measure", "seconds=600", "block=1024", "writes=100",
                       "pattern=sequential")
            self.assertIn("overwritten", agent.ctl(*writing, check=False).stdout)
            self.assertIn("data", agent.ctl(*writing, "confirm=date", check=False).stdout)
            self.assertEqual(measurement(agent)["state"], "completed")
            agent.ctl(*writing, "confirm=data")
            agent.until("some of it", lambda view:
                        view.vd()["measurement"]["loads"][0]["operation_count"] > 2)
            agent.ctl("/c0/v0", "stop", "measure")
            shown = self.ended(agent)
            self.assertEqual((shown["state"], shown["overwrites"]), ("stopped", True))
            self.assertEqual(shown["reason"]["code"], "stopped_by_user")
            agent.until("the export", lambda view: view.vd()["exports"])
            self.assertFalse(agent.nbd_open().pread(MIB, 0) == kept)
            wait_for("its last event", lambda: self.told(agent)[5:])
            self.assertEqual(self.told(agent), ["measurement_started", "measurement_ended"] * 3)


if __name__ == "__main__":
    unittest.main()
