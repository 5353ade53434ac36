"""arrayctl smart on loop devices: a program that prints what smartctl says of real drives, and
smartctl itself, for which a loop device is nothing it knows."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from cases import AgentCase
from harness import ARRAYCTL, PATIENCE_S, LoopDevice, loop_devices_work, wait_for

GOOD = {
    "smart_support": {"available": True, "enabled": True},
    "smart_status": {"passed": True},
    "temperature": {"current": 31},
    "power_on_time": {"hours": 5675},
    "scsi_grown_defect_list": 4,
}
FAILING = {**GOOD, "smart_status": {"passed": False}}
ASLEEP = 129
DISK_FAILING = 8


@unittest.skipUnless(loop_devices_work(), "loop devices cannot be made here")
class Smart(AgentCase):
    def setUp(self):
        self.directory = Path(self.agent(slots=0).directory)
        self.program = self.directory / "smartctl"
        self.program.write_text('#!/bin/sh\nfor device; do :; done\nanswer='
                                f'"{self.directory}/${{device##*/}}"\necho "$@" >>"$answer.asked"\n'
                                'cat "$answer.json"\nexit $(cat "$answer.status")\n')
        self.program.chmod(0o755)
        self.loops = []

    def started(self, count):
        for number in range(count):
            device = LoopDevice(self.directory / f"loop{number}", 128)
            self.addCleanup(device.detach)
            self.loops.append(device)
            self.answer(number, GOOD)
        drives = [f'{{ path = "{device.path}"; slot = {slot}; }}'
                  for slot, device in enumerate(self.loops)]
        self.host = self.agent(slots=0, drives=drives)
        return self.host.start()

    def beside(self, number, ending):
        return self.directory / f"{Path(self.loops[number].path).name}.{ending}"

    def answer(self, number, document, status=0):
        text = document if isinstance(document, str) else json.dumps(document)
        self.beside(number, "json").write_text(text)
        self.beside(number, "status").write_text(str(status))

    def ask(self, *words, program=None):
        done = subprocess.run(
            [ARRAYCTL, "smart", "once", f"program={program or self.program}", *words], text=True,
            capture_output=True, timeout=PATIENCE_S, check=False,
            env={"ARRAYWRIGHT_SOCKET": str(self.host.control_path), "PATH": os.environ["PATH"]})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def drive(self, number):
        return self.host.view().drive(number)

    def health(self, number):
        return self.drive(number)["health"]

    def events(self, name):
        lines = self.host.ctl("/c0", "show", "events", "format=jsonl").stdout.splitlines()
        return [event for event in map(json.loads, lines) if event["name"] == name]

    def test_figures_and_verdict(self):
        self.started(2)
        self.assertIsNone(self.health(0))
        self.ask()
        self.assertEqual(self.drive(0)["temperature_c"], 31)
        health = self.health(0)
        self.assertEqual((health["state"], health["power_on_hours"], health["reallocated_sectors"],
                          health["wear_percent"]), ("good", 5675, 4, None))
        arguments = self.beside(0, "asked").read_text()
        self.assertIn("--nocheck standby,129 ", arguments)
        self.answer(1, FAILING, DISK_FAILING)
        self.ask()
        self.answer(1, "", ASLEEP)
        self.ask()
        self.ask()
        health = self.health(1)
        self.assertEqual((health["state"], health["failing"]), ("asleep", True))
        self.assertEqual(self.drive(1)["predictive_failure_count"], 1)
        shown = self.host.ctl(self.drive(1)["path"], "show", "smart", "J").stdout
        self.assertIn('"S.M.A.R.T alert flagged by drive" : "Yes"', shown)
        self.assertIn('"State" : "Asleep"', shown)
        self.answer(1, GOOD)
        self.ask()
        wait_for("the end of it in the log", lambda: self.events("drive_smart_good"))
        self.assertEqual(len(self.events("drive_predictive_failure")), 1)

    def test_a_member_that_will_fail_is_copied(self):
        agent = self.started(3)
        agent.create("raid1", [0, 1])
        agent.until("consistency", lambda view: view.vd()["consistent"])
        self.assertEqual(agent.ctl("/c0", "set", "eghs", "smarter=on").returncode, 0)
        self.assertEqual(agent.ctl(self.drive(2)["path"], "add", "hotsparedrive").returncode, 0)
        self.answer(0, FAILING, DISK_FAILING)
        self.ask()
        agent.until("the spare to be a member", lambda _: self.drive(2)["state"] == "online")
        self.assertNotEqual(self.drive(0)["state"], "online")

    def test_what_cannot_be_read_is_said_where_it_belongs(self):
        self.started(2)
        self.ask(program="/nowhere/smartctl")
        self.assertEqual(self.health(0)["reason"]["code"], "smart_missing")
        self.assertIn("/nowhere/smartctl: No such file", self.health(0)["reason"]["text"])
        self.answer(0, '{"smart_status": {"passed": false}, "temperature": "hot"}', DISK_FAILING)
        self.answer(1, "x" * 1_000_000)
        self.ask()
        self.assertEqual(self.health(0)["reason"]["code"], "smart_output")
        self.assertEqual(self.health(1)["reason"]["code"], "smart_output")
        self.program.write_text("#!/bin/sh\nsleep 1000\n")
        self.ask("timeout=1")
        self.assertEqual(self.health(0)["reason"]["code"], "smart_unreadable")
        self.assertEqual(self.drive(0)["predictive_failure_count"], 0)

    def test_another_drive_by_that_name(self):
        self.started(1)
        self.answer(0, {**FAILING, "serial_number": "SOMEBODY-ELSE"}, DISK_FAILING)
        self.ask()
        self.assertIsNone(self.health(0))

    @unittest.skipUnless(shutil.which("smartctl"), "smartctl is not installed")
    def test_smartctl_itself(self):
        self.started(1)
        self.ask(program=shutil.which("smartctl"))
        health = self.health(0)
        self.assertEqual((health["state"], health["reason"]["code"]),
                         ("unsupported", "smart_unsupported"))
        self.assertIn("Unable to detect device type", health["reason"]["text"])

    def test_only_an_operator_of_this_host_is_believed(self):
        self.started(1)
        key = self.host.slots(0)[0]
        with self.host.control() as control:
            for params, code in (
                    ({"drive": key}, "invalid_argument"),
                    ({"drive": key, "state": "broken"}, "invalid_argument"),
                    ({"drive": key, "state": "failing"}, "invalid_argument"),
                    ({"drive": key, "state": "good", "reason": "smart_failing"}, "invalid_argument"),
                    ({"drive": key, "state": "good", "temperature_c": 999}, "invalid_argument"),
                    ({"drive": key, "state": "good", "wear_percent": -1}, "invalid_argument"),
                    ({"drive": "nobody", "state": "good"}, "unknown_object")):
                self.assert_refused(code, control.ask, "drive.health", params)
        self.assertIsNone(self.health(0))


if __name__ == "__main__":
    unittest.main()
