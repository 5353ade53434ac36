#!/usr/bin/env python3
"""Sets of md's own format, metadata 1.2, that stock mdadm made and wrote: a running arrayd takes
them over in place, reads what Linux wrote, changes it, and stock mdadm assembles the result by its
DDF metadata.

    md_judge.py --kernel-package linux-image-….deb

ARRAYD and ARRAYCTL name the daemon and its command line. Runs under software emulation; needs what
ddf_judge.py needs.
"""

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import ddf_judge
import judge
from harness import EID, Agent

# name, members, level, layout, KiB of each member, MiB of a drive when it is made. RAID 0 takes no
# size: its drives grow afterwards, as partitions and volumes of a SAN do.
SETS = [
    ("own0", 2, "0", "-", "-", 66),
    ("own1", 2, "1", "-", "24576", 96),
    ("own5", 3, "5", "-", "40960", 96),
    ("own6", 4, "6", "ddf-N-continue", "24576", 96),
    ("own10", 4, "10", "n2", "24576", 96),
    ("own1e", 3, "10", "n2", "24576", 96),
]
# As mdadm makes it without a size: refused, and left as it is.
FULL = ("full5", 3, "5", "-", "-", 96)
GROWN_MIB = 100
CONTENT_64K = 100
STAMP = 3 << 20


def sums(place):
    return [hashlib.sha256(path.read_bytes()).digest() for path in sorted(place.glob("d*"))]


def expected(content, size):
    return (content * (size // len(content) + 1))[:size]


def agent_of(place, count):
    return Agent(slots=count, directory=place, drives=[
        f'{{ path = "{place}/d{slot}"; enclosure = {EID}; slot = {slot}; }}'
        for slot in range(count)])


def adopted(agent, level, content):
    """Takes it over, checks and changes it; what it holds then. None: it is wrong."""
    preview = agent.ctl("/c0/fall", "import", "preview").stdout
    if "md superblocks are taken off" not in preview:
        print(preview)
        return None
    agent.ctl("/c0/fall", "import")
    found = ddf_judge.read_all(agent, "judge")
    if found != expected(content, len(found)):
        return None
    changed = bytearray(found)
    with agent.nbd("judge") as data:
        for at in (STAMP, len(found) - STAMP):
            changed[at:at + STAMP // 4] = content[-(STAMP // 4):]
            data.pwrite(content[-(STAMP // 4):], at)
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
    return bytes(changed) if ddf_judge.read_all(agent, "judge") == changed else None


def no_longer_md(place):
    seen = [subprocess.run(["/sbin/mdadm", "--examine", "--metadata=1.2", path], check=False,
                           capture_output=True, text=True) for path in sorted(place.glob("d*"))]
    return all("No super block found" in one.stdout + one.stderr for one in seen)


def sets_check(folder, content, lines, drives):
    well = True
    for name, members, level, *_ in SETS:
        place = folder / name
        for path in place.glob("d*"):
            with path.open("r+b") as file:
                file.truncate(GROWN_MIB << 20)
        agent = agent_of(place, members)
        agent.start()
        try:
            now = adopted(agent, level, content)
        finally:
            agent.stop()
        right = now is not None and no_longer_md(place)
        print(f"# {name}: {'taken over, contents are theirs' if right else 'FAILED'}")
        well = well and right
        if right:
            lines.append(f"ours {name} {members} {len(now)} {hashlib.sha256(now).hexdigest()} 0 -")
            drives += [(f"{name}-{slot}", place / f"d{slot}") for slot in range(members)]
    return well


def full_check(folder):
    name, members, *_ = FULL
    place = folder / name
    before = sums(place)
    agent = agent_of(place, members)
    agent.start()
    try:
        told = agent.ctl("/c0/fall", "import", "preview").stdout
        done = agent.ctl("/c0/fall", "import", check=False)
    finally:
        agent.stop()
    right = ("--grow --size=" in told and done.returncode != 0 and sums(place) == before)
    print(f"# {name}: {'refused, every byte is left' if right else 'FAILED'}")
    return right


def sets_make(folder, lines, drives):
    for name, members, level, layout, size, mib in [*SETS, FULL]:
        place = folder / name
        place.mkdir()
        for slot in range(members):
            with (place / f"d{slot}").open("wb") as file:
                file.truncate(mib << 20)
            drives.append((f"{name}-{slot}", place / f"d{slot}"))
        lines.append(f"native {name} {members} {level} {layout} {size}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel-package", type=Path, required=True)
    options = parser.parse_args()
    content = random.Random(1982).randbytes(CONTENT_64K << 16)
    with tempfile.TemporaryDirectory(prefix="aw-judge-") as text:
        folder = Path(text)
        kernel = folder / "kernel"
        judge.run("dpkg-deb", "-x", options.kernel_package, kernel)
        lines, drives = [], []
        sets_make(folder, lines, drives)
        well = ddf_judge.boot(folder, kernel, lines, drives, content)
        lines, drives = [], []
        well = well and full_check(folder)
        well = well and sets_check(folder, content, lines, drives)
        well = well and ddf_judge.boot(folder, kernel, lines, drives, content)
    print("# the judge is content" if well else "# FAILED")
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
