"""What arrayctl tells Prometheus, and the rules and the dashboard that are made of it."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import in_memory
from cases import AgentCase
from exposition import families
from harness import EID, MIB, PATIENCE_S
from states import STATES, Scene

in_memory.use()
AGENT = Path(__file__).resolve().parents[3]
FILES = AGENT / "dist" / "monitoring"
SEVERITIES = json.loads((AGENT / "protocol" / "words.json").read_text())["enums"][
    "finding_severity"]
PROMTOOL = shutil.which("promtool")
# Told by Prometheus, by node-exporter and by the backend (backend/tests/test_metrics.py).
OTHERS = {"up", "node_textfile_mtime_seconds", "arraywright_host_online", "arraywright_host_info"}
TARGET = {"instance", "job"}


def metrics(agent):
    return families(agent.ctl("metrics").stdout)


class Metrics(AgentCase):
    def test_what_they_say(self):
        with self.agent(slots=4) as agent:
            agent.create("raid5", [0, 1, 2])
            lost = agent.view().drive_key(1)
            agent.fault(1, "pull")
            path = agent.directory / "arraywright.prom"
            agent.ctl("metrics", f"file={path}")
            self.assertFalse((agent.directory / "arraywright.prom.new").exists())
            found = families(path.read_text())

            def value(family, **labels):
                return found[f"arraywright_{family}"].value(**labels)

            (key,) = agent.view().all("virtual_drive")
            self.assertEqual(value("virtual_drive_state", virtual_drive=key, state="degraded"), 1)
            self.assertEqual(value("virtual_drive_state", virtual_drive=key, state="optimal"), 0)
            self.assertEqual(value("virtual_drive_failures_left"), 0)
            self.assertEqual(value("virtual_drive_size_bytes"), 128 * MIB)
            self.assertEqual(value("virtual_drive_info", name="data", level="raid5", path="/c0/v0"),
                             1)
            self.assertEqual(value("drive_state", drive=lost, state="missing"), 1)
            self.assertEqual(value("drive_info", drive=lost, path=f"/c0/e{EID}/s1"), 1)
            self.assertEqual(value("finding", code="virtual_drive_degraded", key=key), 1)
            self.assertEqual(value("up", controller="0"), 1)
            done = agent.ctl("metrics", "file=/none/where", check=False)
            self.assertEqual(done.returncode, 255)
            self.assertIn("/none/where: No such file or directory", done.stdout)

    def test_load(self):
        """What clients and drives do is counted, by names that a new name leaves alone."""
        folder = tempfile.TemporaryDirectory(prefix="aw-cache-")
        self.addCleanup(folder.cleanup)
        cache = (f'cache = {{ medium = "shared-memory"; path = "{folder.name}/cache"; '
                 'size = "16 MiB"; };')
        with self.agent(slots=2, config=cache) as agent:
            agent.create("raid1", [0, 1], write_policy="write_through")
            agent.until("consistency", lambda view: view.vd()["consistent"])
            drive = agent.view().drive_key(0)
            before = metrics(agent)
            with agent.nbd() as handle:
                handle.pwrite(os.urandom(MIB), 0)
                handle.flush()
                for _ in range(3):
                    handle.pread(65536, 0)
                connected = metrics(agent)
            agent.ctl("/c0/v0", "set", "name=other")
            after = metrics(agent)

        def grown(family, suffix="", **labels):
            return after[f"arraywright_{family}"].value(suffix, **labels) - \
                before[f"arraywright_{family}"].value(suffix, **labels)

        connections = connected["arraywright_virtual_drive_connections"]
        self.assertEqual(connections.value(), 1)
        self.assertEqual(grown("virtual_drive_written_bytes_total"), MIB)
        self.assertEqual(grown("virtual_drive_read_bytes_total"), 3 * 65536)
        took = "virtual_drive_operation_duration_seconds"
        self.assertEqual(grown(took, "_count", operation="write"), 1)
        self.assertEqual(grown(took, "_count", operation="read"), 3)
        self.assertEqual(grown(took, "_count", operation="flush"), 1)
        self.assertEqual(grown(took, "_bucket", operation="read", le="+Inf"), 3)
        self.assertGreater(grown(took, "_sum", operation="write"), 0)
        self.assertGreaterEqual(grown("drive_written_bytes_total", drive=drive), MIB)
        self.assertGreater(grown("drive_operation_duration_seconds", "_count", drive=drive,
                                 operation="write"), 0)
        self.assertEqual(after["arraywright_virtual_drive_queued_operations"].value(), 0)
        self.assertEqual(grown("virtual_drive_cache_hit_bytes_total") +
                         grown("virtual_drive_cache_miss_bytes_total"), 3 * 65536)
        self.assertEqual(after["arraywright_virtual_drive_info"].value(name="other"), 1)


def rules(name):
    """The expressions of a file of rules, by their names; each is on one line."""
    text = (FILES / name).read_text()
    found = re.findall(r"- (?:record|alert): (\S+)\n +expr: (.+)\n", text)
    assert len(found) == text.count("expr:") and dict(found)
    return dict(found)


def dashboard():
    """The expressions of all panels, and of the variables."""
    board = json.loads((FILES / "arraywright-dashboard.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    return asked + [each["query"] for each in board["templating"]["list"]
                    if each["type"] == "query"]


class Files(AgentCase):
    """Each name, label and word that the rules and the dashboard ask for is one that is told."""

    @classmethod
    def setUpClass(cls):
        with Scene() as scene:
            STATES["degraded"](scene)
            cls.found = families(scene.agents[0].ctl("metrics").stdout)
        cls.recorded = rules("arraywright-recording.rules.yml")

    def labels(self, name):
        """{label: values} of a family; None if the array has nothing of that kind now."""
        family = self.found.get(name) or self.found.get(re.sub("_(bucket|sum|count)$", "", name))
        self.assertIsNotNone(family, f"{name} is not told")
        if family.name != name:
            self.assertEqual(family.kind, "histogram", name)
        values = {}
        for (_, labels) in family.samples:
            for label, value in labels:
                values.setdefault(label, set()).add(value)
        return values or None

    def check(self, expression):
        known = set(TARGET)
        names = re.findall(r"\b(arraywright[a-z_:0-9]+|up|node_[a-z_]+)\b(\{[^}]*\})?", expression)
        self.assertTrue(names, expression)
        for name, matchers in names:
            if name in OTHERS:
                known |= {"host_id", "name"}
                continue
            if name in self.recorded:
                known |= {"operation"}
                continue
            values = self.labels(name)
            known |= set(values or ())
            for label, wanted in re.findall(r'([a-z_]+)=~?"([^"]*)"', matchers):
                if label in TARGET or values is None:
                    continue
                self.assertIn(label, values, expression)
                words = SEVERITIES if label == "severity" else values[label]
                self.assertLessEqual(set(wanted.split("|")), set(words), expression)
        for listed in re.findall(r"\b(?:by|on|group_left) \(([^)]*)\)", expression):
            self.assertLessEqual(set(listed.split(", ")), known, expression)

    def test_rules(self):
        alerts = rules("arraywright-alerts.rules.yml")
        for expression in [*self.recorded.values(), *alerts.values()]:
            self.check(expression)
        # Every finding has its alert; what only informs has none.
        told = [re.findall(r'severity="(\w+)"', expression) for expression in alerts.values()
                if expression.startswith("arraywright_finding")]
        self.assertEqual(sorted(sum(told, [])), sorted(set(SEVERITIES) - {"info"}))
        used = " ".join([*alerts.values(), *self.recorded.values()])
        for name in re.findall(r"arraywright:[a-z_:0-9]+", used):
            self.assertIn(name, self.recorded)

    def test_dashboard(self):
        for expression in dashboard():
            self.check(expression)

    def test_a_name_that_nobody_tells_is_found(self):
        for wrong in ("arraywright_no_such_total", 'arraywright_finding{code="x",sort="y"}',
                      'arraywright_finding{severity="dire"}', "arraywright:none:rate5m",
                      "sum by (serial) (arraywright_up)", "arraywright_up_count"):
            with self.assertRaises(AssertionError, msg=wrong):
                self.check(wrong)

    @unittest.skipUnless(PROMTOOL, "promtool is not installed")
    def test_promtool_takes_them(self):
        done = subprocess.run([PROMTOOL, "check", "rules", *map(str, FILES.glob("*.yml"))],
                              text=True, timeout=PATIENCE_S, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
