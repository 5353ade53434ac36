"""MegaCLI's forms of a command line, its exit statuses, its event log, and that it changes nothing."""

import re
import tempfile
from pathlib import Path

import faces
import in_memory
from cases import AgentCase
from harness import EID

in_memory.use()


class MegaCli(AgentCase):
    def mega(self, agent, words, code=0, name="megacli"):
        done = faces.run(name, str(agent.control_path), words.split())
        self.assertEqual(done.returncode, code, done.stdout)
        self.assertTrue(done.stdout.endswith(f"\nExit Code: 0x{code:02x}\n"), done.stdout)
        return done.stdout

    def test_forms_of_a_command(self):
        with self.agent(slots=4, controllers=2) as agent:
            agent.create("raid10", [0, 1, 2, 3])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            shown = self.mega(agent, "-LDInfo -Lall -aALL")
            self.assertIn("Number Of Drives per span:2\nSpan Depth          : 2\n", shown)
            self.assertIn("\nAdapter 1: No Virtual Drive Configured.\n", shown)
            first = self.mega(agent, "-LDInfo -L0 -a0")
            self.assertIn("Primary-1, Secondary-3, RAID Level Qualifier-0", first)
            for words in ("-ldinfo -l0 -a0 -nolog", "LdInfo L0 a0", "-LDInfo -L 0 -a 0",
                          "-LDInfo -lall -a0 -Silent"):
                for name in ("megacli", "MegaCli64"):
                    self.assertEqual(self.mega(agent, words, name=name), first, words)
            drive = self.mega(agent, f"-PDInfo -PhysDrv [{EID}:2] -a0")
            self.assertIn("Drive's position: DiskGroup: 0, Span: 1, Arm: 0\n", drive)
            self.assertEqual(self.mega(agent, f"-pdinfo -physdrv[{EID}:2] -a0"), drive)
            self.assertIn("Slot - 9 is not found",
                          self.mega(agent, f"-PDInfo -PhysDrv [{EID}:9] -a0", code=1))
            self.assertIn("Controller Count: 2.", self.mega(agent, "-AdpCount", code=2))
            self.assertIn("not present", self.mega(agent, "-AdpBbuCmd -aALL", code=34))
            self.assertIn("only shows", self.mega(agent, "-AdpBbuCmd -BbuLearn -a0", code=1))

    def test_it_changes_nothing(self):
        with self.agent(slots=3) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            for words in ("-CfgLdDel -L0 -a0", "-CfgClr -aALL", f"-PDOffline -PhysDrv [{EID}:0] -a0",
                          f"-PDHSP -Set -PhysDrv [{EID}:2] -a0", "-LDSetProp WB -Lall -aALL",
                          f"-CfgLdAdd -r0 [{EID}:2] -a0", "-AdpPR -Start -a0", "-LDCC -Start -L0 -a0",
                          "-AdpEventLog -Clear -a0", "-frob"):
                self.assertRegex(self.mega(agent, words, code=1), "Invalid input|say which events")
            view = agent.view()
            self.assertEqual((view.vd()["state"], view.drive(2)["state"]),
                             ("optimal", "unconfigured_good"))

    def test_the_event_log(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.fault(1, "pull")
            agent.until("the loss", lambda view: view.vd()["state"] == "degraded")
            shown = self.mega(agent, "-AdpEventLog -GetEvents -critical -fatal -a0")
            self.assertEqual(re.findall(r"(?m)^Event Description: (.+)$", shown),
                             ["VD 00/0 is now DEGRADED"])
            self.assertIn("\nSuccess in AdpEventLog\n", shown)
            latest = self.mega(agent, "-AdpEventLog -GetLatest 2 -a0")
            self.assertEqual(latest.count("seqNum: 0x"), 2)
            info = dict(re.findall(r"(\w+) Seqnum: 0x([0-9a-f]{8})",
                                   self.mega(agent, "-AdpEventLog -GetEventLogInfo -aALL")))
            self.assertEqual(list(info), ["Newest", "Oldest", "Clear", "Shutdown", "Reboot"])
            self.assertIn(f"seqNum: 0x{info['Newest']}\n", latest)
            folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="aw-")))
            self.mega(agent, f"-AdpEventLog -GetSinceReboot -f {folder}/log -aALL")
            self.assertEqual(f"{(folder / 'log').read_text().count('seqNum: 0x'):08x}",
                             info["Newest"])
            self.assertIn("No such file", self.mega(
                agent, "-AdpEventLog -GetEvents -f /none/where -a0", code=1))
            self.assertIn("Degraded", self.mega(agent, "-LDInfo -L0 -a0"))
            self.assertIn("  Degraded        : 1 \n", self.mega(agent, "-AdpAllInfo -a0"))
