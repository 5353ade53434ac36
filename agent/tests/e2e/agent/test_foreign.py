"""Drives that carry a set of somebody else's: recognised, shown, and left as they are."""

import hashlib
import os
import subprocess
from pathlib import Path

from cases import AgentCase
from harness import MIB

DDFIMAGE = os.environ["DDFIMAGE"]


def sums(paths):
    return [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in paths]


class Foreign(AgentCase):
    def images(self, level, spans, members, *missing):
        folder = Path(self.agent(slots=0).directory) / level
        folder.mkdir()
        subprocess.run([DDFIMAGE, folder, level, str(spans), str(members), "96", *missing],
                       check=True)
        return [folder / f"d{place}" for place in range(spans * members)
                if str(place) not in missing]

    def started(self, paths):
        """Plain files, as if they were drives of the machine."""
        agent = self.agent(slots=0, drives=[f'{{ path = "{path}"; slot = {slot}; }}'
                                            for slot, path in enumerate(paths)])
        agent.start()
        return agent

    def ask(self, agent):
        with agent.control() as control:
            return control.ask("query", {"name": "foreign",
                                         "args": {"controller": "c0"}})

    def test_a_whole_set_is_shown_and_left_alone(self):
        paths = self.images("raid5", 1, 4)
        before = sums(paths)
        agent = self.started(paths[::-1])
        found = self.ask(agent)
        self.assertEqual(found["damaged"], [])
        (only,) = found["sets"]
        self.assertEqual((only["format"], only["version"], only["sequence"]),
                         ("ddf", "01.02.00", 5))
        self.assertEqual(only["id"], b"ARRAYWRTgroup-0123456789".hex())
        (volume,) = only["virtual_drives"]
        self.assertEqual((volume["name"], volume["level"], volume["state"], volume["reason"]),
                         ("judge", "RAID5", "optimal", None))
        self.assertEqual((volume["size_bytes"], volume["strip_bytes"], volume["consistent"]),
                         (24 * MIB, 65536, True))
        view = agent.view()
        self.assertEqual([place["drive"] for place in volume["members"]],
                         [view.drive_key(slot) for slot in (3, 2, 1, 0)])
        self.assertEqual([view.drive(slot)["foreign"] for slot in range(4)], [True] * 4)
        with agent.control() as control:
            self.assert_refused("drive_has_data", control.command, "vd_create",
                                {"controller": "c0", "level": "raid1", "name": "mine",
                                 "drives": [view.drive_key(0), view.drive_key(1)]})
        shown = agent.ctl("/c0/fall", "show", "all").stdout
        for text in ("Total foreign Drive Groups", "FOREIGN VD LIST", "judge", "Frgn"):
            self.assertIn(text, shown)
        agent.stop()
        self.assertEqual(sums(paths), before)

    def test_missing_damaged_and_incomplete(self):
        paths = self.images("raid6", 1, 5, "2")
        with paths[0].open("r+b") as file:  # the primary's record: the secondary counts
            file.seek((96 * 2048 - 32768 + 162) * 512 + 600)
            file.write(b"damage")
        with paths[3].open("r+b") as file:  # both copies
            for copy in (32768, 65536):
                file.seek((96 * 2048 - copy + 130) * 512 + 100)
                file.write(b"damage")
        agent = self.started(paths)
        found = self.ask(agent)
        (volume,) = found["sets"][0]["virtual_drives"]
        self.assertEqual([place["state"] for place in volume["members"]],
                         ["online", "online", "missing", "online", "missing"])
        self.assertEqual((volume["state"], volume["reason"]["code"]),
                         ("degraded", "foreign_degraded"))
        self.assertEqual(found["damaged"][0]["reason"]["code"], "foreign_damaged")
        agent.stop()
        agent = self.started(paths[:2])
        (volume,) = self.ask(agent)["sets"][0]["virtual_drives"]
        self.assertEqual(volume["state"], "incomplete")
        self.assertEqual(volume["reason"]["code"], "foreign_incomplete")

    def test_nothing_foreign(self):
        agent = self.agent(slots=2).start()
        self.assertEqual(self.ask(agent), {"sets": [], "damaged": []})
        self.assertIn("Couldn't find any foreign", agent.ctl("/c0/fall", "show").stdout)
