"""A host that is linked to a backend, for tests of what both hold after one of them went back."""

from harness import Agent, wait_for
from test_uplink import Case


class Linked(Case):
    """A RAID 1 called "one" on drives 0 and 1. The test's class or setUp gives the `backend`."""

    def setUp(self):
        self.agent = self.make(Agent()).start()
        self.agent.create("raid1", [0, 1], "one")
        self.link = self.uplink(self.backend.url, control_socket=self.agent.control_path)
        done = self.link.enrol(self.backend.token())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.host_id = self.link.identity()["agent_id"]
        self.link.start()
        self.settled()

    def settled(self, agent=None):
        """Waits until the backend holds exactly the agent's state and all of its events."""
        agent = agent or self.agent

        def equal():
            self.link.check()
            with agent.control() as control:
                told = {(item["kind"], item["key"]): (item["rev"], item["doc"])
                        for item in control.state()["objects"]}
                events = control.ask("events.read", {"after_seq": 0, "limit": 256})["events"]
            if self.backend.objects(self.host_id) != told:
                return False
            stored = [text for _, _, text in self.backend.events(self.host_id)]
            return all(event["text"] in stored for event in events) and events

        return wait_for("the backend to hold what the agent does", equal)

    def once_each(self, events):
        """Every event of the agent's log is stored once, whatever came before it."""
        stored = self.backend.rows("select seq, wall_us, text from event")
        for event in events:
            mine = (event["seq"], event["wall_us"], event["text"])
            self.assertEqual(stored.count(mine), 1, mine)
