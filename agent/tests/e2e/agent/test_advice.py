"""What a refusal tells to do is done as it says, and works. Dates that do not exist are refused."""

import re
import subprocess
import unittest
from pathlib import Path

from cases import AgentCase, need
from harness import EID, MIB

PROFILES = Path(__file__).resolve().parents[3] / "profiles"


def refusal(done):
    return done.stdout + done.stderr


@need("mkfs.ext4")
class Advice(AgentCase):
    def host(self, count, formatted=()):
        """Plain files as drives; those in `formatted` carry a file system."""
        agent = self.agent(slots=0, drives=[])
        files = [agent.directory / f"plain{number}" for number in range(count)]
        for number, path in enumerate(files):
            with path.open("wb") as file:
                file.truncate(96 * MIB)
            if number in formatted:
                subprocess.run(["mkfs.ext4", "-q", "-F", str(path)], check=True)
        listed = ",\n".join(f'{{ path = "{path}"; enclosure = {EID}; slot = {slot}; }}'
                            for slot, path in enumerate(files))
        text = agent.config_path.read_text().replace("drives = (\n  \n)", f"drives = (\n{listed}\n)")
        agent.config_path.write_text(text.replace("slots = 1;", "slots = 64;"))
        return agent.start()

    def followed(self, agent, *words):
        """Refused, with words to be added; with those it succeeds, without anything else."""
        done = agent.ctl(*words, check=False)
        self.assertNotEqual(done.returncode, 0, words)
        text = refusal(done)
        confirm = re.search(r'confirm=([^\s."<]+)|"confirm=([^"]+)"', text)
        if re.search(r"[Rr]epeat with force\b(?! and)", text):
            more = ["force"]
        elif "(acceptrisk)" in text:
            more = ["acceptrisk"]
        else:
            self.assertTrue(confirm, f"no advice: {text}")
            more = [f"confirm={confirm[1] or confirm[2]}"]
        self.assertIn("Status = Success", agent.ctl(*words, *more).stdout, text)
        return text

    def test_drives_with_data(self):
        agent = self.host(4, formatted=(0, 1, 2))
        text = self.followed(agent, "/c0", "add", "vd", "r0", f"drives={EID}:0,3")
        self.assertIn("carries ext4", text)
        self.followed(agent, f"/c0/e{EID}/s1", "add", "hotsparedrive")
        serial = agent.view().drive(2)["serial"]
        self.followed(agent, f"/c0/e{EID}/s2", "start", "erase", f"confirm={serial}")

    def test_force_is_enough_for_any_number_of_drives(self):
        agent = self.host(20, formatted=range(20))
        self.followed(agent, "/c0", "add", "vd", "r0", f"drives={EID}:0-19")

    def test_a_place_of_a_lost_member(self):
        agent = self.host(3, formatted=(2,))
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
        agent.ctl(f"/c0/e{EID}/s1", "set", "offline")
        agent.ctl(f"/c0/e{EID}/s1", "set", "missing")
        self.followed(agent, f"/c0/e{EID}/s2", "insert", "dg=0", "array=0", "row=1")

    def test_virtual_drives(self):
        agent = self.agent(slots=2)
        agent.start()
        agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:0,1", "name=data")
        self.followed(agent, "/c0/v0", "set", "preset=maximum-performance")
        with agent.nbd():
            done = agent.ctl("/c0/v0", "del", "confirm=data", check=False)
            self.assertIn("Disconnect its users first", refusal(done))
        self.followed(agent, "/c0/v0", "del")
        for word in ("force", "confirm=data"):
            agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:0,1", "name=data")
            text = refusal(agent.ctl("/c0/v0", "del", check=False))
            self.assertIn(word, text)
            agent.ctl("/c0/v0", "del", word)

    def test_foreign_drives(self):
        agent = self.host(3)
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
        agent.stop()
        for record in agent.state_dir.glob("r-*"):
            record.unlink()
        agent.start()
        self.followed(agent, "/c0/fall", "delete")


class Dates(AgentCase):
    WRONG = ("2031/02/29 00", "2027/02/30 00", "2027/04/31 12", "2027/13/01 00", "2027/00/10 00",
             "2027/01/00 00", "2027/01/32 00", "2027/01/31 24", "2100/02/29 00")

    def test_days_that_do_not_exist(self):
        with self.agent(slots=1) as agent:
            for wrong in self.WRONG:
                for typed in (wrong, f'"{wrong}"'):
                    for words in (("/c0", "set", "patrolread=on", "mode=auto",
                                   f"starttime={typed}"),
                                  ("/c0", "show", "events", f"since={typed}")):
                        done = agent.ctl(*words, check=False)
                        self.assertNotEqual(done.returncode, 0, words)
            agent.ctl("/c0", "set", "patrolread=on", "mode=auto", "starttime=2032/02/29 10")
            shown = agent.ctl("/c0", "show", "patrolread").stdout
            self.assertIn("02/29/2032, 10:00:00", shown)

    def test_learn_cycles(self):
        agent = self.agent(slots=1, config=(
            f'profiles_dir = "{PROFILES}";\n'
            'battery = { source = "emulated"; profile = "lsi-ibbu07"; speed = 1; };'))
        agent.start()
        for wrong in self.WRONG:
            done = agent.ctl("/c0/bbu", "set", f"learnStartTime={wrong}", check=False)
            self.assertNotEqual(done.returncode, 0, wrong)
        agent.ctl("/c0/bbu", "set", "learnStartTime=2032/02/29 10")


class SmallAnswers(AgentCase):
    def test_a_failure_never_says_that_it_succeeded(self):
        with self.agent(slots=3) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
            for words in ((f"/c0/e{EID}/s0-9", "show"), (f"/c0/e{EID}/s0-9", "show", "all"),
                          ("/c0/d0-3", "show"), ("/c0/d9", "show"), ("/c0/v0-3", "show"),
                          ("/c0/v9", "show", "all"), ("/c0/e1", "show"), ("/c0/s1", "show"),
                          (f"/c0/e{EID}/s0,8", "show", "rebuild"), ("/c0/v0,4", "show", "bgi"),
                          (f"/c0/e{EID}/s0,8", "start", "locate"), ("/c0/v0,4", "set", "name=x"),
                          (f"/c0/e{EID}/s0,8", "show", "smart"),
                          (f"/c0/e{EID}/s0,8", "show", "perf"), ("/c0/v0,4", "show", "policies"),
                          (f"/c0/e{EID}/s0,8", "show", "badblocks")):
                status = agent.json(*words, check=False)["Command Status"]
                self.assertEqual(status["Status"], "Failure", words)
                self.assertNotRegex(status["Description"], r"(?i)succe", words)
                self.assertNotRegex(agent.ctl(*words, check=False).stdout, r"Succeeded", words)

    def test_version_in_every_way_it_is_asked_for(self):
        agent = self.agent(slots=0)
        for words in (["-v"], ["v"], ["ver"], ["version"], ["--version"], ["V"], ["VERSION"]):
            self.assertRegex(agent.ctl(*words).stdout, r"\d+\.\d+\.\d+", words)


if __name__ == "__main__":
    unittest.main()
