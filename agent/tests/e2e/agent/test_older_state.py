"""The state directory is older than the drives: what is printed then is done, and works."""

import re
import shutil

from cases import PlainFiles, digest, write_random
from harness import EID

# As in docs/recovery.md.
DOCUMENTED = """
arrayctl /c0/fall import preview
arrayctl /c0/v0 del force
arrayctl /c0/fall import
"""


class OlderState(PlainFiles):
    def older(self, old, new, level="r5"):
        """The newer drive group is on some drives that the old state knows, and on others."""
        agent = self.host(6)
        agent.ctl("/c0", "add", "vd", "r5", f"drives={EID}:{old}", "name=old")
        agent.until("consistency", lambda view: view.vd("old")["consistent"])
        agent.stop()
        kept = agent.directory / "kept"
        shutil.copytree(agent.state_dir, kept)
        agent.start()
        agent.ctl("/c0/v0", "del", "force")
        agent.ctl("/c0", "add", "vd", level, f"drives={EID}:{new}", "name=new")
        with agent.nbd(name="new") as disk:
            self.written = write_random(disk, disk.get_size(), seed=1)
        agent.until("consistency", lambda view: view.vd("new")["consistent"])
        agent.stop()
        shutil.rmtree(agent.state_dir)
        kept.rename(agent.state_dir)
        return agent.start()

    def whole(self, agent):
        agent.optimal("new")
        with agent.nbd(name="new") as disk:
            self.assertEqual(digest(disk, disk.get_size()), self.written)
        self.assertIn("Findings = 0", agent.ctl("/c0", "show", "health").stdout)

    def test_as_documented(self):
        for old, new, level in (("0-2", "1-4", "r5"), ("2-4", "0-3", "r5"), ("0-3", "0-4", "r6")):
            with self.subTest(old=old, new=new, level=level):
                agent = self.older(old, new, level)
                for line in DOCUMENTED.split("\n")[1:-1]:
                    self.assertIn("Status = Success", agent.ctl(*line.split()[1:]).stdout, line)
                self.whole(agent)
                agent.stop()
                agent.start()
                self.whole(agent)
                agent.close()

    def test_as_advised(self):
        """Imported while the old drive group is still there, by the commands of the findings."""
        agent = self.older("0-2", "1-4")
        told = agent.ctl("status").stdout
        self.assertIn("delete the virtual drives of drive group 0, then import", told)
        self.assertNotIn("Do not delete", told)
        self.assertIn("foreign configurations: 1.", told)
        command = re.search(r'Import them with "(/c0/fall import)"', told)[1]
        self.assertIn("Status = Success", agent.ctl(*command.split()).stdout)
        agent.ctl("/c0/v0", "del", "force")
        self.whole(agent)
