"""Consistency checks on the command line: from the start to the end, and what is refused."""

import unittest

import in_memory
from cases import AgentCase
from harness import EID

in_memory.use()

SLOW = 'transfer_per_s = "24 MB";'
VD = "/c0/v0"


class Check(AgentCase):
    def progress(self, agent):
        data = agent.json(VD, "show", "cc")["Response Data"]
        return data["VD Operation Status"][0], data.get("Last Consistency Check", [None])[0]

    def refused(self, agent, *words):
        answer = agent.json(VD, *words, check=False)["Command Status"]
        self.assertEqual(answer["Status"], "Failure", words)
        return answer["Detailed Status"][0]

    def test_from_its_start_to_its_end(self):
        with self.agent(slots=4, emulated=SLOW) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            self.assertEqual(self.progress(agent)[0]["Status"], "Not in progress")
            self.refused(agent, "pause", "cc")
            agent.ctl(VD, "start", "cc")
            self.refused(agent, "start", "cc")
            row = self.progress(agent)[0]
            self.assertEqual((row["Operation"], row["Status"]), ("CC", "In progress"))
            agent.ctl(VD, "pause", "cc")
            self.assertEqual(self.progress(agent)[0]["Status"], "Paused")
            self.assertRegex(agent.ctl("watch", "count=1").stdout, r"consistency check +/c0/v0 +\[")
            self.assertIn('{controller="0",kind="consistency_check",', agent.ctl("metrics").stdout)
            agent.ctl(VD, "resume", "cc")
            agent.ctl(VD, "stop", "cc")
            agent.until("the end", lambda view: not view.running("consistency_check"))
            self.assertEqual(self.progress(agent)[1]["State"], "stopped")
            agent.ctl(VD, "start", "cc", "force")
            agent.until("the whole", lambda view: not view.running("consistency_check"))
            result = self.progress(agent)[1]
            self.assertEqual((result["State"], result["Inconsistent"], result["Corrected"]),
                             ("completed", 0, 0))
            agent.until("the event", lambda view: "Consistency check done" in
                        agent.ctl("/c0", "show", "events").stdout)

    def test_a_check_that_waits_for_a_rebuild_says_so(self):
        with self.agent(slots=3, emulated=SLOW) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.ctl(f"/c0/e{EID}/s2", "add", "hotsparedrive", "dgs=0")
            agent.ctl(VD, "start", "cc")
            agent.until("a part", lambda view: self.done(agent) > 0)
            agent.fault(0, "pull")
            agent.until("the rebuild", lambda view: view.running("rebuild"))
            agent.ctl(f"/c0/e{EID}/s2", "pause", "rebuild")
            operation = agent.until("the wait", lambda view: next(
                (op for op in view.running("consistency_check") if op["state"] == "waiting"), None))
            row = self.progress(agent)[0]
            self.assertEqual(row["Status"], "Waiting")
            # One rounding everywhere: what is not done is never at 100 %.
            self.assertEqual(row["Progress%"], int(operation["progress_percent"]))
            agent.ctl(VD, "stop", "cc")

    def done(self, agent):
        return next(op["done_bytes"] for op in agent.view().running("consistency_check"))

    def test_goes_on_after_a_restart_and_a_kill(self):
        with self.agent(slots=2, emulated=SLOW) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.ctl(VD, "start", "cc")
            agent.until("a part", lambda view: self.done(agent) > 0)
            agent.ctl(VD, "pause", "cc")
            for end in (agent.stop, agent.kill):
                done = self.done(agent)
                end()
                agent.start()
                agent.until("its place", lambda view: self.progress(agent)[0]["Status"] == "Paused"
                            and self.done(agent) >= done)
            agent.ctl(VD, "resume", "cc")
            agent.until("the whole", lambda view: not view.running("consistency_check"))
            self.assertEqual(self.progress(agent)[1]["State"], "completed")
            agent.until("the event", lambda view: "Consistency check resumed" in
                        agent.ctl("/c0", "show", "events").stdout)

    def rot(self, agent, slot, offset):
        """The drive has another byte than was written to it, and says nothing."""
        with (agent.directory / f"d{slot}").open("r+b") as drive:
            drive.seek(offset)
            byte = drive.read(1)[0]
            drive.seek(offset)
            drive.write(bytes([byte ^ 1]))

    def test_silent_damage(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            self.rot(agent, 1, 5 * 4096 + 17)
            agent.ctl(VD, "start", "cc")
            agent.until("the whole", lambda view: view.vd()["consistency_check"]["ended_at_us"])
            data = agent.json(VD, "show", "cc")["Response Data"]
            self.assertEqual(data["Last Consistency Check"][0]["Inconsistent"], 1)
            place = data["Inconsistent Places"][0]
            self.assertEqual((place["Strip"], place["Blocks"], place["Pieces"], place["Member"],
                              place["Corrected"]), (0, "40-47", 2, "-", "No"))
            self.assertIn("places where redundancy and data disagree: 1.", agent.ctl("status").stdout)
            self.assertIn("0 places corrected, 1 are inconsistent",
                          agent.ctl("explain", VD).stdout)
            self.assertRegex(agent.ctl("metrics").stdout,
                             r"_virtual_drive_inconsistent_places\{.*\} 1\n")
            agent.until("the events", lambda view: "at strip 0 (one or more of blocks 40-47" in
                        agent.ctl("/c0", "show", "events").stdout)
            agent.ctl(VD, "start", "cc")
            agent.ctl(VD, "stop", "cc")
            self.assertIn("places where redundancy and data disagree: 1.", agent.ctl("status").stdout)
            agent.ctl(VD, "start", "cc", "correct", "confirm=data")
            agent.until("the end", lambda view: view.vd()["consistency_check"]["ended_at_us"])
            agent.ctl(VD, "start", "cc")
            agent.until("nothing", lambda view: view.vd()["consistency_check"]["ended_at_us"])
            self.assertEqual(agent.view().vd()["consistency_check"]["inconsistent_count"], 0)
            self.assertNotIn("does not agree", agent.ctl("status").stdout)

    def test_data_are_taken_as_right_by_name_only(self):
        with self.agent(slots=2) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            name = agent.view().vd()["name"]
            self.assertIn(f"confirm={name}", self.refused(agent, "start", "cc", "correct")["ErrMsg"])
            self.refused(agent, "start", "cc", "correct", "confirm=another")
            agent.ctl(VD, "start", "cc", "correct", f"confirm={name}")

    def test_without_redundancy(self):
        with self.agent(slots=2) as agent:
            agent.create("raid0", [0, 1])
            self.refused(agent, "start", "cc")

    def test_nothing_to_compare(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.ctl("/c0/e252/s1", "set", "offline")
            self.assertIn("Check it after the rebuild",
                          self.refused(agent, "start", "cc")["ErrMsg"])


if __name__ == "__main__":
    unittest.main()
