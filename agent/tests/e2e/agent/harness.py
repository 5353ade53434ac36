"""A real arrayd on temporary directories, its command line, its control socket and NBD.

ARRAYD and ARRAYCTL name the programs under test. Nothing here sleeps to give something
time: what is waited for is asked for until it is there or a deadline has passed.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import nbd
import schema_check

ARRAYD = os.environ.get("ARRAYD", "arrayd")
ARRAYCTL = os.environ.get("ARRAYCTL", "arrayctl")
MIB = 1024 * 1024
PATIENCE_S = 60
EID = 252


def wait_for(what, check, patience_s=PATIENCE_S):
    """The first true answer of check(); it is asked often, because states pass quickly."""
    deadline = time.monotonic() + patience_s
    while True:
        answer = check()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {patience_s} s in vain for {what}")
        time.sleep(0.01)


def free_port():
    """A port of 127.0.0.1 on which nobody listens. Not one of those that the kernel gives to
    outgoing connections: it stays free, also while its server is down for a while."""
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = range(10240, first if first > 12000 else 32768)
    while True:
        port = random.SystemRandom().choice(ports)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Refused(Exception):
    """A command or request was refused; reason is {code, params, text}."""

    def __init__(self, reason, status=None):
        super().__init__(f"{reason['code']}: {reason['text']}")
        self.reason = reason
        self.status = status

    @property
    def code(self):
        return self.reason["code"]


class Control:
    """A connection to the control socket; every document is checked against its schema."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(PATIENCE_S)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("rb")
        self._next_id = 1
        self.notifications = []

    def close(self):
        self._lines.close()
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send_raw(self, data):
        self._socket.sendall(data)

    def read(self):
        line = self._lines.readline()
        if not line:
            raise EOFError("arrayd closed the connection")
        return json.loads(line)

    def send(self, method, params):
        request_id = self._next_id
        self._next_id += 1
        request = {"v": 1, "id": request_id, "method": method, "params": params}
        self.send_raw(json.dumps(request).encode() + b"\n")
        return request_id

    def answer(self, request_id):
        while True:
            document = self.read()
            if "id" not in document:
                schema_check.check(document, "notification", "control.schema.json")
                self.notifications.append(document)
                continue
            if document["id"] != request_id:
                raise AssertionError(f"answer to another request: {document}")
            if "error" in document:
                schema_check.check(document, "response_error", "control.schema.json")
                raise Refused(document["error"])
            schema_check.check(document, "response_ok", "control.schema.json")
            return document["result"]

    def ask(self, method, params=None):
        return self.answer(self.send(method, params or {}))

    def state(self, since_rev=0, check=True):
        result = self.ask("state.get", {"since_rev": since_rev})
        if check:
            self.check_state(result)
        return result

    @staticmethod
    def check_state(state):
        schema_check.check(state, "state_result", "control.schema.json")

    def view(self):
        """A state that is looked at often: not checked against its schema."""
        return View(self.state(check=False))

    def notification(self, method):
        """The next notification of that kind."""
        while True:
            for index, document in enumerate(self.notifications):
                if document["method"] == method:
                    del self.notifications[index]
                    return document["params"]
            document = self.read()
            schema_check.check(document, "notification", "control.schema.json")
            self.notifications.append(document)

    def submit(self, op, args, *, confirm=None, preconditions=(), number=0, command_id=None,
               role="administrator", not_after_us=0):
        """The first answer to a command."""
        params = {
            "command_id": command_id or str(uuid.uuid4()),
            "number": number,
            "op": op,
            "args": args,
            "confirm": confirm,
            "preconditions": list(preconditions),
            "actor": {"name": "test", "role": role, "via": "test"},
            "not_after_us": not_after_us,
        }
        status = self.ask("command", params)
        schema_check.check(status, "command_status", "control.schema.json")
        return status

    def outcome(self, status):
        """The final state of a command that was submitted."""
        while status["state"] in ("accepted", "running"):
            told = self.notification("command")
            schema_check.check(told, "command_status", "control.schema.json")
            if told["command_id"] == status["command_id"]:
                status = told
        return status

    def command(self, op, args, **more):
        """Runs a command to its end; raises Refused unless it succeeded."""
        status = self.outcome(self.submit(op, args, **more))
        if status["state"] != "succeeded":
            raise Refused(status["reason"], status)
        return status

    def preview(self, **args):
        answer = self.ask("query", {"name": "preview_vd_create",
                                    "args": {"controller": "c0", **args}})
        schema_check.check(answer, "preview_answer", "commands.schema.json")
        return answer


class View:
    """The documents of one moment, by kind."""

    def __init__(self, state):
        self.rev = state["to_rev"]
        self.items = state["objects"]

    def all(self, kind):
        return {item["key"]: item["doc"] for item in self.items if item["kind"] == kind}

    def of(self, controller):
        """What belongs to one controller, and the host."""
        own = [item for item in self.items
               if item["doc"].get("controller", controller) == controller
               and (item["kind"] != "controller" or item["key"] == controller)]
        return View({"to_rev": self.rev, "objects": own})

    def config_rev(self, kind, key):
        return next(i["config_rev"] for i in self.items if i["kind"] == kind and i["key"] == key)

    def drive_key(self, slot, controller="c0"):
        """Of the drive that is in the slot, or was."""
        found = sorted((doc["present"], key) for key, doc in self.all("drive").items()
                       if doc["slot"] == slot and doc["controller"] == controller)
        return found[-1][1] if found else None

    def drive(self, slot):
        return self.all("drive")[self.drive_key(slot)]

    def drive_state(self, slot):
        """None while nothing is in the slot, as between one drive and the next."""
        return self.all("drive").get(self.drive_key(slot), {}).get("state")

    def vd_key(self, name="data"):
        return next(k for k, doc in self.all("virtual_drive").items() if doc["name"] == name)

    def vd(self, name="data"):
        return self.all("virtual_drive")[self.vd_key(name)]

    def group(self, index=0):
        return next(doc for doc in self.all("drive_group").values() if doc["index"] == index)

    def running(self, kind):
        return [doc for doc in self.all("operation").values()
                if doc["kind"] == kind and doc["ended_at_us"] is None]


def cache_owner(path):
    """The controller that the cache belongs to, by its super-blocks."""
    data = Path(path).read_bytes()[:8192]
    return str(uuid.UUID(bytes=data[32:48] if any(data[:8]) else data[4128:4144]))


class Agent:
    """One arrayd: its directory, configuration, process."""

    def __init__(self, slots=8, drive_mib=128, drives=None, config="", policy="lab",
                 emulated="", directory=None, controllers=1, media=()):
        """controllers: how many there are, each with `slots` drives; or what is in the group of
        each besides its drives. media: "hdd" or "ssd", by slot."""
        self.directory = Path(directory or tempfile.mkdtemp(prefix="aw-agent-"))
        self._own_directory = directory is None
        self.control_path = self.directory / "control.sock"
        self.nbd_path = self.directory / "nbd.sock"
        self.log_path = self.directory / "log"
        self.config_path = self.directory / "arrayd.conf"
        self.state_dir = self.directory / "state"
        self.process = None
        self.log_from = 0
        if drives is None:
            of_slot = [emulated] * slots
            for slot, word in enumerate(media):
                of_slot[slot] += f' media = "{word}";'
            drives = [
                f'{{ path = "{self.directory}/d{slot}"; enclosure = {EID}; slot = {slot}; '
                f'emulated = {{ size = "{drive_mib} MiB"; {of_slot[slot]} }}; }}'
                for slot in range(slots)
            ]
        scan = "" if "scan" in config else "scan = { enabled = false; };"
        self.config_path.write_text(
            f'state_dir = "{self.state_dir}";\npolicy = "{policy}";\n'
            f'control = {{ socket = "{self.control_path}"; mode = "0666"; }};\n'
            + ("" if "nbd =" in config else f'nbd = {{ unix = "{self.nbd_path}"; }};\n')
            + f"{scan}\n{self._controllers(controllers, slots, drives)}{config}\n"
        )

    def _controllers(self, controllers, slots, drives):
        enclosures = (f'enclosures = ( {{ eid = {EID}; model = "Test"; slots = {max(slots, 1)}; '
                      f'emulated = true; }} );\n')
        listed = ",\n  ".join(drives)
        if controllers == 1:
            return f"{enclosures}drives = (\n  {listed}\n);\n"
        extra = [""] * controllers if isinstance(controllers, int) else controllers
        groups = []
        for index, more in enumerate(extra):
            # The files of the first are called as ever, those of the others c1d0, c1d1, ...
            own = listed if index == 0 else listed.replace(f"{self.directory}/d",
                                                           f"{self.directory}/c{index}d")
            groups.append(f"{{\n{enclosures}drives = (\n  {own}\n);\n{more}\n}}")
        return f"controllers = ( {', '.join(groups)} );\n"

    # Process

    def spawn(self):
        self.log_from = self.log_path.stat().st_size if self.log_path.exists() else 0
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen([ARRAYD, "--config", str(self.config_path)],
                                            stdout=log, stderr=log)

    def log(self):
        """What this start has logged."""
        return self.log_path.read_bytes()[self.log_from:].decode()

    def start(self):
        self.spawn()
        wait_for("arrayd to go online", self._is_online)
        return self

    def _is_online(self):
        if self.process.poll() is not None:
            raise AssertionError(f"arrayd ended with {self.process.returncode}:\n{self.log()}")
        return "online: " in self.log()

    def fail_to_start(self):
        """Starts an arrayd that must end by itself; returns what it logged."""
        self.spawn()
        code = self.process.wait(PATIENCE_S)
        self.process = None
        if code == 0:
            raise AssertionError(f"arrayd ended well, but should have failed:\n{self.log()}")
        if code < 0:
            raise AssertionError(f"arrayd died of signal {-code}:\n{self.log()}")
        return self.log()

    def stop(self):
        """Ends it as systemd does; it must end well."""
        if self.process is None:
            return
        process, self.process = self.process, None
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"arrayd did not stop:\n{self.log()}") from None
        if code != 0:
            raise AssertionError(f"arrayd ended with {code}:\n{self.log()}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    def close(self):
        try:
            self.stop()
        finally:
            if self._own_directory:
                shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    # Command line

    def ctl(self, *words, check=True, stdin=subprocess.DEVNULL):
        done = subprocess.run([ARRAYCTL, *words], timeout=PATIENCE_S, text=True, stdin=stdin,
                              capture_output=True,
                              env={"ARRAYWRIGHT_SOCKET": str(self.control_path), "PATH": "/"})
        if check and done.returncode != 0:
            raise AssertionError(f"arrayctl {' '.join(words)}: {done.returncode}\n"
                                 f"{done.stdout}{done.stderr}")
        return done

    def json(self, *words, check=True):
        """Response Data of one command with J."""
        document = json.loads(self.ctl(*words, "J", check=check).stdout)
        return document["Controllers"][0]

    # Control socket and NBD

    def control(self):
        return Control(self.control_path)

    def view(self):
        with self.control() as control:
            return View(control.state())

    def until(self, what, check, patience_s=PATIENCE_S):
        """Waits until check(view) is true of some moment's documents. It looks often, so only those
        are compared with their schema."""
        with self.control() as control:
            def look():
                state = control.state(check=False)
                answer = check(View(state))
                if answer:
                    control.check_state(state)
                return answer

            return wait_for(what, look, patience_s)

    def uri(self, name="data"):
        return f"nbd+unix:///{name}?socket={self.nbd_path}"

    def nbd_open(self, name="data"):
        handle = nbd.NBD()
        handle.connect_uri(self.uri(name))
        return handle

    @contextlib.contextmanager
    def nbd(self, name="data"):
        handle = self.nbd_open(name)
        try:
            yield handle
        finally:
            with contextlib.suppress(nbd.Error):
                handle.shutdown()

    def slots(self, *slots):
        view = self.view()
        return [view.drive_key(slot) for slot in slots]

    def create(self, level, slots, name="data", controller="c0", **more):
        with self.control() as control:
            view = View(control.state())
            control.command("vd_create", {
                "controller": controller, "level": level, "name": name,
                "drives": [view.drive_key(slot, controller) for slot in slots], **more})

    def fault(self, slot, fault, **more):
        with self.control() as control:
            key = control.view().drive_key(slot)
            control.command("fault_inject", {"drive": key, "fault": fault, **more})

    def optimal(self, name="data", patience_s=PATIENCE_S):
        return self.until(f"{name} to be optimal",
                          lambda view: view.vd(name)["state"] == "optimal", patience_s)


def loop_devices_work():
    return os.geteuid() == 0 and shutil.which("losetup") and Path("/dev/loop-control").exists()


class LoopDevice:
    """A loop device over a file; over a new sparse one if a size is given."""

    def __init__(self, path, size_mib=None):
        self.file = Path(path)
        if size_mib is not None:
            with self.file.open("wb") as file:
                file.truncate(size_mib * MIB)
        self.path = subprocess.run(["losetup", "--find", "--show", "--direct-io=on",
                                    str(path)], check=True, text=True,
                                   capture_output=True).stdout.strip()

    def detach(self):
        # The kernel keeps it for the next file that gets this device.
        subprocess.run(["blockdev", "--setrw", self.path], check=False)
        subprocess.run(["losetup", "--detach", self.path], check=False)
