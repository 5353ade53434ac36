#!/usr/bin/env python3
"""MC/DC of the stripe and journal state machines, by clang and llvm-cov.

    coverage_mcdc.py --build FOLDER [--jobs N] [--list] [--check] [--no-run] [--add NAME,...]

Modified condition/decision coverage: of a decision with several conditions, each must have been
seen to decide its outcome alone. Counted are the conditions of the files below; whether decisions of
one condition went both ways is coverage.py's business. A run of it is no test.

Not counted is what must never or always hold, and what is no part of the product:
  - decisions inside ASSERT();
  - conditions that are, or are a part of, ALWAYS(), NEVER(), SIM_BUG() and CACHE_BUG();
  - conditions that decide nothing as long as these are what they are in the product: true, and
    false for the rest. What follows SIM_BUG() && is a planted bug's.
What the simulation's copy of the engine (with planted bugs compiled in) has shown counts too.

--add runs the tests of these names alone and adds what they show to what is there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from coverage import (AGENT, TESTS, Source, closing, engine_tests, plain, refresh, run_tests,
                      tell_missing)

# The stripe machine, and what makes its writes whole after a crash: intents, the journal, the log
# on the drives, replay.
FILES = (
    "cache/intents.c", "cache/intents_found.c", "cache/journal.c", "cache/journal_log.c",
    "cache/journal_log_recover.c", "cache/log_format.c",
    "vd/intent.c", "vd/replay.c",
    "vd/stripe_fine.c", "vd/stripe_io.c", "vd/stripe_kernel.c", "vd/stripe_lock.c",
    "vd/stripe_log.c", "vd/stripe_log_io.c", "vd/stripe_log_join.c", "vd/stripe_log_read.c",
    "vd/stripe_op.c", "vd/stripe_pool.c",
)
LIMIT = 98.0
FLAGS = "-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc"
# Of a macro at the end of a decision llvm-cov knows the name alone.
FIXED = re.compile(r"\b(ALWAYS|NEVER|SIM_BUG|CACHE_BUG|CTL_BUG)\b")


def setup(build: Path) -> None:
    if (build / "build.ninja").exists():
        return
    # The compiler's own check runs what it has compiled, here: its counts are nobody's.
    environment = {**os.environ, "CC": "clang-19", "LLVM_PROFILE_FILE": os.devnull}
    subprocess.run(["meson", "setup", str(build), str(AGENT), "--buildtype=debug",
                    f"-Dc_args={FLAGS}", "-Dc_link_args=-fprofile-instr-generate"],
                   env=environment, check=True, stdout=subprocess.DEVNULL)


def programs_of(build: Path, tests: list[dict]) -> list[Path]:
    found = set()
    for test in tests:
        for word in test["cmd"]:
            path = Path(word)
            if build in path.parents and path.suffix == "":
                found.add(path)
    return sorted(found)


def run(build: Path, jobs: int, only: list[str]) -> list[str]:
    setup(build)
    refresh(build)
    tests = engine_tests(build, list(TESTS))
    if only:
        tests = [test for test in tests if test["name"] in only]
    programs = [str(path.relative_to(build)) for path in programs_of(build, tests)]
    # A test program may run in several copies at once: the pool of %m merges them on the fly.
    environment = {**os.environ, "LLVM_PROFILE_FILE": str(build / "raw" / "%m.profraw")}
    subprocess.run(["ninja", "-C", str(build), "--quiet", f"-j{jobs}", *programs],
                   env=environment, check=True)
    for raw in () if only else (build / "raw").glob("*.profraw"):
        raw.unlink()
    return run_tests(build, jobs, tests, environment)


def has_planted_bugs(program: Path) -> bool:
    done = subprocess.run(["nm", str(program)], capture_output=True, text=True, check=True)
    return re.search(r"\b(?:sim|cache)_bug", done.stdout) is not None


def conditions_of(text: str) -> tuple[list[str], list[tuple[str, int]]]:
    """The conditions of a decision in their order, and what is between them: && or ||, and how many
    brackets it is in. Its text is cut there outside of calls; brackets that only group are none."""
    pieces: list[str] = []
    joints: list[tuple[str, int]] = []
    start = offset = depth = 0
    while offset < len(text):
        call = re.match(r"\w+\s*\(", text[offset:])
        if call and (offset == 0 or not re.match(r"\w", text[offset - 1])):
            offset = closing(text, offset + call.end() - 1, "()")
        elif text[offset:offset + 2] in ("&&", "||"):
            pieces.append(text[start:offset])
            joints.append((text[offset:offset + 2], depth))
            offset += 2
            start = offset
        else:
            depth += {"(": 1, ")": -1}.get(text[offset], 0)
            offset += 1
    return [*pieces, text[start:]], joints


def outcome(values: list[bool], joints: list[tuple[str, int]]) -> bool:
    """Of the whole decision: the outermost joints are taken first, of these || before &&."""
    if not joints:
        return values[0]
    outermost = min(depth for _, depth in joints)
    here = [(kind, index) for index, (kind, depth) in enumerate(joints) if depth == outermost]
    kind, index = next((joint for joint in here if joint[0] == "||"), here[0])
    left = outcome(values[:index + 1], joints[:index])
    right = outcome(values[index + 1:], joints[index + 1:])
    return left or right if kind == "||" else left and right


def deciding(pieces: list[str], joints: list[tuple[str, int]]) -> list[bool]:
    """Which of the conditions can decide the outcome in the product."""
    found = [FIXED.search(piece) for piece in pieces]
    fixed = {index: (match.group() == "ALWAYS") != pieces[index].lstrip(" (\n").startswith("!")
             for index, match in enumerate(found) if match}
    free = [index for index in range(len(pieces)) if index not in fixed]
    can = [False] * len(pieces)
    for choice in range(1 << len(free)):
        values = [fixed.get(index, False) for index in range(len(pieces))]
        for bit, index in enumerate(free):
            values[index] = bool(choice >> bit & 1)
        for index in free:
            other = [*values]
            other[index] = not other[index]
            can[index] = can[index] or outcome(values, joints) != outcome(other, joints)
    return can


class Decision:
    """A place in a file, its conditions, and which of them have been seen to decide."""

    def __init__(self, text: str, count: int) -> None:
        self.text = " ".join(text.split())
        self.pieces, joints = conditions_of(text)
        self.shown = [False] * count
        self.counted = [True] * count
        if len(self.pieces) == count:
            self.counted = deciding(self.pieces, joints)
        else:
            self.pieces = [""] * count

    def figures(self) -> tuple[int, int]:
        return (sum(1 for a, b in zip(self.shown, self.counted) if a and b), sum(self.counted))

    def missing(self) -> list[str]:
        return [" ".join(piece.split()) or f"condition {index + 1}"
                for index, piece in enumerate(self.pieces)
                if self.counted[index] and not self.shown[index]]


def export(build: Path, programs: list[Path]) -> list[dict]:
    objects = [str(programs[0])]
    for program in programs[1:]:
        objects += ["-object", str(program)]
    done = subprocess.run(["llvm-cov-19", "export", *objects, "-instr-profile",
                           str(build / "all.profdata"), "-skip-expansions",
                           *(str(AGENT / "src" / name) for name in FILES)],
                          capture_output=True, check=True)
    return json.loads(done.stdout)["data"][0]["files"]


def decisions(build: Path) -> dict[str, dict[tuple[int, ...], Decision]]:
    raw = sorted(str(path) for path in (build / "raw").glob("*.profraw"))
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", *raw, "-o",
                    str(build / "all.profdata")], check=True, stderr=subprocess.DEVNULL)
    programs = [program for program in programs_of(build, engine_tests(build, list(TESTS)))
                if program.exists()]
    found: dict[str, dict[tuple[int, ...], Decision]] = defaultdict(dict)
    # llvm-cov takes a function of several programs only once: each kind is asked for alone.
    for bugs in (False, True):
        kind = [program for program in programs if has_planted_bugs(program) == bugs]
        for entry in export(build, kind) if kind else []:
            name = str(Path(entry["filename"]).resolve().relative_to(AGENT / "src"))
            add(found[name], name, entry["mcdc_records"])
    return found


def add(known: dict[tuple[int, ...], Decision], name: str, records: list[list]) -> None:
    original = (AGENT / "src" / name).read_text(encoding="utf-8")
    lines = plain(original).split("\n")
    marked = Source(AGENT / "src" / name).asserted
    for record in records:
        first, left, last, right = place = tuple(record[:4])
        if first in marked:
            continue
        shown = record[-1]
        if place not in known:
            text = "\n".join(lines[first - 1:last])
            cut = len(lines[last - 1]) - (right - 1)
            known[place] = Decision(text[left - 1:len(text) - cut], len(shown))
        decision = known[place]
        decision.shown = [a or b for a, b in zip(decision.shown, shown)]


def report(found: dict[str, dict[tuple[int, ...], Decision]], listed: bool) -> float:
    all_shown = all_count = 0
    for name in sorted(found):
        shown = count = 0
        missing = []
        for place, decision in sorted(found[name].items()):
            shown += decision.figures()[0]
            count += decision.figures()[1]
            missing += [(place[0], text, decision.text) for text in decision.missing()]
        all_shown += shown
        all_count += count
        if count > 0:
            print(f"  {name:34} {shown:5} of {count:5}  {100 * shown / count:6.1f} %")
        for number, text, whole in missing if listed else []:
            print(f"      {number:5}: {text}   in   {whole}")
    percent = 100 * all_shown / max(all_count, 1)
    print(f"MC/DC      {all_shown:5} of {all_count:5} conditions of the stripe and journal "
          f"machines  {percent:6.2f} %")
    return percent


def main() -> int:
    parser = argparse.ArgumentParser(description="MC/DC of the stripe and journal machines.")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="name the conditions not shown")
    parser.add_argument("--check", action="store_true", help="fail below the limit")
    parser.add_argument("--no-run", action="store_true", help="only count what is there")
    parser.add_argument("--add", default="", metavar="NAME,...",
                        help="only these tests, added to what is there")
    args = parser.parse_args()
    build = args.build.resolve()
    missing = []
    if not args.no_run:
        missing = run(build, args.jobs, [name for name in args.add.split(",") if name])
    percent = report(decisions(build), args.list)
    tell_missing(missing)
    if args.check and percent < LIMIT:
        print(f"MC/DC is below its limit of {LIMIT} %", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
