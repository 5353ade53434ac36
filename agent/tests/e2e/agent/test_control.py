"""The control socket: requests, subscriptions, who may do what."""

import json
import os
import socket
import threading
import unittest
import uuid
from pathlib import Path

import schema_check
from cases import AgentCase
from harness import Control, Refused, View


class ControlSocket(AgentCase):
    def test_malformed_requests_harm_nobody(self):
        with self.agent(slots=2) as agent, agent.control() as good:
            for data, code in ((b"{\n", "invalid_argument"), (b"[]\n", "invalid_argument"),
                               (b'{"id":1}\n', "invalid_argument"),
                               (b'{"v":2,"id":1,"method":"hello","params":{}}\n',
                                "invalid_argument"),
                               (b'{"v":1,"id":1,"method":"frob","params":{}}\n',
                                "unknown_command"),
                               (b'{"v":1,"id":1,"method":"hello","params":[]}\n',
                                "invalid_argument"),
                               (b'{"v":1,"id":1,"id":2,"method":"hello","params":{}}\n',
                                "invalid_argument"),
                               (b'\xff\xfe\n', "invalid_argument")):
                with agent.control() as bad:
                    bad.send_raw(data)
                    self.assertEqual(bad.read()["error"]["code"], code, data)
            with agent.control() as bad:
                with self.assertRaises((EOFError, ConnectionError)):
                    bad.send_raw(b"x" * 70000)
                    bad.read()
            self.assertTrue(good.ask("hello")["online"])

    def test_requests_in_one_packet_are_answered_in_order(self):
        with self.agent(slots=1) as agent, agent.control() as control:
            lines = b"".join(json.dumps({"v": 1, "id": n, "method": "hello", "params": {}}).encode()
                             + b"\n" for n in range(200))
            control.send_raw(lines)
            self.assertEqual([control.read()["id"] for _ in range(200)], list(range(200)))

    def test_hello(self):
        with self.agent(slots=1) as agent, agent.control() as control:
            hello = control.ask("hello")
            schema_check.check(hello, "hello_result", "control.schema.json")
            self.assertEqual(hello["role"],
                             "administrator" if os.geteuid() == 0 else hello["role"])
            self.assertEqual(hello["policy_preset"], "lab")

    def test_the_fence_of_the_link_is_durable(self):
        with self.agent(slots=1) as agent:
            with agent.control() as control:
                self.assertEqual(control.ask("hello")["fence"], "")
                for fence in ("", "with blank", "x" * 65, None, 7):
                    with self.assertRaises(Refused):
                        control.ask("link.join", {"fence": fence})
                for number in range(5):
                    control.ask("link.join", {"fence": f"{number}-abc"})
                control.send("link.join", {"fence": "5-abc"})  # and nobody waits for the answer
            agent.until("the last fence", lambda view: self.fence(agent) == "5-abc")
            agent.kill()
            agent.start()
            self.assertEqual(self.fence(agent), "5-abc")
            agent.stop()
            (agent.state_dir / "r-link-fence").write_bytes(b"")
            agent.start()  # a damaged one is as good as none
            self.assertEqual(self.fence(agent), "")

    @staticmethod
    def fence(agent):
        with agent.control() as control:
            return control.ask("hello")["fence"]

    def test_how_the_link_stands(self):
        why = {"code": "identity_in_use", "params": {}, "text": "Another machine."}
        with self.agent(slots=1) as agent, agent.control() as control:
            with agent.control() as uplink:
                self.assertEqual(control.ask("hello")["link"]["state"], "away")
                uplink.ask("link.report", {})
                self.assertEqual(control.ask("hello")["link"]["state"], "connected")
            agent.until("the uplink to be gone",
                        lambda view: control.ask("hello")["link"]["state"] == "away")
            with agent.control() as uplink:
                uplink.ask("link.report", {"reason": why})
            link = control.ask("hello")["link"]
            schema_check.check(control.ask("hello"), "hello_result", "control.schema.json")
            self.assertEqual((link["state"], link["reason"]), ("refused", why))
            self.assertIn("! link: Another machine.", agent.ctl("status").stdout)
            with self.assertRaises(Refused):
                control.ask("link.report", {"reason": {"code": "x"}})

    def test_commands_are_run_once(self):
        agent = self.agent(slots=4)
        agent.start()
        name = str(uuid.uuid4())
        args = {"controller": "c0", "level": "raid1", "name": "data", "drives": agent.slots(0, 1)}
        with agent.control() as control:
            first = control.outcome(control.submit("vd_create", args, command_id=name, number=7))
            self.assertEqual(first["state"], "succeeded")
            self.assertEqual([o["kind"] for o in first["objects"]][:1], ["virtual_drive"])
            again = control.submit("vd_create", {**args, "name": "other"}, command_id=name,
                                   number=7)
            self.assertEqual(again, first)
            # A used number with an unknown id is a replay.
            replay = control.submit("vd_create", args, number=7)
            self.assertEqual(replay["state"], "refused")
            self.assertEqual(control.ask("hello")["command_number"], 7)
            listed = control.ask("command.list", {"unacknowledged": True})["commands"]
            self.assertEqual([c["command_id"] for c in listed], [name])
        agent.kill()
        agent.start()
        with agent.control() as control:
            self.assertEqual(control.ask("command.get", {"command_id": name}), first)
            self.assertEqual(control.submit("vd_create", args, command_id=name, number=7), first)
            control.ask("command.acknowledge", {"command_id": name})
            self.assertEqual(control.ask("command.list", {"unacknowledged": True})["commands"], [])
        self.assertEqual(len(agent.view().all("virtual_drive")), 1)

    def test_an_expired_command_is_not_run(self):
        with self.agent(slots=2) as agent, agent.control() as control:
            args = {"controller": "c0", "level": "raid1", "name": "data",
                    "drives": agent.slots(0, 1)}
            status = control.outcome(control.submit("vd_create", args, number=1, not_after_us=1))
            self.assertEqual(status["state"], "expired")
            self.assertEqual(View(control.state()).all("virtual_drive"), {})

    def test_policies_bind_the_backend_only(self):
        for policy, confirm, allowed in (("lab", "data", True), ("standard", "data", True),
                                         ("strict", "data", False)):
            with self.agent(slots=2, policy=policy) as agent, agent.control() as control:
                agent.create("raid1", [0, 1])
                args = {"virtual_drive": agent.view().vd_key()}
                told = self.assert_refused("not_permitted", control.command, "vd_delete", args,
                                           confirm=confirm, number=1, role="viewer")
                self.assertEqual(told.reason["text"],
                                 "Your role on this host does not permit delete.")
                if policy == "standard":
                    told = self.assert_refused("policy_confirm_needed", control.command,
                                               "vd_delete", args, number=2)
                    self.assertIn("requires the typed name", told.reason["text"])
                if allowed:
                    control.command("vd_delete", args, confirm=confirm, number=3)
                else:
                    self.assert_refused("policy_denied", control.command, "vd_delete", args,
                                        confirm=confirm, number=3)
                    control.command("vd_delete", args, confirm=confirm)  # on the host itself

    def test_always_write_back_is_not_for_a_strict_hosts_backend(self):
        with self.agent(slots=2, policy="strict") as agent, agent.control() as control:
            agent.create("raid1", [0, 1])
            args = {"virtual_drive": agent.view().vd_key(), "write_policy": "always_write_back"}
            self.assert_refused("policy_denied", control.command, "vd_set", args, number=1)
            control.command("vd_set", {**args, "write_policy": "write_back"}, number=2)
            control.command("vd_set", args)  # on the host itself

    def test_a_preset_is_judged_by_what_it_sets(self):
        profiles = Path(__file__).resolve().parents[3] / "profiles"
        config = f'profile = "3ware-9650se-8"; profiles_dir = "{profiles}";'
        with self.agent(slots=2, policy="strict", config=config) as agent, \
                agent.control() as control:
            agent.create("raid1", [0, 1])
            args = {"virtual_drive": agent.view().vd_key(), "accept_risk": True}
            forces = {**args, "preset": "storsave-performance"}
            self.assert_refused("policy_denied", control.command, "vd_set", forces, number=1)
            control.command("vd_set", {**args, "preset": "storsave-protection"}, number=2)
            self.assertEqual(agent.view().vd()["preset"], "storsave-protection")
            self.assert_refused("policy_denied", control.command, "vd_set",
                                {**forces, "write_policy": "write_back"}, number=3)
            # What is given itself holds, for the class as well.
            control.command("vd_set", {**forces, "write_policy": "write_back",
                                       "drive_cache_policy": "off"}, number=4)
            self.assert_refused("preset_unknown", control.command, "vd_set",
                                {**args, "preset": "fastest"}, number=5)
            control.command("vd_set", forces)  # on the host itself

    def test_standard_policy_limits_destruction_per_hour(self):
        with self.agent(slots=2, policy="standard") as agent, agent.control() as control:
            number = 0
            for _ in range(20):
                agent.create("raid1", [0, 1])
                args = {"virtual_drive": agent.view().vd_key()}
                # A mistyped name destroys nothing and uses up nothing.
                self.assert_refused("confirm_mismatch", control.command, "vd_delete", args,
                                    confirm="date", number=number + 1)
                number += 2
                control.command("vd_delete", args, confirm="data", number=number)
            agent.create("raid1", [0, 1])
            args = {"virtual_drive": agent.view().vd_key()}
            told = self.assert_refused("policy_hour_used", control.command, "vd_delete", args,
                                       confirm="data", number=number + 1)
            self.assertRegex(told.reason["text"], r"permits 20 destroying commands an hour.* "
                                                  r"Repeat delete in (59|60) min")

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become somebody else")
    def test_a_stranger_may_only_read(self):
        with self.agent(slots=2) as agent:
            agent.directory.chmod(0o755)
            drives = agent.slots(0, 1)
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:  # becomes nobody and tells what it was answered
                try:
                    os.setgroups([])
                    os.setgid(65534)
                    os.setuid(65534)
                    with Control(agent.control_path) as control:
                        role = control.ask("hello")["role"]
                        count = len(View(control.state()).all("drive"))
                        status = control.submit("vd_create", {
                            "controller": "c0", "level": "raid1", "drives": drives})
                        numbered = control.submit("vd_create", {
                            "controller": "c0", "level": "raid1", "drives": drives}, number=1)
                        os.write(writer, json.dumps([role, count, status["reason"]["code"],
                                                     numbered["reason"]["code"]]).encode())
                finally:
                    os._exit(0)
            os.close(writer)
            os.waitpid(child, 0)
            told = json.loads(os.read(reader, 4096))
            os.close(reader)
            self.assertEqual(told, ["viewer", 2, "not_permitted", "not_permitted"])
            self.assertEqual(agent.view().all("virtual_drive"), {})

    def test_subscription_tells_health_at_once_and_deltas_add_up(self):
        with self.agent(slots=3) as agent, agent.control() as follower:
            state = follower.ask("state.subscribe", {"since_rev": 0})
            schema_check.check(state, "state_result", "control.schema.json")
            self.assertTrue(state["full"])
            mirror = {(o["kind"], o["key"]): o for o in state["objects"]}
            rev = state["to_rev"]

            def follow():
                nonlocal rev
                delta = follower.notification("state")
                schema_check.check(delta, "state_result", "control.schema.json")
                self.assertEqual((delta["full"], delta["base_rev"]), (False, rev))
                self.assertGreater(delta["to_rev"], rev)
                rev = delta["to_rev"]
                for item in delta["objects"]:
                    mirror[item["kind"], item["key"]] = item
                for stone in delta["tombstones"]:
                    mirror.pop((stone["kind"], stone["key"]), None)

            agent.create("raid1", [0, 1])
            agent.fault(0, "pull")

            def vd_state():
                return next((o["doc"]["state"] for (kind, _), o in mirror.items()
                             if kind == "virtual_drive"), None)
            while vd_state() != "degraded":
                follow()
            with agent.control() as control:
                view = View(control.state())
                control.command("vd_delete", {"virtual_drive": view.vd_key()}, confirm="data")
                final = control.state()
            while rev < final["to_rev"]:
                follow()
            now = {(o["kind"], o["key"]) for o in final["objects"]}
            self.assertEqual(set(mirror), now)

    def test_a_reader_that_never_reads_does_not_stop_the_others(self):
        with self.agent(slots=3) as agent:
            with socket.socket(socket.AF_UNIX) as deaf:
                deaf.connect(str(agent.control_path))
                line = json.dumps({"v": 1, "id": 1, "method": "state.get",
                                   "params": {"since_rev": 0}}).encode() + b"\n"
                deaf.setblocking(False)
                try:
                    for _ in range(20000):
                        deaf.send(line)
                except (BlockingIOError, ConnectionError, BrokenPipeError):
                    pass
                agent.create("raid1", [0, 1])
                self.assertEqual(agent.view().vd()["state"], "optimal")

    def test_many_clients_at_once(self):
        with self.agent(slots=2) as agent:
            wrong = []

            def ask():
                try:
                    with agent.control() as control:
                        for _ in range(20):
                            control.state()
                except Exception as error:  # noqa: BLE001 - whatever it is, the test must show it
                    wrong.append(error)
            threads = [threading.Thread(target=ask) for _ in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])
