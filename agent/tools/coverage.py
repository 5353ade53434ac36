#!/usr/bin/env python3
"""Branch coverage of the engine's folders, by gcc and gcov.

    coverage.py --build FOLDER [--jobs N] [--list] [--check] [--add --tests NAME,...] [FOLDER ...]

Configures and builds an own build folder with --coverage, runs the unit, property and simulation
tests in it and counts the branches of base, raid, cache and vd (or of the folders named) that were
taken. A run of it is no test: failures here are only named, tests are run by .ci/test.py. What a
test has taken that was killed counts for nothing, so that none is for being slow.

--add runs the tests named alone and adds what they take to what is there. A source file that has
changed since begins at nothing: only a whole run says what all of them take of that one.

--list names each line that is not whole, with its branches in the compiler's order: x taken,
. not taken. A condition has two of them, the first one for how the compiler tests it, as a rule the
opposite of what is written.

Not counted are branches that must never be taken, marked in the source:
  - everything inside ASSERT(), ALWAYS() and NEVER();
  - what only a planted bug enters: if (SIM_BUG(NAME)) {}, if (SIM_BUG(NAME) && ...) {}, and the
    functions whose comment begins "The planted bug";
  - of a switch, the labels and the missing default that lead to UNREACHABLE().
The copy of the engine with planted bugs counts too; lines with SIM_BUG() or CACHE_BUG() only in the
product's.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

AGENT = Path(__file__).resolve().parent.parent
LIMITS = {"base": 100.0, "raid": 100.0, "cache": 100.0, "vd": 100.0}
FOLDERS = tuple(LIMITS)
# As long as a test may take, in terms of what it may otherwise: on a busy machine, counting.
TIMES = "100"
MARKS = re.compile(r"\b(?:ASSERT|STATIC_ASSERT|ALWAYS|NEVER)\s*\(")
BUG = re.compile(r"\b(?:SIM|CACHE)_BUG\(")
# A block that only a planted bug enters.
BUG_BLOCK = re.compile(r"\bif\s*\((?:SIM|CACHE)_BUG\(\w+\)(?:\)| &&)")
# A function that only a planted bug calls.
BUG_FUNCTION = re.compile(r"^/\* The planted bug", re.M)
# Copies of the engine with planted bugs.
PLANTED = ("libaw_sim_engine.a.p", "test_cache_stores.p", "test_cache_log.p")
# Those that are about the folders above, by the beginning of their names or by the whole name. What
# stands on the engine (ctl and up) takes no branch of it that they do not, and many times as long.
TESTS = ("base", "raid", "cache", "vd", "region", "stripe", "host_stripe", "drive", "task", "sim",
         "closure", "meta-reason", "prop-geometry", "prop-parity", "prop-parity-isal", "prop-plan")


def closing(text: str, start: int, pair: str) -> int:
    """The offset behind the bracket that closes the one at `start`."""
    depth = 0
    for offset in range(start, len(text)):
        if text[offset] == pair[0]:
            depth += 1
        elif text[offset] == pair[1]:
            depth -= 1
            if depth == 0:
                return offset + 1
    raise ValueError("brackets do not match")


def plain(text: str) -> str:
    """The source with comments and strings blanked, every character in its place."""
    pattern = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


class Source:
    """What a file's text says about its branches."""

    def __init__(self, path: Path) -> None:
        raw = path.read_text(encoding="utf-8")
        text = plain(raw)
        self.marked: set[int] = set()
        self.asserted: set[int] = set()
        self.unreachable: dict[int, int] = {}
        self.bugs: set[int] = set()
        for number, line in enumerate(text.split("\n"), 1):
            if BUG.search(line):
                self.bugs.add(number)
        for found in BUG_BLOCK.finditer(text):
            body = text.find("{", closing(text, text.index("(", found.start()), "()"))
            first = text.count("\n", 0, found.start()) + 1
            last = text.count("\n", 0, closing(text, body, "{}")) + 1
            self.marked.update(range(first, last + 1))
        for found in BUG_FUNCTION.finditer(raw):
            body = text.index("\n{", found.start())
            first = text.count("\n", 0, found.start()) + 1
            last = text.count("\n", 0, closing(text, body + 1, "{}")) + 1
            self.marked.update(range(first, last + 1))
        for found in MARKS.finditer(text):
            first = text.count("\n", 0, found.start()) + 1
            last = text.count("\n", 0, closing(text, found.end() - 1, "()")) + 1
            self.marked.update(range(first, last + 1))
            if "ASSERT" in found.group():
                self.asserted.update(range(first, last + 1))
        for found in re.finditer(r"\bswitch\s*\(", text):
            head = closing(text, found.end() - 1, "()")
            body = text.index("{", head)
            end = closing(text, body, "{}")
            inside = text[body:end]
            labels = len(re.findall(r"(?:case\s+\w+|default)\s*:\s*UNREACHABLE\(\)", inside))
            # Labels that share a statement: all but the last have none of their own.
            for shared in re.finditer(r"((?:case\s+\w+\s*:\s*)+)(?:case\s+\w+|default)\s*:"
                                      r"\s*UNREACHABLE\(\)", inside):
                labels += len(re.findall(r"case", shared.group(1)))
            if re.search(r"case\s+\w+\s*:\s*break;\s*\}$", inside) and \
                    re.match(r"\s*UNREACHABLE\(\)", text[end:]):
                labels += 1
            labels += 0 if re.search(r"\bdefault\s*:", inside) else 1
            self.unreachable[text.count("\n", 0, found.start()) + 1] = labels


def gcov(data: Path) -> list[dict]:
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities",
                           str(data)], cwd=data.parent, capture_output=True, check=False)
    return json.loads(done.stdout)["files"] if done.stdout else []


class Coverage:
    """Taken counts by file, line and branch; the copies of one object file are added up."""

    def __init__(self, folders: tuple[str, ...]) -> None:
        self.folders = folders
        self.lines: dict[str, dict[int, list[int]]] = defaultdict(dict)
        self.sources: dict[str, Source] = {}

    def name_of(self, data: Path, file: str) -> str | None:
        path = Path(file)
        path = (path if path.is_absolute() else data.parents[0] / path).resolve()
        for root in (path, *(base / file for base in data.parents)):
            resolved = Path(root).resolve()
            if resolved.is_file() and AGENT / "src" in resolved.parents:
                name = str(resolved.relative_to(AGENT / "src"))
                return name if name.split("/")[0] in self.folders else None
        return None

    def add(self, data: Path, only_plain: bool) -> None:
        for entry in gcov(data):
            name = self.name_of(data, entry["file"])
            if name is None:
                continue
            if name not in self.sources:
                self.sources[name] = Source(AGENT / "src" / name)
            for line in entry["lines"]:
                self.add_line(name, line, only_plain)

    def add_line(self, name: str, line: dict, only_plain: bool) -> None:
        number = line["line_number"]
        counts = [branch["count"] for branch in line["branches"]]
        if not counts or number in self.sources[name].marked or (
                only_plain and number in self.sources[name].bugs):
            return
        known = self.lines[name].get(number)
        if known is None or (len(known) != len(counts) and not only_plain):
            self.lines[name][number] = counts
        elif len(known) == len(counts):
            self.lines[name][number] = [a + b for a, b in zip(known, counts)]

    def file(self, name: str) -> tuple[int, int, list[tuple[int, int, int, str]]]:
        """Taken, all, and (line, taken, all, which) of those that are not whole."""
        taken = total = 0
        missing = []
        for number, counts in sorted(self.lines[name].items()):
            hit = sum(1 for count in counts if count > 0)
            of = max(hit, len(counts) - self.sources[name].unreachable.get(number, 0))
            taken += hit
            total += of
            if hit < of:
                which = "".join("x" if count > 0 else "." for count in counts)
                missing.append((number, hit, of, which))
        return taken, total, missing


def beginnings(name: str) -> set[str]:
    folder = name.split("-")[0]
    return {name, folder, folder.split("_")[0]}


def engine_tests(build: Path, names: list[str]) -> list[dict]:
    """Those that are about the engine; the others hardly reach it."""
    done = subprocess.run(["meson", "introspect", "--tests", str(build)], check=True,
                          capture_output=True, text=True)
    return [test for test in json.loads(done.stdout)
            if beginnings(test["name"]) & set(names)
            and any(suite.split(":")[-1] in ("unit", "prop", "sim") for suite in test["suite"])]


def refresh(build: Path) -> None:
    """The folder may be older than a test that there is by now."""
    subprocess.run(["ninja", "-C", str(build), "--quiet", "build.ninja"], check=True,
                   stdout=subprocess.DEVNULL)


def run_tests(build: Path, jobs: int, tests: list[dict],
              environment: dict[str, str] | None = None) -> list[str]:
    """Runs them, and says which of them have not ended as they should: their share is missing."""
    subprocess.run(["meson", "test", "-C", str(build), "--no-rebuild", "--num-processes",
                    str(jobs), "--timeout-multiplier", TIMES, *(test["name"] for test in tests)],
                   env=environment, check=False, stdout=subprocess.DEVNULL)
    lines = (build / "meson-logs" / "testlog.json").read_text(encoding="utf-8").splitlines()
    results = [json.loads(line) for line in lines]
    ended = [f"{result['name'].split(' / ')[-1]} ({result['result']}, "
             f"{result['duration']:.0f} s)"
             for result in results if result["result"] not in ("OK", "EXPECTEDFAIL")]
    if len(results) < len(tests):
        ended.append(f"{len(tests) - len(results)} never begun")
    return ended


def tell_missing(missing: list[str]) -> None:
    for name in missing:
        print(f"MISSING is what this test would have shown: {name}")


def run(build: Path, jobs: int, names: list[str], add: bool) -> list[str]:
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", str(build), str(AGENT), "--buildtype=debug",
                        "-Db_coverage=true"], check=True, stdout=subprocess.DEVNULL)
    refresh(build)
    tests = engine_tests(build, names)
    if add:
        tests = [test for test in tests if test["name"] in names]
    programs = sorted({str(Path(test["cmd"][0]).relative_to(build)) for test in tests
                       if build in Path(test["cmd"][0]).parents})
    subprocess.run(["ninja", "-C", str(build), "--quiet", f"-j{jobs}", *programs], check=True)
    for data in () if add else build.rglob("*.gcda"):
        data.unlink()
    return run_tests(build, jobs, tests)


def report(coverage: Coverage, listed: bool) -> dict[str, float]:
    percent = {}
    for folder in coverage.folders:
        names = sorted(name for name in coverage.lines if name.startswith(folder + "/"))
        all_taken = all_total = 0
        for name in names:
            taken, total, missing = coverage.file(name)
            all_taken += taken
            all_total += total
            if missing:
                print(f"  {name:34} {taken:5} of {total:5}  {100 * taken / total:6.1f} %")
            for number, hit, of, which in missing if listed else []:
                text = (AGENT / "src" / name).read_text(encoding="utf-8").split("\n")[number - 1]
                print(f"      {number:5}: {hit}/{of} {which}  {text.strip()}")
        if all_total > 0:
            percent[folder] = 100 * all_taken / all_total
            print(f"{folder:10} {all_taken:5} of {all_total:5} branches  {percent[folder]:6.2f} %")
    return percent


def main() -> int:
    parser = argparse.ArgumentParser(description="Branch coverage of the engine.")
    parser.add_argument("folders", nargs="*", default=list(FOLDERS))
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="name the lines that are not whole")
    parser.add_argument("--check", action="store_true", help="fail below the limits")
    parser.add_argument("--tests", default=",".join(TESTS),
                        help="only tests whose names begin so")
    parser.add_argument("--add", action="store_true",
                        help="only the tests of exactly these names, added to what is there")
    parser.add_argument("--no-run", action="store_true", help="only count what is there")
    args = parser.parse_args()
    build = args.build.resolve()
    missing = []
    if not args.no_run:
        missing = run(build, args.jobs, args.tests.split(","), args.add)
    coverage = Coverage(tuple(args.folders))
    found = [(any(part in PLANTED for part in data.parts), data) for data in build.rglob("*.gcda")]
    for planted, data in sorted(found):
        coverage.add(data, planted)
    percent = report(coverage, args.list)
    tell_missing(missing)
    below = [name for name in args.folders if percent.get(name, 0) < LIMITS.get(name, 0)]
    for name in below if args.check else []:
        print(f"{name} is below its limit of {LIMITS[name]} %", file=sys.stderr)
    return 1 if args.check and below else 0


if __name__ == "__main__":
    sys.exit(main())
