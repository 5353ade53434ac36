"""Everything that can be done from the console can be done from the command line, and the reverse.

One table: a command of the agent, the requests of REST that come to it. The command line's side is
the judge of the drawn command lines (support/command_lines.c): it has a rule for every command
that arrayctl asks for, and its test fails for a rule that no line comes to.
"""

import json
import re
import unittest
from pathlib import Path

AGENT = Path(__file__).resolve().parents[3]
OPENAPI = json.loads((AGENT.parent / "backend/openapi.json").read_text())
COMMANDS = json.loads((AGENT / "protocol/commands.schema.json").read_text())["$defs"]
RULES = (AGENT / "tests/support/command_lines.c").read_text()

REST = {
    "vd_create": {"POST /virtual-drives"},
    "vd_delete": {"DELETE /virtual-drives/{id}"},
    "vd_set": {"PATCH /virtual-drives/{id}"},
    "vd_expand": {"POST /virtual-drives/{id}/actions/expand"},
    "vd_measure": {"POST /virtual-drives/{id}/actions/measure"},
    "stripe_create": {"POST /virtual-drives/{id}/actions/create-stripe"},
    "stripe_delete": {"POST /virtual-drives/{id}/actions/delete-stripe"},
    "controller_set": {"PATCH /controllers/{id}"},
    "consistency_check": {"POST /virtual-drives/{id}/actions/consistency-check"},
    "patrol_read": {"POST /controllers/{id}/actions/patrol-read"},
    "spare_add": {"POST /drives/{id}/actions/make-hot-spare"},
    "spare_remove": {"POST /drives/{id}/actions/remove-hot-spare"},
    "rebuild": {"POST /drives/{id}/actions/rebuild"},
    "copyback": {"POST /drives/{id}/actions/copyback"},
    "bgi": {"POST /virtual-drives/{id}/actions/bgi"},
    "drive_replace": {"POST /drives/{id}/actions/replace"},
    "drive_offline": {"POST /drives/{id}/actions/offline"},
    "drive_online": {"POST /drives/{id}/actions/online"},
    "drive_missing": {"POST /drives/{id}/actions/missing"},
    "drive_jbod": {"POST /drives/{id}/actions/jbod"},
    "drive_good": {"POST /drives/{id}/actions/good"},
    "drive_spindown": {"POST /drives/{id}/actions/spin-down"},
    "drive_spinup": {"POST /drives/{id}/actions/spin-up"},
    "drive_erase": {"POST /drives/{id}/actions/erase"},
    "drive_locate": {"POST /drives/{id}/actions/locate"},
    "fault_inject": {"POST /drives/{id}/actions/fault"},
    "battery_learn": {"POST /batteries/{id}/actions/learn"},
    "battery_set": {"PATCH /batteries/{id}"},
    "battery_fault": {"POST /batteries/{id}/actions/fault"},
    "cache_discard": {"POST /controllers/{id}/actions/discard-preserved-cache"},
    "foreign_import": {"POST /controllers/{id}/actions/import-foreign"},
    "foreign_clear": {"POST /controllers/{id}/actions/clear-foreign"},
    "undo_restore": {"POST /controllers/{id}/actions/restore-undo"},
    # /cX/vall and /cX/eall/sall delete perf come to what the controller's reset does.
    "counters_reset": {"POST /drives/{id}/actions/reset-counters",
                       "POST /virtual-drives/{id}/actions/reset-counters",
                       "POST /controllers/{id}/actions/reset-counters"},
}
# Questions, which change nothing.
QUESTIONS = {"POST /virtual-drives/preview", "POST /virtual-drives/{id}/policy-preview"}
STORAGE = r"^/(virtual-drives|drives|drive-groups|controllers|enclosures|batteries)\b"


def requests_of_rest():
    """Everything in REST that changes something of a host's storage."""
    found = set()
    for path, methods in OPENAPI["paths"].items():
        short = re.sub(r"\{\w+\}", "{id}", path.removeprefix("/api/v1"))
        if re.match(STORAGE, short):
            found |= {f"{method.upper()} {short}" for method in methods if method != "get"}
    return found - QUESTIONS


def commands_of_the_agent():
    return set(re.findall(r'\[CTL_OP_\w+\] = \{"(\w+)"',
                          (AGENT / "src/ctl/command.c").read_text()))


def commands_of_arrayctl():
    table = RULES.partition("rules[] = {")[2].partition("};")[0]
    return set(re.findall(r'^\s+\{"(\w+)",', table, re.MULTILINE))


class RoundTrip(unittest.TestCase):
    def test_agent(self):
        self.assertEqual(commands_of_the_agent(), set(REST))
        self.assertLessEqual(set(REST), set(COMMANDS))

    def test_command_line(self):
        self.assertEqual(commands_of_arrayctl(), set(REST))

    def test_rest(self):
        named = [request for requests in REST.values() for request in requests]
        self.assertEqual(sorted(named), sorted(requests_of_rest()))


if __name__ == "__main__":
    unittest.main()
