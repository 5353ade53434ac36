"""Sets of md's own format, metadata 1.2, that stock mdadm made and wrote: a running arrayd takes
them over in place, reads what Linux wrote, changes it, and stock mdadm assembles the result by its
DDF metadata. ARRAYD and ARRAYCTL name the daemon and its command line.
"""

import hashlib
import subprocess

import ddf_judge
from bench import CONTENT
from harness import EID, Agent

# name, members, level, layout, KiB of each member, MiB of a drive when it is made. RAID 0 takes no
# size: its drives grow afterwards, as partitions and volumes of a SAN do.
SETS = [
    ("own0", 2, "0", "-", "-", 24),
    ("own1", 2, "1", "-", "8192", 72),
    ("own5", 3, "5", "-", "8192", 72),
    ("own6", 4, "6", "ddf-N-continue", "8192", 72),
    ("own10", 4, "10", "n2", "8192", 72),
    ("own1e", 3, "10", "n2", "8192", 72),
]
# As mdadm makes it without a size: refused, and left as it is.
FULL = ("full5", 3, "5", "-", "-", 72)
FULL_64K = 40
GROWN_MIB = 76
STAMP = 3 << 20


def sums(place):
    return [hashlib.sha256(path.read_bytes()).digest() for path in sorted(place.glob("d*"))]


def expected(size):
    return (CONTENT * (size // len(CONTENT) + 1))[:size]


def agent_of(place, count):
    return Agent(slots=count, directory=place, drives=[
        f'{{ path = "{place}/d{slot}"; enclosure = {EID}; slot = {slot}; }}'
        for slot in range(count)])


def adopted(agent, level):
    """Takes it over, checks and changes it; what it holds then, or what is wrong."""
    preview = agent.ctl("/c0/fall", "import", "preview").stdout
    if "md superblocks are taken off" not in preview:
        return preview
    agent.ctl("/c0/fall", "import")
    found = ddf_judge.read_all(agent, "judge")
    if found != expected(len(found)):
        return "contents differ"
    changed = bytearray(found)
    with agent.nbd("judge") as data:
        for at in (STAMP, len(found) - STAMP):
            changed[at:at + STAMP // 4] = CONTENT[-(STAMP // 4):]
            data.pwrite(CONTENT[-(STAMP // 4):], at)
        data.flush()
    if level == "5":
        member = f"/c0/e{EID}/s0"
        agent.ctl(member, "set", "offline")
        agent.ctl(member, "start", "rebuild")
        agent.optimal("judge")
    if level != "0":
        ddf_judge.settled(agent, "judge")
    agent.stop()
    agent.start()
    if ddf_judge.read_all(agent, "judge") != changed:
        return "contents differ after a restart"
    return bytes(changed)


def no_longer_md(place):
    seen = [subprocess.run(["/sbin/mdadm", "--examine", "--metadata=1.2", path], check=False,
                           capture_output=True, text=True) for path in sorted(place.glob("d*"))]
    return all("No super block found" in one.stdout + one.stderr for one in seen)


def taken_over(bench, name, members, level):
    """What is wrong; it is given to mdadm if nothing is."""
    place = bench.folder / name
    paths = [place / f"d{slot}" for slot in range(members)]
    for path in paths:
        with path.open("r+b") as file:
            file.truncate(GROWN_MIB << 20)
    agent = agent_of(place, members)
    agent.start()
    try:
        now = adopted(agent, level)
    finally:
        agent.stop()
    if isinstance(now, str):
        return now
    if not no_longer_md(place):
        return "it is still an array of md's own format"
    bench.ours("taken over, then under mdadm as DDF", name, paths, len(now),
               hashlib.sha256(now).hexdigest())
    return None


def refused(bench, name, members):
    place = bench.folder / name
    before = sums(place)
    agent = agent_of(place, members)
    agent.start()
    try:
        told = agent.ctl("/c0/fall", "import", "preview").stdout
        done = agent.ctl("/c0/fall", "import", check=False)
    finally:
        agent.stop()
    if "--grow --size=" not in told or done.returncode == 0:
        return told + done.stdout
    return None if sums(place) == before else "bytes have changed"


def make(bench):
    for name, members, level, layout, size, mib in [*SETS, FULL]:
        fill = FULL_64K if name == FULL[0] else "-"
        bench.theirs(name, members, mib, f"native {name} {members} {level} {layout} {size} {fill}")


def check(bench, made):
    for name, members, level, *_ in SETS:
        if name in made:
            bench.verdicts.call("taken over by arrayd", name, "contents are theirs", taken_over,
                                bench, name, members, level)
    name, members, *_ = FULL
    if name in made:
        bench.verdicts.call("refused by arrayd", name, "every byte is left", refused, bench, name,
                            members)
