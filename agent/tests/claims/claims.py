"""Holds the engine, on models of drives and controllers, against what the reviews claim.

    claims.py --program ARRAYSIM [--check [--exact]] [--only ID,...] [--jobs N]
    claims.py --data

Writes CLAIMS.md, or with --only those lines of it; with --check it fails if a claim that holds there
does not any more, and tells what else is not as there; with --exact it fails at that too. All of them
are to take no longer than ten minutes on two processors: of processors' time, as others may be using
them. Models are set from facts of drives and controllers; nothing here is adjusted to a claim. Who changes a
profile or a bound runs all of them, without --check, and commits the table: its difference shows both,
and --data fails until then. arrayd
and arrayctl are those built next to arraysim; NBD needs the distribution's Python, where libnbd is.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from claims_000_004 import CLAIMS as FIRST
from claims_001_002_003 import CLAIMS as SECOND
from claims_functional import CLAIMS as FUNCTIONAL
from claims_quirks import CLAIMS as QUIRKS
from data import CLAIMS, deviations, digest, faults, holds
from lab import Lab

HERE = Path(__file__).resolve().parent
TABLE = HERE / "CLAIMS.md"
SECONDS_MOST, PROCESSORS = 600, 2
HOLDS, FAILS, INFORMED = "holds", "does not hold", "for information"
HEAD = """# What the reviews claim, and what the engine does

Made by claims.py from claims.json; do not edit. Kinds: L law, P with the named controller's profile,
A anomaly of one firmware (expected not to show but with that card's quirk switched on), F functional
(tried on a running arrayd, or on arrays of the lab). claims.json has what each figure is held to and
which part of the reviews, or of the test derived from them, that bound comes from.

Deviations, found by the program. From how the document ran its card: N the native controller and C
another card in its place, D other drives, S another size of cache behind write-back, B the drives' own
write buffers off, F what is written through ends past those buffers, as with FUA, of which no document
tells. A bound is ours if neither the document nor the test derived from it has that
figure; what they have follows. Left out: parts of the test that are not tried.

Drives are D1 for documents 000 and 004, D2 for 001 and 002, D3 for 003. Where RAID 5 is written to,
000 and 004 take the document's card, as cards always read what they replace of a row. Writes are
measured when the cache has been filled (lab.py has the bounds). What is written back is compared with
what is written through on drives whose own buffers are on for both, as the documents had them.
Models come from facts of drives and cards and are not adjusted to any claim, so "does not hold" is a
finding about the engine, the model or the claim; what it is put down to, not all of it proved, stands
beside it. Where a claim is about what a card was measured at, as E05 is, its profile has that figure:
that the claim holds says no more than that the rest of the model does not get in its way.

"""


def run_one(lab: Lab, name: str, function: Callable) -> dict:
    claim, view, figures = CLAIMS[name], lab.view(), None
    try:
        measured, figures = function(view)
        # Measured for information only, it is not held against anything.
        verdict = INFORMED if figures is None else HOLDS if holds(name, figures) else FAILS
    except (RuntimeError, AssertionError, OSError) as error:
        measured, verdict = f"failed: {error}", FAILS
    why = claim.get("note" if verdict == HOLDS else "why", "")
    return {"id": name, "kind": claim["kind"], "expected": claim["expected"], "measured": measured,
            "verdict": verdict, "why": why, "deviations": deviations(name, view.used, lab)}


def line(row: dict) -> str:
    return "| {id} | {kind} | {expected} | {measured} | {verdict} | {deviations} | {why} |".format(
        **{key: " ".join(text.replace("|", "/").split()) for key, text in row.items()})


def table(lines: list[str], made_of: str) -> str:
    count = {word: sum(f"| {word} |" in text for text in lines)
             for word in (HOLDS, FAILS, INFORMED)}
    return "\n".join([
        HEAD + f"{count[HOLDS]} of {len(lines)} hold, {count[FAILS]} do not, {count[INFORMED]} are "
        f"measured for information. Made of profiles and bounds {made_of}.\n",
        "| Claim | Kind | Expected | Measured | Verdict | Deviations | Why, or what else there is to it |",
        "|---|---|---|---|---|---|---|", *lines]) + "\n"


def committed_digest() -> str:
    found = re.search(r"Made of profiles and bounds (\w+)\.", TABLE.read_text())
    return found[1] if found else ""


def committed() -> dict[str, str]:
    """Lines of the table."""
    return {match[1]: match[0] for match in
            re.finditer(r"^\| ([A-Z]\d\d) \|.*$", TABLE.read_text(), flags=re.M)}


def used_s() -> float:
    """Processors' time, of this program and those that have ended."""
    each = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in each)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default="arraysim")
    parser.add_argument("--profiles", type=Path, default=HERE.parent.parent / "profiles")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--data", action="store_true", help="look at claims.json, and whether the table was made of it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    functions: dict[str, Callable] = {**FIRST, **SECOND, **QUIRKS, **FUNCTIONAL}
    if wrong := faults(set(functions)):
        print("\n".join(wrong), file=sys.stderr)
        return 2
    made_of = digest(options.profiles)
    if options.data:
        if made_of != committed_digest():
            print(f"{TABLE.name} was made of other profiles or bounds ({committed_digest()}, not {made_of}): "
                  "run claims.py --program ARRAYSIM and commit the table", file=sys.stderr)
        return int(made_of != committed_digest())
    names = sorted(name for name in functions if not only or name in only)
    lab = Lab(options.program, options.profiles, options.jobs)
    began = time.monotonic()
    # Claims wait for their points; more of them than points at a time keep the latter coming.
    with ThreadPoolExecutor(4 * options.jobs) as pool:
        rows = list(pool.map(lambda name: run_one(lab, name, functions[name]), names))
    print(f"TAP version 13\n1..{len(rows) + 1}")
    known = committed() if options.check or only else {}
    bad = 0
    for number, row in enumerate(rows, 1):
        said = known.get(row["id"], "")
        differs = options.check and line(row) != said
        # What has come to hold is good news for the next table.
        good = not differs or (not options.exact and
                               (row["verdict"] == HOLDS or f"| {row['verdict']} |" in said))
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - {row['id']} {row['verdict']}: "
              f"{row['expected']}; measured {row['measured']}")
        if differs:
            print(f"# {TABLE.name} has: {said}")
    used = used_s()
    slow = used > SECONDS_MOST * PROCESSORS
    bad += slow
    print(f"{'not ok' if slow else 'ok'} {len(rows) + 1} - {SECONDS_MOST} s on {PROCESSORS} processors: "
          f"{used / PROCESSORS:.0f} s")
    print(f"# {lab.points[0]} points in {time.monotonic() - began:.0f} s")
    if not options.check:
        lines = known | {row["id"]: line(row) for row in rows}
        TABLE.write_text(table([lines[name] for name in sorted(lines)],
                               committed_digest() if only else made_of))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
