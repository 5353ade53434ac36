"""3ware's tw_cli changes things: its words, its questions, its exit statuses."""

import re
import tempfile
import unittest
from pathlib import Path

import faces
import in_memory
from cases import AgentCase
from harness import EID, LoopDevice, loop_devices_work
from states import PROFILES, fitted

in_memory.use()
AGENT = Path(__file__).resolve().parents[3]


class ThreeWare(AgentCase):
    def tw(self, agent, words, answer=None, code=0):
        done = faces.run("tw_cli", str(agent.control_path), words.split(),
                         None if answer is None else f"{answer}\n")
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def units(self, agent):
        rows = self.tw(agent, "/c0 show unitstatus").splitlines()[3:-1]
        return [row.split()[:3] for row in rows]

    def test_units_come_and_go(self):
        with self.agent(slots=8) as agent:
            self.assertEqual(
                self.tw(agent, "/c0 add type=raid5 disk=0:1-2 stripe=64 name=data nocache"),
                "Creating new unit on controller /c0 ...  Done. The new unit is /c0/u0.\n\n")
            self.assertEqual(
                self.tw(agent, "maint createunit c0 rraid1 p4:5 nlogs"),
                "Creating new unit on controller /c0 ...  Done. The new unit is /c0/u1.\n\n")
            self.assertEqual(
                self.tw(agent, "maint createunit c0 rspare p3"),
                "Creating new unit on controller /c0 ...  Done. The new unit is /c0/u2.\n\n")
            self.assertEqual(self.tw(agent, "/c0 add type=single disk=6"),
                             "Creating new unit on controller /c0 ...  Done. "
                             "The new unit is /c0/u2.\n\n")
            view = agent.view()
            self.assertEqual((view.vd()["level"], view.vd()["strip_bytes"],
                              view.vd()["write_policy"]["requested"]),
                             ("raid5", 65536, "write_through"))
            self.assertEqual([row[1] for row in self.units(agent)],
                             ["RAID-5", "RAID-1", "Single", "SPARE"])
            # A question, and N is the answer of whoever gives none.
            asked = ("Deleting /c0/u0 will cause the data on the unit to be permanently lost.\n"
                     "Do you want to continue ? Y|N [N]: ")
            for answer in (None, "n", "", "yellow"):
                self.assertEqual(self.tw(agent, "/c0/u0 del", answer, code=1), asked + "\n")
            self.assertEqual(len(self.units(agent)), 4)
            self.assertEqual(self.tw(agent, "/c0/u0 del", "y"),
                             asked + "Deleting unit c0/u0 ...Done.\n\n")
            self.assertEqual(self.tw(agent, "maint deleteunit c0 u3 quiet"),
                             "Deleting unit c0/u3 ...Done.\n\n")  # the spare
            self.assertEqual(self.tw(agent, "maint deleteunit c0 u1", "Y").splitlines()[-2:],
                             ["Do you want to continue ? Y|N [N]: Deleting unit c0/u1 ...Done.", ""])
            self.assertEqual([row[:2] for row in self.units(agent)], [["u2", "Single"]])
            for words, text in (
                    ("/c0 add type=raid5 disk=0-1", "Failed.\n\nError: (CLI:058) "),
                    ("/c0 add type=raid1 disk=0-3", "type=raid1 takes 2 drive(s)."),
                    ("/c0 add type=raid9 disk=0-3", "type= must be"),
                    ("/c0 add type=raid5 disk=0:99", "no drive at port p99"),
                    ("/c0 add type=raid5 disk=0;1", "must be a list of ports"),
                    ("/c0 add type=raid5", "must be named"),
                    ("/c0 add type=raid5 disk=0-2 color=red", "An option is not known"),
                    ("/c0 add type=raid5 disk=0-2 v0=10", "one volume"),
                    ("/c0/u2 migrate type=raid5 disk=0:1", "keeps its RAID level"),
                    ("/c0/u9 del quiet", "(CLI:053)"), ("/c0 del quiet", "(CLI:003)"),
                    ("maint flush c0 u9", "(CLI:053)"), ("flush c0 u2 u3", "(CLI:003)")):
                self.assertIn(text, self.tw(agent, words, code=1), words)
            self.assertEqual(len(self.units(agent)), 1)

    @unittest.skipUnless(loop_devices_work(), "loop devices cannot be made here")
    def test_a_drive_with_content_is_asked_about(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="aw-")))
        device = LoopDevice(folder / "disk", 128)
        self.addCleanup(device.detach)
        Path(device.path).write_bytes(b"\0" * 1080 + b"\x53\xef".ljust(8, b"\0"))  # ext4's magic
        agent = self.agent(drives=[f'{{ path = "{device.path}"; enclosure = {EID}; slot = 0; }}'])
        agent.start()
        self.assertIsNotNone(agent.view().drive(0)["unsuitable"])
        for words in ("/c0 add type=single disk=0", "/c0 add type=spare disk=0"):
            self.assertIn("permanently lost.\nDo you want", self.tw(agent, words, code=1))
        self.assertEqual(self.units(agent), [])
        self.assertIn("Done. The new unit is /c0/u0.",
                      self.tw(agent, "/c0 add type=single disk=0", "y"))

    def test_settings(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="aw-"))
        with self.agent(slots=3, config=f'profiles_dir = "{PROFILES}";\n{fitted(folder)}') as agent:
            agent.create("raid5", [0, 1, 2])

            def held(words, said, field, value, requested=True):
                self.assertTrue(self.tw(agent, words).endswith(f"{said} ... Done.\n\n"), words)
                shown = agent.view().vd()[field]
                self.assertEqual(shown["requested"] if requested else shown, value, words)

            held("/c0/u0 set cache=on", "Setting Write Cache Policy on /c0/u0 to [on]",
                 "write_policy", "write_back")
            held("/c0/u0 set wrcache=off", "Setting Write Cache Policy on /c0/u0 to [off]",
                 "write_policy", "write_through")
            held("/c0/u0 set rdcache=intelligent",
                 "Setting Read Cache Policy on /c0/u0 to [intelligent]", "read_policy",
                 "adaptive_read_ahead")
            held("/c0/u0 set rdcache=basic", "Setting Read Cache Policy on /c0/u0 to [basic]",
                 "io_policy", "cached", requested=False)
            self.tw(agent, "/c0/u0 set name=web")
            self.assertEqual(agent.view().vd("web")["name"], "web")
            self.tw(agent, "/c0/u0 set name=data")
            self.assertEqual(self.tw(agent, "/c0/u0 set qpolicy=on"),
                             "Setting Command Queuing Policy for unit /c0/u0 to [on] ... Done.\n\n")
            self.tw(agent, "/c0/u0 set rapidrecovery=all")
            self.tw(agent, "/c0/u0 set ignoreECC=on")
            for words in ("/c0/u0 set qpolicy=off", "/c0/u0 set rapidrecovery=disable",
                          "/c0/u0 set ignoreECC=off"):
                self.assertIn("Failed.\n\nError: (CLI:058) ", self.tw(agent, words, code=1))
            for words in ("/c0/u0 set cache=maybe", "/c0/u0 set", "/c0/u0 set cache", "/c0 set x=1",
                          "/c0/p0 set identify=blink", "/c0 set rebuildrate=6"):
                self.assertIn("Error: (CLI:112) ", self.tw(agent, words, code=1), words)
            self.tw(agent, "/c0/u0 set identify=on")
            self.tw(agent, "/c0/p1 set identify=off")
            self.assertEqual([agent.view().drive(slot)["locating"] for slot in range(3)],
                             [True, False, True])
            self.tw(agent, "/c0 set rebuildrate=5")
            self.tw(agent, "/c0 set verifyrate=1")
            self.tw(agent, "/c0 set autorebuild=off")
            self.tw(agent, "/c0/u0 set autoverify=off")
            (controller,) = agent.view().all("controller").values()
            self.assertEqual([controller[key] for key in (
                "rebuild_rate_percent", "patrol_rate_percent", "auto_rebuild", "patrol_mode")],
                [100, 10, False, "manual"])
            row = self.tw(agent, "show").splitlines()[3].split()
            self.assertEqual(row[6:8], ["5", "1"])
            self.tw(agent, "/c0 set verify=basic pref=Fri:23")
            self.assertIn("/c0 basic verify weekly preferred start: Friday, 11:00PM\n",
                          self.tw(agent, "/c0 show verify"))
            self.assertIn("(CLI:112)", self.tw(agent, "/c0 set verify=basic pref=Fri:24", code=1))
            self.assertIn("no windows", self.tw(agent, "sched verify c0 enable", code=1))
            self.assertIn("no windows", self.tw(agent, "/c0 add rebuild=Mon:10:2", code=1))
            self.assertIn("(CLI:003)", self.tw(agent, "sched rebuild c0 1", code=1))
            agent.until("the battery", lambda view: any(
                doc["state"] == "optimal" for doc in view.all("battery").values()))
            self.assertIn("24 hours.\nDo you want", self.tw(agent, "/c0/bbu test", code=1))
            self.assertIn("Done.", self.tw(agent, "/c0/bbu test quiet"))

    def test_work(self):
        with self.agent(slots=5) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            for slot in range(3):
                agent.fault(slot, "slow", latency_ms=50)
            self.assertEqual(self.tw(agent, "/c0/u0 start verify"),
                             "Sending start verify message to /c0/u0 ... Done.\n\n")
            self.assertEqual(self.units(agent)[0][2], "VERIFYING")
            self.assertIn("Done.", self.tw(agent, "maint verify c0 u0 stop"))
            self.assertIn("Done.", self.tw(agent, "maint mediascan c0 start"))
            self.assertTrue(agent.view().running("patrol_read"))
            self.assertIn("Done.", self.tw(agent, "/c0 stop mediascan"))
            for slot in range(3):
                agent.fault(slot, "clear")
            self.assertIn("Removing /c0/p1 will take the port off-line.\nDo you want",
                          self.tw(agent, "/c0/p1 remove", code=1))
            self.assertEqual(self.tw(agent, "maint remove c0 p1 quiet"),
                             "Removing port /c0/p1 ... Done.\n\n")
            self.assertEqual(self.units(agent)[0][2], "DEGRADED")
            self.assertIn("Done.", self.tw(agent, "/c0/p4 export", "y"))
            self.assertTrue(agent.view().drive(4)["spun_down"])
            agent.fault(3, "slow", latency_ms=100)
            self.assertIn("disk= must name", self.tw(agent, "/c0/u0 start rebuild", code=1))
            self.assertIn("Failed.", self.tw(agent, "/c0/u0 pause rebuild", code=1))
            self.assertEqual(self.tw(agent, "/c0/u0 start rebuild disk=1"),
                             "Sending rebuild start request to /c0/u0 on 1 disk(s) [1] ... "
                             "Done.\n\n")
            agent.until("the rebuilt unit", lambda view: view.vd()["state"] == "optimal")
            agent.fault(1, "pull")
            self.assertIn("Done.", self.tw(agent, "maint rebuild c0 u0 p3"))
            self.assertEqual(self.units(agent)[0][2], "REBUILDING")
            self.assertIn("Done.", self.tw(agent, "/c0/u0 pause rebuild"))
            self.assertEqual(self.units(agent)[0][2], "REBUILD-PAUSED")
            self.assertIn("Done.", self.tw(agent, "/c0/u0 resume rebuild"))
            alarms = self.tw(agent, "/c0 show alarms").splitlines()[3:-1]
            self.assertEqual(self.tw(agent, "show AENs reverse").splitlines()[3:-1][-len(alarms):],
                             alarms[::-1])
            self.assertIn("Verify started: unit=0\n", self.tw(agent, "alarms c0"))
            self.assertIn("Event Description: Rebuild started on", self.tw(agent, "show diag"))
            agent.fault(3, "clear")
            agent.until("the rebuilt unit", lambda view: view.vd()["state"] == "optimal")

    def test_the_documentation_names_what_is_not_supported(self):
        shown = faces.run("tw_cli", "none", ["help", "unsupported"]).stdout
        documented = (AGENT.parent / "docs/storcli.md").read_text()
        words = {word for line in shown.splitlines() if not line.startswith(" ")
                 for word in re.split(r"[ |]", re.sub(r"^/c\S+ ", "", line))}
        self.assertGreater(len(words), 20)
        for word in words:
            self.assertTrue(word.partition("=")[0] in documented, word)

    def test_no_arrayd(self):
        """Nagios plugins look for the sentence in the second line."""
        done = faces.run("tw_cli", "none", ["show"])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[:2], ["", "No controller found."])

    def test_a_terminal_and_a_script(self):
        """The answer is the next line that is typed; a script says quiet, or nothing happens."""
        with self.agent(slots=3) as agent:
            agent.create("raid1", [0, 1])
            text = self.tw(agent, "", "/c0/u0 del\nn\n/c0/u0 show name\n/c0/u0 del\ny\n"
                                      "/c0/u0 show name\nquit")
            self.assertIn("/c0/u0 name = data\n", text)
            self.assertIn("Y|N [N]: Deleting unit c0/u0 ...Done.\n\n//localhost> Error: (CLI:053)",
                          text)
            script = agent.directory / "script"
            script.write_text("/c0 add type=raid1 disk=0:1 name=one\n/c0/u0 del\n"
                              "/c0 add type=single disk=2 name=two\n")
            self.tw(agent, f"-f {script}")
            self.assertEqual(len(self.units(agent)), 2)
            script.write_text("/c0/u0 del quiet\n/c0/u1 del noscan quiet\n")
            self.tw(agent, f"-f {script}")
            self.assertEqual(self.units(agent), [])
