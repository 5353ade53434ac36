"""A hostile backend: every message that a backend sends, each of its fields at and beyond its bounds.

What the uplink promises (protocol/README.md, frame.h): a frame that it cannot read is answered with
`nack bad`, the eighth of a connection ends it, and before the welcome the first one does; a command
whose id can be read gets one cmd_ack, a question that can be read one answer; a kind, a version or a
field that nobody knows is passed over. Whatever ends a connection is in the log, and the uplink comes
back. No command beyond its bounds is executed.
"""

import itertools
import json
import os
import random
import re
import sys
import threading
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fields
from fields import COMMANDS, MESSAGES, Case, Raw, definitions, example, spoiled
from harness import Agent, wait_for
from link_harness import Uplink
from scripted import Gone, ScriptedBackend

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kill"))

import seeds  # noqa: E402

BAD_MAX = 8  # frames that cannot be read, then the connection ends
WINDOW = 7   # so many at a time
LONGEST_WAIT_S = 3600 * 5 / 4
PATIENCE_S = 20
NOT_SEEN = 4  # a host that has enrolled, and that the backend does not say it sees
SYSTEMCTL = """#!/bin/sh
case "$1" in
is-system-running) echo running ;;
is-active) echo failed; exit 3 ;;
esac
"""
GROWTH_MAX = 8 << 20
# What the uplink does not read, or brings into its bounds: it bears them as they come.
BORNE = {("challenge", "server_time_us"), ("welcome", "session_id"), ("welcome", "heartbeat_s"),
         ("welcome", "reconnect_window_s"), ("welcome", "fence"), ("nack", "retry_s"),
         ("nack", "detail"), ("goaway", "spread_s"), ("goaway", "reason")}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_borne(case):
    return bool(case.path) and (case.kind, case.path[0]) in BORNE


def within_bounds(message):
    """What is asked of every frame."""
    sent = message.get("ts", 0)
    return fields.within_bounds(message) and type(sent) is int and 0 <= sent <= fields.TIME_MAX_US


def due(data):
    """What a live uplink owes these bytes: ("ack", id), ("answer", id), ("nack", None), or
    ("nothing", None). Closing kinds are not judged here."""
    try:
        message = fields.read(data)
    except (ValueError, RecursionError):
        return "nack", None
    if not isinstance(message, dict) or fields.depth(message) > fields.DEPTH_MAX:
        return "nack", None
    kind = message.get("t")
    if type(message.get("v")) is not int or message["v"] != 1 or kind not in sorted(fields.BY_LINK):
        return ("nothing" if within_bounds(message) else "nack"), None
    if kind == "command":
        known = UUID.fullmatch(str(message.get("command_id")))
        return ("ack", message["command_id"]) if known else ("nack", None)
    if kind == "query":
        readable = isinstance(message.get("name"), str) and UUID.fullmatch(str(message.get("id")))
        readable = readable and isinstance(message.get("args"), dict)
        readable = readable and within_bounds(message)
        return ("answer", message["id"]) if readable else ("nack", None)
    return ("nothing" if fields.fits(kind, data) else "nack"), None


class Host:
    """An uplink of the agent's, enrolled at a backend that this test plays."""

    def __init__(self, agent):
        self.backend = ScriptedBackend()
        self.link = Uplink(self.backend.url, control_socket=agent.control_path)
        config = self.link.config_path.read_text()
        self.link.config_path.write_text(config.replace("base_ms = 20", "base_ms = 10")
                                         .replace("cap_ms = 200", "cap_ms = 100"))

    def close(self):
        self.backend.close()
        self.link.close()

    def enrol(self, body, *words, status=None, env=None):
        """Enrols with these answers of the backend."""
        def serve():
            self.backend.answer(body)
            if status is not None:
                self.backend.answer(status)

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        done = self.link.run("enrol", "--url", self.backend.url, "--token", "token", *words, env=env)
        server.join(PATIENCE_S)
        return done

    def start(self):
        body = {"agent_id": str(uuid.uuid4()), "server_id": self.backend.server_id}
        done = self.enrol(json.dumps(body).encode(), "--no-start")
        assert done.returncode == 0, done.stderr
        self.link.start()
        return self

    def memory(self, what="VmRSS"):
        text = Path(f"/proc/{self.link.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+) kB", text)[1]) << 10

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.link.process.pid}/fd"))

    def waits(self):
        """How long it has said to wait, in seconds, each time that a connection ended."""
        return [float(wait) for wait in re.findall(r"next attempt in (\d+\.\d) s", self.link.log())]


class Live:
    """Plays cases to a live uplink and watches what becomes of them."""

    def __init__(self, test, host):
        self.test, self.host = test, host
        self.number = test.highest()
        self.link = None
        self.bad = 0
        self.played = 0

    def connected(self):
        if self.link is None:
            self.host.link.check()
            self.link, self.bad = self.host.backend.live(), 0
        return self.link

    def leave(self):
        if self.link is not None:
            self.link.leave()
            self.link = None

    def command(self, op, args, **more):
        self.number += 1
        return {"v": 1, "t": "command", "ts": 1, "command_id": str(uuid.uuid4()),
                "number": self.number, "op": op, "args": args, "confirm": None, "preconditions": [],
                "actor": {"name": "n", "role": "administrator", "via": "rest"},
                "not_after_us": fields.TIME_MAX_US, **more}

    def mark(self):
        """Something that the uplink answers itself, after the answers to what came before."""
        marker = str(uuid.uuid4())
        self.link.send(self.command("", {}, command_id=marker))
        return marker

    def play(self, cases):
        """Some that leave the connection open."""
        link = self.connected()
        owed = [due(case.data) for case in cases]
        ids = [given for _, given in owed if given]
        for case in cases:
            self.test.tried.add((case.group, case.path))
            link.send(case.data)
        told = {given: [] for given in [*ids, self.mark()]}
        nacks = []
        try:
            while not all(told.values()):
                message = link.read()
                if message["t"] in ("cmd_ack", "answer"):
                    told.setdefault(message.get("command_id", message.get("re")), []).append(message)
                elif message["t"] == "nack":
                    nacks.append(message)
        except (Gone, TimeoutError) as end:
            self.test.fail(f"{end!r}: {told} of {cases}\n{self.host.link.log()[-2000:]}")
        self.test.assertEqual(len(nacks), sum(what == "nack" for what, _ in owed), (cases, owed, nacks))
        for case, (what, given) in zip(cases, owed):
            self.judge(case, what, told.get(given))
        self.bad += len(nacks)
        self.played += len(cases)
        if self.bad + WINDOW >= BAD_MAX:
            self.leave()

    def judge(self, case, what, messages):
        if what not in ("ack", "answer"):
            return
        self.test.assertEqual(len(messages), 1, case)
        message = messages[0]
        refusal = message["reason"]["code"]
        if case.item == fields.WHOLE:
            self.test.assertNotIn(refusal, ("invalid_argument", "unknown_command"), (case, message))
        elif what == "answer":
            self.test.assertTrue(case.proper or is_borne(case) or not message["ok"], (case, message))
        elif not case.proper and not is_borne(case):
            self.test.assertEqual(message["state"], "refused", (case, message))
            self.test.assertIn(refusal, ("invalid_argument", "unknown_command"), (case, message))

    def all(self, cases):
        window = []
        for case in cases:
            window.append(case)
            if len(window) == WINDOW:
                self.play(window)
                window = []
        if window:
            self.play(window)
        self.leave()

    def close_with(self, case):
        """One that may end the connection: then the uplink says why, and comes back."""
        self.test.tried.add((case.group, case.path))
        link = self.connected()
        before = len(self.host.waits())
        owed = due(case.data)[0]
        try:
            link.send(case.data)
            marker = self.mark()
            told = []
            while not any(message.get("command_id") == marker for message in told):
                told.append(link.read())
        except Gone:
            self.ended(case, before)
            return
        nacks = sum(message["t"] == "nack" for message in told)
        self.test.assertTrue(nacks or owed == "nothing" or is_borne(case), case)
        self.bad += nacks
        if self.bad + 1 >= BAD_MAX:
            self.leave()

    def ended(self, case, before):
        self.link.close()
        self.link = None
        self.host.link.check()
        wait_for("the log to say why", lambda: len(self.host.waits()) == before + 1, PATIENCE_S)
        wait_s = self.host.waits()[-1]
        self.test.assertLessEqual(wait_s, LONGEST_WAIT_S, case)
        self.test.assertTrue(case.proper or is_borne(case) or case.kind in ("challenge", "welcome"),
                             case)
        if wait_s > 1:  # as it was asked to
            self.host.link.stop()
            self.host.link.start()


@unittest.skipUnless(os.geteuid() == 0, "only root starts units, as enrolling does")
class Bounds(unittest.TestCase):
    """The suite of one arrayd, with one uplink for each thread."""

    @classmethod
    def setUpClass(cls):
        cls.seed = seeds.fresh("bounds")
        print(f"AW_SEED={cls.seed}")
        cls.agent = Agent(slots=4)
        cls.addClassCleanup(cls.agent.close)
        cls.agent.start()
        cls.agent.create("raid1", [0, 1], name="data")
        view = cls.agent.until("the initialization to end", lambda view: {
            doc["ended_at_us"] is None for doc in view.all("operation").values()} == {False} and view)
        vd = view.vd_key()
        cls.keys = {"controller": "c0", "drive": view.drive_key(2), "target": view.drive_key(3),
                    "spare": view.drive_key(3), "virtual_drive": vd, "key": vd,
                    "drive_group": [*view.all("drive_group")][0], "drives_per_span": 0,
                    "serial": view.drive(2)["serial"], "name": "fresh",
                    "words": {"kind": "virtual_drive", "level": "raid0", "access": "blocked", "action": "start"}}

    def make(self, thing):
        self.addCleanup(thing.close)
        return thing

    def host(self):
        return self.make(Host(self.agent)).start()

    def configuration(self):
        """What only a command or a fault moves."""
        return {(item["kind"], item["key"]): item["config_rev"] for item in self.agent.view().items
                if item["kind"] not in ("host", "operation")}

    # Cases

    def command_cases(self, live, op, without, within):
        """Every field of the arguments of a command, which is the more dangerous the more of it
        is right: an improper one names what is there, and is confirmed."""
        schema = definitions(COMMANDS)[op]

        def make(real):
            keys = self.keys if real else {"words": self.keys["words"], "drives_per_span": 0}
            args = example(op, schema, keys)
            for name in without:
                args.pop(name, None)
            confirm = {"name": "data", "serial": self.keys["serial"]}.get(schema.get("x-confirm"))
            return live.command(op, args, confirm=confirm)

        part = {**schema, "properties": {name: schema["properties"][name]
                                         for name in within or schema["properties"]}}
        yield Case("command", ("args",), fields.WHOLE, make(False), op)
        yield from spoiled("command", part, make, ("args",), op)

    def commands(self, live):
        for op in sorted(fields.commands()):
            if op == "vd_create":  # on drives or in a group: one of them
                yield from self.command_cases(live, op, ["drives", "spares"], ["drive_group"])
            yield from self.command_cases(live, op, ["drive_group"] * (op == "vd_create"), [])

    def envelopes(self, live):
        """Every field of a command beside its arguments."""
        drive = {"on": True, "seconds": 1}
        one = {"kind": "virtual_drive", "key": self.keys["virtual_drive"], "config_rev": 2**40}
        schema = definitions(MESSAGES)["command"]

        def make(real):
            key = self.keys["drive"] if real else fields.GHOST
            return live.command("drive_locate", {**drive, "drive": key}, preconditions=[one])

        yield from spoiled("command", schema, make)

    def queries(self):
        schema = definitions(MESSAGES)["query"]
        yield from spoiled("query", schema, lambda real: fields.question(kind="drive", key="d"))
        for name in sorted(fields.queries()):
            arguments = definitions(COMMANDS)[name]
            yield from spoiled("query", arguments, lambda real, name=name, arguments=arguments: {
                **fields.question(**example(name, arguments, self.keys)), "name": name},
                ("args",), name)

    def of(self, kind, **keys):
        schema = definitions(MESSAGES)[kind]
        yield from spoiled(kind, schema, lambda real: example(kind, schema, keys))

    def refusals(self):
        """What a `nack` can say, once in each case in which it means something."""
        for reason in ("resync", "fenced", "unauthorised", "unsupported", "identity_in_use", "bad"):
            message = {"v": 1, "t": "nack", "reason": reason, "detail": "d", "retry_s": 1}
            for _ in range(12 if reason == "resync" else 1):
                yield Case("nack", (), fields.WHOLE, message)

    # Tests

    def test_all_kinds_are_sorted_out(self):
        self.assertEqual(fields.sorted_out(), set())

    def test_every_field(self):
        before = self.configuration()
        self.tried = set()
        hosts = [self.host() for _ in range(5)]
        with ThreadPoolExecutor(max_workers=5) as pool:
            work = [pool.submit(self.handshakes, hosts[1], "challenge", 0, 1),
                    pool.submit(self.handshakes, hosts[2], "welcome", 0, 2),
                    pool.submit(self.handshakes, hosts[3], "welcome", 1, 2),
                    pool.submit(self.silence, hosts[4]), pool.submit(self.enrolment)]
            self.live(hosts[0])
            for one in work:
                one.result()
        self.assertEqual(set(fields.stated()) - self.tried, set())
        self.assertEqual(self.configuration(), before)
        for host in hosts:
            self.serves(Live(self, host))

    def live(self, host):
        live = Live(self, host)
        live.all([Case("frame", (), Raw(b"first"), {})])
        memory, descriptors = host.memory(), host.descriptors()
        for cases in (fields.frames(), self.of("ack"), self.envelopes(live), self.queries(),
                      self.commands(live)):
            live.all(cases)
        self.assertLess(host.memory() - memory, GROWTH_MAX)
        self.assertLessEqual(host.descriptors(), descriptors + 2)
        out_of_turn = [*self.of("challenge"), *self.of("welcome")]
        for case in (*self.of("nack"), *self.of("goaway", spread_s=0), *self.refusals(),
                     *random.Random(self.seed).sample(out_of_turn, 40)):
            live.close_with(case)
        live.leave()

    def serves(self, live):
        """What a good backend wants of the host."""
        events = self.told()
        link = live.connected()
        on = not self.agent.view().all("drive")[self.keys["drive"]]["locating"]
        order = live.command("drive_locate", {"drive": self.keys["drive"], "on": on})
        link.send(order)
        link.until(lambda message: message.get("command_id") == order["command_id"])
        while order["command_id"] not in link.results:
            link.read()
        self.assertEqual(link.results[order["command_id"]]["state"], "succeeded")
        link.send(order)
        again = link.until(lambda message: message["t"] == "cmd_ack")
        self.assertEqual((again["command_id"], again["state"]), (order["command_id"], "succeeded"))
        while not link.events or link.events[-1]["seq"] <= events[-1]["seq"]:
            link.read()
        self.assertEqual([event["name"] for event in self.told()[len(events):]], ["locate_changed"])
        self.assertEqual(link.events[-1], self.told()[-1])
        live.leave()

    def told(self):
        with self.agent.control() as control:
            return control.ask("events.read", {"after_seq": 0, "limit": 256})["events"]

    def handshakes(self, host, kind, first, step):
        """Cases of the two messages that lead to a live link, each on a connection of its own."""
        schema = definitions(MESSAGES)[kind]
        keys = {"server_id": host.backend.server_id, "heartbeat_s": 300, "reconnect_window_s": 0,
                "fence": "" if first else "fence"}  # arrayd keeps one at a time
        cases = spoiled(kind, schema, lambda real: example(kind, schema, keys))
        for case in itertools.islice(cases, first, None, step):
            self.tried.add((case.group, case.path))
            before = len(host.waits())
            link = host.backend.link() if kind == "challenge" else host.backend.challenged()
            try:
                link.send(case.data)
                passed_over = due(case.data) == ("nothing", None) and not case.proper
                self.greeted(host, link, kind, passed_over)
                good = True
            except Gone:
                link.close()
                good = False
                host.link.check()
                wait_for("the log to say why", lambda: len(host.waits()) > before, PATIENCE_S)
            self.assertTrue(is_borne(case) or good == (case.proper or passed_over),
                            (case, good, host.link.log()[-500:]))

    def greeted(self, host, link, kind, passed_over):
        """To the end of the handshake; one message that was passed over is said anew."""
        if passed_over:
            link.send(host.backend.challenge() if kind == "challenge" else host.backend.welcome())
        if kind == "challenge":
            host.backend.hello = link.until(lambda message: message["t"] == "hello")
            link.send(host.backend.welcome())
        marker = str(uuid.uuid4())
        link.send({"v": 1, "t": "command", "command_id": marker})
        link.until(lambda message: message.get("command_id") == marker)
        link.leave()

    def silence(self, host):
        """A backend that takes the connection and says nothing, not even that it is a WebSocket."""
        before = len(host.waits())
        with host.backend.connection():
            wait_for("the uplink to give up", lambda: len(host.waits()) > before)
        host.link.check()

    def enrolment(self):
        """What a backend answers to those who enrol: an identity, or a reason not to have one."""
        host = Host(self.agent)
        self.addCleanup(host.close)
        for case in self.of("enrol_response"):
            self.tried.add((case.group, case.path))
            done = host.enrol(case.data, "--no-start", "--force")
            self.assertEqual(done.returncode, 0 if case.proper else 1, (case, done.stderr))
            self.assertTrue(done.returncode == 0 or "holds no identity" in done.stderr, done.stderr)
        (host.link.directory / "systemctl").write_text(SYSTEMCTL)
        (host.link.directory / "systemctl").chmod(0o755)
        env = {**os.environ, "PATH": f"{host.link.directory}:{os.environ['PATH']}"}
        identity = json.dumps({"agent_id": str(uuid.uuid4()), "server_id": str(uuid.uuid4())})
        for case in self.of("enrol_status", presence="online"):
            self.tried.add((case.group, case.path))
            done = host.enrol(identity.encode(), "--force", status=case.data, env=env)
            self.assertIn(done.returncode, (0, NOT_SEEN), (case, done.stderr))
            self.assertTrue(case.path or case.proper or done.returncode == NOT_SEEN, case)
            self.assertTrue(done.stdout.replace("\n", "").isprintable(), (case, done.stdout))

    def highest(self):
        with self.agent.control() as control:
            return control.ask("hello")["command_number"]


if __name__ == "__main__":
    unittest.main()
