"""Every drive can be named: what is printed for a drive is accepted by every verb, on hosts with
enclosures, without any, and with both."""

import contextlib
import itertools
import os
import pty
import re
import subprocess
import sys
import unittest
from pathlib import Path

from cases import AgentCase
from harness import ARRAYCTL, EID, MIB, PATIENCE_S, LoopDevice, loop_devices_work, wait_for

sys.path.append(str(Path(__file__).resolve().parents[2] / "kill"))

import lossy_drives  # noqa: E402

COLLECTOR = Path("/usr/share/prometheus-node-exporter-collectors/storcli.py")


class AddressCase(AgentCase):
    """Hosts of emulated drives; `inside` are in an enclosure, `outside` in none."""

    def host(self, inside=0, outside=0, drive_mib=128, **options):
        agent = self.agent(slots=0, drives=[], **options)
        if inside and outside:  # so the drives of the enclosure have the lower numbers
            self.reconfigure(agent, inside, 0, drive_mib)
            agent.start()
            agent.stop()
        self.reconfigure(agent, inside, outside, drive_mib)
        return agent.start()

    def reconfigure(self, agent, inside, outside, drive_mib=128):
        text = agent.config_path.read_text()
        text = re.sub(r"(?s)enclosures = \(.*?\);\n", "", text)
        agent.config_path.write_text(re.sub(
            r"(?s)drives = \(.*?\n\);\n",
            lambda _: self.drives_text(agent, inside, outside, drive_mib), text))

    @staticmethod
    def drives_text(agent, inside, outside, drive_mib):
        places = [f"enclosure = {EID}; slot = {slot};" for slot in range(inside)]
        listed = ",\n".join(
            f'{{ path = "{agent.directory}/{"i" if place else "o"}{number}"; {place} '
            f'emulated = {{ size = "{drive_mib} MiB"; }}; }}'
            for number, place in enumerate(places + [""] * outside))
        enclosures = (f'enclosures = ( {{ eid = {EID}; model = "Test"; slots = 8; '
                      f'emulated = true; }} );\n' if inside else "")
        return f"{enclosures}drives = (\n{listed}\n);\n"

    def drives(self, agent):
        """Documents by path."""
        found = agent.view().all("drive").values()
        return {doc["path"]: doc for doc in sorted(found, key=lambda doc: doc["path"])}

    def shell(self, agent, line, **more):
        """A line as somebody pastes it into a shell."""
        folder = agent.directory / "bin"
        folder.mkdir(exist_ok=True)
        for name in ("arrayctl", "storcli64"):
            with contextlib.suppress(FileExistsError):
                (folder / name).symlink_to(Path(ARRAYCTL).resolve())
        return subprocess.run(["/bin/sh", "-c", line], text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE_S, check=False, cwd="/",
                              env={"ARRAYWRIGHT_SOCKET": str(agent.control_path),
                                   "PATH": f"{folder}:/usr/bin:/bin"}, **more)

    def pasted(self, agent, line):
        done = self.shell(agent, line)
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{line}\n{done.stdout}")
        return done.stdout


class EveryVerb(AddressCase):
    """Drives outside all enclosures."""

    def test_show(self):
        agent = self.host(outside=4)
        self.assertEqual(list(self.drives(agent)), [f"/c0/s{n}" for n in range(4)])
        rows = agent.json("/c0", "show")["Response Data"]["PD LIST"]
        self.assertEqual([(row["EID:Slt"], row["DID"]) for row in rows],
                         [(f" :{n}", n) for n in range(4)])
        for words, count in ((["/c0/sall", "show"], 4), (["/c0/eall/sall", "show"], 4),
                             (["/cALL/eALL/sALL", "show"], 4), (["/c0/s1-2", "show"], 2),
                             (["/c0/s0,3", "show"], 2), (["/c0", "/s3", "show"], 1)):
            data = agent.json(*words)["Response Data"]
            self.assertEqual(len(data["Drive Information"]), count, words)
        data = agent.json("/c0/s2", "show", "all")["Response Data"]
        self.assertEqual(list(data), ["Drive /c0/s2", "Drive /c0/s2 - Detailed Information"])
        self.assertEqual(list(agent.json("/c0/eall/sall", "show", "all")["Response Data"])[::2],
                         [f"Drive /c0/s{n}" for n in range(4)])
        for path in ("/c0/s4", "/c0/s0-4", "/c0/e252/s0", "/c0/e252/sall"):
            self.assertNotEqual(agent.ctl(path, "show", check=False).returncode, 0, path)
        for what in ("rebuild", "copyback", "erase", "initialization"):
            rows = agent.json("/c0/s1", "show", what)["Response Data"]
            self.assertEqual([row["Drive-ID"] for row in rows], ["/c0/s1"])
        for what in ("perf", "smart", "badblocks"):
            agent.ctl("/c0/s1", "show", what)
        self.assertIn("/c0/s1", agent.ctl("explain", "/c0/s1").stdout)
        self.assertIn("/c0/s1", agent.ctl("status").stdout)

    def test_life_of_a_group(self):
        """Create, spare, loss, rebuild, the guides' way to replace, copyback, locate."""
        agent = self.host(outside=6)
        agent.ctl("/c0", "add", "vd", "r5", "drives=0-2", "name=data")
        agent.ctl("/c0/s3", "add", "hotsparedrive", "dgs=0")
        agent.ctl("/c0/s3", "delete", "hotsparedrive")
        agent.ctl("/c0/s1", "start", "locate")
        self.assertTrue(self.drives(agent)["/c0/s1"]["locating"])
        agent.ctl("/c0/s1", "stop", "locate")
        agent.until("consistency", lambda view: view.vd()["consistent"])
        agent.ctl("/c0/s1", "set", "offline")
        agent.ctl("/c0/s1", "set", "missing")
        agent.ctl("/c0/s4", "insert", "dg=0", "array=0", "row=1")
        agent.until("the rebuild", lambda view: view.vd()["state"] == "optimal")
        rows = agent.json("/c0/d0", "show")["Response Data"]["TOPOLOGY"]
        self.assertEqual([row["EID:Slot"] for row in rows], ["-", "-", " :0", " :4", " :2"])
        agent.ctl("/c0/s4", "set", "fault=slow", "latency=20")
        agent.ctl("/c0/s4", "start", "copyback", "target=:5")
        for verb in ("pause", "resume", "stop"):
            agent.ctl("/c0/s5", verb, "copyback", check=False)
        agent.ctl("/c0/s4", "set", "fault=clear")
        agent.until("the end of work", lambda view: not view.running("copyback"))
        agent.ctl("/c0/s2", "set", "offline")
        agent.ctl("/c0/s2", "start", "rebuild")
        agent.until("the rebuild", lambda view: view.vd()["state"] == "optimal")
        agent.ctl("/c0/s0", "set", "offline")
        agent.ctl("/c0/s0", "set", "online", check=False)

    def test_an_unused_drive(self):
        agent = self.host(outside=2)
        serial = self.drives(agent)["/c0/s1"]["serial"]
        agent.ctl("/c0/s1", "start", "erase", "simple", f"confirm={serial}")
        agent.until("the erase", lambda view: not view.running("erase"))
        agent.ctl("/c0/s1", "set", "fault=pull")
        agent.ctl("/c0/s1", "set", "fault=return")
        agent.ctl("/c0/s1", "set", "good", check=False)
        agent.ctl("/c0/s1", "delete", "perf")
        agent.ctl("/c0/s0", "add", "hotsparedrive")
        self.assertEqual(self.drives(agent)["/c0/s0"]["state"], "hot_spare")

    def test_ways_to_write_a_list(self):
        agent = self.host(outside=5)
        for number, (drives, count) in enumerate((
                ("0-3", 4), (":0-3", 4), (":0,1", 2), ("0,:1", 2), (" :0, :1", 2), (":0,2-3", 3))):
            agent.ctl("/c0", "add", "vd", "r0", f"drives={drives}", f"name=n{number}")
            members = agent.json("/c0/d0", "show")["Response Data"]["DG Drive LIST"]
            self.assertEqual(len(members), count, drives)
            agent.ctl("/c0/v0", "del", "force")
        for number, words in enumerate((["e=", "s=0-3"], ["s=0-3"], ["E=", "S=0,1,2-3"])):
            agent.ctl("/c0", "add", "vd", "r0", *words, f"name=e{number}")
            members = agent.json("/c0/d0", "show")["Response Data"]["DG Drive LIST"]
            self.assertEqual([row["EID:Slt"] for row in members], [f" :{n}" for n in range(4)], words)
            agent.ctl("/c0/v0", "del", "force")
        for words in (["e=", "s=0,1", "drives=:2"], ["e="], ["s=:0-3"], ["s=252:0-1"],
                      ["e=252", "s=0,1"], ["s="], ["s=" + ",".join(["0-3"] * 120)]):
            self.assertNotEqual(agent.ctl("/c0", "add", "vd", "r0", *words, check=False).returncode,
                                0, words)
        self.assertEqual(agent.view().all("virtual_drive"), {})
        refused = agent.ctl("/c0", "add", "vd", "r0", "drives=0-5", check=False)
        self.assertIn("there is no drive 5", refused.stdout)
        agent.ctl("/c0", "add", "vd", "r1", "drives=0,1", "spares=:2", "name=data")
        self.assertEqual(self.drives(agent)["/c0/s2"]["state"], "dedicated_hot_spare")

    def test_3ware(self):
        agent = self.host(inside=1, outside=2)
        program = agent.directory / "tw_cli"
        program.symlink_to(Path(ARRAYCTL).resolve())

        def tw(*words):
            return subprocess.run([str(program), *words], text=True, capture_output=True,
                                  timeout=PATIENCE_S, check=True,
                                  env={"ARRAYWRIGHT_SOCKET": str(agent.control_path)}).stdout

        rows = [line.split() for line in tw("/c0", "show", "drivestatus").splitlines()
                if line.startswith("p")]
        self.assertEqual([row[0] for row in rows], ["p0", "p1", "p2"])
        for row in rows:
            self.assertIn("OK", tw(f"/c0/{row[0]}", "show", "status"))

    def test_events_and_refusals_name_what_is_accepted(self):
        agent = self.host(outside=3)
        agent.ctl("/c0", "add", "vd", "r1", "drives=0,1", "name=data")
        refused = agent.ctl("/c0", "add", "vd", "r0", "drives=:0", check=False).stdout
        [path] = re.findall(r"/c0\S*/s\d+", refused)
        agent.ctl(path, "show")
        agent.ctl("/c0/s1", "set", "fault=pull")
        wait_for("the event", lambda: "Removed: PD 01(e0xff/s1)" in
                 agent.ctl("/c0", "show", "events").stdout)
        for path in set(re.findall(r"/c0\S*/s\d+", agent.ctl("/c0", "show", "events").stdout)):
            agent.ctl("explain", path)

    def test_health_checks_see_them(self):
        for inside, outside in ((0, 3), (2, 3)):
            agent = self.host(inside=inside, outside=outside)
            with contextlib.closing(agent), self.subTest(inside=inside):
                if not COLLECTOR.exists():
                    self.skipTest("prometheus-node-exporter-collectors is not installed")
                done = subprocess.run(
                    ["/usr/bin/python3", str(COLLECTOR), "--storcli_path", ARRAYCTL], text=True,
                    timeout=PATIENCE_S, capture_output=True, cwd="/", check=True,
                    env={"PATH": os.environ["PATH"],
                         "ARRAYWRIGHT_SOCKET": str(agent.control_path)})
                seen = re.findall(r'megaraid_pd_media_errors\{controller="0",enclosure="( |\d+)",'
                                  r'slot="(\d+)"\} 0', done.stdout)
                self.assertEqual(
                    sorted(seen),
                    sorted([(str(EID), str(slot)) for slot in range(inside)] +
                           [(" ", str(inside + n)) for n in range(outside)]))


class Numbers(AddressCase):
    """A drive keeps the number it was first given."""

    def serials(self, agent):
        return {doc["serial"]: path for path, doc in self.drives(agent).items() if doc["present"]}

    def test_restarts_and_another_order(self):
        agent = self.host(outside=4)
        before = self.serials(agent)
        agent.stop()
        text = agent.config_path.read_text()
        lines = re.findall(r"\{ path = .*?\}; \}", text)
        agent.config_path.write_text(re.sub(r"(?s)drives = \(.*?\n\);", lambda _: (
            "drives = (\n" + ",\n".join(reversed(lines)) + "\n);"), text))
        agent.start()
        self.assertEqual(self.serials(agent), before)

    def test_a_slow_first_drive(self):
        """The numbers follow the configuration, not the moment at which a drive answers."""
        drives = lossy_drives.LossyDrives(4, 128)
        self.addCleanup(drives.close)
        drives.command("delay", drives.paths[0].name, "read", 10)
        agent = self.agent(slots=0, drives=[f'{{ path = "{path}"; }}' for path in drives.paths])
        agent.start()
        self.addCleanup(agent.stop)
        found = {doc["path"]: doc["device"] for doc in agent.view().all("drive").values()}
        self.assertEqual(found, {f"/c0/s{number}": str(path)
                                 for number, path in enumerate(drives.paths)})

    def test_absence(self):
        agent = self.host(outside=4)
        before = self.serials(agent)
        agent.stop()
        text = agent.config_path.read_text()
        agent.config_path.write_text(text.replace(
            re.search(r"\{ path = .*?\}; \},\n", text)[0], ""))
        agent.start()
        left = self.serials(agent)  # the drive of the first line may have any number
        self.assertEqual(len(left), len(before) - 1)
        self.assertLess(left.items(), before.items())
        agent.stop()
        agent.config_path.write_text(text)
        agent.start()
        self.assertEqual(self.serials(agent), before)

    def test_a_replacement_has_its_own(self):
        agent = self.host(outside=3)
        before = self.serials(agent)
        agent.ctl("/c0/s1", "set", "fault=replace")
        agent.until("the new drive", lambda view: len(
            [d for d in view.all("drive").values() if d["present"]]) == 3 and any(
                d["path"] == "/c0/s3" for d in view.all("drive").values()))
        after = self.serials(agent)
        self.assertEqual(sorted(after.values()), ["/c0/s0", "/c0/s2", "/c0/s3"])
        agent.stop()
        agent.start()
        self.assertEqual(self.serials(agent), after)
        self.assertLess(set(after.items()) & set(before.items()), set(before.items()))

    def test_a_damaged_record_costs_the_numbers_only(self):
        agent = self.host(outside=3)
        agent.ctl("/c0", "add", "vd", "r5", "drives=0-2", "name=data")
        agent.stop()
        record = agent.state_dir / "r-drive-numbers"
        record.write_bytes(b"")
        agent.start()
        agent.until("the array", lambda view: view.vd()["state"] == "optimal")
        self.assertEqual(sorted(self.serials(agent).values()), ["/c0/s0", "/c0/s1", "/c0/s2"])
        wait_for("the event", lambda: "The record r-drive-numbers in the state directory was damaged" in
                 agent.ctl("/c0", "show", "events").stdout)
        wait_for("a new record", lambda: record.stat().st_size > 0)


class Mixed(AddressCase):
    """Some drives in an enclosure, some in none."""

    def test_each_by_its_address(self):
        agent = self.host(inside=3, outside=3)
        self.assertEqual(list(self.drives(agent)), [f"/c0/e{EID}/s{n}" for n in range(3)] +
                         [f"/c0/s{n}" for n in range(3, 6)])
        for path, count in (("/c0/sall", 3), (f"/c0/e{EID}/sall", 3), ("/c0/eall/sall", 6),
                            (f"/c0/e{EID}/s0-2", 3), ("/c0/s3-5", 3)):
            data = agent.json(path, "show")["Response Data"]
            self.assertEqual(len(data["Drive Information"]), count, path)
        for path in ("/c0/s0", f"/c0/e{EID}/s3", "/c0/eall/s3"):
            self.assertNotEqual(agent.ctl(path, "show", check=False).returncode, 0, path)
        agent.ctl("/c0", "add", "vd", "r5", f"drives={EID}:0-1,:3-4", "name=data")
        members = agent.json("/c0/d0", "show")["Response Data"]["DG Drive LIST"]
        self.assertEqual([row["EID:Slt"] for row in members],
                         [f"{EID}:0", f"{EID}:1", " :3", " :4"])
        agent.ctl("/c0/v0", "del", "force")
        for words, shown in (([f"e={EID}", "s=0-1"], [f"{EID}:0", f"{EID}:1"]),
                             (["e=", "s=3,4"], [" :3", " :4"]), (["s=0,3"], [f"{EID}:0", " :3"])):
            agent.ctl("/c0", "add", "vd", "r1", *words, "name=data")
            members = agent.json("/c0/d0", "show")["Response Data"]["DG Drive LIST"]
            self.assertEqual([row["EID:Slt"] for row in members], shown)
            agent.ctl("/c0/v0", "del", "force")

    def test_which_drive_is_meant_is_never_guessed(self):
        agent = self.host(outside=2)  # 0 and 1, which will be slots as well
        agent.stop()
        text = agent.config_path.read_text()
        more = self.drives_text(agent, 8, 0, 128).replace(",\n{", ", {")
        listed = re.search(r"(?s)drives = \(\n(.*?)\n\);", text)[1]
        agent.config_path.write_text(re.sub(
            r"(?s)drives = \(.*?\n\);\n",
            lambda _: more.replace("drives = (\n", f"drives = (\n{listed},\n"), text))
        agent.start()
        agent.ctl("/c0/s0", "show")
        refused = agent.ctl("/c0", "add", "vd", "r1", "drives=0,1", check=False).stdout
        self.assertIn(f"0 can be /c0/s0 or /c0/e{EID}/s0", refused)
        self.assertEqual(agent.view().all("virtual_drive"), {})
        agent.ctl("/c0", "add", "vd", "r1", "drives=:0,1", "name=outside")
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=inside")
        agent.ctl("/c0", "add", "vd", "r1", "drives=4-5", "name=bare")
        self.assertEqual(
            [row["EID:Slt"] for row in agent.json("/c0/d2", "show")[
                "Response Data"]["DG Drive LIST"]], [f"{EID}:4", f"{EID}:5"])


class PrintedLines(AddressCase):
    """Every line that the console, the wizard and guided creation print is pasted into a shell, and
    makes what was announced."""

    HOSTS = {"enclosure": (8, 0), "none": (0, 8), "both": (4, 4)}
    # Level, drives, what else is asked for.
    WISHES = (
        ("raid0", 1, {}), ("raid0", 3, {"size_bytes": 48 * MIB}),
        ("raid1", 2, {"write_policy": "write_back"}), ("raid1", 3, {"drives_per_span": 3}),
        ("raid1e", 5, {"strip_bytes": 128 * 1024}),
        ("raid5", 3, {"read_policy": "read_ahead", "spares": 1}),
        ("raid6", 4, {"io_policy": "cached", "drive_cache_policy": "off", "spares": 2}),
        ("raid10", 4, {"degraded_policy": "write_through"}), ("raid10", 8, {"size_bytes": 16 * MIB}),
        ("raid50", 6, {}), ("raid60", 8, {"write_policy": "always_write_back"}),
        ("raid5", 4, {"name": "a-name_1"}), ("raid0", 2, {"drive_cache_policy": "on"}),
    )

    def preview(self, agent, level, keys, wish, order):
        wish = dict(wish)
        spares = wish.pop("spares", 0)
        with agent.control() as control:
            return control.preview(level=level, drives=[keys[n] for n in order],
                                   spares=keys[len(keys) - spares:] if spares else [], **wish)

    def test_creation(self):
        for name, (inside, outside) in self.HOSTS.items():
            agent = self.host(inside=inside, outside=outside)
            keys = list(agent.view().all("drive"))
            for (level, count, wish), turned in itertools.product(self.WISHES, (False, True)):
                order = range(count) if not turned else reversed(range(count))
                preview = self.preview(agent, level, keys, wish, list(order))
                with self.subTest(host=name, line=preview["cli"]):
                    self.assertTrue(preview["ok"], preview["refusals"])
                    self.pasted(agent, preview["cli"])
                    [made] = agent.view().all("virtual_drive").values()
                    for field in ("size_bytes", "level", "strip_bytes"):
                        self.assertEqual(made[field], preview[field], field)
                    [group] = agent.view().all("drive_group").values()
                    listed = [member["drive"] for member in group["members"]]
                    expected = [keys[n] for n in range(count)]
                    self.assertEqual(listed, expected[::-1] if turned else expected)
                    for field in ("write_policy", "read_policy", "io_policy"):
                        if field in wish:
                            now = made[field]
                            self.assertEqual(
                                now["requested"] if isinstance(now, dict) else now, wish[field])
                if agent.view().all("virtual_drive"):
                    agent.ctl("/c0/v0", "del", "force")
                for path, doc in self.drives(agent).items():
                    if doc["hot_spare"] is not None:
                        agent.ctl(path, "delete", "hotsparedrive")
            agent.close()

    def test_policies(self):
        agent = self.host(outside=2)
        agent.ctl("/c0", "add", "vd", "r1", "drives=0,1", "name=data")
        key = agent.view().vd_key()
        for wish in ({"write_policy": "write_back"}, {"read_policy": "adaptive_read_ahead"},
                     {"io_policy": "cached", "drive_cache_policy": "off"},
                     {"degraded_policy": "write_through"},
                     {"degraded_policy": "keep", "read_policy": "no_read_ahead"}):
            with agent.control() as control:
                answer = control.ask("query", {"name": "preview_vd_set",
                                               "args": {"virtual_drive": key, **wish}})
            with self.subTest(line=answer["cli"]):
                self.pasted(agent, answer["cli"])
                made = agent.view().vd()
                for field, value in wish.items():
                    now = made[field]
                    self.assertEqual(now["requested"] if isinstance(now, dict) else now, value)

    def guided(self, agent, *lines):
        ours, theirs = pty.openpty()
        with subprocess.Popen([ARRAYCTL, "create"], stdin=theirs, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True,
                              env={"ARRAYWRIGHT_SOCKET": str(agent.control_path)}) as process:
            os.close(theirs)
            os.write(ours, "".join(f"{line}\n" for line in lines).encode() + b"\x04")
            text, _ = process.communicate(timeout=PATIENCE_S)
        os.close(ours)
        return process.returncode, text

    def test_guided_creation(self):
        for name, (inside, outside) in self.HOSTS.items():
            agent = self.host(inside=inside, outside=outside)
            with self.subTest(host=name):
                code, text = self.guided(agent, "", "raid6", "", "data", "no")
                self.assertEqual(code, 1)
                self.assertTrue(text.endswith("Nothing was changed.\n"), text)
                self.assertIn("  writes: write-through. ", text)  # there is no cache
                [line] = re.findall(r"As a command: (.*)", text)
                listed = re.findall(r"(?m)^  (\d*| ?):(\d+)", text)
                self.assertEqual(len(listed), 8, text)
                self.pasted(agent, line)
                agent.ctl("/c0/v0", "del", "force")
                typed = ",".join(f"{eid.strip()}:{number}" for eid, number in listed)
                code, text = self.guided(agent, typed, "raid10", "32MB", "data", "y")
                self.assertEqual(code, 0, text)
                self.assertEqual(agent.view().vd()["size_bytes"], 32 * MIB)
            agent.close()


class SeveralOfOneGroup(AddressCase):
    """StorCLI's grammar for virtual drives that share a drive group."""

    def made(self, agent):
        return {doc["name"]: doc["size_bytes"] // MIB
                for doc in agent.view().all("virtual_drive").values()}

    def refused(self, agent, *words):
        done = agent.ctl("/c0", "add", "vd", *words, check=False)
        self.assertNotEqual(done.returncode, 0, words)
        return done.stdout

    def test_in_one_go(self):
        for inside, outside, drives in ((4, 0, f"{EID}:0-2"), (0, 4, ":0-2")):
            agent = self.host(inside=inside, outside=outside)
            agent.ctl("/c0", "add", "vd", "type=raid5", "size=20MB,20MB", "name=a,b",
                      f"drives={drives}", f"spares={drives[:-3]}3")
            self.assertEqual(self.made(agent), {"a": 20, "b": 20})
            [group] = agent.view().all("drive_group").values()
            self.assertGreater(group["free_bytes"], 0)
            self.assertEqual(len([d for d in agent.view().all("drive").values()
                                  if d["state"] == "dedicated_hot_spare"]), 1)
            for number in (1, 0):
                agent.ctl(f"/c0/v{number}", "del", "force")
            agent.close()

    def test_lists_of_sizes(self):
        agent = self.host(outside=3)
        for size, names, expected in (
                ("16MB*3", "x", 3), ("16MB,remaining", "x,y", 2), ("16MB,all", None, 2),
                ("16MB*2,8MB,remaining", "a,b,c,d", 4), ("remaining", "r", 1)):
            words = [f"size={size}"] + ([f"name={names}"] if names else [])
            agent.ctl("/c0", "add", "vd", "r5", "drives=0-2", *words)
            view = agent.view()
            self.assertEqual(len(view.all("virtual_drive")), expected, size)
            self.assertEqual(len(view.all("drive_group")), 1, size)
            if "remaining" in size or "all" in size:
                [group] = view.all("drive_group").values()
                self.assertLess(group["free_bytes"], MIB, size)
            if names:
                self.assertLessEqual(set(names.split(",")), set(self.made(agent)), size)
            for number in range(expected):
                agent.ctl(f"/c0/v{number}", "del", "force")

    def test_a_second_one_on_the_same_drives(self):
        agent = self.host(inside=3)
        drives = f"drives={EID}:0-2"
        agent.ctl("/c0", "add", "vd", "r5", "size=20MB", "name=one", drives)
        agent.ctl("/c0", "add", "vd", "r5", "size=10MB", "name=two", drives, "wb", "strip=128")
        agent.ctl("/c0", "add", "vd", "r5", "size=10MB", "name=three", f"drives={EID}:2,0,1")
        agent.ctl("/c0", "add", "vd", "type=raid5", "size=remaining", "name=four", "drivegroup=0")
        self.assertEqual(len(agent.view().all("drive_group")), 1)
        self.assertEqual(list(self.made(agent)), ["one", "two", "three", "four"])
        self.assertIn("has no room", self.refused(agent, "r5", drives))
        agent.ctl("/c0/v1", "del", "force")
        agent.ctl("/c0", "add", "vd", "RAID5", "name=five", "array=0")
        self.assertIn("five", self.made(agent))

    def test_refusals_change_nothing(self):
        agent = self.host(inside=4)
        drives = f"drives={EID}:0-2"
        for words in (("r5", "size=20MB,1TB", drives), ("r5", "size=60MB,remaining,5MB", drives),
                      ("r5", "size=20MB,", drives), ("r5", "size=20MB*0", drives),
                      ("r5", "size=20MB*17", drives), ("r5", "size=all*2", drives),
                      ("r5", "size=1MB*", drives), ("r5", "size=20MB", "name=a,b", drives),
                      ("r5", "drivegroup=0"), ("r5", "drivegroup=x"), ("r5",),
                      ("r0", "each", "size=20MB,20MB", drives)):
            self.refused(agent, *words)
            self.assertEqual(self.made(agent), {}, words)
        agent.ctl("/c0", "add", "vd", "r5", "size=20MB", "name=one", drives)
        for words in (("r1", drives), ("r5", "size=1TB", drives), ("r5", f"drives={EID}:0-1"),
                      ("r5", f"drives={EID}:0-3"), ("r5", drives, "drivegroup=1"),
                      ("r5", drives, f"spares={EID}:3"), ("r5", drives, "name=one"),
                      ("r5", f"drives={EID}:0,1,1")):
            self.refused(agent, *words)
            self.assertEqual(self.made(agent), {"one": 20}, words)

    def test_the_printed_line(self):
        for inside, outside in ((3, 0), (0, 3)):
            agent = self.host(inside=inside, outside=outside)
            agent.ctl("/c0", "add", "vd", "r5", "size=20MB", "name=one",
                      f"drives={f'{EID}:' if inside else ':'}0-2")
            [group] = agent.view().all("drive_group")
            for wish in ({"size_bytes": 16 * MIB, "name": "two"}, {"strip_bytes": 131072}):
                with agent.control() as control:
                    preview = control.preview(level="raid5", drive_group=group, **wish)
                self.pasted(agent, preview["cli"])
            self.assertEqual(len(self.made(agent)), 3)
            agent.close()


@unittest.skipUnless(loop_devices_work(), "loop devices cannot be made here")
class Scanned(AddressCase):
    """Drives that appear by themselves."""

    def scanned(self, count):
        directory = Path(self.agent(slots=0).directory)
        loops = []
        for number in range(count):
            loops.append(LoopDevice(directory / f"loop{number}", 128))
            self.addCleanup(loops[-1].detach)
        include = ", ".join(f'"{loop.path}"' for loop in loops)
        agent = self.agent(slots=0, config=(
            f"scan = {{ loop_devices = true; include = [{include}]; }};"))
        agent.config_path.write_text(re.sub(r"(?s)enclosures = .*?drives = \(.*?\);\n", "",
                                            agent.config_path.read_text()))
        return agent.start(), loops

    def test_they_are_used_by_their_numbers(self):
        agent, _ = self.scanned(4)
        self.assertEqual(sorted(self.drives(agent)), [f"/c0/s{n}" for n in range(4)])
        agent.ctl("/c0", "add", "vd", "r5", "drives=0-2", "name=data")
        agent.ctl("/c0/s3", "add", "hotsparedrive")
        agent.stop()
        agent.start()
        agent.until("the array", lambda view: view.vd()["state"] == "optimal")

    def test_jbod(self):
        agent, loops = self.scanned(2)
        device = {doc["device"]: path for path, doc in self.drives(agent).items()}
        path = device[loops[0].path]
        agent.ctl(path, "set", "jbod")
        self.assertEqual(self.drives(agent)[path]["state"], "jbod")
        agent.stop()
        agent.start()
        self.assertEqual(self.drives(agent)[path]["state"], "jbod")
        agent.ctl(path, "set", "good")
        agent.ctl("/c0", "add", "vd", "r0", f"drives=:{path.rpartition('/s')[2]}", "name=data")

    def test_numbers_survive_being_found_in_another_order(self):
        agent, loops = self.scanned(3)
        before = {doc["serial"]: path for path, doc in self.drives(agent).items()}
        agent.stop()
        loops[0].detach()
        agent.start()
        after = {doc["serial"]: path for path, doc in self.drives(agent).items()}
        self.assertEqual(len(after), 2)
        self.assertLess(after.items(), before.items())


if __name__ == "__main__":
    unittest.main()
