"""Everything that can be done from the console can be done from the command line, and the reverse.

One table, protocol/reach.json: a command of the agent, the requests of REST that come to it. The
command line's side is the judge of the drawn command lines (support/command_lines.c): it has a rule for every command
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

REACH = json.loads((AGENT / "protocol/reach.json").read_text())["commands"]
REST = {word: {re.sub(r"\{\w+\}", "{id}", request) for request in
               ([row["rest"]] if isinstance(row["rest"], str) else row["rest"])}
        for word, row in REACH.items()}
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
