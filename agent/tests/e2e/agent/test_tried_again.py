"""What arrayd does by itself goes on when what stood in its way is gone, without a restart."""

import subprocess
import tempfile
from pathlib import Path

from cases import AgentCase, digest, need, write_random
from harness import EID, MIB, Agent, wait_for


def small_file_system(size, prefix):
    """A tmpfs of its own, or None where this process may not mount one."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs",
                           str(folder)], check=False, capture_output=True)
    return folder if made.returncode == 0 else None


def fill(folder):
    """Takes all room that is left; the path to be removed again."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as target:
        try:
            while True:
                target.write(bytes(64 * 1024))
        except OSError:
            pass
    return filler


class TriedAgain(AgentCase):
    def mounted(self, size):
        folder = small_file_system(size, "aw-small-")
        if folder is None:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(lambda: (subprocess.run(["umount", str(folder)], check=True),
                                 folder.rmdir()))
        return folder

    def names(self, agent):
        with agent.control() as control:
            return [event["name"] for event in
                    control.ask("events.read", {"after_seq": 0, "limit": 256})["events"]]

    @need("mount")
    def test_full_state_directory_does_not_stop_a_rebuild(self):
        folder = self.mounted("8m")
        agent = Agent(slots=3)
        self.addCleanup(agent.close)
        text = agent.config_path.read_text()
        agent.config_path.write_text(text.replace(f'"{agent.state_dir}"', f'"{folder}/state"'))
        agent.start()
        agent.create("raid1", [0, 1])
        agent.ctl(f"/c0/e{EID}/s2", "add", "hotsparedrive")
        with agent.nbd() as handle:
            written = write_random(handle, 16 * MIB, seed=1)
            agent.until("consistency", lambda v: v.vd()["consistent"])
            filler = fill(folder)
            agent.fault(0, "pull")
            agent.until("the spare to be online", lambda v: v.vd()["state"] == "optimal"
                        and v.drive(2)["state"] == "online")
            filler.unlink()
            agent.fault(1, "pull")
            self.assertEqual(digest(handle, 16 * MIB), written)

    def test_spare_that_cannot_be_written_serves_when_it_can(self):
        with self.agent(slots=4) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.ctl(f"/c0/e{EID}/s3", "add", "hotsparedrive")
            with agent.nbd() as handle:
                written = write_random(handle, 16 * MIB, seed=2)
                agent.fault(3, "write_error")
                agent.fault(0, "pull")
                view = agent.until("the attempt to have failed", lambda v: v if
                                   v.group()["rebuild_waits"] else None)
                group = view.group()
                self.assertEqual(group["rebuild_waits"]["code"], "rebuild_tried_again")
                self.assertEqual(group["spares"], [])
                wait_for("the reason to be told", lambda: "tried again automatically" in
                         agent.ctl("status").stdout)
                agent.fault(3, "clear")
                agent.until("the spare to be online", lambda v: v.vd()["state"] == "optimal"
                            and v.drive(3)["state"] == "online")
                self.assertEqual(digest(handle, 16 * MIB), written)
            self.assertNotIn("rebuild_failed_target", self.names(agent))
