"""Every command that a finding prints is taken as it stands: it is accepted, and the finding ends, or
the command shows what the finding says that it shows."""

import re
import shutil
import unittest

from cases import AgentCase, PlainFiles
from harness import EID, MIB


def slot_path(slot):
    return f"/c0/e{EID}/s{slot}"


class Taken(AgentCase):
    def findings(self, agent):
        answer = agent.json("/c0", "show", "health")["Response Data"]
        return {row["Code"]: row for row in answer.get("Health", [])}

    def command(self, agent, code, words):
        """The command of this finding that ends with these words, once it is there."""
        def printed(_):
            text = self.findings(agent).get(code, {}).get("Next Step", "")
            return next((said for said in re.findall(r'"(/c[^"]+)"', text)
                         if said.endswith(words)), None)
        try:
            return agent.until(f'{code} with "{words}"', printed)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.findings(agent)}") from None

    def take(self, agent, code, words, *, ends=True):
        """Runs it; the finding ends, unless the command only shows something."""
        command = self.command(agent, code, words)
        done = agent.ctl(*command.split(), check=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        if ends:
            agent.until(f"the end of {code}", lambda _: code not in self.findings(agent))
        return done.stdout

    def group(self, slots=3, members=3, level="raid5"):
        agent = self.agent(slots=slots).start()
        agent.ctl("/c0", "set", "glitchtime=0")
        agent.create(level, range(members))
        agent.until("consistency", lambda view: view.vd()["consistent"])
        return agent

    def write(self, agent, data=b"kept" * 1024):
        with agent.nbd() as disk:
            disk.pwrite(data, 0)
            disk.flush()


class Remedies(Taken):
    # Members

    def test_an_offline_member(self):
        agent = self.group()
        agent.ctl(slot_path(1), "set", "offline")
        self.take(agent, "drive_offline", "start rebuild")
        agent.optimal()

    def test_a_member_that_came_back_without_automatic_rebuild(self):
        agent = self.group()
        agent.ctl("/c0", "set", "autorebuild=off")
        agent.fault(1, "pull")
        agent.until("the loss", lambda view: view.vd()["state"] == "degraded")
        self.write(agent)
        agent.fault(1, "return")
        self.take(agent, "virtual_drive_degraded", "start rebuild")
        agent.optimal()

    def test_automatic_rebuild_is_off(self):
        agent = self.group(slots=4)
        agent.ctl("/c0", "set", "autorebuild=off")
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(1, "pull")
        self.take(agent, "virtual_drive_degraded", "set autorebuild=on")
        agent.optimal()

    def test_a_failed_member(self):
        agent = self.group()
        agent.fault(1, "write_error")
        self.write(agent, b"x" * MIB)
        self.take(agent, "drive_failed", "start locate", ends=False)

    def test_a_drive_whose_place_was_taken(self):
        agent = self.group(slots=4)
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(1, "write_error")
        self.write(agent, b"x" * MIB)
        agent.until("the spare", lambda view: view.drive(3)["state"] == "online")
        agent.fault(1, "clear")
        self.take(agent, "drive_unconfigured_bad", "set good")

    def rebuilding(self):
        agent = self.group(slots=4)
        agent.fault(3, "slow", latency_ms=300)
        self.addCleanup(lambda: agent.process and agent.fault(3, "clear"))
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(1, "pull")
        agent.until("the rebuild", lambda view: view.running("rebuild"))
        return agent

    def test_a_paused_rebuild(self):
        agent = self.rebuilding()
        agent.ctl(slot_path(3), "pause", "rebuild")
        command = self.command(agent, "virtual_drive_degraded", "resume rebuild")
        agent.fault(3, "clear")
        agent.ctl(*command.split())
        agent.optimal()

    def test_a_stopped_rebuild(self):
        agent = self.rebuilding()
        agent.ctl(slot_path(3), "stop", "rebuild")
        command = self.command(agent, "virtual_drive_degraded", "start rebuild")
        agent.fault(3, "clear")
        agent.ctl(*command.split())
        agent.optimal()

    # Hot spares

    def test_a_missing_hot_spare(self):
        agent = self.group(slots=4)
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(3, "pull")
        self.take(agent, "spare_missing", "delete hotsparedrive")

    # Virtual drives

    def test_lost_blocks(self):
        """A rebuild meets blocks that another member cannot read."""
        agent = self.group(slots=4)
        with agent.nbd() as disk:
            for at in range(0, disk.get_size(), MIB):
                disk.pwrite(b"w" * MIB, at)
        agent.fault(1, "media_error", lba=150, count=8)
        agent.ctl(slot_path(3), "add", "hotsparedrive")
        agent.fault(0, "pull")
        agent.until("the rebuild", lambda view: view.vd()["state"] == "optimal" and
                    not view.running("rebuild"))
        told = self.take(agent, "virtual_drive_lost_blocks", "show badblocks", ends=False)
        self.assertIn("Lost", told)

    def test_places_that_disagree(self):
        agent = self.group(members=2, level="raid1", slots=2)
        self.write(agent, b"k" * MIB)
        with (agent.directory / "d1").open("r+b") as file:
            file.seek(65536)
            file.write(b"other" * 100)
        agent.ctl("/c0/v0", "start", "cc")
        self.take(agent, "redundancy_inconsistent", "show cc", ends=False)

    def test_writes_that_were_lost(self):
        agent = self.agent(slots=3, config="")
        cache = agent.directory / "cache"
        with agent.config_path.open("a") as config:
            config.write(f'profile = "native";\ncache = {{ medium = "pmem"; path = "{cache}"; '
                         'size = "16 MiB"; };\n')
        agent.start()
        agent.create("raid5", range(3), write_policy="write_back")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        self.write(agent)
        agent.kill()
        cache.unlink()
        agent.start()
        self.take(agent, "writes_lost", "delete preservedcache")


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
        self.take(agent, "drive_overwritten", "start rebuild")
        agent.optimal("data")

    def test_the_last_copy_was_written_to(self):
        agent = self.mirror()
        agent.ctl(slot_path(0), "set", "offline")
        agent.stop()
        self.spoil(agent.directory / "plain1")
        agent.start()
        self.take(agent, "drive_overwritten", "set online")

    def test_a_hot_spare_that_another_program_wrote_to(self):
        for words in ("add hotsparedrive", "delete hotsparedrive"):
            agent = self.mirror()
            agent.ctl(slot_path(2), "add", "hotsparedrive")
            agent.stop()
            with (agent.directory / "plain2").open("r+b") as file:
                file.seek(32 * MIB)  # where its label is
                file.write(bytes(MIB))
            agent.start()
            self.take(agent, "spare_overwritten", words)
            agent.close()

    def test_a_drive_that_shrank(self):
        agent = self.mirror()
        agent.stop()
        with (agent.directory / "plain1").open("r+b") as file:
            file.truncate(95 * MIB)
        agent.start()
        self.take(agent, "drive_shrunk", "set good force")

    def test_two_lives(self):
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
            self.write(agent, data * 1024)
            agent.stop()
            away.rename(drive)
        agent.start()
        rows = self.findings(agent)
        said = [said for row in rows.values()
                for said in re.findall(r'"(/c[^"]+)"', row["Next Step"])]
        self.assertEqual(len(set(said)), 1, rows)
        agent.ctl(*said[0].split())
        agent.optimal("data")


if __name__ == "__main__":
    unittest.main()
