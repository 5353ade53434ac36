"""What `enrol` does after it has enrolled: it starts the link and sees the host arrive.

The backend, arrayd and the uplink are real; systemctl and journalctl are small programs in PATH
that start, watch and quote the real uplink.
"""

import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import threading
import unittest
from uuid import uuid4

from harness import Agent, wait_for
from link_harness import VENV, Backend
from test_uplink import Case, needs_backend

NOT_SEEN = 4

SYSTEMCTL = """#!/bin/sh
here=$(dirname "$0")
case "$1" in
is-system-running) cat "$here/manager" ;;
enable)
    echo "$*" >>"$here/calls"
    if [ -e "$here/refusal" ]; then cat "$here/refusal" >&2; exit 1; fi
    [ -e "$here/skip" ] && exit 0
    "$UPLINK" --config "$here/uplink.conf" >>"$here/log" 2>&1 </dev/null &
    echo $! >"$here/pid"
    ;;
is-active)
    if [ ! -e "$here/pid" ]; then echo inactive; exit 3; fi
    if kill -0 "$(cat "$here/pid")" 2>/dev/null; then echo active; else echo failed; exit 3; fi
    ;;
esac
"""
EXPIRED = """
import datetime, ipaddress, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization as form
from cryptography.hazmat.primitives.asymmetric import ec
key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
day = datetime.timedelta(days=1)
now = datetime.datetime.now(datetime.timezone.utc)
address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
made = (x509.CertificateBuilder().subject_name(name).issuer_name(name)
        .public_key(key.public_key()).serial_number(1).add_extension(address, False)
        .not_valid_before(now - 2 * day).not_valid_after(now - day).sign(key, hashes.SHA256()))
with open(sys.argv[1], "wb") as file:
    file.write(key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()))
    file.write(made.public_bytes(form.Encoding.PEM))
"""
JOURNALCTL = """#!/bin/sh
tail -n 1 "$(dirname "$0")/log" 2>/dev/null
"""


@needs_backend
@unittest.skipUnless(os.geteuid() == 0, "only root starts units")
class Arrival(Case):
    @classmethod
    def setUpClass(cls):
        cls.backend = Backend(root_path="/storage")  # as behind a proxy
        cls.addClassCleanup(cls.backend.close)
        cls.backend.start()
        cls.backend.log_in()

    def setUp(self):
        self.agent = self.make(Agent()).start()
        self.link = self.uplink(self.backend.url, control_socket=self.agent.control_path)
        self.here = self.link.directory
        for name, text in (("systemctl", SYSTEMCTL), ("journalctl", JOURNALCTL)):
            (self.here / name).write_text(text)
            (self.here / name).chmod(0o755)
        (self.here / "manager").write_text("running\n")
        self.addCleanup(self.stop_unit)

    def stop_unit(self):
        if not (self.here / "pid").exists():
            return
        pid = int((self.here / "pid").read_text())
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            return
        wait_for("the unit to end", lambda: not self.runs(pid))

    @staticmethod
    def runs(pid):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True

    def enrol(self, *more):
        env = {**os.environ, "PATH": f"{self.here}:{os.environ['PATH']}",
               "UPLINK": str(self.link.program)}
        return self.link.run("enrol", "--url", self.backend.url, "--token", self.backend.token(),
                             *more, env=env)

    def test_ends_at_the_page_of_the_host(self):
        done = self.enrol()
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        host_id = self.link.identity()["agent_id"]
        self.assertIn("alpha is enrolled", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1],
                         f"The host reports. Its page: {self.backend.url}/hosts/{host_id}")
        self.assertEqual(self.backend.host(host_id)["presence"], "online")
        self.assertEqual((self.here / "calls").read_text(),
                         "enable --now arraywright-uplink.service\n")
        again = self.enrol("--force")
        self.failed(again, "its link runs", "systemctl stop arraywright-uplink")

    def test_arrayd_does_not_run(self):
        self.agent.stop()
        self.failed(self.enrol("--wait", "1"), "the backend has not seen it",
                    "arrayd does not answer", "systemctl status arrayd", "Its log ends with", code=NOT_SEEN)

    def test_a_unit_that_fails(self):
        (self.here / "systemctl").write_text(
            SYSTEMCTL.replace('--config "$here/uplink.conf"', '--config "$here/gone.conf"'))
        self.failed(self.enrol(), "does not stay up", "gone.conf: cannot be read",
                    "journalctl", code=NOT_SEEN)

    def test_a_unit_that_is_refused_or_skipped(self):
        (self.here / "refusal").write_text("Unit arraywright-uplink.service not found.\n")
        self.failed(self.enrol(), "cannot be started", "not found", code=NOT_SEEN)
        (self.here / "refusal").unlink()
        (self.here / "skip").touch()
        done = self.enrol("--force", "--wait", "1")
        self.failed(done, "does not run", str(self.link.config_path), code=NOT_SEEN)

    def test_where_nothing_is_started(self):
        done = self.enrol("--no-start")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("systemctl enable --now arraywright-uplink.service", done.stdout)
        (self.here / "manager").write_text("offline\n")
        done = self.enrol("--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("systemd does not run here", done.stdout)
        self.assertIn(f"arraywright-uplink --config {self.link.config_path}", done.stdout)
        self.assertFalse((self.here / "calls").exists())

    def test_a_clock_that_is_off(self):
        body = json.dumps({"agent_id": str(uuid4()), "server_id": str(uuid4())}).encode()
        with socket.create_server(("127.0.0.1", 0)) as server:
            def answer():
                connection, _ = server.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nDate: Sat, 28 Nov 2020 12:00:00 GMT\r\n"
                                       b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

            thread = threading.Thread(target=answer)
            thread.start()
            done = self.link.enrol("awe_x", url=f"http://127.0.0.1:{server.getsockname()[1]}")
            thread.join()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"clock is \d+ s ahead of the backend's: set it")

    def test_a_certificate_that_has_expired(self):
        pem = self.here / "expired.pem"
        subprocess.run([f"{VENV}/bin/python", "-c", EXPIRED, str(pem)], check=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        with socket.create_server(("127.0.0.1", 0)) as server:
            def refuse():
                connection, _ = server.accept()
                with connection, contextlib.suppress(OSError):
                    context.wrap_socket(connection, server_side=True).close()

            thread = threading.Thread(target=refuse)
            thread.start()
            done = self.link.enrol("awe_x", "--ca", str(pem),
                                   url=f"https://127.0.0.1:{server.getsockname()[1]}")
            thread.join()
        self.failed(done, "is not valid now", "certificate has expired", "this host's clock says",
                    "timedatectl")

    def test_wrong_usage(self):
        for words in (["--wait", "0"], ["--wait", "x"], ["--wait", "5", "--no-start"]):
            self.failed(self.enrol(*words), "--wait", code=2)


if __name__ == "__main__":
    unittest.main()
