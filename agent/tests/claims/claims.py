"""Holds the engine, on models of drives and controllers, against what the reviews claim.

    claims.py --program ARRAYSIM [--check [--exact]] [--only ID,...] [--jobs N]

Writes CLAIMS.md, or with --only those lines of it; with --check it fails if a claim that holds there
does not any more, and tells what else is not as there; with --exact it fails at that too. All of them
are to take no longer than ten minutes on two processors: of processors' time, as others may be using
them. Models are set from facts of drives and controllers; nothing here is adjusted to a claim. arrayd
and arrayctl are those built next to arraysim; NBD needs the distribution's Python, where libnbd is.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from claims_000_004 import CLAIMS as FIRST
from claims_001_002_003 import CLAIMS as SECOND
from claims_functional import CLAIMS as FUNCTIONAL
from claims_quirks import CLAIMS as QUIRKS
from lab import Lab
from reasons import NOTES, WHY

HERE = Path(__file__).resolve().parent
TABLE = HERE / "CLAIMS.md"
SECONDS_MOST, PROCESSORS = 600, 2
HOLDS, FAILS, INFORMED = "holds", "does not hold", "for information"
HEAD = """# What the reviews claim, and what the engine does

Made by claims.py; do not edit. Kinds: L law, P with the named controller's profile, A anomaly of
one firmware (expected not to show but with that card's quirk switched on), F functional (tried on a
running arrayd, or on arrays of the lab). Settings are in the claims' sources: drives D1 for
documents 000 and 004, D2 for 001 and 002, D3 for 003; in the first two the document's card where
RAID 5 is written to, as cards always read what they replace of a row; 128 MiB of cache for one or
several streams of writes, 16 MiB for the rest, a card's own where the claim is about that, and
writes are measured when it has been filled (lab.py has the bounds). What is written back is
compared with what is written through past the drives' own buffers on both sides, so that nothing
else differs; with those on, as one document has it, A13, A16, A28, G14 and G26 did not hold when
that was last tried. Models come from facts of drives and cards and are not adjusted to any claim,
so "does not hold" is a finding about the engine, the model or the claim; what it is put down to,
not all of it proved, stands beside it. Where a claim is about what a card was measured at, as E05
is, its profile has that figure, and that the claim holds says no more than that the rest of the
model does not get in its way.

"""


def run_one(lab: Lab, claim: tuple) -> dict:
    name, kind, expected, function = claim
    try:
        measured, good = function(lab)
    except (RuntimeError, AssertionError, OSError) as error:
        measured, good = f"failed: {error}", False
    # Measured for information only, it is not held against anything.
    verdict = INFORMED if good is None else HOLDS if good else FAILS
    return {"id": name, "kind": kind, "expected": expected, "measured": measured,
            "verdict": verdict, "why": (NOTES if good else WHY).get(name, "")}


def line(row: dict) -> str:
    return "| {id} | {kind} | {expected} | {measured} | {verdict} | {why} |".format(
        **{key: " ".join(text.replace("|", "/").split()) for key, text in row.items()})


def table(lines: list[str]) -> str:
    count = {word: sum(f"| {word} |" in text for text in lines)
             for word in (HOLDS, FAILS, INFORMED)}
    return "\n".join([
        HEAD + f"{count[HOLDS]} of {len(lines)} hold, {count[FAILS]} do not, {count[INFORMED]} are "
        "measured for information.\n",
        "| Claim | Kind | Expected | Measured | Verdict | Why, or what else there is to it |",
        "|---|---|---|---|---|---|", *lines]) + "\n"


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
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--profiles", type=Path, default=HERE.parent.parent / "profiles")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    claims = [claim for claim in [*FIRST, *SECOND, *QUIRKS, *FUNCTIONAL] if not only or claim[0] in only]
    claims.sort(key=lambda claim: claim[0])
    lab = Lab(options.program, options.profiles, options.jobs)
    began = time.monotonic()
    # Claims wait for their points; more of them than points at a time keep the latter coming.
    with ThreadPoolExecutor(4 * options.jobs) as pool:
        rows = list(pool.map(lambda claim: run_one(lab, claim), claims))
    rows.sort(key=lambda row: row["id"])
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
    print(f"# {lab.points} points in {time.monotonic() - began:.0f} s")
    if not options.check:
        lines = known | {row["id"]: line(row) for row in rows}
        TABLE.write_text(table([lines[name] for name in sorted(lines)]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
