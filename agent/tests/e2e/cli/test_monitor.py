"""arrayctl monitor: events out by mail, webhook, script and journal, each once; metrics in a file
and on loopback."""

import contextlib
import http.server
import json
import os
import signal
import socket
import subprocess
import threading
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import in_memory
from cases import AgentCase
from harness import ARRAYCTL, PATIENCE_S, free_port, wait_for

in_memory.use()


@contextlib.contextmanager
def webhook():
    """A server that keeps what was posted to it, and fails while it is told to."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if server.failing:
                self.send_error(503)
                return
            server.bodies.append(json.loads(body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    server.bodies, server.failing = [], False
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Monitor(AgentCase):
    @contextlib.contextmanager
    def monitor(self, agent, *words):
        process = subprocess.Popen([ARRAYCTL, "monitor", *words], stderr=subprocess.PIPE, text=True,
                                   env={"ARRAYWRIGHT_SOCKET": str(agent.control_path),
                                        "PATH": os.environ["PATH"]})
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0)

    def program(self, agent, name, target):
        path = agent.directory / name
        path.write_text(f"#!/bin/sh\ncat >> {target}\necho == >> {target}\n")
        path.chmod(0o755)
        return path

    def cursor_is_kept(self, path):
        wait_for("the place to be kept", lambda: path.exists() and path.read_text().endswith("}"))

    def test_a_degraded_array_is_told(self):
        with self.agent(slots=3) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            mails, lines = agent.directory / "mails", agent.directory / "lines"
            cursor = agent.directory / "cursor"
            words = ["mail=root", f"mailer={self.program(agent, 'mailer', mails)}",
                     f"script={self.program(agent, 'script', lines)}", f"cursor={cursor}"]
            with self.monitor(agent, *words):
                self.cursor_is_kept(cursor)
                agent.fault(0, "pull")
                wait_for("the mail", lambda: mails.exists() and "DEGRADED" in mails.read_text())
                wait_for("the script", lambda: lines.exists() and "degraded" in lines.read_text())
            text = mails.read_text()
            self.assertTrue(text.startswith("To: root\nSubject: ["))
            self.assertRegex(text, r"Subject: \[\S+\] (Critical|Warning): .+\n")
            self.assertNotIn("Background initialization", text)
            events = [json.loads(line) for line in lines.read_text().splitlines()
                      if line.startswith("{")]
            self.assertEqual({event["class"] >= 1 for event in events
                              if event["name"] != "finding_over"}, {True})
            # What happens while nobody listens is told later; nothing is told twice.
            agent.fault(1, "pull")
            wait_for("the loss in the log", lambda: "virtual_drive_offline" in agent.ctl(
                "/c0", "show", "events", "format=jsonl").stdout)
            with self.monitor(agent, *words):
                wait_for("the rest", lambda: "virtual_drive_offline" in lines.read_text())
            told = [event["seq"] for event in map(json.loads, filter(
                lambda line: line.startswith("{"), lines.read_text().splitlines()))
                if "seq" in event]
            self.assertEqual(told, sorted(set(told)))
            self.assertEqual(mails.read_text().count("is now OFFLINE"), 2)  # subject and line

    def test_what_is_wrong_at_the_first_start_is_told_and_that_it_is_over(self):
        with self.agent(slots=3) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.fault(0, "pull")
            agent.until("the loss", lambda view: view.vd()["state"] == "degraded")
            mails, cursor = agent.directory / "mails", agent.directory / "cursor"
            words = ["mail=root", f"mailer={self.program(agent, 'mailer', mails)}",
                     f"cursor={cursor}"]
            wrong = 'Virtual drive "data" is degraded'
            with self.monitor(agent, *words):
                wait_for("the mail", lambda: mails.exists() and wrong in mails.read_text())
                self.cursor_is_kept(cursor)
            self.assertRegex(mails.read_text(), r"Subject: \[\S+\] Critical: /c0/v0: Virtual drive")
            # Told once; what ends while nobody looks is told to be over.
            agent.fault(0, "return")
            agent.optimal()
            with self.monitor(agent, *words):
                wait_for("the end", lambda: f"Over: {wrong}" in mails.read_text())
            self.assertEqual(mails.read_text().count(f"Critical  /c0/v0: {wrong}"), 1)
            self.assertEqual(mails.read_text().count(f"Info      Over: {wrong}"), 1)
            self.assertEqual(mails.read_text().count("Nothing is wrong any more."), 1)

    def test_a_mailer_that_hangs_holds_up_nobody(self):
        port = free_port()
        with self.agent(slots=2) as agent:
            hangs, lines = agent.directory / "hangs", agent.directory / "lines"
            mailer = agent.directory / "mailer"
            mailer.write_text(f"#!/bin/sh\necho $$ > {hangs}\nexec sleep 60\n")
            mailer.chmod(0o755)
            agent.create("raid1", [0, 1])
            cursor = agent.directory / "cursor"
            with self.monitor(agent, "mail=root", f"mailer={mailer}", f"cursor={cursor}",
                              f"script={self.program(agent, 'script', lines)}",
                              f"listen=127.0.0.1:{port}"):
                self.cursor_is_kept(cursor)
                agent.fault(0, "pull")
                wait_for("the mailer to hang", hangs.exists)
                wait_for("the script", lambda: lines.exists() and "degraded" in lines.read_text())
                url = f"http://127.0.0.1:{port}/metrics"
                with urllib.request.urlopen(url, timeout=20) as answer:
                    self.assertIn("arraywright_up", answer.read().decode())
                os.kill(int(hangs.read_text()), 0)  # it hangs still
            self.assertEqual(json.loads(cursor.read_text())[str(agent.control_path)]["mail"], 0)

    def test_an_agent_that_is_gone_is_told(self):
        with self.agent(slots=2) as agent:
            mails, cursor = agent.directory / "mails", agent.directory / "cursor"
            words = ["mail=root", f"mailer={self.program(agent, 'mailer', mails)}",
                     f"cursor={cursor}", "away=1"]

            def told(text, count):
                wait_for(text, lambda: mails.exists() and mails.read_text().count(text) == count)

            gone, back = "  Critical  arrayd does not answer: ", "  Info      Over: arrayd did not"
            agent.stop()
            self.assertIn('arraywright_up{controller="0"} 0\n', agent.ctl("metrics").stdout)
            with self.monitor(agent, *words):  # also to somebody who never saw it
                told(gone, 1)
                wait_for("that to be noted", lambda: cursor.exists() and
                         '"mail": 1' in cursor.read_text())
            with self.monitor(agent, *words):
                agent.start()
                told(back, 1)
                agent.stop()
                told(gone, 2)
                self.assertIn("Is arrayd running?", mails.read_text())

    def test_a_monitor_that_is_gone_is_a_finding(self):
        there = 'monitor = { unit = "/dev/null"; silence_s = 1; };'
        with self.agent(slots=2, config=there) as agent:
            mails, cursor = agent.directory / "mails", agent.directory / "cursor"

            def silent(view):
                (host,) = view.all("host").values()
                return "monitor_silent" in {each["code"] for each in host["findings"]}

            agent.until("the monitor to be missed", silent)
            self.assertIn("arraywright-monitor is enabled on this host, but it does not run.",
                          agent.ctl("status").stdout)
            with self.monitor(agent, "mail=root", f"mailer={self.program(agent, 'mailer', mails)}",
                              f"cursor={cursor}"):
                agent.until("the monitor to be seen", lambda view: not silent(view))
                self.cursor_is_kept(cursor)
            agent.until("the monitor to be missed again", silent)
            self.assertFalse(mails.exists())  # it does not tell of itself

    @unittest.skipUnless(Path("/usr/bin/curl").exists(), "curl is not installed")
    def test_webhook_is_tried_again(self):
        with self.agent(slots=2) as agent, webhook() as server:
            agent.create("raid1", [0, 1])
            server.failing = True
            cursor = agent.directory / "cursor"
            words = [f"webhook=http://127.0.0.1:{server.server_port}/", f"cursor={cursor}"]
            with self.monitor(agent, *words) as process:
                self.cursor_is_kept(cursor)
                agent.fault(0, "pull")
                self.assertIn("webhook: /usr/bin/curl failed", process.stderr.readline())
            server.failing = False
            with self.monitor(agent, *words):
                wait_for("the post", lambda: any(
                    event["name"] == "virtual_drive_degraded"
                    for body in server.bodies for event in body["events"]))
            sequence = [event["seq"] for body in server.bodies for event in body["events"]
                        if "seq" in event]
            self.assertEqual(sequence, sorted(set(sequence)))

    def test_journal_fields(self):
        with self.agent(slots=2) as agent:
            agent.create("raid1", [0, 1])
            path, cursor = agent.directory / "journal", agent.directory / "cursor"
            with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as journal:
                journal.bind(str(path))
                journal.settimeout(PATIENCE_S)
                with self.monitor(agent, f"journal={path}", "class=critical", f"cursor={cursor}"):
                    self.cursor_is_kept(cursor)
                    agent.fault(0, "pull")
                    fields = dict(line.split("=", 1) for line in
                                  journal.recv(65536).decode().splitlines())
            self.assertEqual(fields["ARRAYWRIGHT_CODE"], "251")
            self.assertEqual(fields["ARRAYWRIGHT_EVENT"], "virtual_drive_degraded")
            self.assertEqual(fields["PRIORITY"], "3")
            self.assertIn("is now DEGRADED", fields["MESSAGE"])
            self.assertGreater(int(fields["ARRAYWRIGHT_TIME_US"]), 0)

    def test_metrics(self):
        port = free_port()
        with self.agent(slots=2) as agent:
            agent.create("raid1", [0, 1])
            path = agent.directory / "a.prom"
            with self.monitor(agent, f"textfile={path}", "interval=1", f"listen=127.0.0.1:{port}"):
                wait_for("the file", path.exists)
                url = f"http://127.0.0.1:{port}/metrics"
                with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                    self.assertIn("version=0.0.4", answer.headers["Content-Type"])
                    text = answer.read().decode()
                self.assertIn('arraywright_up{controller="0"} 1\n', text)
                self.assertIn('name="data"', text)
                with self.assertRaises(urllib.error.HTTPError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/x", timeout=PATIENCE_S)
                agent.stop()
                wait_for("the agent to be missed", lambda: 'arraywright_up{controller="0"} 0'
                         in path.read_text())
                agent.start()
                wait_for("the agent to be back", lambda: 'arraywright_up{controller="0"} 1'
                         in path.read_text())
            for wrong in ("listen=0.0.0.0:80", "listen=127.0.0.1", "class=loud", "interval=0",
                          "away=0"):
                self.assertNotEqual(agent.ctl("monitor", wrong, "count=1",
                                              check=False).returncode, 0, wrong)
