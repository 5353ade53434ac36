"""A fast initialization of a virtual drive, in StorCLI's words."""

import json

import in_memory
from cases import AgentCase

in_memory.use()
MIB = 1 << 20


class InitTest(AgentCase):
    def ctl(self, agent, *words):
        return json.loads(agent.ctl("/c0/v0", *words, "J", check=False).stdout)["Controllers"][0]

    def status(self, answer):
        return answer["Command Status"]

    def test_start_init(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", (0, 1, 2))
            size = agent.view().vd()["size_bytes"]
            places = (0, 8 * MIB - 4096, size - 4096)
            with agent.nbd() as handle:
                for place in (*places, 8 * MIB):
                    handle.pwrite(b"Z" * 4096, place)
                # In use it is refused, whatever is typed.
                for words in ((), ("force",), ("confirm=data",)):
                    answer = self.status(self.ctl(agent, "start", "init", *words))
                    self.assertEqual(answer["Status"], "Failure")
                    self.assertEqual(answer["Detailed Status"][0]["ErrCd"], 255)
                    self.assertIn("open connection", answer["Detailed Status"][0]["ErrMsg"])
            agent.until("nobody", lambda view: view.vd()["exports"][0]["connections"] == 0)
            answer = self.status(self.ctl(agent, "start", "init"))  # nothing is known on it
            self.assertEqual((answer["Status"], answer["Description"]),
                             ("Success", "Start INIT Operation Succeeded."))
            with agent.nbd() as handle:
                for place in places:
                    self.assertEqual(bytes(handle.pread(4096, place)), bytes(4096))
                self.assertEqual(bytes(handle.pread(4096, 8 * MIB)), b"Z" * 4096)
                handle.pwrite(b"XFSB" + bytes(4092), 0)
            agent.until("nobody", lambda view: view.vd()["exports"][0]["connections"] == 0)
            answer = self.status(self.ctl(agent, "start", "init"))
            self.assertEqual(answer["Status"], "Failure")
            self.assertIn("XFS file system", answer["Detailed Status"][0]["ErrMsg"])
            answer = self.status(self.ctl(agent, "start", "init", "confirm=date"))
            self.assertEqual(answer["Status"], "Failure")
            with agent.nbd() as handle:
                self.assertEqual(bytes(handle.pread(512, 0))[:4], b"XFSB")
            agent.until("nobody", lambda view: view.vd()["exports"][0]["connections"] == 0)
            answer = self.status(self.ctl(agent, "start", "init", "force"))
            self.assertEqual(answer["Status"], "Success")
            with agent.nbd() as handle:
                self.assertEqual(bytes(handle.pread(512, 0)), bytes(512))
            rows = self.ctl(agent, "show", "init")["Response Data"]["VD Operation Status"]
            self.assertEqual(rows[0]["Status"], "Not in progress")

    def test_what_is_not_supported(self):
        with self.agent(slots=3) as agent:
            agent.create("raid1", (0, 1))
            with agent.nbd() as handle:
                handle.pwrite(b"Z" * 4096, 0)
            agent.until("nobody", lambda view: view.vd()["exports"][0]["connections"] == 0)
            for words in (("start", "init", "full"), ("start", "init", "full", "force"),
                          ("stop", "init")):
                answer = self.status(self.ctl(agent, *words))
                self.assertEqual(answer["Status"], "Failure")
                self.assertIn("does not support", answer["Detailed Status"][0]["ErrMsg"])
            with agent.nbd() as handle:
                self.assertEqual(bytes(handle.pread(4096, 0)), b"Z" * 4096)
