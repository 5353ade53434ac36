"""Runs every test of every part and ends with the line `N passed, N failed`.

    test.py              all steps
    test.py backend ...  only these steps (see STEPS), and the builds that they test
    test.py lint         formatters, linters and type checks

Each step writes JUnit files; their cases are counted. A step that exits non-zero without a
failed case counts as one failure; so does a step that ran fewer cases than its floor.

Tests that try something new each time draw it from a seed that is a new one for every run. It is
printed at the beginning, and again at the end of a run that failed, with the command that draws the
same again: AW_FRESH_SEED=N in the environment. What a test has drawn from it is printed by the test,
and repeated at the end if it failed.

A step that takes longer than its limit, and one that begins after the whole run's, fails and says
what was running: a test that hangs costs a failure, not the run.

First what the others need is built. Then three lanes run beside each other: the stories of whole
processes, which mostly wait; and with less priority what only computes, in two lanes, so that no
core is idle while the longest test of a step is waited for. They end at about the same time.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / ".run/build"
RESULTS = ROOT / ".run/results"
PYTHON = ROOT / ".run/venv/bin/python"

# For what hangs, not for slow machines: a whole run takes about 35 minutes on two cores.
STEP_MINUTES, RUN_MINUTES = 40, 75
GRACE_SECONDS = 20

FIRST, COMPUTING, LONG, STORIES = "first", "computing", "long", "stories"
LANES = (STORIES, COMPUTING, LONG)


@dataclass
class Step:
    name: str
    commands: list[list[str]]
    folder: Path = ROOT
    reports: list[Path] = field(default_factory=list)
    floor: int = 1
    env: dict[str, str] = field(default_factory=dict)
    lane: str = COMPUTING

    @property
    def tests_builds(self) -> bool:
        """It uses what agent-build has built."""
        return "AW_PROGRAMS" in self.env or any(
            command[:2] == ["meson", "test"] or command[0].endswith("/.ci/judge")
            for command in self.commands)


def meson_setup(name: str, *options: str) -> list[str]:
    return [str(ROOT / ".ci/meson-setup"), str(BUILD / name), *options]


def build_tests(name: str, *wanted: str) -> list[str]:
    return [str(ROOT / ".ci/build-tests"), str(BUILD / name), *wanted]


def meson_test(name: str, suite: str, *choice: str, processes: int = 2) -> list[str]:
    # Timeouts are for hung tests, not for slow machines.
    return ["meson", "test", "-C", str(BUILD / name), "--no-rebuild", "--print-errorlogs",
            "--num-processes", str(processes), "--timeout-multiplier", "10",
            "--logbase", suite, f"--suite={suite}", *choice]


def meson_report(name: str, suite: str) -> Path:
    return BUILD / name / "meson-logs" / f"{suite}.junit.xml"


def junit(name: str) -> Path:
    return RESULTS / f"{name}.xml"


# Optimized less, which compiles in two thirds of the time and runs in 1.1 times; and with addresses
# checked, where most is compiled, with lines but no variables for debuggers: a tenth less.
SANITIZED = ["--buildtype=debugoptimized", "-Doptimization=1", "-Dc_args=-g1",
             "-Db_sanitize=address,undefined", "-Db_lundef=false"]
THREADED = ["--buildtype=debugoptimized", "-Doptimization=1", "-Db_sanitize=thread",
            "-Db_lundef=false"]
# What others than the agent's own tests run.
PROGRAMS = ["src/attach/arraywright-attach", "src/uplink/arraywright-uplink", "src/lab/arraysim",
            "tests/tools/ddfimage", "tests/tools/ddfread"]
SAN_ENV = {
    # The default quarantine, 256 MB, lies beyond every processor cache.
    "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=1:quarantine_size_mb=32",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}

STEPS = [
    Step("generated", [[str(PYTHON), ".ci/check_repository.py", "--junit",
                        str(junit("generated"))]], reports=[junit("generated")], lane=FIRST),
    Step("agent-build", [
        meson_setup("agent", "--buildtype=debugoptimized"),
        build_tests("agent", "prop", "crash", "e2e", "kill", "claims", *PROGRAMS),
        meson_setup("agent-asan", *SANITIZED),
        build_tests("agent-asan", "unit", "sim", "crash-points"),
        meson_setup("agent-tsan", *THREADED),
        build_tests("agent-tsan", "threads", "daemon"),
    ], floor=0, lane=FIRST),
    Step("agent-unit", [meson_test("agent-asan", "unit")],
         reports=[meson_report("agent-asan", "unit")], env=SAN_ENV),
    Step("agent-prop", [meson_test("agent", "prop")], reports=[meson_report("agent", "prop")]),
    Step("agent-sim", [meson_test("agent-asan", "sim")],
         reports=[meson_report("agent-asan", "sim")], env=SAN_ENV),
    # The quotas of crash points: optimized with assertions, and below sanitized.
    Step("agent-crash", [meson_test("agent", "crash")], reports=[meson_report("agent", "crash")]),
    Step("agent-threads", [meson_test("agent-tsan", "threads")],
         reports=[meson_report("agent-tsan", "threads")], env=SAN_ENV),
    # The daemon's stories run on the build that watches its threads.
    Step("agent-daemon", [meson_test("agent-tsan", "daemon")],
         reports=[meson_report("agent-tsan", "daemon")], env=SAN_ENV, lane=STORIES),
    Step("agent-e2e", [meson_test("agent", "e2e", "--no-suite=daemon")],
         reports=[meson_report("agent", "e2e")],
         env={"AW_VENV": str(ROOT / ".run/venv")}, lane=STORIES),
    # A stock kernel, emulated: that computes, on one core.
    Step("agent-judge", [[str(ROOT / ".ci/judge"), "--junit", str(junit("agent-judge"))]],
         reports=[junit("agent-judge")], floor=109, lane=LONG),
    Step("agent-fuzz", [[str(PYTHON), "agent/fuzz/run.py", "--build", str(BUILD / "agent-fuzz"),
                         "--junit", str(junit("agent-fuzz"))]], reports=[junit("agent-fuzz")],
         lane=LONG),
    # The backend's predictions are those of the real arraysim; copies drive the real uplink.
    Step("backend", [meson_setup("agent", "--buildtype=debugoptimized"),
                     ["ninja", "-C", str(BUILD / "agent"), "--quiet", "src/lab/arraysim",
                      "tests/tools/uplinktalk"],
                     [str(PYTHON), "-m", "pytest", "-q", "-n", "2", f"--junitxml={junit('backend')}"]],
         folder=ROOT / "backend", reports=[junit("backend")]),
    # The packages' files and scripts, with the programs that are built already.
    Step("packages", [[str(PYTHON), "-m", "pytest", "-q", "packaging/tests",
                       f"--junitxml={junit('packages')}"]],
         reports=[junit("packages")], floor=14, env={"AW_PROGRAMS": str(BUILD / "agent")}),
    Step("agent-crash-asan", [meson_test("agent-asan", "crash", "crash-points")],
         reports=[meson_report("agent-asan", "crash")], env=SAN_ENV, lane=LONG),
    # What the reviews claim, on models of their drives.
    Step("agent-claims", [meson_test("agent", "claims", processes=1)],
         reports=[meson_report("agent", "claims")], floor=130, lane=LONG),
    # Stories too, but theirs would be the longest lane by ten minutes.
    Step("agent-kill", [meson_test("agent", "kill")],
         reports=[meson_report("agent", "kill")], lane=LONG),
    # Built first: the stories need it, whatever its own tests say.
    Step("frontend", [
        [str(ROOT / ".ci/build-frontend"), "--types"],
        ["npm", "run", "--silent", "test", "--", "--reporter=default", "--reporter=junit",
         f"--outputFile.junit={junit('frontend')}"],
        ["npm", "run", "--silent", "size"],
    ], folder=ROOT / "frontend", reports=[junit("frontend")], lane=STORIES),
    # The commands of the pages, beside a demo that is started for them.
    Step("documents", [meson_setup("agent", "--buildtype=debugoptimized"),
                       [str(ROOT / ".ci/compile"), str(BUILD / "agent"), "src/daemon/arrayd",
                        "src/cli/arrayctl", "src/uplink/arraywright-uplink", "src/lab/arraysim"],
                       [str(PYTHON), ".ci/run_documents.py", "demo",
                        "--junit", str(junit("documents"))]],
         reports=[junit("documents")], lane=STORIES),
    Step("e2e", [["npx", "--no-install", "playwright", "test"]], folder=ROOT / "e2e",
         reports=[junit("e2e")],
         env={"PLAYWRIGHT_JUNIT_OUTPUT_NAME": str(junit("e2e")),
              "CHROMIUM": shutil.which("chromium") or "/usr/bin/chromium"}, lane=STORIES),
]

LINT = [
    Step("lint-agent", [[str(ROOT / ".ci/lint-agent")]], floor=0),
    Step("lint-backend", [[str(PYTHON), "-m", "ruff", "check", "."],
                          [str(PYTHON), "-m", "ruff", "format", "--check", "."],
                          [str(PYTHON), "-m", "mypy"],
                          [str(ROOT / ".run/venv/bin/lint-imports")]],
         folder=ROOT / "backend", floor=0),
    Step("lint-frontend", [["npm", "run", "--silent", "lint"]], folder=ROOT / "frontend",
         floor=0),
]


@dataclass
class Outcome:
    passed: int = 0
    failures: list[str] = field(default_factory=list)  # what and, in few lines, why
    skipped: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def failed(self) -> int:
        return len(self.failures)


TELLING = re.compile(r"\s*(# )?(FAIL|ERROR|FAILED|not ok|Assert|assert|SUMMARY)|\w+(Error|Exception)\b"
                     r"|(Error|Locator|Expected|Received): ")
SEED = re.compile(r"\bAW_SEED=\d|\bseed:? \d|-seed[= ]\d", re.IGNORECASE)
TELLING_LINES, SEED_LINES, LINE_LENGTH = 4, 2, 200


def said(parts: list[ElementTree.Element]) -> list[str]:
    return [line.strip() for part in parts for text in (part.get("message"), part.text)
            for line in (text or "").splitlines() if line.strip()]


def why(case: ElementTree.Element, suite: ElementTree.Element) -> list[str]:
    """What a failed case says of itself, in a few lines, and the seeds it names. What a program of
    several cases has printed is with their suite."""
    # The reason comes before what was printed and attached.
    own = said([*case.findall("failure"), *case.findall("error"), *case])
    common = said(suite.findall("system-out"))
    telling = [line for line in own if TELLING.match(line)] or own[:TELLING_LINES]
    seeds = [line for line in own + common if SEED.search(line)]
    chosen = [*dict.fromkeys(telling)][:TELLING_LINES] + [*dict.fromkeys(seeds)][-SEED_LINES:]
    return [line[:LINE_LENGTH] for line in dict.fromkeys(chosen)]


def count(step: Step, report: Path, outcome: Outcome) -> None:
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        for case in suite.findall("testcase"):
            tags = {child.tag for child in case}
            if tags & {"failure", "error"}:
                name = f"{step.name}: {case.get('classname', '')} {case.get('name', '')}"
                outcome.failures.append("\n    ".join([name, *why(case, suite)]))
            elif "skipped" in tags:
                outcome.skipped += 1
            else:
                outcome.passed += 1


def tell(step: Step, line: str) -> None:
    """One line, whole, though several lanes speak."""
    sys.stdout.write(f"{step.name:>16} | {line.rstrip()}\n")
    sys.stdout.flush()


# Of this run.
RUN_SEED = int(os.environ.get("AW_FRESH_SEED") or int.from_bytes(os.urandom(6), "big"))


def fresh_seed(step: Step) -> dict[str, str]:
    """Another for each step, whichever others run."""
    digest = hashlib.sha256(f"{RUN_SEED} {step.name}".encode()).hexdigest()
    return {"AW_FRESH_SEED": str(int(digest[:16], 16))}


def repeat_command(names: list[str]) -> str:
    only = f" ONLY='{' '.join(names)}'" if names else ""
    return f"AW_FRESH_SEED={RUN_SEED} make test{only}"


def descendants(pid: int) -> list[int]:
    """Of a process, those it has started first, whatever sessions they have made for themselves."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue  # it has ended
        children.setdefault(parent, []).append(int(entry.parent.name))
    found, left = [], [pid]
    while left:
        found += children.get(left[0], [])
        left += children.get(left.pop(0), [])
    return found


def command_line(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return b" ".join(words).decode(errors="replace").strip()


def signal_all(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Watch:
    """Ends a command that is still running at a deadline, and all that it has started."""

    def __init__(self, step: Step, process: subprocess.Popen[str], seconds: float):
        self.running: list[str] = []  # then
        self.step, self.process = step, process
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch, args=(seconds,), daemon=True)
        self.thread.start()

    def _watch(self, seconds: float) -> None:
        if self.over.wait(seconds):
            return
        pids = descendants(self.process.pid)
        self.running = [line for line in map(command_line, [self.process.pid, *pids]) if line]
        for line in self.running:
            tell(self.step, f"!! out of time, still running: {line[:LINE_LENGTH]}")
        signal_all([self.process.pid], signal.SIGTERM)  # it may end and report the others
        if not self.over.wait(GRACE_SECONDS):
            signal_all([*pids, *descendants(self.process.pid), self.process.pid], signal.SIGKILL)

    def stop(self) -> None:
        self.over.set()
        self.thread.join()


def run_command(step: Step, command: list[str], outcome: Outcome, deadline: float) -> int:
    tell(step, f"-- {' '.join(command)}")
    if step.lane in (COMPUTING, LONG):
        command = ["nice", "-n", "5", *command]
    with subprocess.Popen(command, cwd=step.folder, env={**os.environ, **fresh_seed(step), **step.env},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        watch = Watch(step, process, max(0.0, deadline - time.monotonic()))
        for line in process.stdout or ():
            tell(step, line)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        watch.stop()
    if watch.running:
        outcome.failures.append("\n    ".join(
            [f"{step.name}: out of time; it was running", *watch.running[-TELLING_LINES:]]))
    outcome.cpu_seconds += usage.ru_utime + usage.ru_stime
    return process.returncode


def run_step(step: Step, run_deadline: float) -> Outcome:
    started = time.monotonic()
    outcome = Outcome()
    if started >= run_deadline:
        outcome.failures.append(f"{step.name}: was not run; the time of the whole run is over")
        return outcome
    for report in step.reports:
        report.unlink(missing_ok=True)
    status = 0
    for command in step.commands:
        status = run_command(step, command, outcome,
                             min(run_deadline, started + STEP_MINUTES * 60))
        if status != 0 or outcome.failures:
            break
    for report in step.reports:
        if report.exists():
            count(step, report, outcome)
    if outcome.failed == 0 and status != 0:
        outcome.failures.append(f"{step.name}: ended with status {status}")
    elif outcome.failed == 0 and outcome.passed < step.floor:
        outcome.failures.append(
            f"{step.name}: ran {outcome.passed} tests; at least {step.floor} were expected")
    outcome.seconds = time.monotonic() - started
    return outcome


def run_lane(steps: list[Step], outcomes: dict[str, Outcome], deadline: float) -> None:
    for step in steps:
        outcomes[step.name] = run_step(step, deadline)


def run_all(steps: list[Step]) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    deadline = time.monotonic() + RUN_MINUTES * 60
    run_lane([step for step in steps if step.lane == FIRST], outcomes, deadline)
    lanes = [threading.Thread(target=run_lane, daemon=True,
                              args=([step for step in steps if step.lane == lane], outcomes,
                                    deadline))
             for lane in LANES]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    return outcomes


def choose(names: list[str]) -> list[Step]:
    if names == ["lint"]:
        return LINT
    if not names:
        return STEPS
    known = {step.name: step for step in STEPS + LINT}
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"no such step: {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [known[name] for name in names]
    if "agent-build" not in names and any(step.tests_builds for step in chosen):
        chosen.insert(0, known["agent-build"])
    return chosen


def main() -> int:
    steps = choose(sys.argv[1:])
    RESULTS.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    print(f"# fresh seeds of this run: {repeat_command(sys.argv[1:])}", flush=True)
    outcomes = run_all(steps)
    print()
    for step in steps:
        outcome = outcomes.setdefault(
            step.name, Outcome(failures=[f"{step.name}: was not run; its lane broke off"]))
        skipped = f", {outcome.skipped} skipped" if outcome.skipped else ""
        print(f"{step.name:16} {outcome.passed:6} passed, {outcome.failed} failed{skipped}"
              f"  ({outcome.seconds:.0f} s, {outcome.cpu_seconds:.0f} s of CPU)")
    for outcome in outcomes.values():
        for failure in outcome.failures:
            print(f"not ok {failure}")
    print(f"in {(time.monotonic() - started) / 60:.1f} minutes")
    red = [step.name for step in steps if outcomes[step.name].failed]
    if red:
        print(f"the same seeds again: {repeat_command(red)}")
    passed = sum(outcome.passed for outcome in outcomes.values())
    failed = sum(outcome.failed for outcome in outcomes.values())
    skipped = sum(outcome.skipped for outcome in outcomes.values())
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
