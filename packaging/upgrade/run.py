"""Neighboring versions of agent and backend work together: `make upgrade-test`.

The previous version is the commit in packaging/previous-version; it is built from git. Four pairs
of real processes follow each other on the same state: everything old; the backend upgraded, with a
backup of its database; the agent upgraded too; the backend taken back to the old version. In each
of them the host is online, its virtual drives are seen, a command is carried out and its event
arrives. Then each version of the agent enrolls at the other version of the backend. At last the
agent is upgraded under load, after it was stopped and after it was killed: clients write to virtual
drives, over the write-back cache too, connect again as the kernel's does, and read back what they wrote.

The result is added to a ledger, packaging/upgrade/ledger.jsonl.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "e2e/stack"), str(ROOT / "agent/tools")]

import ledgers  # noqa: E402
from agents import MIB, Host, HostPlan  # noqa: E402
from backend import Backend  # noqa: E402
from processes import StackError, free_port  # noqa: E402

from client import Client, Object  # noqa: E402
from load import Load  # noqa: E402

LEDGER = Path(__file__).with_name("ledger.jsonl")
PREVIOUS = ROOT / ".run/previous"
LAYOUT = {"five": ["r5", "drives=252:0-2", "wt"], "one": ["r1", "drives=252:3-4", "awb"],
          "six": ["r6", "drives=252:5-8", "awb"]}
WRITES = 200  # of each client, before and after each change of the program
PROGRAMS = ["src/daemon/arrayd", "src/cli/arrayctl", "src/uplink/arraywright-uplink"]


class Version:
    """A build of the agent and a program of the backend."""

    def __init__(self, name: str, build: Path, program: Path) -> None:
        self.name = name
        self.build = build
        self.program = program

    @property
    def enrol_options(self) -> tuple[str, ...]:
        program = self.build / "src/uplink/arraywright-uplink"
        said = subprocess.run([program, "--help"], check=False, capture_output=True, text=True)
        return ("--no-start",) if "--no-start" in said.stdout + said.stderr else ()

    def run(self, backend: Backend, *words: str) -> str:
        env = {**os.environ, "ARRAYWRIGHT_STATE_DIR": str(backend.folder)}
        done = subprocess.run([str(self.program), *words], check=False, text=True, env=env,
                              capture_output=True)
        if done.returncode != 0:
            raise StackError(f"{self.name}: arraywright {' '.join(words)}: {done.stderr}")
        return done.stdout

    def token(self, backend: Backend) -> str:
        """Its command line has changed between the versions."""
        try:
            made = self.run(backend, "token", "create", "--json")
        except StackError:
            made = self.run(backend, "create-token")
        return str(json.loads(made)["token"])


def say(text: str) -> None:
    print(f"== {text}", flush=True)


def call(*words: str | Path, cwd: Path = ROOT) -> None:
    subprocess.run([str(word) for word in words], check=True, cwd=cwd)


def previous_version(commit: str) -> Version:
    """Built once for each commit; what of it is there already stays."""
    head = subprocess.run(["git", "-C", str(PREVIOUS), "rev-parse", "HEAD"], check=False,
                          capture_output=True, text=True).stdout.strip()
    if head != commit:
        say(f"fetching {commit[:8]} from this repository")
        shutil.rmtree(PREVIOUS, ignore_errors=True)
        call("git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, PREVIOUS)
        call("git", "-C", PREVIOUS, "checkout", "--quiet", commit)
    build = PREVIOUS / "build"
    if not (build / "build.ninja").exists():
        call("meson", "setup", build, PREVIOUS / "agent", "--buildtype=debugoptimized",
             "-Dtests=false")
    say(f"building the agent of {commit[:8]}")
    call("ninja", "-C", build, "--quiet", *PROGRAMS)
    venv = PREVIOUS / "venv"
    if not (venv / "bin/arraywright").exists():
        say(f"installing the backend of {commit[:8]}")
        call("/usr/bin/python3", "-m", "venv", venv)
        pip = [venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check"]
        call(*pip, "-r", PREVIOUS / "backend/requirements.txt")
        call(*pip, "--no-deps", "--no-build-isolation", PREVIOUS / "backend")
    return Version(f"previous ({commit[:8]})", build, venv / "bin/arraywright")


class Pair:
    """One backend and one host, each of its version, on state that outlives them."""

    def __init__(self, folder: Path, port: int, agent: Version, backend: Version) -> None:
        self.agent, self.server = agent, backend
        self.backend = Backend(folder / "backend", backend.program, ROOT / "frontend/dist",
                               agent.build, "127.0.0.1", port, demo=False)
        self.host = Host(HostPlan("alpha", drives=6, drive_bytes=256 * MIB), folder / "alpha",
                         agent.build)
        self.host.enrol_options = agent.enrol_options

    def __enter__(self) -> Client:
        say(f"agent {self.agent.name}, backend {self.server.name}")
        try:
            self.backend.start()
            self.host.start_agent()
            token = None if self.host.is_enrolled else self.server.token(self.backend)
            self.host.start_uplink(self.backend.url, token, None)
            return Client(self.backend.url, self.backend.password_file.read_text().strip())
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self.host.stop()
        self.backend.stop()


def rolling(old: Version, new: Version, folder: Path) -> int:
    """Backend first, then the agent; and the backend back. Returns the pairs that worked."""
    port = free_port()
    names: list[str] = []

    def step(agent: Version, backend: Version, name: str) -> Pair:
        pair = Pair(folder, port, agent, backend)
        with pair as client:
            client.work(name, names)
        names.append(name)
        return pair

    before = old_revision(step(old, old, "first").backend)
    backend = Pair(folder, port, old, new).backend
    say("upgrading the database")
    said = new.run(backend, "migrate")
    assert "Backup: " in said, said
    step(old, new, "second")
    step(new, new, "third")
    say(f"taking the database back to revision {before}")
    new.run(backend, "migrate", "--to", before)
    step(new, old, "fourth")
    return 4


def old_revision(backend: Backend) -> str:
    with sqlite3.connect(backend.folder / "arraywright.sqlite") as database:
        return str(database.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def enrolling(agent: Version, backend: Version, folder: Path) -> int:
    with Pair(folder, free_port(), agent, backend) as client:
        client.work("one", [])
    return 1


def loaded(old: Version, new: Version, folder: Path, ending: str, seed: int) -> Object:
    """The agent is upgraded under clients, and started once more with what it wrote."""
    say(f"agent {old.name} is {ending} under load, then comes {new.name}")
    plan = HostPlan("alpha", drives=9, drive_bytes=96 * MIB, cache_bytes=32 * MIB)
    host = Host(plan, folder, old.build)
    later = Host(plan, folder, new.build)
    end = Host.kill_agent if ending == "killed" else Host.stop_agent
    try:
        host.start_agent()
        for name, words in LAYOUT.items():
            call_agent(host, "/c0", "add", "vd", *words, f"name={name}")
        with Load(list(LAYOUT), host.nbd_socket, seed) as load:
            load.go_on(WRITES)
            end(host)
            later.start_agent()
            load.go_on(WRITES)
            end(later)
            later.start_agent()
            load.go_on(WRITES)
        return {"ending": ending, "seed": seed, **load.result()}
    finally:
        host.stop()
        later.stop()


def call_agent(host: Host, *words: str) -> None:
    subprocess.run([str(host.arrayctl), *words], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "ARRAYWRIGHT_SOCKET": str(host.control_socket)})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / ".run/build/agent",
                        help="build folder of this version's agent")
    parser.add_argument("--no-ledger", action="store_true")
    options = parser.parse_args()
    commit = (ROOT / "packaging/previous-version").read_text().strip()
    started = time.monotonic()
    # At the start: somebody may go on while it runs.
    origin = ledgers.origin(agent="agent", backend="backend", packaging="packaging")
    old = previous_version(commit)
    new = Version("this", options.build, ROOT / ".run/venv/bin/arraywright")
    call("ninja", "-C", options.build, "--quiet", *PROGRAMS)
    with tempfile.TemporaryDirectory(prefix="aw-up-") as name:
        folder = Path(name)
        pairs = rolling(old, new, folder / "r")
        pairs += enrolling(old, new, folder / "o")
        pairs += enrolling(new, old, folder / "n")
        loads = [loaded(old, new, folder / ending[0], ending, random.SystemRandom().randrange(1 << 32))
                 for ending in ("stopped", "killed")]
    for load in loads:
        print(load)
    if not options.no_ledger:
        ledgers.append(LEDGER, {
            **origin, "at": ledgers.now(), "previous": commit,
            **ledgers.trees_of(commit, previous_agent="agent", previous_backend="backend"),
            "pairs": pairs, "loads": loads, "seconds": round(time.monotonic() - started)})
    print(f"{pairs + len(loads)} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
