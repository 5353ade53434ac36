"""Patrol read on the command line: its schedule, its progress, and what is refused."""

import unittest

import in_memory
from cases import AgentCase
from harness import EID

in_memory.use()

SLOT = f"/c0/e{EID}/s"
SLOW = 'transfer_per_s = "24 MB";'


class Patrol(AgentCase):
    def shown(self, agent):
        rows = agent.json("/c0", "show", "patrolread")["Response Data"]["Controller Properties"]
        return {row["Ctrl_Prop"].removeprefix("PR "): row["Value"] for row in rows}

    def scheduled(self, agent):
        data = agent.json("/c0", "show", "all")["Response Data"]["Scheduled Tasks"]
        return data["Patrol Read Reoccurrence"], data["Next Patrol Read launch"]

    def refused(self, agent, *words):
        """The error's number; nothing is set."""
        before = self.shown(agent)
        answer = agent.json("/c0", *words, check=False)["Command Status"]
        self.assertEqual(answer["Status"], "Failure", words)
        self.assertEqual(self.shown(agent), before, words)
        return answer["Detailed Status"][0]["ErrCd"]

    def test_from_its_start_to_its_end(self):
        with self.agent(slots=4, emulated=SLOW) as agent:
            agent.create("raid1", [0, 1])
            agent.ctl(f"{SLOT}2", "add", "hotsparedrive")
            agent.until("consistency", lambda view: view.vd()["consistent"])
            self.assertEqual(self.refused(agent, "pause", "patrolread"), 50)
            agent.ctl("/c0", "start", "patrolread")
            self.assertEqual(self.refused(agent, "start", "patrolread"), 85)
            self.assertEqual(self.shown(agent)["Current State"], "Active 0")
            agent.ctl("/c0", "suspend", "patrolread")
            self.assertEqual(self.shown(agent)["Current State"], "Paused 0")
            status = agent.ctl("status").stdout
            self.assertRegex(status, r"patrol +patrol read \d+ %, paused; 0 of 3 drives done\n")
            self.assertRegex(agent.ctl("watch", "count=1").stdout, r"patrol read +/c0 +\[")
            self.assertIn('{controller="0",kind="patrol_read",', agent.ctl("metrics").stdout)
            agent.ctl("/c0", "resume", "pr")
            agent.ctl("/c0", "stop", "patrolread")
            agent.until("the end", lambda view: not view.running("patrol_read"))
            self.assertEqual(self.shown(agent)["Current State"], "Stopped")
            self.assertEqual(self.shown(agent)["iterations completed"], "0")
            agent.ctl("/c0", "start", "patrolread")
            agent.until("the whole", lambda view: view.of("c0").all("controller")["c0"]
                        ["patrol"]["iterations"] == 1)
            self.assertEqual(self.shown(agent)["iterations completed"], "1")
            metrics = agent.ctl("metrics").stdout
            self.assertIn('arraywright_patrol_iterations_total{controller="0"} 1\n', metrics)
            self.assertRegex(metrics, r"_drive_patrol_read_bytes_total\{.*\} \d{8,}\n")
            self.assertRegex(metrics, r"patrol_last_completion_timestamp_seconds\{.*\} \d{10}[.\d]*\n")
            self.assertRegex(agent.ctl("explain", f"{SLOT}2").stdout,
                             r"Patrol read: all of it was last read \d\d/\d\d/\d{4}, ")
            self.assertIn("Patrol read: Only members of drive groups and hot spares",
                          agent.ctl("explain", f"{SLOT}3").stdout)
            self.assertNotIn("Patrol read:", agent.ctl("explain", "/c0").stdout)

    def test_schedule(self):
        with self.agent(slots=2) as agent:
            agent.create("raid1", [0, 1])
            agent.ctl("/c0", "set", "patrolread=on", 'starttime="2037/01/30 03"', "delay=24",
                      "maxconcurrentpd=3", "includessds=on")
            shown = self.shown(agent)
            self.assertEqual(
                {name: shown[name] for name in ("Mode", "Execution Delay", "Next Start time",
                                                "on SSD", "MaxConcurrentPd", "Excluded VDs")},
                {"Mode": "Auto", "Execution Delay": "24", "Next Start time": "01/30/2037, 03:00:00",
                 "on SSD": "Enabled", "MaxConcurrentPd": "3", "Excluded VDs": "None"})
            self.assertEqual(self.scheduled(agent), ("24 hrs", "01/30/2037, 03:00:00"))
            agent.ctl("/c0", "set", "prrate=45%")
            rows = agent.json("/c0", "show", "prrate")["Response Data"]["Controller Properties"]
            self.assertEqual(rows, [{"Ctrl_Prop": "Patrol Read Rate", "Value": "45%"}])
            for words in (["patrolread=of"], ["patrolread=on", "mode=never"], ["patrolread"],
                          ["patrolread=off", "mode=auto"], ["patrolread", "delay=8761"],
                          ["patrolread", "delay=-1"], ["patrolread", "maxconcurrentpd=0"],
                          ["patrolread", "includessds=both", "delay=1"],
                          ["patrolread", "delay=1", "starttime=2037/13/30 03"]):
                self.refused(agent, "set", *words)
            for order in (["patrolread=off", "mode=auto"], ["patrolread=OFF", "mode=Manual"]):
                self.assertIn("patrolread=off contradicts mode=",
                              agent.ctl("/c0", "set", *order, check=False).stdout)
            agent.ctl("/c0", "set", "patrolread=on", "mode=manual")
            self.assertEqual(self.shown(agent)["Mode"], "Manual")
            self.assertEqual(self.scheduled(agent)[0], "NA")
            agent.ctl("/c0", "set", "patrolread=off")
            self.assertEqual(self.shown(agent)["Mode"], "Disable")
            self.assertEqual(self.refused(agent, "start", "patrolread"), 39)
            agent.ctl("/c0", "set", "patrolread=on")
            self.assertEqual(self.shown(agent)["Mode"], "Auto")


if __name__ == "__main__":
    unittest.main()
