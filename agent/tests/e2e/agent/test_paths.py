"""Paths of drives: files that are deleted, renamed or replaced while in use, and those that arrayd.conf
names and that do not exist."""

from pathlib import Path

from cases import AgentCase, digest, write_random
from harness import EID, MIB


class Paths(AgentCase):
    def setUp(self):
        self.directory = Path(self.agent(slots=0).directory)

    def files(self, count):
        paths = [self.directory / f"file{number}" for number in range(count)]
        for path in paths:
            with path.open("wb") as file:
                file.truncate(128 * MIB)
        agent = self.agent(slots=count, drives=[
            f'{{ path = "{path}"; enclosure = {EID}; slot = {slot}; }}'
            for slot, path in enumerate(paths)])
        return agent, paths

    def findings(self, view, code):
        return [finding for finding in view.all("controller")["c0"]["findings"]
                if finding["code"] == code]

    def test_a_file_that_lost_its_name_is_told(self):
        agent, paths = self.files(4)
        agent.start()
        agent.create("raid5", [0, 1, 2])
        moved = self.directory / "moved"
        paths[1].rename(moved)

        def told(code):
            return lambda view: any(finding["cause"]["code"] == code
                                    for finding in self.findings(view, "drive_path_lost"))

        agent.until("it to be told", told("drive_path_gone"))
        with agent.nbd() as handle:
            written = write_random(handle, 16 * MIB, seed=3)
            self.assertEqual(digest(handle, 16 * MIB), written)
        paths[1].write_bytes(b"another")
        agent.until("the other one to be told", told("drive_path_other"))
        paths[1].unlink()
        moved.rename(paths[1])
        agent.until("its end", lambda view: not self.findings(view, "drive_path_lost"))
        paths[2].unlink()
        agent.until("the deleted one to be told", told("drive_path_deleted"))
        self.assertIn("start copyback", self.findings(agent.view(), "drive_path_lost")[0]
                      ["remedy"]["text"])

    def test_a_path_that_names_nothing_is_told(self):
        agent, paths = self.files(3)
        paths[2].unlink()
        agent.start()
        agent.until("it to be told", lambda view: any(
            str(paths[2]) in finding["what"]["text"]
            for finding in self.findings(view, "configured_drive_missing")))
        with paths[2].open("wb") as file:
            file.truncate(128 * MIB)
        agent.until("its end", lambda view: not self.findings(view, "configured_drive_missing"))
