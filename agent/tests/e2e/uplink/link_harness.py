"""A real backend, the uplink under test, and a wire between them that can be cut.

UPLINK names the program under test, AW_VENV the environment the backend is installed in.
"""

import contextlib
import http.cookiejar
import json
import os
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path
from uuid import UUID

from harness import PATIENCE_S, free_port, wait_for

UPLINK = os.environ.get("UPLINK", "arraywright-uplink")
VENV = os.environ.get("AW_VENV", "")
PASSWORD = "a password for tests"


class Problem(Exception):
    """The backend refused a request."""

    def __init__(self, status, document):
        super().__init__(f"HTTP {status}: {document}")
        self.status = status
        self.document = document


class Backend:
    """`arraywright serve` on a database of its own; keeps its port over restarts."""

    def __init__(self, with_tls=False, database_url="", root_path=""):
        """`database_url`: of PostgreSQL, without a password; by default SQLite."""
        self._root_path = root_path
        self.directory = Path(tempfile.mkdtemp(prefix="aw-backend-"))
        self.port = free_port()
        self.with_tls = with_tls
        self.database_url = database_url
        self.log_path = self.directory / "log"
        self.certificate = self.directory / "certificate.pem"
        self._key = self.directory / "key.pem"
        self._process = None
        self._csrf = ""
        (self.directory / "password").write_text(PASSWORD)
        if with_tls:
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                 "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
                 "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(self._key),
                 "-out", str(self.certificate)],
                check=True, capture_output=True)
        context = ssl.create_default_context(cafile=self.certificate) if with_tls else None
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
            urllib.request.HTTPSHandler(context=context))

    @property
    def url(self):
        scheme = "https" if self.with_tls else "http"
        return f"{scheme}://127.0.0.1:{self.port}{self._root_path}"

    @property
    def running(self):
        return self._process is not None

    def start(self):
        command = [f"{VENV}/bin/arraywright", "serve", "--state-dir", str(self.directory),
                   "--port", str(self.port), "--heartbeat-s", "1",
                   "--initial-admin-password-file", str(self.directory / "password")]
        if self._root_path:
            command += ["--root-path", self._root_path]
        if self.with_tls:
            command += ["--tls-certificate", str(self.certificate), "--tls-key", str(self._key)]
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen([*command, *self._database()], stdout=log, stderr=log)
        wait_for("the backend to answer", self._answers)
        return self

    def _database(self):
        return ["--database-url", self.database_url] if self.database_url else []

    def administer(self, *words):
        """Runs a command of `arraywright` on the backend's database; returns what it said."""
        done = subprocess.run([f"{VENV}/bin/arraywright", *words, "--state-dir", str(self.directory),
                               *self._database()], check=False, text=True, capture_output=True,
                              timeout=PATIENCE_S)
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def _answers(self):
        if self._process.poll() is not None:
            raise AssertionError(f"the backend has ended:\n{self.log_path.read_text()}")
        try:
            self.request("GET", "/health")
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False
        return True

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process = None

    def stop(self):
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def close(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    # REST

    def request(self, method, path, body=None, headers=None):
        request = urllib.request.Request(
            f"{self.url}/api/v1{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "X-CSRF-Token": self._csrf,
                     **(headers or {})})
        try:
            with self._opener.open(request, timeout=PATIENCE_S) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            raise Problem(error.code, json.loads(error.read() or b"null")) from None

    def log_in(self):
        body = {"username": "admin", "password": PASSWORD}
        self._csrf = self.request("POST", "/auth/login", body)["csrf_token"]

    def items(self, path):
        return self.request("GET", path)["items"]

    def host(self, host_id):
        return self.request("GET", f"/hosts/{host_id}")

    def token(self):
        return self.request("POST", "/enrolment-tokens", {"name": "test"})["token"]

    # What it has stored

    def rows(self, query):
        if self.database_url:
            return self._rows_of_postgres(query)
        database = sqlite3.connect(f"file:{self.directory}/arraywright.sqlite?mode=ro", uri=True,
                                   timeout=PATIENCE_S)
        with contextlib.closing(database):
            return database.execute(query).fetchall()

    def _rows_of_postgres(self, query):
        query = f"select json_agg(t) from ({query}) t"
        done = subprocess.run(["psql", "--no-psqlrc", "-At", "-c", query, self.database_url],
                              check=True, text=True, capture_output=True, timeout=PATIENCE_S)
        return [tuple(row.values()) for row in json.loads(done.stdout.strip() or "null") or []]

    def objects(self, host_id):
        """(kind, key) -> (rev, document)."""
        found = self.rows("select kind, key, rev, doc from object_state "
                          f"where not deleted and host_id = '{self._id(host_id)}'")
        return {(kind, key): (rev, json.loads(doc) if isinstance(doc, str) else doc)
                for kind, key, rev, doc in found}

    def _id(self, host_id):
        """As the database has it."""
        return UUID(host_id) if self.database_url else UUID(host_id).hex

    def events(self, host_id):
        """[(number, name, text)] in the order in which they were stored."""
        return self.rows("select seq, name, text from event "
                         f"where host_id = '{self._id(host_id)}' order by id")

    def acked_seq(self, host_id):
        ((seq,),) = self.rows("select event_seq from sync_cursor "
                              f"where host_id = '{self._id(host_id)}'")
        return seq


class Wire:
    """A TCP relay to the backend. What goes up can be held; everything can be cut."""

    def __init__(self, port):
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._up = threading.Event()
        self._up.set()
        self._sockets = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                near.close()
                continue
            with self._lock:
                self._sockets += [near, far]
            threading.Thread(target=self._pump, args=(near, far, self._up), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near, None), daemon=True).start()

    def _pump(self, source, sink, gate):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if gate is not None:
                    gate.wait()
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        source.close()  # each end by the thread that reads from it

    def hold_up(self):
        self._up.clear()

    def cut(self):
        """Ends all connections; what was held is lost."""
        with self._lock:
            for end in self._sockets:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            self._sockets.clear()
        self._up.set()

    def close(self):
        self._listener.close()
        self.cut()


class Uplink:
    """One arraywright-uplink: its state directory, configuration, process."""

    def __init__(self, url, control_socket="/nonexistent/control.sock", config="", user=None):
        self._as = {} if user is None else {"user": user, "group": "nogroup", "extra_groups": []}
        self.directory = Path(tempfile.mkdtemp(prefix="aw-uplink-"))
        self.state_dir = self.directory / "state"
        self.config_path = self.directory / "uplink.conf"
        self.log_path = self.directory / "log"
        self.process = None
        self.url = url
        self.config_path.write_text(
            f'url = "{url}";\ncontrol_socket = "{control_socket}";\n'
            f'state_dir = "{self.state_dir}";\nhostname = "alpha";\n'
            f"reconnect_base_ms = 20;\nreconnect_cap_ms = 200;\n"
            f'log_level = "debug";\n{config}')
        self.program = UPLINK
        if user is not None:
            shutil.chown(self.directory, user)
            self.program = shutil.copy(UPLINK, self.directory)  # it need not see the build

    def run(self, *words, stdin=None, env=None):
        return subprocess.run([self.program, "--config", str(self.config_path), *words], text=True,
                              check=False, capture_output=True, timeout=PATIENCE_S, input=stdin,
                              env=env, **self._as)

    def enrol(self, token, *more, url=None):
        """Without starting a unit: that of the machine is none of a test's business."""
        return self.run("enrol", "--no-start", "--url", url or self.url, "--token", token, *more)

    def identity(self):
        return json.loads((self.state_dir / "identity.json").read_text())

    def start(self):
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen([self.program, "--config", str(self.config_path)],
                                            stdout=log, stderr=log, **self._as)
        return self

    def log(self):
        return self.log_path.read_text()

    def check(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the uplink ended with {self.process.returncode}:\n{self.log()}")

    def said(self, text, times=1):
        """Whether the log has this text so often; the program must be running."""
        self.check()
        return self.log().count(text) >= times

    def stop(self):
        """Ends it as systemd does; it must end well."""
        if self.process is None:
            return
        process, self.process = self.process, None
        process.send_signal(signal.SIGTERM)
        code = process.wait(PATIENCE_S)
        if code != 0:
            raise AssertionError(f"the uplink ended with {code}:\n{self.log()}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    def close(self):
        try:
            self.stop()
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)
