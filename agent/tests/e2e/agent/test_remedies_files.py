"""The commands of findings about members that are files: written to, shrunk, deleted, apart."""

import re
import shutil
import unittest

import nbd
from cases import PlainFiles
from harness import EID, MIB
from taken import Taken, slot_path


class FilesRemedies(PlainFiles, Taken):
    def mirror(self, count=4, level="r1", drives="0,1"):
        agent = self.host(count)
        agent.ctl("/c0", "add", "vd", level, f"drives={EID}:{drives}", "name=data")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        self.write(agent)
        return agent

    def spoil(self, path):
        with path.open("r+b") as file:
            file.write(b"not ours" * 512 * 256)

    def test_a_member_that_another_program_wrote_to(self):
        agent = self.mirror()
        agent.stop()
        self.spoil(agent.directory / "plain1")
        agent.start()
        self.take(agent, "remedy_drive_overwritten", "start rebuild")
        agent.optimal("data")

    def test_the_last_copy_was_written_to(self):
        agent = self.mirror()
        agent.ctl(slot_path(0), "set", "offline")
        agent.stop()
        self.spoil(agent.directory / "plain1")
        agent.start()
        self.take(agent, "remedy_drive_overwritten_used", "set online")

    def test_a_hot_spare_that_another_program_wrote_to(self):
        for words in ("add hotsparedrive", "delete hotsparedrive"):
            agent = self.mirror()
            agent.ctl(slot_path(2), "add", "hotsparedrive")
            agent.stop()
            with (agent.directory / "plain2").open("r+b") as file:
                file.seek(32 * MIB)  # where its label is
                file.write(bytes(MIB))
            agent.start()
            self.take(agent, "remedy_spare_overwritten", words)
            agent.close()

    def test_a_drive_that_shrank(self):
        agent = self.mirror()
        agent.stop()
        with (agent.directory / "plain1").open("r+b") as file:
            file.truncate(95 * MIB)
        agent.start()
        self.take(agent, "remedy_drive_shrunk", "set good force")

    def test_data_in_doubt(self):
        agent = self.mirror(level="r5", drives="0-2")
        agent.ctl("/c0/v0", "set", "stripelog=off")
        agent.ctl(slot_path(1), "set", "offline")
        with agent.nbd() as disk:
            for number in range(64):
                disk.aio_pwrite(nbd.Buffer.from_bytearray(bytearray(4096)), number * 76 * 1024)
            agent.kill()
        agent.start()
        self.command(agent, "remedy_data_suspect", "v0 delete doubt")
        self.take(agent, "remedy_drive_offline", "start rebuild")
        agent.optimal("data")
        self.take(agent, "remedy_data_suspect_whole", "v0 delete doubt")

    def test_a_member_that_is_later(self):
        agent = self.went_apart(rounds=4)
        self.take(agent, "remedy_drive_later", "start rebuild")
        agent.optimal("data")

    def test_a_file_that_was_deleted(self):
        agent = self.mirror()
        (agent.directory / "plain1").unlink()
        _, command = self.command(agent, "remedy_drive_path_deleted", "target=DRIVE")
        agent.ctl(*command.replace("DRIVE", f"{EID}:3").split())
        agent.until("the copyback", lambda view: view.drive(3)["state"] == "online")
        agent.optimal("data")

    def test_a_deleted_file_is_given_nothing(self):
        """Neither a hot spare nor a free drive: the data would go with the agent."""
        agent = self.mirror()
        agent.ctl("/c0", "set", "glitchtime=0")
        agent.ctl(slot_path(2), "add", "hotsparedrive")
        agent.ctl(slot_path(3), "add", "hotsparedrive")  # claimed from now on
        agent.ctl(slot_path(3), "delete", "hotsparedrive")
        for number in (2, 3):
            (agent.directory / f"plain{number}").unlink()
        agent.until("it to be told", lambda _: ("drive_path_lost", slot_path(2)) in
                    self.findings(agent))
        refused = agent.ctl(slot_path(0), "start", "copyback", f"target={EID}:3", check=False)
        self.assertNotEqual(refused.returncode, 0, refused.stdout)
        agent.ctl(slot_path(1), "set", "offline")
        self.command(agent, "remedy_drive_offline", "s1 start rebuild")
        self.assertEqual(agent.view().drive(2)["state"], "hot_spare")

    def went_apart(self, rounds):
        """The old state directory, and a member that went on alone."""
        agent = self.mirror()
        agent.stop()
        first, away = agent.directory / "plain0", agent.directory / "away"
        kept = agent.directory / "kept"
        shutil.copytree(agent.state_dir, kept)
        for drive, data in ((first, b"one."), (agent.directory / "plain1", b"two.")):
            drive.rename(away)
            shutil.rmtree(agent.state_dir)
            shutil.copytree(kept, agent.state_dir)
            agent.start()
            for _ in range(rounds if drive == first else 1):
                self.write(agent, data * 1024)
                agent.stop()
                agent.start()
            agent.stop()
            away.rename(drive)
        return agent.start()

    def test_two_lives(self):
        agent = self.went_apart(rounds=1)
        rows = self.findings(agent)
        said = [said for row in rows.values()
                for said in re.findall(r'"(/c[^"]+)"', row["Next Step"])]
        self.assertEqual(len(set(said)), 1, rows)
        agent.ctl(*said[0].split())
        agent.optimal("data")


if __name__ == "__main__":
    unittest.main()
