"""A hijacked backend under the policy `strict`: whatever it asks for, the host's data, export names
and connected clients stay as they were."""

import os
import random
import sys
import threading
import unittest
from pathlib import Path

import nbd
import schema_check
from cases import AgentCase, digest, write_random
from harness import MIB, Agent, Refused, wait_for

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kill"))

import seeds  # noqa: E402

STEPS = int(os.environ.get("AW_HOSTILE_STEPS", "10000"))
LOOK_EVERY = 500
COMMANDS = {name: body for name, body
            in schema_check.DOCUMENTS["commands.schema.json"]["$defs"].items()
            if "x-effects" in body}
EXPORTS = ("safe", "mirror", "left", "right")


class Hijacker:
    """Draws commands from the protocol's own schema: nearly all well formed, about what is there."""

    STRAY = 0.01  # of the values: anything of the right type, whatever the controller has

    def __init__(self, seed, view):
        self.random = random.Random(seed)
        self.asked = 0
        self.look(view)

    def look(self, view):
        self.objects = {kind: view.all(kind) for kind in
                        ("controller", "drive", "drive_group", "virtual_drive", "battery")}
        self.names = [doc["name"] for doc in self.objects["virtual_drive"].values()]
        self.serials = [doc["serial"] for doc in self.objects["drive"].values()]
        self.free = [key for key, doc in self.objects["drive"].items()
                     if doc["state"] == "unconfigured_good"]

    def strays(self):
        return self.random.random() < self.STRAY

    def key(self, name):
        kind = {"spares": "drive", "target": "drive", "stripe": "virtual_drive"}.get(
            name, name.removesuffix("s"))
        if self.strays():
            return self.random.choice(["nobody", *self.random.choice([*self.objects.values()])])
        if kind == "drive" and self.free and self.random.random() < 0.4:
            return self.random.choice(self.free)
        return self.random.choice([*self.objects.get(kind, ())] or ["nobody"])

    def text(self, name, schema):
        if self.strays():
            return self.random.choice(["", "../x", "word", "0", "a" * 16, *self.serials])
        if "x-words" in schema:
            return self.random.choice(sorted(schema_check.WORDS[schema["x-words"]]))
        if "pattern" in schema:
            return self.key(name)
        if name.startswith("serial"):
            return self.random.choice(self.serials)
        return self.random.choice([*self.names, f"new{self.asked}"])

    def number(self, name, schema):
        """Where drives of this size leave room for less than the schema allows, so much."""
        low = schema.get("minimum", 0)
        if self.strays():
            return self.random.choice([low, schema.get("maximum", 1 << 40), 1 << 40])
        if name in ("strip_bytes", "bytes"):
            return 1 << self.random.randint(12, 20)
        most = {"size_bytes": 4 * MIB, "drives_per_span": 4, "span": 1, "row": 2, "undo": 3,
                "count": 64, "latency_ms": 100}.get(name, schema.get("maximum", 1 << 15))
        high = min(most, schema.get("maximum", most))
        return self.random.choice([low, high, self.random.randint(low, high)])

    def value(self, name, schema):
        if "$ref" in schema:
            schema, _ = schema_check._resolve(schema["$ref"], "commands.schema.json")
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = self.random.choice(kind)
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "integer":
            return self.number(name, schema)
        if kind == "array":
            wanted = self.random.randint(schema.get("minItems", 0), 4)
            drawn = [self.value(name, schema["items"]) for _ in range(wanted)]
            return drawn if "$ref" in schema["items"] else [*dict.fromkeys(drawn)]
        if kind == "object":
            return self.object(schema)
        return self.text(name, schema)

    def object(self, schema):
        required = schema.get("required", [])
        often = self.random.choice((0.1, 0.4))
        return {name: self.value(name, body) for name, body in schema["properties"].items()
                if (not self.strays() if name in required else self.random.random() < often)}

    def fit(self, op, args):
        """What the schema cannot say: which arguments go together."""
        begins = args.get("action") == "start"
        if {"kind", "key"} & set(args):
            args["kind"] = self.random.choice(("controller", "virtual_drive", "drive")[
                :2 if op == "cache_flush" else 3])
            args["key"] = self.key(args["kind"])
        if op == "vd_create":
            self.fit_creation(args)
        elif op == "vd_measure":
            self.fit_measure(args, begins)
        elif op == "battery_set" and len(args) < 2:
            args["learn_mode"] = self.text("", {"x-words": "learn_mode"})
        elif op == "drive_erase":
            args["action"] = self.random.choice(("start", "stop"))
        elif op == "copyback" and begins:
            args["target"] = self.key("target")
        elif op == "consistency_check" and not begins:
            args.pop("correct", None)
        if "serial" in args and args.get("drive") in self.objects["drive"]:
            args["serial"] = self.objects["drive"][args["drive"]]["serial"]
        for left_out in ("plan_digest", "preset", "accept_risk", "stripe_log"):
            args.pop(left_out, None)

    def fit_creation(self, args):
        args.pop("serials", None)
        if self.random.random() < 0.5:
            args["drive_group"] = self.key("drive_group")
            args["level"] = self.objects["drive_group"].get(args["drive_group"], args).get("level")
            for beside in ("drives", "drives_per_span", "spares"):
                args.pop(beside, None)
        else:
            args.pop("drive_group", None)
            args.pop("drives_per_span", None)
            count = self.random.randint(1, 4)
            args["level"] = {1: "raid0", 2: "raid1", 3: "raid5", 4: "raid6"}[count]
            args["drives"] = self.random.sample(
                self.free if len(self.free) >= count and self.random.random() < 0.5
                else [*self.objects["drive"]], count)

    def fit_measure(self, args, begins):
        for name, schema in COMMANDS["vd_measure"]["properties"].items():
            if name in ("seconds", "loads"):
                args.pop(name, None)
                if begins:
                    args[name] = self.value(name, schema)
        for load in args.get("loads", ()):
            load["blocks"] = [{"bytes": self.number("bytes", {}), "percent": 100}]

    def command(self):
        self.asked += 1
        op = self.random.choice(sorted(COMMANDS))
        args = self.object(COMMANDS[op])
        if not self.strays():
            self.fit(op, args)
        return op, args, self.random.choice([None, *self.names])


class Client(threading.Thread):
    """Stays connected to an export and goes on writing and reading one block of it."""

    def __init__(self, handle, offset):
        super().__init__(daemon=True)
        self.handle, self.offset = handle, offset
        self.rounds, self.trouble = 0, None
        self.ending = threading.Event()

    def run(self):
        try:
            while not self.ending.is_set():
                block = (self.rounds % 251).to_bytes(1, "big") * 4096
                self.handle.pwrite(block, self.offset)
                if bytes(self.handle.pread(4096, self.offset)) != block:
                    raise AssertionError("read something else than was written")
                self.rounds += 1
                self.ending.wait(0.02)
        except (nbd.Error, AssertionError) as trouble:
            self.trouble = trouble

    def stop(self):
        self.ending.set()
        self.join()


class Hostile(AgentCase):
    def host(self, emulated):
        """Two parity or mirror drives in use, two to be striped over, four drives free."""
        options = {} if emulated else {"drives": [
            f'{{ path = "{{0}}/d{slot}"; enclosure = 252; slot = {slot}; }}' for slot in range(12)]}
        agent = Agent(slots=12, policy="strict", **options)
        self.addCleanup(agent.close)
        if not emulated:
            agent.config_path.write_text(agent.config_path.read_text()
                                         .replace("{0}", str(agent.directory)))
            for slot in range(12):
                with (agent.directory / f"d{slot}").open("wb") as drive:
                    drive.truncate(128 * MIB)
        agent.start()
        agent.create("raid5", [0, 1, 2], name="safe", size_bytes=96 * MIB)
        agent.create("raid1", [3, 4], name="mirror")
        agent.create("raid0", [5], name="left")
        agent.create("raid0", [6], name="right")
        with agent.control() as control:
            control.command("spare_add", {"drive": agent.view().drive_key(7)})
        return agent

    def exports(self, agent):
        handle = nbd.NBD()
        handle.set_opt_mode(True)
        handle.connect_uri(agent.uri(""))
        names = []
        handle.opt_list(lambda name, _: names.append(name) or 0)
        handle.opt_abort()
        return names

    def run_against(self, steps, *, emulated):
        seed = seeds.fresh("hostile")
        print(f"AW_SEED={seed}")
        agent = self.host(emulated)
        sizes, sums = {}, {}
        for index, name in enumerate(EXPORTS):
            with agent.nbd(name) as handle:
                sizes[name] = handle.get_size()
                sums[name] = write_random(handle, sizes[name] - MIB, seed + index)
        clients = [Client(agent.nbd_open(name), sizes[name] - MIB) for name in EXPORTS]
        for client in clients:
            client.start()
        self.attack(agent, Hijacker(seed, agent.view()), clients, steps)
        for client in clients:
            client.stop()
            self.assertIsNone(client.trouble)
        for name in EXPORTS:
            with agent.nbd(name) as handle:
                self.assertEqual(handle.get_size(), sizes[name], name)
                self.assertEqual(digest(handle, sizes[name] - MIB, MIB), sums[name], name)

    def attack(self, agent, hijacker, clients, steps):
        ran = refused = malformed = 0
        with agent.control() as control:
            for step in range(1, steps + 1):
                op, args, confirm = hijacker.command()
                try:
                    control.command(op, args, confirm=confirm, number=step)
                    ran += 1
                except Refused as refusal:
                    refused += refusal.code == "policy_denied"
                    malformed += refusal.code in ("invalid_argument", "unknown_object")
                if step % LOOK_EVERY == 0:
                    hijacker.look(agent.view())
                    self.assertLessEqual(set(EXPORTS), set(self.exports(agent)), (step, op, args))
                    for client in clients:
                        self.assertIsNone(client.trouble, (step, op, args))
                        rounds = client.rounds
                        wait_for("the client to get on", lambda c=client, r=rounds:
                                 c.rounds > r or c.trouble)
        print(f"{ran} commands ran, {refused} were refused by the policy, {malformed} malformed")
        # An attack that gets nothing done, or that the parser turns away, shows nothing.
        self.assertGreater(ran, steps // 25)
        self.assertGreater(refused, steps // 2)
        self.assertLess(malformed, steps // 8)

    def test_files_under_any_commands(self):
        self.run_against(STEPS, emulated=False)

    def test_emulated_drives_under_any_commands(self):
        self.run_against(STEPS // 4, emulated=True)


class Promises(AgentCase):
    """The commands that once changed what an export stands for."""

    def test_what_strict_refuses(self):
        with self.agent(slots=6, policy="strict") as agent, agent.control() as control:
            agent.create("raid1", [0, 1], name="m0")
            agent.create("raid1", [2, 3], name="m1")
            view = agent.view()
            m0, m1 = view.vd_key("m0"), view.vd_key("m1")
            asked = [("vd_set", {"virtual_drive": m0, "name": "gone"}),
                     ("vd_set", {"virtual_drive": m0, "access": "blocked"}),
                     ("stripe_create", {"name": "m2", "virtual_drives": [m0, m1]}),
                     ("vd_measure", {"virtual_drive": m0, "action": "start", "seconds": 1,
                                     "loads": [{"pattern": "random", "blocks": [{"bytes": 4096,
                                                "percent": 100}], "write_percent": 0,
                                                "workers": 1, "depth": 1}]}),
                     ("controller_set", {"controller": "c0", "auto_rebuild": False}),
                     ("vd_set", {"virtual_drive": m0, "drive_cache_policy": "on"}),
                     ("bgi", {"virtual_drive": m0, "action": "stop"}),
                     ("patrol_read", {"controller": "c0", "action": "pause"}),
                     *(("controller_set", {"controller": "c0", **change}) for change in (
                         {"rebuild_rate_percent": 0}, {"bgi_rate_percent": 0},
                         {"patrol_mode": "manual"}, {"patrol_delay_hours": 8760},
                         {"patrol_next_at_us": 1 << 52},
                         {"emergency_unconfigured": False}, {"mixed_media": False}))]
            for number, (op, args) in enumerate(asked, 1):
                told = self.assert_refused("policy_denied", control.command, op, args,
                                           number=number)
                self.assertRegex(told.reason["text"], r'"strict" refuses .+ from the backend: it '
                                                      r"[a-z ]+\. An administrator can run it")
            control.command("controller_set", {"controller": "c0", "rebuild_rate_percent": 40},
                            number=len(asked) + 1)

    def test_a_name_that_was_exported_stands_for_nothing_else(self):
        with self.agent(slots=6, policy="strict") as agent, agent.control() as control:
            agent.create("raid1", [0, 1], name="data")
            control.command("vd_delete", {"virtual_drive": agent.view().vd_key()}, confirm="data")
            args = {"controller": "c0", "level": "raid1", "drives": agent.slots(2, 3)}
            self.assert_refused("policy_denied", control.command, "vd_create",
                                {**args, "name": "data"}, number=1)
            control.command("vd_create", {**args, "name": "other"}, number=2)


if __name__ == "__main__":
    unittest.main()
