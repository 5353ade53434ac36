"""What the tests of the agent have in common."""

import hashlib
import random
import shutil
import subprocess
import unittest

from harness import EID, MIB, Agent, Refused


def need(program):
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


def digest(handle, size, step=4 * MIB):
    sums = hashlib.sha256()
    for offset in range(0, size, step):
        sums.update(handle.pread(min(step, size - offset), offset))
    return sums.hexdigest()


def write_random(handle, size, seed, step=1 * MIB):
    """Fills the drive and returns the digest of what was written."""
    sums = hashlib.sha256()
    source = random.Random(seed)
    for offset in range(0, size, step):
        data = source.randbytes(min(step, size - offset))
        handle.pwrite(data, offset)
        sums.update(data)
    handle.flush()
    return sums.hexdigest()


class AgentCase(unittest.TestCase):
    def agent(self, **options):
        agent = Agent(**options)
        self.addCleanup(agent.close)
        return agent

    def assert_refused(self, code, call, *arguments, **options):
        with self.assertRaises(Refused) as caught:
            call(*arguments, **options)
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        return caught.exception


class PlainFiles(AgentCase):
    """Plain files as drives, which are only offered until somebody uses them."""

    def host(self, count, formatted=(), config=""):
        """Plain files as drives; those in `formatted` carry a file system."""
        agent = self.agent(slots=0, drives=[], config=config)
        files = [agent.directory / f"plain{number}" for number in range(count)]
        for number, path in enumerate(files):
            with path.open("wb") as file:
                file.truncate(96 * MIB)
            if number in formatted:
                subprocess.run(["mkfs.ext4", "-q", "-F", str(path)], check=True)
        listed = ",\n".join(f'{{ path = "{path}"; enclosure = {EID}; slot = {slot}; }}'
                            for slot, path in enumerate(files))
        text = agent.config_path.read_text().replace("drives = (\n  \n)", f"drives = (\n{listed}\n)")
        agent.config_path.write_text(text.replace("slots = 1;", "slots = 64;"))
        return agent.start()
