"""Other faces of the same controller: 3ware's tw_cli, documents, guided creation, completion, and
a story told in events."""

import contextlib
import json
import os
import pty
import re
import shutil
import subprocess
import tempfile
import termios
import unicodedata
import unittest
from pathlib import Path

import in_memory
import schema_check
from cases import AgentCase
from harness import ARRAYCTL, EID, MIB, PATIENCE_S, wait_for
from states import STATES, Scene
from test_event_catalogue import unpaired

in_memory.use()
AGENT = Path(__file__).resolve().parents[3]


class ThreeWare(AgentCase):
    def tw(self, agent, *words, stdin=None, code=0):
        with tempfile.TemporaryDirectory(prefix="aw-") as folder:
            program = Path(folder) / "tw_cli"
            program.symlink_to(Path(ARRAYCTL).resolve())
            done = subprocess.run([str(program), *words], text=True, input=stdin,
                                  timeout=PATIENCE_S, capture_output=True,
                                  env={"ARRAYWRIGHT_SOCKET": str(agent.control_path)})
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        return done.stdout

    def through_a_pipe(self, agent, command):
        """First columns, read as Nagios plugins do: behind the prompt, an empty line, a heading and
        a rule come the rows, and an empty line and a prompt behind them."""
        lines = self.tw(agent, stdin=f"{command}\n").splitlines()
        return [line.split()[0] for line in lines[3:-2]]

    def test_tables_and_values(self):
        with self.agent(slots=5) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.ctl(f"/c0/e{EID}/s3", "add", "hotsparedrive")
            agent.ctl("/c0", "set", "autorebuild=off")
            agent.until("consistency", lambda view: view.vd()["consistent"])
            rows = self.tw(agent, "info").splitlines()
            self.assertEqual(rows[1], "Ctl   Model        (V)Ports  Drives   Units   NotOpt  "
                                      "RRate   VRate  BBU")
            self.assertEqual(rows[2], "-" * 72)
            self.assertEqual(rows[3].split()[:6], ["c0", "Arraywright", "5", "5", "1", "0"])
            self.assertEqual(len(rows[3].split()), 9)
            units = self.tw(agent, "info", "c0", "unitstatus").splitlines()
            self.assertEqual(units[:2], ["", "Unit  UnitType  Status         %RCmpl  %V/I/M  "
                                             "Stripe  Size(GB)  Cache  AVrfy"])
            self.assertEqual(units[3].split(),
                             ["u0", "RAID-5", "OK", "-", "-", "64K", "0.125", "OFF", "ON"])
            self.assertEqual(units[4].split()[:3], ["u1", "SPARE", "OK"])
            self.assertEqual({len(row.split()) for row in units[3:5]}, {9})
            ports = self.tw(agent, "/c0", "show", "drivestatus").splitlines()
            self.assertEqual(ports[:2], ["", "VPort Status         Unit Size      Type  Phy "
                                             "Encl-Slot    Model"])
            self.assertEqual(ports[3].split()[:3], ["p0", "OK", "u0"])
            self.assertEqual(ports[7].split()[:3], ["p4", "OK", "-"])
            self.assertEqual(self.tw(agent, "/c0/u0", "show", "status"), "/c0/u0 status = OK\n")
            self.assertEqual(self.tw(agent, "/c0/u0", "show", "rebuildstatus"),
                             "/c0/u0 is not rebuilding, its current state is OK\n")
            self.assertEqual(self.tw(agent, "/c0/u0", "show", "migratestatus"),
                             "/c0/u0 is not migrating, its current state is OK\n")
            self.assertNotIn("migrating", self.tw(agent, "/c0/u0", "show", "all"))
            self.assertEqual(self.tw(agent, "info", "c0", "p0", "rasect"),
                             "/c0/p0 Reallocated Sectors = 0\n")
            agent.fault(1, "pull")
            self.assertEqual(self.tw(agent, "/c0/u0", "show", "status"),
                             "/c0/u0 status = DEGRADED\n")
            self.assertIn("NOT-PRESENT", self.tw(agent, "/c0/u0", "show"))
            wait_for("the alarm", lambda: "Degraded unit" in self.tw(agent, "/c0", "show",
                                                                     "alarms"))
            alarms = self.tw(agent, "/c0", "show", "alarms")
            self.assertRegex(alarms, r"\nc0   \[\w{3} \w{3} \d\d \d{4} \d\d:\d\d:\d\d\]  ERROR     "
                                     r"Degraded unit: unit=0\n")
            self.assertIn("WARNING   Drive removed: port=1\n", alarms)
            agent.fault(3, "slow", latency_ms=50)
            agent.ctl("/c0", "set", "autorebuild=on")
            agent.until("the rebuild", lambda view: view.running("rebuild"))
            self.assertRegex(self.tw(agent, "/c0/u0", "show", "rebuildstatus"),
                             r"^/c0/u0 is rebuilding with percent completion = \d+%\n$")
            agent.fault(3, "clear")
            everything = self.tw(agent, "/c0", "show", "all")
            for key in ("Model", "Firmware Version", "Bios Version", "Serial Number",
                        "PCB Version", "PCHIP Version", "ACHIP Version"):
                self.assertRegex(everything, rf"(?m)^/c0 {key} = .+$")

    def test_what_runs_on_a_unit(self):
        with self.agent(slots=3) as agent:
            for slot in range(3):
                agent.fault(slot, "slow", latency_ms=100)
            agent.create("raid5", [0, 1, 2])

            def unit():
                rows = self.tw(agent, "/c0", "show", "unitstatus").splitlines()
                return next(row for row in rows if row.startswith("u0")).split()

            def shown(status, other):
                wait_for(status, lambda: unit()[2] == status and re.fullmatch(other, unit()[4]))
                self.assertEqual(len(unit()), 9)
                self.assertEqual(self.tw(agent, "/c0/u0", "show", "status"),
                                 f"/c0/u0 status = {status}\n")
                row = next(line for line in self.tw(agent, "/c0/u0", "show").splitlines()
                           if line.startswith("u0 "))
                self.assertEqual(row.split()[2], status)
                return self.tw(agent, "info").splitlines()[3].split()[5]

            self.assertEqual(shown("INITIALIZING", r"\d+%\(A\)"), "1")
            agent.ctl("/c0/v0", "pause", "bgi")
            shown("INIT-PAUSED", r"\d+%\(P\)")
            for slot in range(3):
                agent.fault(slot, "clear")
            agent.ctl("/c0/v0", "resume", "bgi")
            agent.until("consistency", lambda view: view.vd()["consistent"])
            for slot in range(3):
                agent.fault(slot, "slow", latency_ms=100)
            agent.ctl("/c0/v0", "start", "cc")
            self.assertEqual(shown("VERIFYING", r"\d+%\(A\)"), "0")  # it is optimal
            self.assertRegex(self.tw(agent, "/c0/u0", "show", "verifystatus"),
                             r"^/c0/u0 is verifying with percent completion = \d+%\n$")
            agent.ctl("/c0/v0", "pause", "cc")
            self.assertEqual(shown("VERIFY-PAUSED", r"\d+%\(P\)"), "1")
            agent.ctl("/c0/v0", "stop", "cc")

    def test_battery(self):
        with Scene() as scene:
            STATES["no-array"](scene)
            shown = self.tw(scene.agents[0], "/c0/bbu", "show", "all")
        values = dict(line.removeprefix("/c0/bbu ").split(" = ") for line in shown.splitlines())
        # As Debian's tw_cli.py looks for them.
        self.assertEqual(list(values), [
            "Firmware Version", "Bootloader Version", "PCB Revision", "Battery Installation Date",
            "Serial Number", "Online State", "BBU Ready", "BBU Status", "Battery Voltage status",
            "Battery Temperature Status", "Battery Temperature Value"])
        self.assertEqual({values[key] for key in ("BBU Status", "Battery Voltage status",
                                                  "Battery Temperature Status")}, {"OK"})

    def test_shell_script_and_errors(self):
        with self.agent(slots=2, controllers=2) as agent:
            self.assertIn(f" /c1/e{EID}/slt0 ", self.tw(agent, "/c1", "show", "drivestatus"))
            agent.create("raid1", [0, 1])
            self.assertEqual(self.through_a_pipe(agent, "show"), ["c0", "c1"])
            self.assertEqual(self.through_a_pipe(agent, "/c0 show unitstatus"), ["u0"])
            self.assertEqual(self.through_a_pipe(agent, "/c0 show drivestatus"), ["p0", "p1"])
            text = self.tw(agent, stdin="# a comment\n/c0/u0 show status\nquit\n")
            self.assertRegex(text, r"//localhost> .*/c0/u0 status = \w+\n//localhost> ")
            self.assertIn("/cX/uX show [status", self.tw(agent, "help"))
            script = agent.directory / "script"
            script.write_text("/c0/u0 show status\n/c0/p0 show model\n")
            self.assertIn("/c0/p0 Model = Emulated drive\n", self.tw(agent, "-f", str(script)))
            for words in (["/c7", "show"], ["/c0/u9", "show"], ["/c0/p9", "show", "status"],
                          ["/c0", "delete"], ["frob"], ["/c0/u0", "show", "smell"],
                          ["/c0/bbu", "show"], ["/x"], ["info", "c0", "u0", "status", "more"]):
                self.assertRegex(self.tw(agent, *words, code=1), r"^Error: \(CLI:\d{3}\) .+\.\n$")


class Documents(AgentCase):
    """--json: the documents of the control socket, which are those of REST."""

    def documents(self, agent, *words):
        listed = json.loads(agent.ctl(*words, "--json").stdout)
        for item in listed:
            schema_check.check(item, "object", "objects.schema.json")
        return listed

    def test_show_and_status(self):
        with self.agent(slots=4, controllers=2) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            items = {(item["kind"], item["key"]): item for item in agent.view().items}
            for words in (["status"], ["show"], ["/call", "show", "all"]):
                shown = self.documents(agent, *words)
                self.assertEqual(len(shown), len(items), words)
                self.assertEqual({(i["kind"], i["key"]): i["doc"] for i in shown},
                                 {key: item["doc"] for key, item in items.items()}, words)
            for words, kind, count in (
                    (["/c0/v0", "show"], "virtual_drive", 1), (["/c0/d0", "show"], "drive_group", 1),
                    ([f"/c0/e{EID}/s1,3", "show", "all"], "drive", 2),
                    (["/c1/eall/sall", "show"], "drive", 4), (["/c0/eall", "show"], "enclosure", 1)):
                shown = self.documents(agent, *words)
                self.assertEqual([item["kind"] for item in shown], [kind] * count, words)
            self.assertNotEqual(agent.ctl("/c0/v7", "show", "--json", check=False).returncode, 0)


class Friendly(AgentCase):
    """watch and explain, and what they say to nonsense."""

    def test_watch(self):
        with self.agent(slots=3, controllers=2) as agent:
            for words, shown in ((["watch", "count=2"], ["/c0", "/c1"] * 2),
                                 (["/call", "watch", "count=1"], ["/c0", "/c1"]),
                                 (["/c1", "watch", "count=1"], ["/c1"])):
                text = agent.ctl(*words).stdout
                self.assertEqual(re.findall(r"(?m)^(/c\d)  Arraywright: ", text), shown, words)
                self.assertNotIn("\x1b", text)
            for words in (["watch", "count=1"], ["status"]):  # a second agent, which is away
                text = agent.ctl("--socket", str(agent.control_path), "--socket", "/none/where",
                                 *words).stdout
                self.assertRegex(text, r"(?m)^! /c2: cannot reach arrayd on /none/where: ")
            for wrong in ("count=x", "count=0", "count=-1"):
                done = agent.ctl("watch", wrong, check=False)
                self.assertEqual(done.returncode, 255)
                self.assertIn("count must be a number", done.stdout)

    def test_status_tells_scripts_how_it_is(self):
        def code(*words):
            return agent.ctl(*words, check=False).returncode

        with self.agent(slots=4) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            for words in (["status"], ["status", "--json"], ["/c0", "status"]):
                self.assertEqual(code(*words, "--exit-code"), 0, words)
            agent.fault(1, "pull")
            agent.until("the loss", lambda view: view.vd()["state"] == "degraded")
            for words in (["status"], ["status", "--json"], ["/c0", "status"]):
                self.assertEqual(code(*words, "--exit-code"), 2, words)
                self.assertEqual(code(*words), 0, words)
            self.assertEqual(code("--socket", str(agent.control_path), "--socket", "/none/where",
                                  "status", "--exit-code"), 3)
            agent.fault(2, "pull")
            agent.until("the end", lambda view: view.vd()["state"] == "offline")
            self.assertEqual(code("status", "--exit-code"), 3)
            agent.stop()
            self.assertEqual(code("status", "--exit-code"), 3)
            self.assertEqual(code("status"), 255)

    def test_status_fits_the_terminal(self):
        def shown(columns, *words):
            ours, theirs = pty.openpty()
            termios.tcsetwinsize(theirs, (24, columns))
            with subprocess.Popen([ARRAYCTL, *words], stdin=subprocess.DEVNULL, stdout=theirs,
                                  env={"ARRAYWRIGHT_SOCKET": str(agent.control_path),
                                       "NO_COLOR": "1"}) as process:
                os.close(theirs)
                text = b""
                with contextlib.suppress(OSError):  # the end of a terminal
                    while part := os.read(ours, 65536):
                        text += part
                self.assertEqual(process.wait(timeout=PATIENCE_S), 0)
            os.close(ours)
            return text.decode().replace("\x1b[H\x1b[J", "").splitlines()

        with self.agent(slots=5) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.ctl(f"/c0/e{EID}/s3", "add", "hotsparedrive", "dgs=0")
            agent.fault(3, "slow", latency_ms=100)
            agent.fault(1, "pull")
            agent.until("the rebuild", lambda view: view.running("rebuild"))
            lines = shown(80, "status")
            self.assertEqual([line for line in lines if len(line) > 80], [])
            self.assertRegex("\n".join(lines), r"Drive +Model +Size +Role +State\n")
            self.assertRegex("\n".join(lines), rf"/c0/e{EID}/s3 .* d0 +Rbld")
            told = " ".join(line.strip() for line in lines)
            self.assertIn("is being rebuilt. Wait until that is done.", told)
            for columns in (80, 100):
                [bar] = [line for line in shown(columns, "watch", "count=1") if "] " in line]
                self.assertRegex(bar, r"^  rebuild .*\[#*\.+\] +\d")
                self.assertLessEqual(len(bar), columns)
            agent.fault(3, "clear")

    def test_explain(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            text = agent.ctl("explain", "/c0/v0").stdout
            self.assertTrue(text.startswith('/c0/v0 "data": optimal\n  Nothing is wrong.\n'), text)
            self.assertIn("What may fail next: any 1 drive without loss of data\n", text)
            self.assertNotRegex(text, r"[a-z]_[a-z]|Not possible now:")
            self.assertLess(len(text.splitlines()), 12, text)
            paste = re.search(r'"arrayctl (explain .* all)"', text)[1]
            every = agent.ctl(*paste.split()).stdout
            self.assertIn("\n  Not possible now: ", every)
            self.assertNotRegex(every, r"Not possible now: \w*_")
            for state, shown in (("off", "N"), ("on", "Y")):
                agent.ctl("/c0", "set", "eghs", f"eug={state}")
                [row] = agent.json("show")["Response Data"]["System Overview"]
                self.assertEqual(row["EHS"], shown)
            agent.fault(1, "pull")
            text = agent.ctl("explain", "/c0/v0").stdout
            self.assertIn("What may fail next: no other drive. The failure of "
                          f"/c0/e{EID}/s0 or /c0/e{EID}/s2 loses data\n", text)
            parts = [text.index(f"\n  {part}: ") for part in (
                "What is wrong", "What it means", "What may fail next", "What to do")]
            self.assertEqual(parts, sorted(parts), text)
            self.assertTrue(agent.ctl("explain", f"/c0/e{EID}/s0").stdout.startswith(
                f"/c0/e{EID}/s0: online\n"))

    def test_explain_says_of_every_policy_what_holds(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.ctl("/c0/v0", "set", "stripelog=on")
            agent.until("the stripe log", lambda view: (
                view.vd()["effective_stripe_log"]["effective"] == "on"))
            for words, count in ((["all"], 8), ([], 4)):
                text = agent.ctl("explain", "/c0/v0", *words).stdout
                told = re.findall(r"(?m)^  ([\w/ ]+): (\S+?)(?: instead of (\S+)| \((\w+)\))?"
                                  r"(?:$|\. .)", text)
                told = [(row[0], row[1], row[2] or row[3]) for row in told
                        if not row[0].startswith("What")]
                self.assertEqual(told[:8], [
                    ("Write policy", "write-through", ""),
                    ("Read policy", "no-read-ahead", ""),
                    ("I/O policy", "direct", ""),
                    ("Caches of the drives", "on", "default"),
                    ("While degraded", "keep", ""),
                    ("Access", "read-write", ""),
                    ("Stripe log", "on", ""),
                    ("Hedged reads", "off", "")][:count])

    def test_explain_names_only_the_drives_that_must_not_fail(self):
        with self.agent(slots=4) as agent:
            agent.create("raid10", [0, 1, 2, 3])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.fault(2, "pull")
            text = agent.ctl("explain", "/c0/v0").stdout
            self.assertIn("What may fail next: no other drive. "
                          f"The failure of /c0/e{EID}/s3 loses data\n", text)


class Characters(AgentCase):
    """Models of drives with any characters keep lines and columns."""

    def test_models(self):
        models = ("Größe ÄÖ 日本語 40", "日本語日本語日本語日", "x" * 19 + "é", "tab\\tin it", "a\\x1b[31mred",
                  "line\\nfeed")
        drives = ",".join(
            f'{{ path = "%s/d{slot}"; enclosure = {EID}; slot = {slot}; '
            f'emulated = {{ size = "128 MiB"; model = "{model}"; }}; }}'
            for slot, model in enumerate(models))
        agent = self.agent(slots=0, drives=[])
        text = agent.config_path.read_text().replace(
            "drives = (\n  \n)", f"drives = ({drives.replace('%s', str(agent.directory))})")
        agent.config_path.write_text(text.replace("slots = 1;", "slots = 8;"))
        agent.start()
        for words in (["status"], ["/c0", "show"], ["/c0", "show", "all"],
                      ["/c0/eall/sall", "show", "all"], ["/c0/eall/sall", "show"]):
            shown = agent.ctl(*words).stdout  # it is valid UTF-8
            self.assertNotRegex(shown, r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", words)
            self.assertNotIn("\n feed", shown, words)
        rows = [line for line in agent.ctl("status").stdout.splitlines() if f"/c0/e{EID}/s" in line]
        self.assertEqual(len(rows), len(models))

        def columns(text):
            return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)

        self.assertEqual({columns(row.partition("134.")[0]) for row in rows},
                         {columns(rows[0].partition("134.")[0])}, rows)
        listed = json.loads(agent.ctl("/c0/eall/sall", "show", "J").stdout)
        self.assertIn("tab\tin it", [row["Model"] for row in listed["Controllers"][0][
            "Response Data"]["Drive Information"]])


class Guided(AgentCase):
    """arrayctl create on a terminal."""

    def typed(self, agent, *lines, code=0):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([ARRAYCTL, "create"], stdin=theirs, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True,
                                   env={"ARRAYWRIGHT_SOCKET": str(agent.control_path)})
        os.close(theirs)
        os.write(ours, "".join(f"{line}\n" for line in lines).encode() + b"\x04")
        text, _ = process.communicate(timeout=PATIENCE_S)
        os.close(ours)
        self.assertEqual(process.returncode, code, text)
        return text

    def test_questions(self):
        with self.agent(slots=5) as agent:
            text = self.typed(agent, f"{EID}:0-2", "raid5", "32MB", "data", "yes")
            self.assertIn("any one drive may fail", text)
            self.assertIn("As a command: arrayctl /c0 add vd type=r5 size=32mb", text)
            vd = agent.view().vd()
            self.assertEqual((vd["level"], vd["size_bytes"]), ("raid5", 32 * MIB))
            text = self.typed(agent, "", "raid1", "", "", "no", code=1)
            self.assertNotIn(f"  {EID}:0 ", text.partition("Drives that are free:")[2])
            self.assertNotIn("raid5 ", text.partition("Levels for 2 drives:")[2])
            for lines in ([f"{EID}:9"], ["what"], ["", "raid1", "much"],
                          ["", "raid1", "", "data", "yes"], [f"{EID}:0,3", "raid1", "", "", "yes"]):
                self.assertIn("Nothing was changed", self.typed(agent, *lines, code=255))
            for lines in ([], ["", "raid1"], ["", "raid1", "", "", ""], ["", "raid1", "", "", "nay"],
                          ["", "raid1", "", ""]):
                text = self.typed(agent, *lines, code=1)
                self.assertTrue(text.endswith("Nothing was changed.\n"), text)
                self.assertNotIn("Failure", text)
            self.assertEqual(len(agent.view().all("virtual_drive")), 1)
            self.assertIn("on a terminal",
                          agent.ctl("create", check=False).stdout)


def needs(shell):
    return unittest.skipUnless(shutil.which(shell), f"{shell} is not installed")


class Completion(unittest.TestCase):
    """In the real shells; the words come from the table of commands."""

    SCRIPTS = AGENT / "dist/completion"
    LINES = (("arrayctl /c0/v0 set wr", "wrcache="), ("arrayctl /c0 get co", "config"),
             ("arrayctl /c0 set config dr", "dryrun"), ("storcli64 cre", "create"),
             ("arrayctl expl", "explain"), ("arrayctl explain /c0/b", "/c0/bbu"))

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="aw-")))
        for name in ("arrayctl", "storcli64"):
            (self.folder / name).symlink_to(Path(ARRAYCTL).resolve())
        self.env = {"PATH": f"{self.folder}:{os.environ['PATH']}", "HOME": str(self.folder),
                    "TERM": "dumb"}

    def said(self, *command):
        done = subprocess.run(command, text=True, capture_output=True, check=True, env=self.env,
                              timeout=PATIENCE_S)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_bash(self):
        script = self.SCRIPTS / "arrayctl.bash"
        for line, offered in self.LINES:
            shown = self.said("bash", "-c", f'compopt() {{ :; }}; . {script}; COMP_WORDS=({line}); '
                              'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _arrayctl; '
                              'echo "${COMPREPLY[@]}"')
            self.assertEqual(shown.split(), [offered], line)

    @needs("fish")
    def test_fish(self):
        script = self.SCRIPTS / "arrayctl.fish"
        for line, offered in self.LINES:
            shown = self.said("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'")
            self.assertEqual(shown.split(), [offered], line)

    @needs("zsh")
    def test_zsh(self):
        """Typed on a terminal: what the Tab key makes of the lines."""
        told = self.folder / "told"
        os.mkfifo(told)
        (self.folder / ".zshrc").write_text(
            f"fpath=({self.SCRIPTS} $fpath); autoload -Uz compinit; compinit -D -u\n"
            f'told() {{ print -r -- "$BUFFER" > {told}; BUFFER= }}\n'
            'zle -N told; bindkey "^X" told; PS1=\n')
        ours, theirs = pty.openpty()
        shell = subprocess.Popen(["zsh", "-d", "-i"], stdin=theirs, stdout=theirs, stderr=theirs,
                                 start_new_session=True,
                                 env={**self.env, "ZDOTDIR": str(self.folder)})
        os.close(theirs)
        try:
            for line, offered in self.LINES:
                os.write(ours, f"{line}\t\x18".encode())
                self.assertEqual(self.written(told, shell).split(),
                                 [*line.split()[:-1], offered], line)
        finally:
            shell.kill()
            shell.wait()
            os.close(ours)

    def written(self, fifo, writer):
        """What the writer has written to the fifo; it has to be alive."""
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        try:
            def text():
                self.assertIsNone(writer.poll(), "the shell has ended")
                with contextlib.suppress(BlockingIOError):
                    return os.read(reader, 4096).decode()
                return ""
            return wait_for("the line", text)
        finally:
            os.close(reader)


class Story(AgentCase):
    def test_every_begin_has_its_end(self):
        """Work that is started, paused, resumed, stopped, started again and completed."""
        timing = 'transfer_per_s = "24 MB";'
        with self.agent(slots=5, drive_mib=128, emulated=timing) as agent:
            slot = f"/c0/e{EID}/s"
            agent.create("raid5", [0, 1, 2])
            for verb in ("pause", "resume", "stop", "start"):
                agent.until("the initialization or its end", lambda view: (verb == "start") ==
                            (view.running("background_init") == []))
                agent.ctl("/c0/v0", verb, "bgi")
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.ctl("/c0", "set", "rebuildrate=60", "bgirate=40", "autorebuild=off")
            agent.ctl("/c0/v0", "set", "rdcache=ra")
            agent.ctl(f"{slot}3", "add", "hotsparedrive")
            agent.ctl(f"{slot}3", "delete", "hotsparedrive")
            agent.ctl(f"{slot}3", "add", "hotsparedrive", "dgs=0")
            agent.ctl(f"{slot}3", "delete", "hotsparedrive")
            agent.ctl(f"{slot}0", "start", "locate")
            agent.ctl("/c0/v0", "delete", "perf")
            agent.fault(1, "pull")
            agent.ctl(f"{slot}4", "insert", "dg=0", "array=0", "row=1")
            agent.until("the rebuild", lambda view: view.running("rebuild"))
            for verb in ("pause", "resume", "stop", "start"):
                agent.until("the rebuild or its end", lambda view: (verb == "start") ==
                            (view.running("rebuild") == []))
                agent.ctl(f"{slot}4", verb, "rebuild")
            agent.until("the end of the rebuild", lambda view: view.vd()["state"] == "optimal")
            agent.fault(0, "pull")
            agent.fault(2, "pull")
            agent.until("the loss", lambda view: view.vd()["state"] == "offline")
            expected = {
                "controller_online", "virtual_drive_created", "bgi_started", "bgi_paused",
                "bgi_resumed", "bgi_stopped", "bgi_completed", "rebuild_rate_changed",
                "bgi_rate_changed", "auto_rebuild_changed", "virtual_drive_policy_changed",
                "spare_global_made", "spare_global_removed", "spare_dedicated_made",
                "spare_dedicated_removed", "locate_changed", "counters_reset", "drive_removed",
                "drive_state_changed", "virtual_drive_degraded", "rebuild_started_user",
                "rebuild_paused", "rebuild_resumed", "rebuild_aborted", "rebuild_completed",
                "virtual_drive_optimal", "virtual_drive_offline", "virtual_drive_state_changed"}
            wait_for("the last event", lambda: "virtual_drive_offline" in [
                event["name"] for event in self.events(agent)])
            events = self.events(agent)
            self.assertEqual(expected - {event["name"] for event in events}, set())
            self.assertEqual(unpaired(events), [])
            numbers = [event["seq"] for event in events]
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)))

    def events(self, agent):
        with agent.control() as control:
            return control.ask("events.read", {"after_seq": 0, "limit": 256})["events"]
