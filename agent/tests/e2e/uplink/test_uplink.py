"""The uplink between a real arrayd and a real backend, and in front of a hostile one."""

import json
import os
import random
import shutil
import socket
import stat
import subprocess
import threading
import unittest
import urllib.parse
from pathlib import Path

from harness import Agent, wait_for
from link_harness import UPLINK, VENV, Backend, Problem, Uplink, Wire
from scripted import frame, upgrade

NOT_ENROLLED = 3
needs_backend = unittest.skipUnless(
    VENV and Path(VENV, "bin/arraywright").exists(),
    "AW_VENV does not name an environment with the backend")


class Case(unittest.TestCase):
    def make(self, thing):
        """Closed at the end of the test, in reverse order."""
        self.addCleanup(thing.close)
        return thing

    def uplink(self, url, **more):
        return self.make(Uplink(url, **more))

    def failed(self, done, *words, code=1):
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


class CommandLine(Case):
    def test_version_and_help(self):
        done = subprocess.run([UPLINK, "--version"], check=True, text=True, capture_output=True)
        self.assertRegex(done.stdout, r"^arraywright-uplink \d+\.\d+\.\d+\n$")
        done = subprocess.run([UPLINK, "--help"], check=True, text=True, capture_output=True)
        for word in ("enrol", "--url", "--token", "--ca", "--insecure", "--check-config"):
            self.assertIn(word, done.stdout)

    def test_wrong_usage(self):
        for words in ([], ["enrol"], ["--config"], ["--nonsense"]):
            done = subprocess.run([UPLINK, *words], check=False, text=True, capture_output=True)
            self.assertEqual(done.returncode, 2, done)
            self.assertTrue(done.stderr)
        uplink = self.uplink("http://127.0.0.1:1")
        self.failed(uplink.run("--url", "http://127.0.0.1:1"), "belong to enrol", code=2)
        self.failed(uplink.run("enrol", "--url", "http://127.0.0.1:1"), "--token", code=2)
        self.failed(uplink.run("nonsense"), "unknown command", code=2)

    def test_configuration(self):
        uplink = self.uplink("http://127.0.0.1:1")
        self.assertEqual(uplink.run("--check-config").returncode, 0)
        uplink.config_path.write_text('url = "https://x";\nstatedir = "/x";\n')
        self.failed(uplink.run("--check-config"), f"{uplink.config_path}:2: unknown key statedir",
                    code=2)
        self.failed(uplink.run(), "unknown key statedir", code=2)

    def test_not_enrolled(self):
        uplink = self.uplink("http://127.0.0.1:1")
        self.failed(uplink.run(), "not enrolled", "enrol --url", code=NOT_ENROLLED)


@needs_backend
class Enrolment(Case):
    @classmethod
    def setUpClass(cls):
        cls.backend = Backend()
        cls.addClassCleanup(cls.backend.close)
        cls.backend.start()
        cls.backend.log_in()

    def test_enrolment_and_its_files(self):
        uplink = self.uplink(self.backend.url)
        token = self.backend.token()
        done = uplink.enrol(token)
        self.assertEqual(done.returncode, 0, done.stderr)
        identity = uplink.identity()
        self.assertIn(identity["agent_id"], [host["id"] for host in self.backend.items("/hosts")])
        self.assertEqual(identity["url"], self.backend.url)
        self.assertEqual(stat.S_IMODE(uplink.state_dir.stat().st_mode), 0o700)
        for file in uplink.state_dir.iterdir():
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file)
        names = {file.name for file in uplink.state_dir.iterdir()}
        self.assertEqual(names - {"machine-id"}, {"identity.json", identity["key_file"]})
        self.assertIn("PRIVATE KEY", (uplink.state_dir / identity["key_file"]).read_text())

    def test_wrong_token(self):
        uplink = self.uplink(self.backend.url)
        self.failed(uplink.enrol("awe_nonsense"), "not known", "copied whole")
        self.failed(uplink.run(), "not enrolled", code=NOT_ENROLLED)
        self.assertEqual([f.name for f in uplink.state_dir.iterdir() if f.name != "machine-id"], [])

    def test_used_token(self):
        token = self.backend.token()
        self.assertEqual(self.uplink(self.backend.url).enrol(token).returncode, 0)
        self.failed(self.uplink(self.backend.url).enrol(token), "used already", "make a new one")

    def test_token_from_standard_input(self):
        uplink = self.uplink(self.backend.url)
        done = uplink.run("enrol", "--no-start", "--url", self.backend.url, "--token", "-",
                          stdin=self.backend.token() + "\n")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_enrolled_already(self):
        uplink = self.uplink(self.backend.url)
        self.assertEqual(uplink.enrol(self.backend.token()).returncode, 0)
        first = uplink.identity()
        token = self.backend.token()
        self.failed(uplink.enrol(token), "enrolled already", first["agent_id"], "--force")
        self.failed(uplink.enrol("awe_nonsense", "--force"), "not known")
        self.assertEqual(uplink.identity(), first)
        self.assertTrue((uplink.state_dir / first["key_file"]).exists())
        done = uplink.enrol(token, "--force")  # still good: the refusals have not spent it
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(uplink.identity()["agent_id"], first["agent_id"])
        self.assertFalse((uplink.state_dir / first["key_file"]).exists())

    def test_unreachable(self):
        uplink = self.uplink("http://127.0.0.1:1")
        self.failed(uplink.enrol("awe_x"), "cannot be reached", "Connection refused", "firewall")
        self.failed(uplink.enrol("awe_x", url="http://localhost:1"), "cannot be reached")
        self.failed(uplink.enrol("awe_x", url="https://no-such-host.invalid"), "cannot be resolved")

    def test_not_a_backend(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            def answer():
                connection, _ = server.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

            thread = threading.Thread(target=answer)
            thread.start()
            uplink = self.uplink(f"http://127.0.0.1:{server.getsockname()[1]}")
            self.failed(uplink.enrol("awe_x"), "not an Arraywright backend")
            thread.join()
        # TLS to a port that does not speak it
        self.failed(uplink.enrol("awe_x", url=self.backend.url.replace("http:", "https:")),
                    "not an Arraywright backend")
        self.failed(uplink.enrol("awe_x", url=self.backend.url + "/elsewhere"),
                    "refuses (HTTP 404", "check that the address")

    def test_plain_http_over_the_network(self):
        uplink = self.uplink("http://192.0.2.1:8080")
        self.failed(uplink.enrol("awe_x"), "plain http", "--insecure")
        self.assertFalse(uplink.state_dir.exists())

    def test_one_process_per_state_directory(self):
        uplink = self.uplink(self.backend.url)
        self.assertEqual(uplink.enrol(self.backend.token()).returncode, 0)
        uplink.start()
        wait_for("the first to run", lambda: uplink.said("arrayd cannot be reached"))
        self.failed(uplink.run(), "in use by another")
        self.failed(uplink.enrol(self.backend.token(), "--force"), "in use by another")

    def test_privileges_are_given_up(self):
        uplink = self.uplink(self.backend.url)
        self.assertEqual(uplink.enrol(self.backend.token()).returncode, 0)
        uplink.start()
        wait_for("it to run", lambda: uplink.said("arrayd cannot be reached"))
        status = Path(f"/proc/{uplink.process.pid}/status").read_text()
        self.assertIn("NoNewPrivs:\t1", status)
        uplink.stop()

    def test_damaged_state(self):
        uplink = self.uplink(self.backend.url)
        self.assertEqual(uplink.enrol(self.backend.token()).returncode, 0)
        identity = uplink.identity()
        key = uplink.state_dir / identity["key_file"]
        key.chmod(0o644)
        self.failed(uplink.run(), "may be read by others")
        key.write_text("nonsense")
        key.chmod(0o600)
        self.failed(uplink.run(), "cannot be used")
        (uplink.state_dir / "identity.json").write_text("{")
        self.failed(uplink.run(), "damaged")
        self.failed(uplink.enrol(self.backend.token()), "damaged")


@needs_backend
class Linked(Case):
    """An agent with eight drives, linked to the backend through a wire; each test's is new."""

    @classmethod
    def setUpClass(cls):
        cls.backend = Backend()
        cls.addClassCleanup(cls.backend.close)

    def setUp(self):
        if not self.backend.running:  # the first test, or the one before has failed
            self.backend.start()
            self.backend.log_in()
        self.wire = self.make(Wire(self.backend.port))
        self.agent = self.make(Agent()).start()
        self.link = self.uplink(self.wire.url, control_socket=self.agent.control_path)
        done = self.link.enrol(self.backend.token())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.host_id = self.link.identity()["agent_id"]
        self.link.start()
        self.online()

    def host(self):
        return self.backend.host(self.host_id)

    def online(self):
        wait_for("the host to be online", lambda: self.link.check() or self.host()["online"])

    def synchronous(self):
        """Waits until the backend holds exactly arrayd's state; returns it."""
        def equal():
            self.link.check()
            with self.agent.control() as control:
                told = {(item["kind"], item["key"]): (item["rev"], item["doc"])
                        for item in control.state()["objects"]}
            return told if self.backend.objects(self.host_id) == told else None

        return wait_for("the backend to have the agent's state", equal)

    def logged(self):
        """[(number, name, text)] of arrayd's own log."""
        found = []
        with self.agent.control() as control:
            while True:
                after = found[-1][0] if found else 0
                result = control.ask("events.read", {"after_seq": after, "limit": 256})
                if not result["events"]:
                    return found
                found += [(e["seq"], e["name"], e["text"]) for e in result["events"]]

    def events_complete(self):
        """Waits until the backend has all events; each must be there exactly once."""
        def arrived():
            self.link.check()
            logged = self.logged()
            last = logged[-1][0] if logged else 0
            return logged if self.backend.acked_seq(self.host_id) >= last else None

        # Of the log as it was then: it tells what is durable, on a slow disk that is later.
        logged = wait_for("the backend to have the agent's events", arrived)
        self.assertEqual(self.backend.events(self.host_id)[:len(logged)], logged)
        numbers = [number for number, _, _ in self.backend.events(self.host_id)]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))

    def wish(self, level, slots, name):
        """The body of a request for a virtual drive."""
        drives = {drive["slot"]: drive["id"]
                  for drive in self.backend.items(f"/drives?limit=50&host_id={self.host_id}")}
        (controller,) = self.backend.items(f"/controllers?host_id={self.host_id}")
        return {"controller_id": controller["id"], "level": level, "name": name, "size_bytes": "all",
                "drive_ids": [drives[slot] for slot in slots]}

    def order(self, body, **headers):
        return self.backend.request("POST", "/virtual-drives", body, headers)

    def finished(self, command_id):
        def ended():
            self.link.check()
            command = self.backend.request("GET", f"/commands/{command_id}")
            return command if command["finished"] else None

        return wait_for("the command to end", ended)

    def names(self):
        return sorted(doc["name"] for doc in self.agent.view().all("virtual_drive").values())

    # State and events

    def test_state_and_events_arrive(self):
        self.synchronous()
        self.events_complete()
        self.agent.create("raid5", [0, 1, 2], "one")
        self.agent.create("raid1", [3, 4], "two")
        state = self.synchronous()
        self.assertEqual(sum(kind == "virtual_drive" for kind, _ in state), 2)
        self.agent.ctl("/c0/v1", "del", "force")
        self.agent.fault(0, "pull")
        state = self.synchronous()
        self.assertEqual(sum(kind == "virtual_drive" for kind, _ in state), 1)
        self.events_complete()
        self.assertEqual(self.host()["summary"]["virtual_drives_degraded"], 1)

    def test_backend_killed_and_restarted_in_the_middle(self):
        done = threading.Event()
        failure = []

        def change():
            try:
                while not done.is_set():
                    self.agent.create("raid0", [5, 6], "busy")
                    self.agent.ctl("/c0/v0", "del", "force")
            except BaseException as error:  # noqa: BLE001 - handed to the test
                failure.append(error)

        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(3):
                before = self.backend.acked_seq(self.host_id)
                wait_for("events to flow", lambda: self.link.check() or
                         self.backend.acked_seq(self.host_id) > before + 20)
                self.backend.kill()
                self.backend.start()
        finally:
            done.set()
            thread.join()
        self.assertEqual(failure, [])
        self.online()
        self.synchronous()
        self.events_complete()

    def test_backend_down_while_things_happen(self):
        self.synchronous()
        self.backend.stop()
        self.agent.create("raid6", [0, 1, 2, 3], "while-away")
        self.agent.fault(1, "pull")
        self.agent.create("raid1", [4, 5], "also")
        self.agent.ctl("/c0/v1", "del", "force")
        wait_for("the link to notice", lambda: self.link.said("cannot be reached"))
        self.backend.start()
        self.online()
        state = self.synchronous()
        self.assertEqual([doc["name"] for (kind, _), (_, doc) in state.items()
                          if kind == "virtual_drive"], ["while-away"])
        self.events_complete()

    def test_more_events_than_the_window_holds(self):
        self.link.stop()
        for _ in range(100):
            self.agent.create("raid0", [5, 6], "busy")
            self.agent.ctl("/c0/v0", "del", "force")
        self.assertGreater(len(self.logged()), 512)
        self.link.start()
        self.online()
        self.events_complete()

    def test_connection_cut_again_and_again(self):
        for round_ in range(3):
            self.agent.create("raid0", [5, 6], f"cut{round_}")
            self.wire.cut()
            self.agent.ctl("/c0/v0", "del", "force")
            wait_for("the session to be back",
                     lambda: self.link.said("connected to the backend", round_ + 2))
        self.synchronous()
        self.events_complete()

    def test_uplink_killed_and_restarted(self):
        self.agent.create("raid5", [0, 1, 2], "one")
        self.link.kill()
        self.agent.create("raid1", [3, 4], "two")
        self.link.start()
        self.synchronous()
        self.events_complete()

    def test_agent_killed_and_restarted(self):
        self.agent.create("raid5", [0, 1, 2], "one")
        self.synchronous()
        self.agent.kill()
        wait_for("the host to be offline", lambda: not self.host()["online"])
        self.link.check()
        self.agent.start()
        self.online()
        state = self.synchronous()
        self.assertEqual(sum(kind == "virtual_drive" for kind, _ in state), 1)
        self.events_complete()

    def test_clean_stop(self):
        self.link.stop()
        wait_for("the host to be offline", lambda: not self.host()["online"])

    # Commands and questions

    def test_command_round_trip(self):
        self.synchronous()
        command = self.order(self.wish("raid5", [0, 1, 2], "ordered"), Prefer="wait=30")
        self.assertEqual(command["state"], "succeeded", command)
        self.assertIn("virtual_drive", [item["kind"] for item in command["objects"]])
        self.assertEqual(self.names(), ["ordered"])
        with self.assertRaises(Problem) as refused:
            self.order(self.wish("raid5", [0, 1, 2], "again"), Prefer="wait=30")
        told = refused.exception.document
        self.assertEqual(refused.exception.status, 409)
        self.assertIn(told["command"]["state"], ("refused", "failed"))
        self.assertEqual(told["code"], told["command"]["reason"]["code"])
        self.assertEqual(self.names(), ["ordered"])
        wait_for("all outcomes to be acknowledged", lambda: not self.undelivered())

    def undelivered(self):
        with self.agent.control() as control:
            return control.ask("command.list", {"unacknowledged": True})["commands"]

    def test_many_commands_at_once(self):
        self.synchronous()
        (controller,) = self.backend.items(f"/controllers?host_id={self.host_id}")
        ordered = [self.backend.request("PATCH", f"/controllers/{controller['id']}",
                                        {"rebuild_rate_percent": 10 + i})["id"]
                   for i in range(40)]
        states = [self.finished(command_id)["state"] for command_id in ordered]
        self.assertEqual(states, ["succeeded"] * 40)
        wait_for("all outcomes to be acknowledged", lambda: not self.undelivered())

    def test_outcome_that_arose_while_the_link_was_down(self):
        self.synchronous()
        self.wire.hold_up()
        command = self.order(self.wish("raid5", [0, 1, 2], "unheard"))
        wait_for("the agent to have run it", lambda: self.names() == ["unheard"])
        self.assertFalse(self.backend.request("GET", f"/commands/{command['id']}")["finished"])
        self.wire.cut()
        self.assertEqual(self.finished(command["id"])["state"], "succeeded")
        self.assertEqual(self.names(), ["unheard"])
        wait_for("the outcome to be acknowledged", lambda: not self.undelivered())
        self.synchronous()
        self.events_complete()

    def test_outcome_that_arose_while_the_backend_was_down(self):
        self.synchronous()
        self.wire.hold_up()
        command = self.order(self.wish("raid5", [0, 1, 2], "unheard"))
        wait_for("the agent to have run it", lambda: self.names() == ["unheard"])
        self.backend.kill()
        self.wire.cut()
        self.link.kill()
        self.backend.start()
        self.link.start()
        self.assertEqual(self.finished(command["id"])["state"], "succeeded")
        self.assertEqual(self.names(), ["unheard"])
        wait_for("the outcome to be acknowledged", lambda: not self.undelivered())

    def test_preview_is_asked_of_the_host(self):
        self.synchronous()
        wish = self.wish("raid6", [0, 1, 2, 3, 4], "what-if")
        answer = self.backend.request("POST", "/virtual-drives/preview", wish)
        self.assertTrue(answer["ok"], answer)
        wish["drive_ids"] = wish["drive_ids"][:1]
        answer = self.backend.request("POST", "/virtual-drives/preview", wish)
        self.assertFalse(answer["ok"], answer)
        self.link.stop()
        wait_for("the host to be offline", lambda: not self.host()["online"])
        with self.assertRaises(Problem):
            self.backend.request("POST", "/virtual-drives/preview", wish)

    # Trouble with the backend

    def test_retired_host_is_refused_and_keeps_its_identity(self):
        identity = self.link.identity()
        # Its name alone, unless another host has the same one.
        typed = urllib.parse.quote(self.host()["label"])
        self.backend.request("DELETE", f"/hosts/{self.host_id}?confirm={typed}")
        wait_for("the refusal", lambda: self.link.said("unauthorised"))
        self.assertEqual(self.link.identity(), identity)

    def test_a_second_backend_gets_no_signature(self):
        self.link.stop()
        other = self.make(Backend()).start()
        text = self.link.config_path.read_text().replace(self.wire.url, other.url)
        self.link.config_path.write_text(text)
        self.link.start()
        wait_for("the refusal", lambda: self.link.said("not the backend the host enrolled with"))


@needs_backend
@unittest.skipUnless(os.geteuid() == 0, "only root can run it as somebody else")
class Unprivileged(Case):
    """As it is installed: a user without rights, whose commands are the backend's."""

    def agent(self, policy):
        agent = self.make(Agent(slots=4, policy=policy))
        text = agent.config_path.read_text()
        agent.config_path.write_text(
            text.replace('mode = "0666";', 'mode = "0666"; uplink_users = [ "nobody" ];'))
        agent.directory.chmod(0o711)
        return agent.start()

    def test_commands_of_the_backend_obey_the_policy_of_the_host(self):
        backend = self.make(Backend()).start()
        backend.log_in()
        agent = self.agent("strict")
        link = self.uplink(backend.url, control_socket=agent.control_path, user="nobody")
        done = link.enrol(backend.token())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(link.state_dir.stat().st_uid, link.directory.stat().st_uid)
        host_id = link.identity()["agent_id"]
        link.start()
        wait_for("the drives to be known",
                 lambda: link.check() or len(backend.items("/drives")) == 4)
        self.assertEqual(backend.host(host_id)["policy_preset"], "strict")
        (controller,) = backend.items("/controllers")
        body = {"controller_id": controller["id"], "level": "raid1", "name": "kept",
                "size_bytes": "all",
                "drive_ids": [drive["id"] for drive in backend.items("/drives")][:2]}
        wait = {"Prefer": "wait=30"}
        command = backend.request("POST", "/virtual-drives", body, wait)
        self.assertEqual(command["state"], "succeeded", command)

        def refused():
            """What the deletion is answered, once nothing has changed the drive in between."""
            (vd,) = wait_for("the virtual drive", lambda: backend.items("/virtual-drives"))
            try:
                return backend.request("DELETE", f"/virtual-drives/{vd['id']}?confirm=kept", None,
                                       {**wait, "If-Match": f'"{vd["config_rev"]}"'})
            except Problem as problem:
                return None if problem.status == 412 else problem.document

        refusal = wait_for("an answer to the deletion", refused)
        self.assertIn("policy_denied", json.dumps(refusal), refusal)
        self.assertEqual(len(agent.view().all("virtual_drive")), 1)
        with agent.control() as control:
            wait_for("the outcomes to be acknowledged", lambda: not control.ask(
                "command.list", {"unacknowledged": True})["commands"])


@needs_backend
class OverTls(Case):
    def test_certificates(self):
        backend = self.make(Backend(with_tls=True)).start()
        backend.log_in()
        agent = self.make(Agent(slots=2)).start()
        link = self.uplink(backend.url, control_socket=agent.control_path)
        token = backend.token()
        self.failed(link.enrol(token), "certificate", "not trusted", "--ca FILE")
        self.failed(link.enrol(token, "--ca", "/nonexistent.pem"), "cannot be read")
        named = f"https://localhost:{backend.port}"  # the certificate is for 127.0.0.1
        self.failed(link.enrol(token, "--ca", str(backend.certificate), url=named),
                    "not trusted", "mismatch")
        named = Path(link.state_dir).with_name("authority-of-root.pem")
        shutil.copy(backend.certificate, named)
        done = link.enrol(token, "--ca", str(named))
        self.assertEqual(done.returncode, 0, done.stderr)
        named.unlink()  # as good as: in a folder that the service's user cannot read
        link.start()  # by the authority named at enrolment
        host_id = link.identity()["agent_id"]
        wait_for("the host to be online", lambda: link.check() or backend.host(host_id)["online"])
        link.stop()
        done = link.enrol(backend.token(), "--ca", str(backend.certificate), "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = list(Path(link.state_dir).glob("authority-*"))
        self.assertEqual([str(path) for path in kept], [link.identity()["ca_file"]])
        self.assertEqual(kept[0].stat().st_mode & 0o777, 0o600)
        with link.config_path.open("a") as config:
            config.write('ca_file = "/etc/ssl/certs/ca-certificates.crt";\n')
        if Path("/etc/ssl/certs/ca-certificates.crt").exists():
            link.start()
            wait_for("the certificate to be refused", lambda: link.said("cannot be reached"))
            self.assertFalse(link.said("connected to the backend", 2))


class HostileBackend:
    """Takes WebSocket connections and does to each what the next script says."""

    def __init__(self, scripts):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._scripts = list(scripts)
        self.played = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self._listener.close()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            script = self._scripts[self.played % len(self._scripts)]
            try:
                with connection:
                    connection.settimeout(10)
                    script(connection)
            except OSError:
                pass  # the uplink has hung up, as it may
            self.played += 1


def until_closed(connection):
    while connection.recv(65536):
        pass


def talk(*data):
    """A script: upgrade, send this, wait for the uplink to hang up."""
    def script(connection):
        upgrade(connection)
        for piece in data:
            connection.sendall(piece)
        until_closed(connection)
    return script


def noise(seed):
    """Frames with random heads and sizes, some of them broken."""
    source = random.Random(seed)
    data = b""
    for _ in range(30):
        payload = source.randbytes(source.choice((0, 5, 125, 126, 4000, 20000, 66000)))
        piece = frame(payload, opcode=source.choice((0, 1, 1, 2, 8, 9, 10, 3)),
                      final=source.random() < 0.5)
        if source.random() < 0.2:
            at = source.randrange(min(len(piece), 12))
            piece = piece[:at] + source.randbytes(1) + piece[at + 1:]
        data += piece
    return data


def raw(data):
    def script(connection):
        connection.recv(65536)
        connection.sendall(data)
    return script


@needs_backend
class Hostile(Case):
    def test_nothing_a_backend_sends_ends_the_program(self):
        good = json.dumps({"v": 1, "t": "challenge", "nonce": "n" * 64, "server_id": "x"}).encode()
        scripts = [
            talk(frame(b"not json")),
            talk(frame(b"[" * 60000)),
            talk(frame(b'{"v":1,"t":"challenge"}')),
            talk(frame(good)),
            talk(frame(b"\xff\xfe\xfd")),
            talk(frame(b"x" * 70000)),
            talk(frame(b"{}", opcode=2)),
            talk(frame(b"x" * 60000, final=False), frame(b"y" * 60000, opcode=0, final=False)),
            talk(frame(b"", opcode=8)),
            talk(frame(b"\x03\xe8bye", opcode=8)),
            talk(frame(b"{", opcode=0)),
            talk(frame(b"x", opcode=11)),
            talk(b"\xff" * 100),
            raw(b""),
            raw(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
            raw(b"HTTP/1.1 503 Service Unavailable\r\n\r\n"),
            raw(b"HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:1/\r\n\r\n"),
            raw(b"HTTP/1.1 101 Switching Protocols\r\n\r\n"),
            raw(b"garbage\r\n\r\n"),
            raw(b"A" * 100000),
            *(talk(noise(seed)) for seed in range(20)),
        ]
        backend = self.make(Backend()).start()
        backend.log_in()
        agent = self.make(Agent(slots=2)).start()
        link = self.uplink(backend.url, control_socket=agent.control_path)
        self.assertEqual(link.enrol(backend.token()).returncode, 0)
        hostile = self.make(HostileBackend(scripts))
        text = link.config_path.read_text()
        link.config_path.write_text(text.replace(backend.url, f"http://127.0.0.1:{hostile.port}"))
        link.start()
        wait_for("every script to be played twice",
                 lambda: link.check() or hostile.played >= 2 * len(scripts))
        link.stop()
        # And it is as good as new.
        link.config_path.write_text(text)
        link.start()
        host_id = link.identity()["agent_id"]
        wait_for("the host to be online", lambda: link.check() or backend.host(host_id)["online"])


if __name__ == "__main__":
    unittest.main()
