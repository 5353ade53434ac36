#!/usr/bin/env python3
"""Restarts, clean and by SIGKILL, under clients that connect about every millisecond: none of them
may ever hear that an export which exists does not.

    restart_clients.py [--restarts 80] [--tls] [--seed N] [--seconds 900] [--ledger FILE]
        [--total N]

The agent has two controllers with a RAID 1, a RAID 5, a RAID 0 and a stripe over virtual drives of
both. The clients use every option that names an export or lists them, over the Unix socket and TCP
(--tls: TLS on TCP). A client may find nobody listening, wait, or lose its connection to an end of
the agent. What it may not find: an error, a list that lacks an export, a connection closed by an
agent that runs, no answer at all.

--total: restarts without a failure on record in the ledger that are wanted; the run does what is
left, in pieces of --restarts, one line of JSON each. A failure ends it.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "e2e" / "agent"),
                str(Path(__file__).resolve().parents[2] / "tools")]
import ledgers  # noqa: E402
import seeds  # noqa: E402
from harness import Agent, free_port, wait_for  # noqa: E402

EXPORT_NAME, LIST, STARTTLS, INFO, GO, STRUCTURED, LIST_CONTEXT = 1, 3, 5, 6, 7, 8, 9
ACK, SERVER = 1, 2
FIRST_ERROR = 0x80000000
NAMES = ("one", "five", "zero", "wide")
PATIENCE_S = 45
PAUSE_S = 0.001
CLIENTS_PER_TRANSPORT = 2
KILL_SHARE = 0.5


class Lost(Exception):
    """The connection ended before the answer."""


class Wrong(Exception):
    """An answer that nobody may get."""


class Silent(Exception):
    """No answer for long. Of an agent that has ended since there is none to come: a reset that the
    kernel drops under load is not sent again."""


class Conversation:
    """One client's handshake, as the protocol has it."""

    def __init__(self, connection):
        self.socket = connection
        self.greeted = False

    def take(self, count):
        data = b""
        while len(data) < count:
            try:
                more = self.socket.recv(count - len(data))
            except TimeoutError as error:
                raise Silent(f"no answer within {PATIENCE_S} s") from error
            except OSError as error:
                raise Lost from error
            if not more:
                raise Lost
            data += more
        return data

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Lost from error

    def greet(self):
        self.take(18)
        self.greeted = True
        self.send(struct.pack(">I", 3))

    def option(self, number, data=b""):
        self.send(b"IHAVEOPT" + struct.pack(">II", number, len(data)) + data)

    def replies(self):
        """(type, data) until the last of an option."""
        while True:
            _, _, kind, length = struct.unpack(">QIII", self.take(20))
            data = self.take(length)
            if kind >= FIRST_ERROR:
                raise Wrong(f"error {kind - FIRST_ERROR}: {data.decode()}")
            yield kind, data
            if kind == ACK:
                return

    def tls(self, context):
        self.option(STARTTLS)
        list(self.replies())
        try:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        except TimeoutError as error:
            raise Silent("no answer within TLS") from error
        except OSError as error:
            raise Lost from error

    def named(self, number, name):
        data = struct.pack(">I", len(name)) + name.encode()
        if number == LIST_CONTEXT:
            self.option(STRUCTURED)
            list(self.replies())
            data += struct.pack(">I", 0)
        else:
            data += struct.pack(">H", 0)
        self.option(number, data)
        list(self.replies())

    def export_name(self, name):
        self.option(EXPORT_NAME, name.encode())
        self.take(10)

    def listed(self):
        self.option(LIST)
        names = {data[4:4 + struct.unpack(">I", data[:4])[0]].decode()
                 for kind, data in self.replies() if kind == SERVER}
        if names != set(NAMES):
            raise Wrong(f"a list of {sorted(names)}")


class Client(threading.Thread):
    def __init__(self, test, transport, seed):
        super().__init__(daemon=True)
        self.test = test
        self.transport = transport
        self.random = random.Random(seed)
        self.attempts = self.answers = self.nobody = self.lost = 0

    def connect(self):
        if self.transport == "unix":
            connection = socket.socket(socket.AF_UNIX)
            address = str(self.test.agent.nbd_path)
        else:
            connection = socket.socket()
            address = ("127.0.0.1", self.test.port)
        connection.settimeout(PATIENCE_S)
        try:
            connection.connect(address)
        except OSError:
            connection.close()
            return None
        return connection

    def talk(self, conversation):
        conversation.greet()
        if self.transport == "tls":
            conversation.tls(self.test.trust)
        what = self.random.choice((GO, GO, INFO, EXPORT_NAME, LIST, LIST_CONTEXT))
        name = self.random.choice(self.test.unanswered(self.transport) or NAMES)
        if what == LIST:
            conversation.listed()
        elif what == EXPORT_NAME:
            conversation.export_name(name)
        else:
            conversation.named(what, name)
        return name if what in (GO, EXPORT_NAME) else None

    def attempt(self):
        life = self.test.life
        connection = self.connect()
        if connection is None:
            self.nobody += 1
            return
        conversation = Conversation(connection)
        try:
            name = self.talk(conversation)
            self.answers += 1
            self.test.note_answer(life, self, name)
        except Silent as silent:
            self.lost += 1
            if self.test.life == life:
                raise Wrong(str(silent)) from silent
        except Lost:
            self.lost += 1
            # Whoever greets after an end is the next one: it has no reason to hang up.
            if conversation.greeted and self.test.life == life and not self.test.ending:
                raise Wrong("the agent has closed the connection") from None
        finally:
            with contextlib.suppress(OSError):
                conversation.socket.close()

    def run(self):
        while not self.test.over and not self.test.failures:
            self.attempts += 1
            try:
                self.attempt()
            except Wrong as wrong:
                self.test.failures.append(f"life {self.test.life}, {self.transport}: {wrong}")
            except BaseException as error:  # whatever it is, the test must fail
                self.test.failures.append(f"{self.transport}: {type(error).__name__}: {error}")
            time.sleep(PAUSE_S)


class Test:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.port = free_port()
        self.failures = []
        self.clients = []
        self.life = 0
        self.ending = True
        self.over = False
        self.answered = {}
        self.restarts = self.kills = 0
        self.longest_s = 0.0
        self.lock = threading.Lock()
        self.directory = Path(tempfile.mkdtemp(prefix="aw-clients-"))
        self.agent = Agent(slots=7, drive_mib=72, controllers=2, directory=self.directory,
                           config=f"""nbd = {{
            unix = "{self.directory}/nbd.sock";
            tcp = {{ enabled = true; port = {self.port}; {self.tls()} }}; }};""")

    def tls(self):
        self.trust = None
        if not self.options.tls:
            return ""
        key, certificate = self.directory / "key.pem", self.directory / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                        "-keyout", str(key), "-out", str(certificate)],
                       check=True, capture_output=True)
        self.trust = ssl.create_default_context(cafile=str(certificate))
        return f'tls = {{ certificate = "{certificate}"; key = "{key}"; }};'

    def create(self):
        self.agent.start()
        self.agent.create("raid1", [0, 1], name="one")
        self.agent.create("raid5", [2, 3, 4], name="five")
        self.agent.create("raid0", [5], name="w0")
        self.agent.create("raid0", [0], name="w1", controller="c1")
        self.agent.create("raid0", [1, 2], name="zero", controller="c1")
        view = self.agent.view()
        with self.agent.control() as control:
            control.command("stripe_create", {"name": "wide", "strip_bytes": 65536, "virtual_drives": [
                view.vd_key("w0"), view.vd_key("w1")]})
        self.agent.stop()

    def note_answer(self, life, client, name):
        with self.lock:
            if name is not None and life == self.life:
                self.answered.setdefault(client.transport, set()).add(name)

    def unanswered(self, transport):
        """Exports that nobody has been given in this life: asked for first, to get on."""
        with self.lock:
            return [name for name in NAMES if name not in self.answered.get(transport, ())]

    def everybody_is_answered(self):
        if self.agent.process.poll() is not None and not self.failures:
            self.failures.append(f"arrayd ended with {self.agent.process.returncode}:\n"
                                 f"{self.agent.log()}")
        with self.lock:
            return self.failures or all(self.answered.get(t) == set(NAMES)
                                        for t in self.transports)

    def restart(self):
        with self.lock:
            self.answered = {}
            self.life += 1
        began = time.monotonic()
        self.ending = False
        self.agent.spawn()
        wait_for("every client's answer", self.everybody_is_answered, PATIENCE_S)
        self.longest_s = max(self.longest_s, time.monotonic() - began)
        self.ending = True
        if self.failures:
            return
        kill = self.random.random() < KILL_SHARE
        self.agent.process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        code = self.agent.process.wait(PATIENCE_S)
        if code != (-signal.SIGKILL if kill else 0):
            self.failures.append(f"arrayd ended with {code}:\n{self.agent.log()}")
        self.restarts += 1
        self.kills += kill

    def run(self):
        started = time.monotonic()
        self.transports = ("unix", "tls" if self.options.tls else "tcp")
        try:
            self.create()
            self.clients = [Client(self, transport, self.random.random())
                            for transport in self.transports
                            for _ in range(CLIENTS_PER_TRANSPORT)]
            for client in self.clients:
                client.start()
            while self.restarts < self.options.restarts and not self.failures:
                if time.monotonic() - started > self.options.seconds:
                    raise AssertionError(f"only {self.restarts} restarts in "
                                         f"{self.options.seconds} s")
                self.restart()
        except (AssertionError, OSError, EOFError, subprocess.SubprocessError) as error:
            self.failures.append(f"{type(error).__name__}: {error}")
        self.over = True
        self.seconds = time.monotonic() - started

    def report(self):
        def sum_of(what):
            return sum(getattr(client, what) for client in self.clients)
        record = {
            **ledgers.origin(engine="agent/src"), "at": ledgers.now(),
            "kind": kind(self.options.tls), "seed": self.options.seed,
            "restarts": self.restarts, "kills": self.kills,
            **{what: sum_of(what) for what in ("attempts", "answers", "nobody", "lost")},
            "longest_start_s": round(self.longest_s, 2),
            "failures": len(self.failures),
            **({"first_failure": self.failures[0][:400]} if self.failures else {}),
            "seconds": round(self.seconds),
        }
        print(f"# {json.dumps(record)}")
        for failure in self.failures:
            print(f"# FAILED {failure}")
        return record

    def close(self):
        if self.agent.process is not None:
            self.agent.kill()
        shutil.rmtree(self.directory, ignore_errors=True)


def kind(tls):
    """Of a line of the ledger."""
    return "restart_clients" + ("_tls" if tls else "")


def done_before(options):
    return sum(record["restarts"] for record in ledgers.read(options.ledger)
               if record["kind"] == kind(options.tls) and record["failures"] == 0)


def piece(options):
    """One run; 0 if nobody was refused."""
    if options.seed is None:
        options.seed = seeds.fresh(kind(options.tls))
    print(f"# AW_SEED={options.seed}", flush=True)
    test = Test(options)
    test.run()
    record = test.report()
    if options.ledger is not None:
        ledgers.append(options.ledger, record)
    test.close()
    return 1 if test.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--restarts", type=int, default=80)
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("--ledger", type=Path, help="a file to which a line of JSON is added")
    parser.add_argument("--total", type=int, help="with --ledger: go on until it has so many")
    options = parser.parse_args()
    if options.total is None:
        code = piece(options)
    else:
        code = 0
        size = options.restarts
        while code == 0 and (left := options.total - done_before(options)) > 0:
            options.seed, options.restarts = None, min(size, left)
            code = piece(options)
    sys.stdout.flush()
    os._exit(code)  # clients that hang must not keep a failed test alive


if __name__ == "__main__":
    main()
