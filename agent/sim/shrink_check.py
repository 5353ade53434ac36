"""Whether failing lives are shrunk: shrink_check.py ARRAYSIM

For each of some planted bugs: the first life that fails by it is shrunk (arraysim crash --shrink).
The command that prints must fail of the same, the same way each time; it must be much smaller than
the life; without the bug nothing fails; and shrinking again must end with the same command.
"""

import re
import subprocess
import sys
import time

BUGS = ("FLUSH_IGNORED", "PARITY_FROM_STALE", "ANSWERED_TWICE")  # half a second of CPU each
LIVES = "300"
STEPS = 60  # of a life
STEPS_AT_MOST = 20
SECONDS_AT_MOST = 75  # it gives up after 60, and then one life may still be tried


def crash(program, *words):
    """Whether it failed, and what it printed."""
    done = subprocess.run([program, "crash", *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.returncode == 1, done.stdout


def verdict(text):
    """Seed, hash and reason of the life that failed."""
    found = re.search(r"^FAILED seed (\d+) hash ([0-9a-f]+) \(.*?\): (.*)$", text, re.MULTILINE)
    if found is None:
        raise AssertionError(f"no failed life:\n{text}")
    return found[1], found[2], found[3]


def bare(why):
    """Without numbers, and without at which crash point it was."""
    return re.sub(r"\d+", "", re.sub(r"^crash point [^:]*: ", "", why))


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def steps_of(words):
    if "--steps" not in words:
        return STEPS
    return len(words[words.index("--steps") + 1].split(","))


def bug_check(program, bug):
    failed, text = crash(program, "--seed", "1", "--runs", LIVES, "--bug", bug)
    check(failed, f"{bug} is not found in {LIVES} lives")
    seed, _, why = verdict(text)
    began = time.monotonic()
    _, text = crash(program, "--seed", seed, "--runs", "1", "--bug", bug, "--shrink")
    seconds = time.monotonic() - began
    shrunk = re.search(r"^shrunk to (\d+) operations:\narraysim crash (.*)$", text, re.MULTILINE)
    check(shrunk is not None, f"{bug}: nothing was shrunk:\n{text}")
    words = shrunk[2].split()
    check(steps_of(words) == int(shrunk[1]), f"{bug}: {shrunk[1]} steps are said, but {words}")
    check(int(shrunk[1]) <= STEPS_AT_MOST, f"{bug}: {shrunk[1]} steps of {STEPS} are left")
    check(seconds <= SECONDS_AT_MOST, f"{bug}: it took {seconds:.0f} s")
    results = [crash(program, *words) for _ in range(2)]
    check(all(failed for failed, _ in results), f"{bug}: what is left does not fail: {shrunk[2]}")
    verdicts = [verdict(text) for _, text in results]
    check(verdicts[0] == verdicts[1], f"{bug}: the same command, two lives: {verdicts}")
    check(bare(verdicts[0][2]) == bare(why), f"{bug}: fails of {verdicts[0][2]!r}, not of {why!r}")
    place = words.index("--bug")
    failed, text = crash(program, *words[:place], *words[place + 2:])
    check(not failed, f"{bug}: what is left fails without it:\n{text}")
    _, again = crash(program, "--seed", seed, "--runs", "1", "--bug", bug, "--shrink")
    check(shrunk[0] in again, f"{bug}: shrunk twice, to two ends:\n{again}")
    return f"# {bug}: seed {seed}, {shrunk[1]} of {STEPS} steps, {seconds:.1f} s: {why}"


def main():
    program = sys.argv[1]
    for bug in BUGS:
        print(bug_check(program, bug), flush=True)


if __name__ == "__main__":
    main()
