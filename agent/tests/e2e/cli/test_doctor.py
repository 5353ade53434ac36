"""Each fault is made, and doctor names it; a support bundle holds no secret.

/proc, /sys and /etc/systemd of a host that is well are files of the test; arrayd is real.
"""

import http.server
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tarfile
import tempfile
import threading
import time
import unittest
from email.utils import formatdate
from pathlib import Path

from harness import ARRAYCTL, ARRAYD, Agent, wait_for

KERNEL = "6.1.0-test"
WANTS = "etc/systemd/system/multi-user.target.wants"
CODES = re.findall(r'^    \{"(\w+)", doctor_',
                   (Path(__file__).resolve().parents[3] / "src/cli/doctor.c").read_text(), re.M)


class Health(http.server.BaseHTTPRequestHandler):
    """A backend, so far as doctor asks it."""

    def do_HEAD(self):
        self.send_response_only(200)
        self.send_header("Date", formatdate(self.server.now, usegmt=True))
        self.end_headers()

    def log_message(self, *_):
        pass


class Host:
    """A host that is well, in a directory."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder / "root"
        self.options = {"root": self.root, "program": ARRAYD, "uplink": folder / "uplink.conf"}
        self.uplink_state = folder / "uplink"
        self.uplink_state.mkdir()
        self.put("proc/sys/kernel/osrelease", f"{KERNEL}\n")
        self.put("proc/sys/kernel/io_uring_disabled", "0\n")
        self.put("proc/mounts", "")
        self.put(f"lib/modules/{KERNEL}/modules.dep", "kernel/drivers/block/nbd.ko:\n")
        (self.root / "run/systemd/system").mkdir(parents=True)
        for unit in ("arrayd", "arraywright-uplink"):
            self.put(f"lib/systemd/system/{unit}.service", "")
        self.put(f"{WANTS}/arrayd.service", "")
        self.uplink_conf()

    def uplink_conf(self, more=""):
        (self.folder / "uplink.conf").write_text(f'state_dir = "{self.uplink_state}";\n{more}')

    def put(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def remove(self, path):
        (self.root / path).unlink()

    def enrol(self, url):
        (self.uplink_state / "identity.json").write_text(json.dumps({"url": url}))
        self.put(f"{WANTS}/arraywright-uplink.service", "")


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.agent = Agent()
        cls.addClassCleanup(cls.agent.close)
        cls.agent.start()

    def setUp(self):
        folder = Path(tempfile.mkdtemp(prefix="aw-doctor-"))
        self.addCleanup(shutil.rmtree, folder)
        self.host = Host(folder)
        self.host.options["config"] = self.agent.config_path
        self.socket = self.agent.control_path

    def run_doctor(self, *more, **options):
        words = [f"{name}={value}" for name, value in {**self.host.options, **options}.items()]
        return subprocess.run([ARRAYCTL, "--socket", str(self.socket), *more, *words], text=True,
                              check=False, capture_output=True, timeout=60)

    def findings(self, **options):
        done = self.run_doctor("--json", "doctor", **options)
        found = json.loads(done.stdout)["findings"]
        self.assertEqual(done.returncode, 1 if found else 0, done)
        return {each["code"]: each for each in found}

    def only(self, code, *words, **options):
        """Doctor finds this and nothing else; the finding has these words."""
        found = self.findings(**options)
        self.assertEqual(list(found), [code], found)
        self.assertTrue(all(found[code].values()), found)
        for word in words:
            self.assertIn(word, " ".join(found[code].values()))

    def backend(self, now=None, context=None):
        """The URL of something that answers as a backend does."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Health)
        server.now = time.time() if now is None else now
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http{'s' if context else ''}://127.0.0.1:{server.server_address[1]}"


class Doctor(Case):
    """One method for each code of the table."""

    def test_every_check_has_a_fault(self):
        self.assertEqual({f"test_{code}" for code in CODES} - set(dir(self)), set())
        self.assertGreaterEqual(len(CODES), 20)
        page = (Path(__file__).resolve().parents[4] / "docs/troubleshooting.md").read_text()
        told = page.partition("## What `arrayctl doctor` finds")[2].partition("## ")[0]
        self.assertEqual([code for code in CODES if f"| `{code}` |" not in told], [])

    def test_all_is_well(self):
        self.host.enrol(self.backend())
        done = self.run_doctor("doctor")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("No problems found", done.stdout)

    def test_text_and_usage(self):
        self.host.remove(f"{WANTS}/arrayd.service")
        done = self.run_doctor("doctor")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("1 problem found", done.stdout)
        self.assertIn("Next step:   sudo systemctl enable arrayd", done.stdout)
        self.assertNotEqual(self.run_doctor("doctor", "nonsense").returncode, 0)

    def test_config_invalid(self):
        config = self.host.folder / "arrayd.conf"
        config.write_text('state_dir = "/nonexistent";\ncolor = "red";\n')
        self.only("config_invalid", "color", f"sudoedit {config}", config=config)

    def test_kernel_old(self):
        self.host.put("proc/sys/kernel/osrelease", "4.19.0-27-amd64\n")
        self.only("kernel_old", "4.19.0-27-amd64")

    def test_io_uring_disabled(self):
        self.host.put("proc/sys/kernel/io_uring_disabled", "2\n")
        self.only("io_uring_disabled", "sysctl -w")

    def test_disk_full(self):
        self.only("disk_full", str(self.agent.state_dir), minfree=1 << 30)

    @unittest.skipUnless(os.geteuid() == 0, "needs another user")
    def test_control_denied(self):
        # A copy of the program that the other user can run, and a socket that it cannot open.
        place = Path(tempfile.mkdtemp(prefix="aw-denied-"))
        self.addCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        program = shutil.copy(ARRAYCTL, place)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(place / "control.sock"))
            listener.listen()
            (place / "control.sock").chmod(0o600)
            done = subprocess.run(
                [program, "--socket", str(place / "control.sock"), "--json", "doctor",
                 "program=/nonexistent"], text=True, check=False, capture_output=True, timeout=60,
                user="nobody", group="nogroup", extra_groups=[], cwd="/")
        found = {each["code"]: each for each in json.loads(done.stdout)["findings"]}
        self.assertIn("usermod -aG arraywright", found["control_denied"]["next_step"])
        self.assertNotIn("arrayd_not_running", found)

    def test_arrayd_not_running(self):
        self.socket = self.host.folder / "control.sock"
        self.only("arrayd_not_running", "does not run", "journalctl -u arrayd")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.socket))  # its file stays as after a crash
        self.only("arrayd_not_running", "has ended")

    def test_arrayd_not_enabled(self):
        self.host.remove(f"{WANTS}/arrayd.service")
        self.only("arrayd_not_enabled", "systemctl enable arrayd")

    def test_memory_limit(self):
        limits = "Max locked memory         67108864             67108864             bytes\n"
        self.host.put(f"proc/{self.agent.process.pid}/limits", limits)
        self.only("memory_limit", "67108 kB")

    def test_no_drives(self):
        agent = Agent(slots=0)
        self.addCleanup(agent.close)
        agent.start()
        self.socket = agent.control_path
        for name in ("sda/sda1", "sdb/holders/dm-0", "sdc/holders", "loop0"):
            (self.host.root / "sys/block" / name).mkdir(parents=True)
        self.host.put("proc/mounts", "/dev/sdc /srv ext4 rw 0 0\n")
        self.only("no_drives", "/dev/sda has partitions", "/dev/sdb is used by another driver",
                  "/dev/sdc is mounted", config=agent.config_path)

    def answering(self, objects, link=None):
        """Something that tells this in place of arrayd."""
        self.socket = self.host.folder / "played.sock"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.socket))
        listener.listen()
        self.addCleanup(listener.close)

        def serve():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection, connection.makefile("rw") as lines:
                    for line in lines:
                        request = json.loads(line)
                        result = {"link": link or {"state": "away"}}
                        if request["method"] == "state.get":
                            result = {"objects": [{"kind": "drive", "key": "d", "doc": {}},
                                                  *objects]}
                        lines.write(json.dumps({"id": request["id"], "result": result}) + "\n")
                        lines.flush()

        threading.Thread(target=serve, daemon=True).start()

    def test_journal_missing(self):
        self.answering([{"kind": "controller", "key": "c0",
                         "doc": {"path": "/c0", "cache": {"state": "missing"}}}])
        self.only("journal_missing", "/c0")

    def test_ups_silent(self):
        self.answering([{"kind": "battery", "key": "b", "doc": {
            "kind": "ups", "state": "unknown", "source": "rack@localhost:3493"}}])
        self.only("ups_silent", "rack@localhost:3493", "upsc")

    def test_nbd_module_missing(self):
        self.host.put(f"lib/modules/{KERNEL}/modules.dep", "kernel/drivers/block/loop.ko:\n")
        self.only("nbd_module_missing", KERNEL)
        self.host.put("sys/module/nbd/version", "")
        self.assertEqual(self.findings(), {})

    def test_uplink_not_enrolled(self):
        self.host.uplink_conf('url = "https://console.example.org";\n')
        self.only("uplink_not_enrolled", "enrol --url")

    def test_uplink_not_enabled(self):
        self.host.enrol(self.backend())
        self.host.remove(f"{WANTS}/arraywright-uplink.service")
        self.only("uplink_not_enabled", "enable --now arraywright-uplink")

    def test_uplink_unresolvable(self):
        self.host.enrol("https://no-such-host.invalid:8443/storage")
        self.only("uplink_unresolvable", "no-such-host.invalid")

    def test_uplink_unreachable(self):
        self.host.enrol("http://127.0.0.1:1")
        self.only("uplink_unreachable", "Connection refused", "curl -sv http://127.0.0.1:1/api")

    def test_uplink_untrusted(self):
        certificate, key = self.host.folder / "cert.pem", self.host.folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key),
                        "-out", str(certificate)], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.host.enrol(self.backend(context=context))
        self.only("uplink_untrusted", "self-signed certificate")
        self.host.uplink_conf(f'ca_file = "{certificate}";\n')
        self.assertEqual(self.findings(), {})

    def test_clock_off(self):
        self.host.enrol(self.backend(now=1_700_000_000))
        self.only("clock_off", "ahead of", "timedatectl")

    def test_link_refused(self):
        self.answering([], {"state": "refused", "reason": {"code": "x", "text": "It is retired."}})
        self.only("link_refused", "It is retired.")

    def test_agent_finding(self):
        agent = Agent(slots=3)
        self.addCleanup(agent.close)
        agent.start()
        agent.create("raid1", [0, 1], "one")
        agent.fault(1, "pull")
        self.socket = agent.control_path
        found = wait_for("arrayd's finding",
                         lambda: self.findings(config=agent.config_path))
        self.assertIn("virtual_drive_degraded", found)
        self.assertIn("one", found["virtual_drive_degraded"]["found"])


SECRETS = {
    "nbd key": "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49",
    "cut key": "MHcCAQEEIAcutkeycutkeycutkeycutkey",
    "ups password": "Ups-Pa55word-1",
    "api token": "awt_Zq0-aaaaaaaaBBBBBBBBcccccccc_2",
    "enrollment token": "awe_Yx9-aaaaaaaaBBBBBBBBcccccccc_3",
    "session": "aws_Wv8-aaaaaaaaBBBBBBBBcccccccc_4",
    "csrf": "csrf-UUUUUUUUUUUUUUUUU-5",
    "bearer": "eyJhbGciOiJIUzI1NiJ9.payload",
    "url password": "Url-Pa55word-6",
    "psk": "0123456789abcdef0123456789abcdef",
    "escaped": "Esc-Pa55word-7",
}
LOG = """password = "{ups password}";
-----BEGIN EC PRIVATE KEY-----
{nbd key}
-----END EC PRIVATE KEY-----
enrol --url http://x --token {enrollment token} and {api token}
Cookie: arraywright_session={session}; arraywright_csrf={csrf}
{{"x-csrf-token": "{csrf}"}} Authorization: Bearer {bearer}
sent bearer {bearer} psk={psk} https://ann:{url password}@console.example.org/x
"detail": "{{\\"password\\": \\"{escaped}\\"}}"
the log is here: 3 tokens were used, the password was changed at 12:00
-----BEGIN PRIVATE KEY-----
{cut key}
"""


class Bundle(Case):
    def members(self, path):
        with tarfile.open(path) as archive:
            return {member.name.removeprefix("./"): archive.extractfile(member).read().decode()
                    for member in archive if member.isfile()}

    def test_a_bundle_holds_no_secret(self):
        log, path = self.host.folder / "log", self.host.folder / "bundle.tar.gz"
        log.write_text(LOG.format_map(SECRETS))
        config = self.host.folder / "arrayd.conf"
        config.write_text(self.agent.config_path.read_text() +
                          f'# ups password = "{SECRETS["ups password"]}"\n')
        self.host.uplink_conf(f'# token {SECRETS["enrollment token"]}\n')
        done = self.run_doctor("support-bundle", file=path, log=log, config=config)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        found = self.members(path)
        for name in ("versions.txt", "findings.json", "state.json", "events-3.json", "journal.txt",
                     "arrayd.conf", "uplink.conf", "log.txt"):
            self.assertTrue(found.get(name), name)
        self.assertIn("the log is here: 3 tokens were used, the password was changed at 12:00",
                      found["log.txt"])
        self.assertTrue(json.loads(found["state.json"])["objects"])
        self.assertTrue(found["log.txt"].endswith("at 12:00\n[removed]"), found["log.txt"])
        self.assertNotIn("log is here", found["versions.txt"])  # each holds its own text only
        for member, text in found.items():
            for what, secret in SECRETS.items():
                self.assertNotIn(secret, text, f"{what} in {member}")
        # A file is never overwritten, and nothing is left behind.
        self.assertEqual(self.run_doctor("support-bundle", file=path).returncode, 1)

    def test_without_arrayd(self):
        self.socket = self.host.folder / "nobody.sock"
        path = self.host.folder / "bundle.tar.gz"
        done = self.run_doctor("support-bundle", file=path)
        self.assertEqual(done.returncode, 0, done)
        found = self.members(path)
        self.assertIn("arrayd_not_running", found["findings.json"])
        self.assertIn("did not tell", found["state.json"])


if __name__ == "__main__":
    unittest.main()
