"""What a refusal tells to do is done as it says, and works. Dates that do not exist are refused."""

import os
import pty
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from cases import AgentCase, PlainFiles, need
from harness import ARRAYCTL, EID, MIB, PATIENCE_S, wait_for

PROFILES = Path(__file__).resolve().parents[3] / "profiles"


def refusal(done):
    return done.stdout + done.stderr


@need("mkfs.ext4")
class Advice(PlainFiles):
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

    def test_what_sits_in_the_bay_of_a_lost_member(self):
        agent = self.host(4)
        agent.ctl("/c0", "add", "vd", "r10", f"drives={EID}:0-3", "pdperarray=2", "name=data")
        agent.stop()
        path = agent.directory / "plain3"
        path.write_bytes(b"")
        with path.open("wb") as file:
            file.truncate(96 * MIB)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(path)], check=True)
        agent.start()
        told = agent.ctl("status").stdout
        self.assertIn(f"The drive in {EID}:3 carries ext4, so it is not used", told)
        command = re.search(r'overwrite it with "([^"]+)"', told)[1]
        self.assertIn("Status = Success", agent.ctl(*command.split()).stdout)
        wait_for("the rebuild", lambda: "Optl" in agent.ctl("/c0/v0", "show").stdout)

    def test_virtual_drives(self):
        agent = self.agent(slots=2)
        agent.start()
        agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:0,1", "name=data")
        self.followed(agent, "/c0/v0", "set", "preset=maximum-performance")
        with agent.nbd():
            for words in (["confirm=data"], []):
                done = agent.ctl("/c0/v0", "del", *words, check=False)
                self.assertIn("Disconnect its users first", refusal(done))
        boot_sector = bytes(510) + b"\x55\xaa"
        for word, undo in (("force", 1), ("confirm=data", 3)):
            with agent.nbd() as disk:
                disk.pwrite(boot_sector, 0)
            text = self.followed(agent, "/c0/v0", "del")
            self.assertIn('"data" carries a boot sector or partition table', text)
            self.assertIn(word, text)
            agent.ctl("/c0", "restore", f"undo={undo}")
            agent.ctl("/c0/v0", "del", word)
            agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:0,1", "name=data")
        agent.ctl("/c0/v0", "set", "accesspolicy=blocked")
        # Blocked for its clients; what it carries is looked at all the same.
        self.assertIn('"data" carries a boot sector', self.followed(agent, "/c0/v0", "del"))

    def test_declining_to_type_the_name(self):
        """On a terminal the end of input, an empty line and a wrong name change nothing."""
        agent = self.agent(slots=2).start()
        agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:0,1", "name=data")
        for typed in ("\x04", "\n", "dat\n"):
            ours, theirs = pty.openpty()
            with subprocess.Popen([ARRAYCTL, "/c0/v0", "del"], stdin=theirs, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env={"ARRAYWRIGHT_SOCKET": str(agent.control_path)}) as process:
                os.close(theirs)
                os.write(ours, typed.encode())
                text, _ = process.communicate(timeout=PATIENCE_S)
            os.close(ours)
            with self.subTest(typed=typed):
                self.assertNotEqual(process.returncode, 0)
                self.assertIn("data", text)
                self.assertEqual(agent.view().vd()["name"], "data")

    def test_a_virtual_drive_that_carries_nothing(self):
        """Plain del, as scripts for StorCLI have it; what was written comes back with undo. The
        cache is asked, not the drives alone."""
        agent = self.agent(slots=2)
        with agent.config_path.open("a") as config:
            config.write(f'profile = "native";\ncache = {{ medium = "shared-memory"; '
                         f'path = "{agent.directory}/cache"; size = "16 MiB"; }};\n')
        agent.start()
        agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:0,1", "name=data", "awb")
        with agent.nbd() as disk:
            disk.pwrite(b"kept" * 1024, 1 << 20)
        agent.ctl("/c0/v0", "del")
        self.assertEqual(agent.view().all("virtual_drive"), {})
        agent.ctl("/c0", "restore", "undo=1")
        with agent.nbd() as disk:
            self.assertEqual(bytes(disk.pread(4096, 1 << 20)), b"kept" * 1024)
            disk.pwrite(bytes(4086) + b"SWAPSPACE2", 0)
        done = agent.ctl("/c0/v0", "del", check=False)
        self.assertIn("carries swap space", refusal(done))

    def test_foreign_drives(self):
        agent = self.host(3)
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
        agent.stop()
        for record in agent.state_dir.glob("r-*"):
            record.unlink()
        agent.start()
        self.followed(agent, "/c0/fall", "delete")

    def test_a_name_chooses_among_foreign_sets(self):
        """What its name is typed for is cleared, and nothing else."""
        agent = self.host(4)
        for name, first in (("old", 0), ("new", 2)):
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:{first},{first + 1}",
                      f"name={name}")
        agent.stop()
        for record in agent.state_dir.glob("r-*"):
            record.unlink()
        agent.start()
        none = agent.json("/c0/fall", "delete", "confirm=other", check=False)["Command Status"]
        self.assertEqual([row["Status"] for row in none["Detailed Status"]], ["Failure"] * 2)
        done = agent.json("/c0/fall", "delete", "confirm=new")["Command Status"]
        self.assertEqual(done["Description"], "Successfully deleted foreign configuration")
        agent.ctl("/c0/fall", "import")
        self.assertEqual(agent.view().vd("old")["name"], "old")

    def test_a_drive_group_that_is_offline(self):
        """Nothing tells to insert new drives: that would not help."""
        agent = self.host(3)
        agent.ctl("/c0", "add", "vd", "r5", f"drives={EID}:0-2", "name=data")
        agent.stop()
        for number in (0, 1):
            (agent.directory / f"plain{number}").unlink()
        agent.start()
        told = agent.ctl("/c0/d0", "explain").stdout
        self.assertIn("cannot do without them", told)
        self.assertIn("Do not delete or initialize anything", told)
        self.assertNotIn("insert new ones", told)

    def remedy(self, agent, code):
        (finding,) = agent.json("/c0", "show", "health")["Response Data"]["Health"]
        self.assertEqual(finding["Code"], code)
        return f"{finding['Finding']} {finding['Next Step']}"

    def test_an_old_or_copied_member(self):
        """A copy in another slot, then a member that was moved there while a new drive took its
        place: what they are is said, an import is refused for it, and clearing frees them."""
        agent = self.host(4)
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
        agent.stop()
        files = [agent.directory / f"plain{number}" for number in range(4)]
        for move, slot in ((shutil.copyfile, 3), (shutil.move, 2)):
            move(files[1], files[slot])
            if not files[1].exists():
                with files[1].open("wb") as file:
                    file.truncate(96 * MIB)
            agent.start()
            agent.optimal("data")
            says = "old or copied members of drive group /c0/d0"
            text = self.remedy(agent, "foreign_configuration")
            self.assertIn(says, text)
            self.assertIn('"/c0/fall delete"', text)
            self.assertIn(says, agent.ctl("/c0/fall", "show").stdout)
            self.assertIn(says, refusal(agent.ctl("/c0/fall", "import", check=False)))
            self.followed(agent, "/c0/fall", "delete")
            agent.until("the status to be optimal", lambda _: "Findings = 0" in
                        agent.ctl("/c0", "show", "health").stdout)
            agent.ctl(f"/c0/e{EID}/s{slot}", "add", "hotsparedrive")
            agent.ctl(f"/c0/e{EID}/s{slot}", "delete", "hotsparedrive")
            agent.stop()

    def test_a_member_that_was_away_at_the_import(self):
        """Everything names one command, as it can be pasted, and that is what ends it."""
        agent = self.host(4)
        agent.ctl("/c0", "add", "vd", "r5", f"drives={EID}:0-2", "name=data")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        agent.stop()
        shutil.rmtree(agent.state_dir)
        drive, away = agent.directory / "plain1", agent.directory / "away"
        drive.rename(away)
        agent.start()
        agent.ctl("/c0/fall", "import")
        told = agent.ctl("status").stdout
        self.assertEqual(set(re.findall(r'"(/c[^"]+)"', told)),
                         {f"/c0/e{EID}/s3 insert dg=0 array=0 row=1"})
        agent.stop()
        away.rename(drive)
        agent.start()
        command = f"/c0/e{EID}/s1 insert dg=0 array=0 row=1 force"
        for words in (("status",), ("explain", "/c0/v0"), ("explain", "/c0/d0"),
                      ("explain", f"/c0/e{EID}/s1"), ("/c0", "show", "health"),
                      ("/c0/fall", "show"), ("/c0/fall", "import")):
            text = refusal(agent.ctl(*words, check=False))
            named = {said for said in re.findall(r'"(/c[^"]+)"', text)}
            self.assertEqual(named, {command}, words)
        self.assertIn("Status = Success", agent.ctl(*command.split()).stdout)
        agent.optimal("data")
        self.assertIn("Findings = 0", agent.ctl("/c0", "show", "health").stdout)
        agent.stop()
        agent.start()
        agent.optimal("data")

    def test_a_member_that_came_back_before_undo(self):
        agent = self.agent(slots=3).start()
        agent.ctl("/c0", "add", "vd", "r5", f"drives={EID}:0-2", "name=data")
        with agent.nbd() as disk:
            disk.pwrite(b"kept" * 1024, 0)
        agent.fault(1, "pull")
        agent.until("the loss", lambda view: view.vd()["state"] == "degraded")
        agent.ctl("/c0/v0", "del", "force")
        agent.fault(1, "return")
        agent.until("its return", lambda view: view.drive(1)["present"])
        agent.ctl("/c0", "restore", "undo=1")
        agent.optimal("data")
        self.assertIn("Findings = 0", agent.ctl("/c0", "show", "health").stdout)
        with agent.nbd() as disk:
            self.assertEqual(bytes(disk.pread(4096, 0)), b"kept" * 1024)

    def test_a_drive_group_that_was_deleted_here(self):
        """A member that was away then shows as foreign: it is restored, with what it has missed."""
        for level, count, refused in (("r1", 2, False), ("r5", 3, True)):
            with self.subTest(level=level):
                agent = self.host(3)
                agent.ctl("/c0", "add", "vd", level, f"drives={EID}:0-{count - 1}", "name=data")
                agent.until("consistency", lambda view: view.vd()["consistent"])
                agent.stop()
                drive, away = agent.directory / "plain1", agent.directory / "away"
                drive.rename(away)
                agent.start()
                with agent.nbd() as disk:
                    disk.pwrite(b"kept" * 1024, 0)
                agent.ctl("/c0/v0", "del", "force")
                agent.stop()
                away.rename(drive)
                agent.start()
                text = self.remedy(agent, "foreign_configuration")
                self.assertEqual("cannot be imported" in text, refused)
                self.assertNotIn("fall delete", text)
                self.assertNotIn("fall import", text)
                if not refused:
                    self.assertIn("was deleted here",
                                  agent.ctl("/c0/fall", "import", "preview").stdout)
                command = re.search(r'"(/c0 restore undo=\d+)"', text)[1]
                self.assertIn("Status = Success", agent.ctl(*command.split()).stdout)
                agent.optimal("data")
                with agent.nbd() as disk:
                    self.assertEqual(bytes(disk.pread(4096, 0)), b"kept" * 1024)
                self.assertIn("Findings = 0", agent.ctl("/c0", "show", "health").stdout)
                agent.close()

    def test_a_drive_that_is_configured_twice(self):
        agent = self.host(4)
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
        agent.stop()
        twin = agent.directory / "plain3"
        twin.unlink()
        os.link(agent.directory / "plain1", twin)
        agent.start()
        agent.optimal("data")
        text = self.remedy(agent, "drive_named_twice")
        self.assertIn(f"Remove {twin} from the drives in arrayd.conf", text)
        self.assertIn("no foreign configuration",
                      refusal(agent.ctl("/c0/fall", "show", "all", check=False)))
        self.assertIn("is the same device or file as", refusal(
            agent.ctl(f"/c0/e{EID}/s3", "add", "hotsparedrive", check=False)))
        agent.stop()
        lines = agent.config_path.read_text().splitlines()
        agent.config_path.write_text("\n".join(
            line.rstrip(",") if "plain2" in line else line for line in lines
            if "plain3" not in line))
        agent.start()
        agent.optimal("data")
        self.assertIn("Findings = 0", agent.ctl("/c0", "show", "health").stdout)

    def test_a_foreign_set_on_a_read_only_drive(self):
        agent = self.host(3, config="claim_wait_s = 1;")
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
        agent.stop()
        shutil.rmtree(agent.state_dir)
        drive = agent.directory / "plain1"
        drive.chmod(0o444)
        agent.start()
        text = self.remedy(agent, "foreign_configuration")
        self.assertIn("plain1 is read-only", text)
        self.assertIn("Remove the cause", text)
        for words in (("show",), ("import",), ("delete", "force")):
            self.assertIn("plain1 is read-only",
                          refusal(agent.ctl("/c0/fall", *words, check=False)))
        drive.chmod(0o644)
        agent.until("the set to be importable", lambda _: "read-only" not in
                    agent.ctl("/c0/fall", "show").stdout)
        agent.ctl("/c0/fall", "import")
        agent.optimal("data")


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
