"""Every command that a finding prints is taken as it stands: it is accepted, and the finding ends, or
the command shows what the finding says that it shows. Each remedy is named as in words.json;
test_remedies.py requires all that name a command."""

import json
import re
from pathlib import Path

from cases import AgentCase
from harness import EID

WORDS = Path(__file__).resolve().parents[3] / "protocol/words.json"
REMEDIES = {name: text for name, text in json.loads(WORDS.read_text())["reasons"].items()
            if name.startswith("remedy_")}


def slot_path(slot):
    return f"/c0/e{EID}/s{slot}"


def matches(remedy, text):
    parts = re.split(r"\{\w+\}", REMEDIES[remedy])
    return re.fullmatch(".+".join(re.escape(part) for part in parts), text) is not None


class Taken(AgentCase):
    def findings(self, agent):
        answer = agent.json("/c0", "show", "health")["Response Data"]
        return {(row["Code"], row["Object"]): row for row in answer.get("Health", [])}

    def command(self, agent, remedy, words):
        """A finding with this remedy, and its command that ends with these words, once it is there."""
        def printed(_):
            for finding, row in self.findings(agent).items():
                if matches(remedy, row["Next Step"]):
                    for said in re.findall(r'"(/c[^"]+)"', row["Next Step"]):
                        if said.endswith(words):
                            return finding, said
            return None
        try:
            return agent.until(f'{remedy} with "{words}"', printed)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.findings(agent)}") from None

    def take(self, agent, remedy, words, *, ends=True, confirm=None):
        """Runs it; the finding ends, unless the command only shows something. One that gives data
        up asks for their name."""
        finding, command = self.command(agent, remedy, words)
        if confirm is not None:
            asked = agent.ctl(*command.split(), check=False)
            self.assertNotEqual(asked.returncode, 0)
            self.assertIn(f"confirm={confirm}", asked.stdout)
            command += f" confirm={confirm}"
        done = agent.ctl(*command.split(), check=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        if ends:
            agent.until(f"the end of {finding}", lambda _: finding not in self.findings(agent))
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
