"""What the tests of the agent have in common."""

import hashlib
import random
import shutil
import unittest

from harness import MIB, Agent, Refused


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
