#!/usr/bin/env python3
"""Fuzzes every target for a while, from its corpus on, under address and undefined sanitizers.

    fuzz/run.py --build FOLDER [--seconds 30] [--jobs 2] [--junit FILE] [TARGET …]

--seconds is for each target of LONG, where bytes come in at every start and while arrayd runs; the
others get an eighth of it. The first run configures and builds FOLDER with clang-19. The canary has a fault on purpose: the run fails unless it is found.
A finding is kept in FOLDER/findings; what is new in coverage goes to FOLDER/corpus, from where
`-merge=1` brings it home. long_run.py does the same without end, and keeps a ledger.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.sax.saxutils import quoteattr

AGENT = Path(__file__).resolve().parents[1]
OPTIONS = ["--buildtype=debugoptimized", "-Db_sanitize=address,undefined", "-Db_lundef=false",
           "-Dc_args=-fsanitize=fuzzer-no-link"]
# Many times as fast, for the long run: undefined behavior and assertions end it, but addresses are
# not checked, and mutations are not led by comparisons. The long run looks at what this finds under
# the sanitizers, too.
LIGHT_OPTIONS = ["--buildtype=debugoptimized", "-Db_sanitize=undefined", "-Db_lundef=false",
                 "-Dc_args=-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp "
                 "-fsanitize-trap=undefined"]
# libconfig's scanner leaks at every syntax error, and looking for leaks takes the fuzzer longer than
# thousands of inputs. The corpus is replayed with a look at leaks like those of all others.
MORE = {"config": ["-detect_leaks=0"]}
# The default of 256 MiB keeps freed memory so long that each input works on new, cold pages.
ASAN_OPTIONS = "quarantine_size_mb=8"
# For the same reason: without sanitizers the C library asks the kernel for each larger buffer.
HEAP = {"MALLOC_MMAP_THRESHOLD_": "67108864", "MALLOC_TRIM_THRESHOLD_": "268435456"}
# Of 32 bits, not 0. As for all tests that try something new each time: see .ci/test.py.
FRESH = int(os.environ.get("AW_FRESH_SEED", "0")) % (2**32 - 1)
SEED = [f"-seed={FRESH + 1}"] if "AW_FRESH_SEED" in os.environ else []
LONG = {"cache_journal", "cache_log", "config", "control_request", "nbd_handshake",
        "nbd_transmission", "uplink_frame"}
CANARY = "canary"
CANARY_SECONDS = 10


def build(folder, options=OPTIONS):
    if not (folder / "build.ninja").exists():
        subprocess.run(["meson", "setup", str(folder), str(AGENT), *options], check=True,
                       env={**os.environ, "CC": "clang-19"}, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", str(folder), "--quiet", "fuzzers"], check=True)


def target_names():
    return sorted(path.name for path in (AGENT / "fuzz/corpus").iterdir())


def fuzz(folder, name, seconds, *more, corpora=None):
    """Runs one target; returns (executions, whether it found something, its last lines). What is
    new in coverage is kept in `corpora`, or in the folder of the build."""
    findings, corpus = folder / "findings" / name, (corpora or folder / "corpus") / name
    for path in (findings, corpus):
        path.mkdir(parents=True, exist_ok=True)
    words = [str(folder / "fuzz" / f"fuzz_{name}"), f"-max_total_time={seconds}", "-timeout=10",
             "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={findings}/",
             *SEED, *MORE.get(name, []), *more, str(corpus)]
    if name != CANARY:
        words.append(str(AGENT / "fuzz/corpus" / name))
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False,
                          env={**os.environ, **HEAP, "ASAN_OPTIONS": ASAN_OPTIONS,
                               "LSAN_OPTIONS": f"suppressions={AGENT}/fuzz/leaks.txt"})
    executed = re.search(r"stat::number_of_executed_units: (\d+)", done.stderr)
    return int(executed[1]) if executed else 0, done.returncode != 0, done.stderr[-4000:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--junit", type=Path)
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    build(options.build)
    names = options.targets or target_names()
    short = max(1, options.seconds // 8)
    plan = [(name, options.seconds if name in LONG else short) for name in names]
    plan.append((CANARY, CANARY_SECONDS))
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda item: fuzz(options.build, *item), plan))
    failed, cases = [], []
    for (name, seconds), (executed, found, text) in zip(plan, results, strict=True):
        wrong = found != (name == CANARY) or (executed == 0 and not found)
        print(f"{name:20} {executed:10} executions in {seconds} s"
              f"{' FOUND SOMETHING' if found else ''}{' (as it must)' if name == CANARY and found else ''}")
        what = quoteattr(f"FAILED with {' '.join(SEED) or 'a seed of its own'}, "
                         f"what it found is in {options.build}/findings/{name}")
        cases.append(f"<testcase classname='fuzz' name={quoteattr(name)}>"
                     + (f"<failure message={what}/>" if wrong else "") + "</testcase>")
        if wrong:
            failed.append(name)
            print(text)
    if options.junit is not None:
        options.junit.write_text(f"<testsuite name='fuzz'>{''.join(cases)}</testsuite>\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
