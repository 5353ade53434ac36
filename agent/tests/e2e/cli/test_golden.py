"""Every "show" in every state: JSON against the tables of the reference, text and JSON against
what was printed before, and Debian's collector for Prometheus against the control socket and
a real backend's REST answers.

golden/healthy.txt holds whole answers; the files of the other states hold how theirs differ.
UPDATE_GOLDEN=1 writes the files anew; run test_healthy first then, the others are made from it.
"""

import contextlib
import os
import re
import subprocess
import unittest
from pathlib import Path

import collector
import faces
import rest
import validate
from harness import ARRAYCTL, EID, PATIENCE_S, wait_for
from normalise import difference, normalise
from states import STATES, Scene

GOLDEN = Path(__file__).resolve().parent / "golden"
AGENT = Path(__file__).resolve().parents[3]
SYNC_S = 20
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))

# What is typed, and what the answer must be if there is any. None: only the envelope.
COMMANDS = [
    ("show", validate.check_overview),
    ("show all", validate.check_overview),
    ("show ctrlcount", None),
    ("show stripes", None),
    ("/c0 show", validate.check_show),
    ("/cALL show all", validate.check_show_all),
    ("/c0 show rebuildrate", validate.check_properties),
    ("/c0 show bgirate", validate.check_properties),
    ("/c0 show cc pr", validate.check_properties),
    ("/c0 show patrolread", validate.check_properties),
    ("/c0 show prrate", validate.check_properties),
    ("/c0 show autorebuild", validate.check_properties),
    ("/c0 show glitchtime", validate.check_properties),
    ("/c0 show coercion", validate.check_properties),
    ("/c0 show foreignautoimport", validate.check_properties),
    ("/c0 show bootdrive", validate.check_properties),
    ("/c0 show time", validate.check_properties),
    ("/call show temperature", validate.check_properties),
    ("/c0 show preservedcache", None),
    ("/c0 show jbod alarm copyback eghs mixmedia mixinterface consistencycheck",
     validate.check_properties),
    ("/c0 show ccrate autoenhancedimport batterywarning maintainpdfailhistory restorehotspare "
     "loadbalancemode abortcconerror bootwithpinnedcache smartpollinterval cacheflushint "
     "eccbucketsize eccbucketleakrate spinupdrivecount spinupdelay activityforlocate "
     "exposeenclosuredevice directpdmapping backplane stoponerror ncq ocr failpdonsmarterror "
     "sesmonitoring personality pendingimages", validate.check_properties),
    ("/c0 show eventloginfo", validate.check_properties),
    ("/c0 show health", validate.check_health),
    ("/call/eall show", validate.check_enclosures),
    ("/call/eall show all", validate.check_enclosures_all),
    ("/cALL/eALL/sALL show", validate.check_drives),
    ("/cALL/eALL/sALL show all", validate.check_drives_all),
    ("/c0/sall show all", validate.check_drives_all),
    (f"/c0 /e{EID} /s0,3 show all", validate.check_drives_all),
    ("/c0/eall/sall show rebuild", validate.check_drive_progress),
    ("/c0/eall/sall show initialization", validate.check_drive_progress),
    ("/c0/eall/sall show copyback", validate.check_drive_progress),
    ("/c0/eall/sall show erase", validate.check_drive_progress),
    ("/call/vall show", validate.check_vds),
    ("/call/vall show all", validate.check_vds_all),
    ("/c0/v0 show all", validate.check_vds_all),
    ("/c0/vall show bgi", validate.check_vd_progress),
    ("/c0/vall show init", validate.check_vd_progress),
    ("/c0/vall show cc", validate.check_vd_progress),
    ("/c0/vall show migrate", validate.check_vd_progress),
    ("/c0/vall show erase", validate.check_vd_progress),
    ("/c0/vall show autobgi", validate.check_auto_bgi),
    ("/c0/eall/sall show smart", validate.check_smart),
    ("/c0/eall/sall show badblocks", validate.check_bad_blocks),
    ("/c0/vall show badblocks", validate.check_bad_blocks),
    ("/c0/vall show expansion", None),
    ("/c0/vall show policies", None),
    ("/c0/vall show policies preset=safest", None),
    ("/c0 show presets", None),
    ("/call/dall show", validate.check_groups),
    ("/call/dall show all", validate.check_groups),
    ("/c0/d0 show all", validate.check_groups),
    ("/c0 show undo", None),
    ("/c0 show freespace", None),
    ("/call/fall show", None),
    ("/call /fall show all", None),
    ("/c0/bbu show", validate.check_battery),
    ("/c0 /bbu show all", validate.check_battery),
    ("/c0/bbu show status", validate.check_battery),
    ("/c0/bbu show properties", validate.check_battery),
    ("/c0/bbu show modes", validate.check_battery),
    ("/c0/cv show", validate.check_vault),
    ("/c0/cv show all", validate.check_vault),
    ("/c0/cv show status", validate.check_vault),
    ("/c0/cv show properties", validate.check_vault),
    ("adpallinfo a0", None),
]

# What is counted and timed, and so never the same twice: only its form is checked.
VARYING = [
    ("/c0/eall/sall show perf", validate.check_performance),
    ("/c0/eall/sall show perf all", validate.check_performance),
    ("/c0/vall show perf all", validate.check_performance),
    ("/c0/vall show measure", None),
    ("/c0 show events count=5 J=2", validate.check_events),
]
# Text even with J, or no answer about an object: the table of commands has them as well.
ELSEWHERE = {"/c show alilog"}


def storcli(scene, *words):
    return subprocess.run([ARRAYCTL, *words], timeout=PATIENCE_S, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, cwd="/",
                          env={"ARRAYWRIGHT_SOCKET": scene.socket, "PATH": "/"})


def numbers(command, scene):
    if command.startswith("/call") or command.startswith("/cALL"):
        return list(range(len(scene.controllers)))
    return [0] if command.startswith("/c0") else [None]


class Golden(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.rest = None
        if rest.USABLE and collector.SCRIPT.exists():
            cls.rest = rest.Rest()
            cls.addClassCleanup(cls.rest.close)
            cls.rest.start()

    def json_answer(self, scene, command, check):
        done = storcli(scene, *command.split(), "J", "nolog")
        self.assertEqual(done.stderr, "", command)
        try:
            answers = validate.check_envelope(done.stdout, numbers(command, scene),
                                              done.returncode)
            for answer in answers:
                if check is not None and "Response Data" in answer:
                    check(answer["Response Data"])
        except AssertionError as error:
            raise AssertionError(f"{command}: {error}\n{done.stdout[:1500]}") from None
        return f"exit {done.returncode}\n{done.stdout}"

    def answers(self, scene):
        """Every answer as {title: text}, normalised."""
        out = {}
        for command, check in COMMANDS:
            if command != "adpallinfo a0":
                out[f"{command} J"] = normalise(self.json_answer(scene, command, check))
            done = storcli(scene, *command.split())
            self.assertEqual(done.stderr, "", command)
            out[command] = normalise(f"exit {done.returncode}\n{done.stdout}")
        return out

    def collect(self, scene):
        with self.subTest("Prometheus collector"):
            if not collector.SCRIPT.exists():
                self.skipTest("prometheus-node-exporter-collectors is not installed")
            samples = collector.samples(scene)
            self.assertEqual(samples, collector.expected(
                [agent.view().of(key) for agent, key in scene.controllers]))
            if self.rest is None:
                self.skipTest("AW_VENV does not name an environment with the backend")
            hosts = self.rest.join(scene)
            with contextlib.suppress(AssertionError):  # told below, and with the difference
                wait_for("the backend", lambda: self.rest_agrees(hosts, samples), SYNC_S)
            self.assertEqual(samples, self.rest_samples(hosts))

    def rest_agrees(self, hosts, samples):
        try:
            return self.rest_samples(hosts) == samples
        except (KeyError, ValueError):
            return False  # the host has not told everything yet

    def rest_samples(self, hosts):
        return collector.expected([
            view.of(key) for view in map(self.rest.view, hosts)
            for key, _ in sorted(view.all("controller").items(), key=lambda item: item[1]["index"])])

    def state(self, name):
        with Scene() as scene:
            STATES[name](scene)
            answers = self.answers(scene)
            for command, check in VARYING:
                self.json_answer(scene, command, check)
            bundle = storcli(scene, "/c0", "show", "alilog")
            self.assertEqual((bundle.returncode, bundle.stderr), (0, ""))
            self.assertIn("\nSupported Adapter Operations :\n", bundle.stdout)
            self.assertIn("\nseqNum: 0x", bundle.stdout)
            self.collect(scene)
            faces.check(self, scene, name)
        if name != "healthy":
            answers = {title: difference(healthy_answers()[title], text)
                       for title, text in answers.items()}
        shown = "".join(f"$ storcli {title}\n{text}\n" for title, text in answers.items() if text)
        path = GOLDEN / f"{name}.txt"
        if UPDATE:
            path.write_text(shown)
        self.assertEqual(shown.splitlines(), path.read_text().splitlines(),
                         f"{name}: if this is meant, UPDATE_GOLDEN=1 writes it anew")

    def test_healthy(self):
        self.state("healthy")

    def test_degraded(self):
        self.state("degraded")

    def test_rebuilding(self):
        self.state("rebuilding")

    def test_lost_blocks(self):
        self.state("lost-blocks")

    def test_expanding(self):
        self.state("expanding")

    def test_no_battery(self):
        self.state("no-battery")

    def test_vault(self):
        self.state("vault")

    def test_no_array(self):
        self.state("no-array")

    def test_foreign(self):
        self.state("foreign")

    def test_two_controllers(self):
        self.state("two-controllers")


def healthy_answers():
    answers = {}
    for part in ("\n" + (GOLDEN / "healthy.txt").read_text()).split("\n$ storcli ")[1:]:
        title, _, text = part.partition("\n")
        answers[title] = text
    return answers


def shows_of_the_table():
    """Each show in the table of commands as "/c/v word"; without a word where it needs none."""
    source = (AGENT / "src/cli/command_table.c").read_text()
    source = re.sub(r'"\s*\\?\n?\s*"', "", source)
    properties = re.search(r'#define CONTROLLER_PROPERTIES\s*\\?\s*"([^"]+)"', source)[1]
    for name, noun in re.findall(r'\{CLI_OBJECT_(\w+),\s*"show",\s*(NULL|CONTROLLER_PROPERTIES|"[^"]*")',
                                 source):
        words = properties if noun == "CONTROLLER_PROPERTIES" else noun.strip('"')
        for word in [""] if words == "NULL" else words.split("|"):
            yield f"{OBJECTS[name]} show {word}".strip()


OBJECTS = {"NONE": "", "CONTROLLER": "/c", "ENCLOSURE": "/c/e", "DRIVE": "/c/s", "GROUP": "/c/d",
           "VD": "/c/v", "FOREIGN": "/c/f", "BBU": "/c/bbu", "CACHEVAULT": "/c/cv"}


def shows_tried():
    for command, _ in COMMANDS + VARYING:
        words = command.lower().split()
        path = "".join(word for word in words if word.startswith("/"))
        parts = re.findall(r"/(bbu|cv|[a-z])", re.sub("all|[0-9,]", "", path))
        last = parts[-1] if parts else ""
        name = "" if not parts else "/c" if last == "c" else f"/c/{last}"
        if "show" in words:
            yield f"{name} show".strip()
            for word in words[words.index("show") + 1:]:
                yield f"{name} show {word}".strip()


class Table(unittest.TestCase):
    def test_every_show_is_tried(self):
        wanted = set(shows_of_the_table())
        self.assertGreater(len(wanted), 40)
        self.assertEqual(wanted - set(shows_tried()) - ELSEWHERE, set())


class Validator(unittest.TestCase):
    """The validator itself must be able to fail."""

    def test_order_spelling_and_types(self):
        pairs = [("A ", int), ("B", (int, validate.reference.DASH)), ("C", str, "optional")]
        validate.check_keys({"A ": 1, "B": "-"}, pairs, "good")
        validate.check_keys({"A ": 1, "B": 2, "C": "x"}, pairs, "good")
        for wrong in ({"A": 1, "B": 2}, {"B": 2, "A ": 1}, {"A ": "1", "B": 2},
                      {"A ": True, "B": 2}, {"A ": 1, "B": "x"}, {"A ": 1, "B": 2, "D": 1},
                      {"A ": 1, "C": "x", "B": 2}, {"A ": 1}):
            with self.assertRaises(AssertionError):
                validate.check_keys(wrong, pairs, "wrong")

    def test_capabilities_are_complete(self):
        reference = validate.reference
        self.assertEqual([len(reference.SUPPORTED_ADAPTER_OPERATIONS),
                          len(reference.SUPPORTED_PD_OPERATIONS),
                          len(reference.SUPPORTED_VD_OPERATIONS)], [97, 18, 21])
        self.assertIn("BGI Rate ", dict(reference.SUPPORTED_ADAPTER_OPERATIONS))
        self.assertIn("Support Uneven span ", dict(reference.SUPPORTED_ADAPTER_OPERATIONS))
