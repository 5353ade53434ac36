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
    """Draws commands from the protocol's own schema: mostly well formed, about what is there."""

    def __init__(self, seed, view):
        self.random = random.Random(seed)
        self.look(view)

    def look(self, view):
        self.keys = {kind: list(view.all(kind)) for kind in
                     ("controller", "drive", "drive_group", "virtual_drive", "battery")}
        drives = view.all("drive").values()
        self.texts = [doc["name"] for doc in view.all("virtual_drive").values()]
        self.texts += [doc["serial"] for doc in drives] + ["gone", "new", "a" * 15, "", "../x"]

    def key(self, name):
        kind = {"virtual_drives": "virtual_drive", "spares": "drive", "drives": "drive",
                "target": "drive", "drive_groups": "drive_group"}.get(name, name)
        keys = self.keys.get(kind) or [key for keys in self.keys.values() for key in keys]
        return self.random.choice(keys) if self.random.random() < 0.97 else "nobody"

    def text(self, name, schema):
        if "x-words" in schema:
            words = sorted(schema_check.WORDS[schema["x-words"]])
            return self.random.choice(words) if self.random.random() < 0.98 else "word"
        if name in ("name", "confirm", "serial", "serials"):
            return self.random.choice(self.texts)
        return self.key(name) if "pattern" in schema else self.random.choice([*self.texts, "0"])

    def number(self, schema):
        low, high = schema.get("minimum", 0), schema.get("maximum", 1 << 40)
        return self.random.choice([low, high, self.random.randint(low, high),
                                   self.random.randint(low, min(high, low + 100)), 16 * MIB])

    def value(self, name, schema):
        if "$ref" in schema:
            schema, _ = schema_check._resolve(schema["$ref"], "commands.schema.json")
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = self.random.choice(kind)
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "integer":
            return self.number(schema)
        if kind == "array":
            wanted = self.random.randint(schema.get("minItems", 0), 4)
            return [self.value(name, schema.get("items", {})) for _ in range(wanted)]
        if kind == "object":
            return self.object(schema)
        return self.text(name, schema)

    def object(self, schema):
        required = schema.get("required", [])
        return {name: self.value(name, body) for name, body in schema["properties"].items()
                if self.random.random() < (0.99 if name in required else 0.35)}

    def command(self):
        op = self.random.choice(sorted(COMMANDS))
        confirm = self.random.choice([None, self.text("confirm", {})])
        return op, self.object(COMMANDS[op]), confirm


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
        ran = refused = 0
        with agent.control() as control:
            for step in range(1, steps + 1):
                op, args, confirm = hijacker.command()
                try:
                    control.command(op, args, confirm=confirm, number=step)
                    ran += 1
                except Refused as refusal:
                    refused += refusal.code == "policy_denied"
                if step % LOOK_EVERY == 0:
                    hijacker.look(agent.view())
                    self.assertLessEqual(set(EXPORTS), set(self.exports(agent)), (step, op, args))
                    for client in clients:
                        self.assertIsNone(client.trouble, (step, op, args))
                        rounds = client.rounds
                        wait_for("the client to get on", lambda c=client, r=rounds:
                                 c.rounds > r or c.trouble)
        print(f"{ran} commands ran, {refused} were refused by the policy")
        # An attack that gets nothing done, or meets no refusal, shows nothing.
        self.assertGreater(ran, steps // 200)
        self.assertGreater(refused, steps // 200)

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
