"""What a real backend says of the scene's agents, in the shape of the control socket's views.

AW_VENV names the environment the backend is installed in, as for the uplink's own test.
"""

import re
from pathlib import Path

from harness import View
from link_harness import UPLINK, VENV, Backend, Uplink

USABLE = bool(VENV) and Path(VENV, "bin/arraywright").exists() and Path(UPLINK).exists()
PATHS = {"controller": "controllers", "enclosure": "enclosures", "drive": "drives",
         "drive_group": "drive-groups", "virtual_drive": "virtual-drives", "battery": "batteries"}


def keyed(item):
    """Relations are ids in REST (drive_group_id) and keys on the socket (drive_group)."""
    return {re.sub(r"_id(s?)$", r"\1", name): keyed(value) if isinstance(value, dict) else value
            for name, value in item.items()}


class Rest:
    """One backend for all scenes; each agent of a scene is a host that joins it."""

    def __init__(self):
        self._backend = Backend()

    def start(self):
        self._backend.start()
        self._backend.log_in()
        return self

    def close(self):
        self._backend.close()

    def join(self, scene):
        """The hosts' ids, in the order of the scene's agents."""
        return [self._join(scene, agent) for agent in scene.agents]

    def _join(self, scene, agent):
        uplink = Uplink(self._backend.url, agent.control_path)
        scene.stack.callback(uplink.close)
        done = uplink.enrol(self._backend.token())
        assert done.returncode == 0, done.stderr
        uplink.start()
        return uplink.identity()["agent_id"]

    def view(self, host):
        objects = []
        for kind, path in PATHS.items():
            for item in self._items(f"/{path}?host_id={host}&limit=200"):
                objects.append({"kind": kind, "key": item["id"], "doc": keyed(item)})
        return View({"to_rev": None, "objects": objects})

    def _items(self, path):
        answer = self._backend.request("GET", path)
        assert answer.get("next_cursor") is None, f"{path} has more than one page"
        return answer["items"]
