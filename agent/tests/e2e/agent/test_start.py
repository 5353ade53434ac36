"""The start: one drive that is slow, claimed or broken holds up nothing that does not need it, and
what is not known yet is told as that."""

import fcntl
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time

import nbd
from cases import AgentCase
from harness import ARRAYCTL, EID, View, wait_for

MIB = 1024 * 1024
FAILURES = re.compile(r"\b(Failed|OfLn|Offln|Dgrd|Pdgd|UBad|Missing)\b")


class Start(AgentCase):
    def held(self, agent, slot, controller=""):
        """Another program's claim of a drive, until it is closed."""
        file = (agent.directory / f"{controller}d{slot}").open("rb")
        self.addCleanup(file.close)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file

    def two_groups(self, wait_s=30, slots=6):
        agent = self.agent(slots=slots, config=f"claim_wait_s = {wait_s};")
        agent.start()
        agent.create("raid1", [0, 1], name="one")
        agent.create("raid1", [2, 3], name="two")
        for name in ("one", "two"):
            agent.until("consistency", lambda v, n=name: v.vd(n)["consistent"])
            with agent.nbd(name) as handle:
                handle.pwrite(name.encode() * 1024, 0)
                handle.flush()
        agent.stop()
        return agent

    def asks(self, agent, name, answers):
        """A client that waits for its export."""
        def ask():
            wait_for("a socket", lambda: self.accepts(agent.nbd_path))
            try:
                handle = agent.nbd_open(name)
                answers.append(bytes(handle.pread(len(name) * 1024, 0)))
            except nbd.Error as error:
                answers.append(str(error))
        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        return thread

    def rows(self, agent):
        done = agent.ctl("/c0", "show", "all", "J", check=False)
        if done.returncode != 0:
            return ""  # not listening yet
        data = json.loads(done.stdout)["Controllers"][0]["Response Data"]
        return json.dumps([data["Status"]["Controller Status"]] + [
            data.get(name) for name in ("VD LIST", "PD LIST", "TOPOLOGY")])

    def states(self, agent, name):
        view = agent.view()
        return view.all("controller")["c0"]["status"], view.vd(name)["state"]

    def listening(self, agent):
        agent.spawn()
        wait_for("the control socket", lambda: self.answers(agent))

    @staticmethod
    def accepts(path):
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(path)) == 0

    def answers(self, agent):
        return self.accepts(agent.control_path) and agent.view()

    def test_a_drive_that_nobody_needs(self):
        """Claimed by another program for long: the others are exported, and nobody hears of a failure
        that is none."""
        agent = self.two_groups()
        holder = self.held(agent, 4)
        began = time.monotonic()
        agent.spawn()
        answers = []
        clients = [self.asks(agent, name, answers) for name in ("one", "two")]
        while "online: " not in agent.log():
            self.assertIsNone(agent.process.poll(), agent.log())
            shown = agent.ctl("status", check=False).stdout + self.rows(agent)
            self.assertIsNone(FAILURES.search(shown), shown)
        self.assertLess(time.monotonic() - began, 15)
        for client in clients:
            client.join(10)
        self.assertEqual(sorted(answers), [b"one" * 1024, b"two" * 1024])
        view = agent.view()
        self.assertEqual(view.drive(4)["state"], "starting")
        self.assertEqual(view.drive(4)["unsuitable"]["code"], "drive_unsuitable_claimed")
        self.assertEqual(view.all("controller")["c0"]["status"], "optimal")
        holder.close()
        agent.until("the drive", lambda v: v.drive(4)["state"] == "unconfigured_good"
                    and v.drive(4)["unsuitable"] is None)
        agent.create("raid0", [4], name="three")

    def test_a_member_that_is_late(self):
        """Its group waits for it, and nobody else does; it costs no rebuild."""
        agent = self.two_groups(wait_s=300)
        holder = self.held(agent, 1)
        self.listening(agent)
        answers, late = [], []
        self.asks(agent, "two", answers).join(10)
        self.assertEqual(answers, [b"two" * 1024])
        waiting = self.asks(agent, "one", late)
        self.assertEqual(self.states(agent, "one"), ("starting", "starting"))
        self.assertEqual(agent.view().vd("two")["state"], "optimal")

        # Every surface: neither failed nor optimal.
        status = agent.ctl("status").stdout
        self.assertRegex(status, r"/c0 .*: Starting")
        self.assertRegex(status, r"/c0/v0 .* Starting")
        self.assertRegex(status, r"/c0/v1 .* Optl")
        self.assertIsNone(FAILURES.search(status), status)
        self.assertNotIn("!", status)
        controller = agent.json("/c0", "show", "all")["Response Data"]
        self.assertEqual(controller["Status"]["Controller Status"], "Starting")
        self.assertEqual([row["Name"] for row in controller["VD LIST"]], ["two"])
        self.assertIsNone(FAILURES.search(json.dumps(controller["VD LIST"] + controller["PD LIST"])))
        refused = agent.json("/c0/v0", "show", check=False)["Command Status"]
        self.assertEqual(refused["Status"], "Failure")
        self.assertIn("starting", refused["Detailed Status"][0]["ErrMsg"])
        self.assertEqual(agent.json("/c0/v1", "show")["Response Data"]["Virtual Drives"][0]["State"],
                         "Optl")
        metrics = agent.ctl("metrics").stdout
        key = re.search(r'drive_info\{[^}]*virtual_drive="(\w+)"[^}]*name="one"', metrics)[1]
        for state, value in (("starting", 1), ("offline", 0), ("optimal", 0)):
            self.assertRegex(metrics, rf'virtual_drive_state\{{[^}}]*virtual_drive="{key}",'
                                      rf'state="{state}"\}} {value}\n')
        self.assertRegex(metrics, r'controller_status\{[^}]*state="starting"\} 1')
        units = subprocess.run(["tw_cli", "/c0", "show"], executable=ARRAYCTL, text=True,
                               capture_output=True, check=True,
                               env={"ARRAYWRIGHT_SOCKET": str(agent.control_path), "PATH": "/"})
        self.assertRegex(units.stdout, r"u0 .* UNKNOWN")
        self.assertRegex(units.stdout, r"u1 .* OK")
        listed, waiting_for = (subprocess.run(
            ["MegaCli64", "-LDInfo", vds, "-aALL"], executable=ARRAYCTL, text=True,
            capture_output=True, check=False,
            env={"ARRAYWRIGHT_SOCKET": str(agent.control_path), "PATH": "/"})
            for vds in ("-Lall", "-L0"))
        self.assertEqual(listed.returncode, 0)
        self.assertEqual(listed.stdout.count("Virtual Drive: "), 1)
        self.assertIsNone(FAILURES.search(listed.stdout))
        self.assertEqual(waiting_for.returncode, 1)
        self.assertIn("Adapter 0: Virtual drives are still starting.", waiting_for.stdout)
        self.assertEqual(late, [])

        holder.close()
        waiting.join(20)
        self.assertEqual(late, [b"one" * 1024])
        wait_for("arrayd to go online", lambda: "online: " in agent.log())
        view = agent.view()
        self.assertEqual(view.vd("one")["state"], "optimal")
        self.assertEqual(view.drive(1)["state"], "online")
        self.assertEqual(view.all("operation"), {})
        self.assertEqual(view.all("controller")["c0"]["status"], "optimal")

    def test_a_member_that_does_not_come(self):
        """As long as claims are waited for, then the group begins without it."""
        agent = self.two_groups(wait_s=4)
        holder = self.held(agent, 1)
        agent.start()
        view = agent.view()
        self.assertEqual(view.vd("one")["state"], "degraded")
        self.assertEqual(view.vd("two")["state"], "optimal")
        holder.close()
        # It is claimed after all, and rebuilt, without anybody's doing.
        agent.optimal("one")

    def test_commands_wait_for_their_turn(self):
        agent = self.two_groups()
        holder = self.held(agent, 1)
        self.listening(agent)
        with agent.control() as control:
            key = View(control.state()).vd_key("two")
            status = control.submit("vd_set", {"virtual_drive": key, "name": "renamed"})
            holder.close()
            outcome = control.outcome(status)
            self.assertEqual(outcome["state"], "succeeded", outcome)
        answers = []
        self.asks(agent, "renamed", answers).join(10)
        self.assertIsInstance(answers[0], bytes)

    def test_a_stop_while_a_member_is_awaited(self):
        agent = self.two_groups(wait_s=300)
        self.held(agent, 1)
        self.listening(agent)
        late = []
        client = self.asks(agent, "one", late)
        began = time.monotonic()
        agent.stop()
        self.assertLess(time.monotonic() - began, 10)
        client.join(10)
        self.assertEqual(len(late), 1)
        self.assertNotIn("no such export", str(late[0]))

    def test_one_controller_waits_alone(self):
        agent = self.agent(slots=2, controllers=2)
        agent.start()
        agent.create("raid1", [0, 1], name="one")
        agent.create("raid1", [0, 1], name="two", controller="c1")
        agent.stop()
        holder = self.held(agent, 1, "c1")
        self.listening(agent)
        answers = []
        handle = agent.nbd_open("one")
        self.assertGreater(handle.get_size(), MIB)
        waiting = self.asks(agent, "two", answers)
        view = agent.view()
        self.assertEqual(view.all("controller")["c1"]["status"], "starting")
        self.assertEqual(view.vd("one")["state"], "optimal")
        holder.close()
        waiting.join(20)
        self.assertEqual(len(answers), 1)
        self.assertIsInstance(answers[0], bytes)

    def test_a_broken_emulated_drive_costs_only_itself(self):
        agent = self.two_groups()
        (agent.directory / "d4").write_bytes(b"too short")
        agent.start()
        self.assertIn("it is left alone", agent.log())
        view = agent.view()
        self.assertEqual({vd["state"] for vd in view.all("virtual_drive").values()}, {"optimal"})
        self.assertIsNone(view.drive_key(4))
        self.assertEqual(agent.ctl(f"/c0/e{EID}/s4", "show", check=False).returncode != 0, True)


class DamagedRecords(AgentCase):
    """A record that cannot be read costs what it describes, and is named."""

    DAMAGES = {
        "empty": lambda data: b"",
        "truncated": lambda data: data[:len(data) // 2],
        "garbage": lambda data: bytes((byte * 7 + 13) % 256 for byte in data),
        "directory": lambda data: None,
    }
    TOLD_TOO = {("commands.log", "directory")}
    TOLD = ("r-controller", "r-event-epoch", "r-group-", "r-drive-sizes")

    def agent_with_arrays(self):
        agent = self.agent(slots=7, config="claim_wait_s = 5;")
        self.make_arrays(agent)
        return agent

    def make_arrays(self, agent):
        agent.start()
        agent.create("raid1", [0, 1], name="one")
        agent.create("raid5", [2, 3, 4], name="two")
        agent.ctl(f"/c0/e{EID}/s5", "add", "hotsparedrive")
        agent.ctl("/c0", "set", "rebuildrate=77")
        for name in ("one", "two"):
            agent.until("consistency", lambda v, n=name: v.vd(n)["consistent"])
            with agent.nbd(name) as handle:
                handle.pwrite(name.encode() * 1024, 0)
                handle.flush()
        agent.stop()

    def damaged(self, agent, file, data):
        if data is None:  # cannot be read, nor be written over
            file.unlink()
            file.mkdir()
            (file / "something").touch()
        else:
            file.write_bytes(data)
        agent.start()

    def check_arrays(self, agent):
        view = agent.view()
        self.assertEqual({vd["name"]: vd["state"] for vd in view.all("virtual_drive").values()},
                         {"one": "optimal", "two": "optimal"})
        self.assertEqual({view.drive(slot)["state"] for slot in range(5)}, {"online"})
        self.assertEqual(view.drive(5)["state"], "hot_spare")
        for name in ("one", "two"):
            with agent.nbd(name) as handle:
                self.assertEqual(bytes(handle.pread(3072, 0)), name.encode() * 1024)

    def told(self, agent):
        def read():
            with agent.control() as control:
                events = control.ask("events.read", {"after_seq": 0, "limit": 256})["events"]
            damaged = [event for event in events if event["name"] == "state_record_damaged"]
            for event in damaged:
                self.assertIn("in the state directory was damaged", event["text"])
            return [event["params"]["file"] for event in damaged]
        return wait_for("the event", read)

    def test_every_record(self):
        agent = self.agent_with_arrays()
        pristine = agent.directory / "pristine"
        shutil.copytree(agent.state_dir, pristine)
        files = sorted(str(file.relative_to(pristine)) for file in pristine.rglob("*")
                       if file.is_file())
        self.assertTrue({"r-controller", "r-event-epoch"} < set(files))
        for file in files:
            for damage, change in self.DAMAGES.items():
                with self.subTest(file=file, damage=damage):
                    shutil.rmtree(agent.state_dir)
                    shutil.copytree(pristine, agent.state_dir)
                    self.damaged(agent, agent.state_dir / file,
                                 change((pristine / file).read_bytes()))
                    try:
                        self.check_arrays(agent)
                        if file.startswith(self.TOLD) or (file, damage) in self.TOLD_TOO:
                            self.assertEqual(self.told(agent), [file])
                        if damage != "empty" or file.startswith("r-"):
                            self.assertIn("event log in" if file.startswith("events/") else file,
                                          agent.log())
                    finally:
                        agent.stop()
                    agent.start()  # what was made anew is good, and says nothing any more
                    self.check_arrays(agent)
                    agent.stop()

    def test_drives_that_are_not_emulated(self):
        """They are only offered, as they carry metadata: the controller's record lists them."""
        agent = self.agent(slots=6)
        for slot in range(6):
            (agent.directory / f"d{slot}").touch()
            os.truncate(agent.directory / f"d{slot}", 128 * MIB)
        agent.config_path.write_text(re.sub(r" emulated = \{[^}]*\};", "",
                                            agent.config_path.read_text()))
        self.make_arrays(agent)
        record = agent.state_dir / "r-controller"
        record.write_bytes(record.read_bytes()[:361])
        agent.start()
        self.check_arrays(agent)
        self.assertEqual(self.told(agent), ["r-controller"])
        self.assertIn(f"r-controller in the state directory {agent.state_dir} was damaged or is missing. The "
                      "settings are the defaults; 2 drive groups were found by their drives. ",
                      agent.log())
        self.assertEqual(agent.view().all("controller")["c0"]["rebuild_rate_percent"], 30)
        self.assertIn("were damaged when arrayd started: r-controller.",
                      agent.ctl("status").stdout)

    def test_all_records_of_the_configuration(self):
        """The controller's and every group's: the labels of the drives are left."""
        agent = self.agent_with_arrays()
        for file in agent.state_dir.glob("r-*"):
            file.write_bytes(b"")
        agent.start()
        self.check_arrays(agent)
        self.assertEqual(len(self.told(agent)), 5)
        self.assertEqual(agent.view().all("controller")["c0"]["rebuild_rate_percent"], 30)

    def test_a_label_alone_is_not_believed(self):
        """The drive whose label is left may have been away when the others went on."""
        agent = self.agent_with_arrays()
        record = next(file for file in agent.state_dir.glob("r-group-*")
                      if b"one" in file.read_bytes())
        record.write_bytes(b"")
        holder = (agent.directory / "d1").open("rb")
        self.addCleanup(holder.close)
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        agent.start()
        view = agent.view()
        self.assertEqual(view.vd("one")["state"], "offline")
        self.assertEqual(view.vd("two")["state"], "optimal")
        self.assertEqual(self.told(agent), [record.name])
        holder.close()
        agent.until("the group to have both", lambda v: v.vd("one")["state"] == "optimal"
                    and v.drive(1)["state"] == "online")
        self.assertEqual(agent.view().drive(5)["state"], "hot_spare")  # nobody needed it
        with agent.nbd("one") as handle:
            self.assertEqual(bytes(handle.pread(3072, 0)), b"one" * 1024)

    def test_another_controllers_drives_are_not_taken(self):
        other = self.agent(slots=2)
        other.start()
        other.create("raid1", [0, 1], name="theirs")
        other.stop()
        agent = self.agent_with_arrays()
        for suffix in ("", ".serial"):
            shutil.copy(other.directory / f"d0{suffix}", agent.directory / f"d6{suffix}")
        (agent.state_dir / "r-controller").write_bytes(b"")
        agent.start()
        self.check_arrays(agent)
        self.assertTrue(agent.view().drive(6)["foreign"])
