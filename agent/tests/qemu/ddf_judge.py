#!/usr/bin/env python3
"""Stock Linux as the judge of the format on the drives, both ways: mdadm and the kernel's md
assemble sets that our writer made, whole and with drives missing, and the members that a running
arrayd leaves behind, whole, degraded and after one of its rebuilds, read them and write to some,
which a running arrayd takes back; sets that mdadm made, wrote, lost a drive of and rebuilt are read
by our reader, or imported by a running arrayd, written and rebuilt there, and assembled by mdadm
once more.

    ddf_judge.py --kernel-package linux-image-….deb [--keep FOLDER]

ARRAYD and ARRAYCTL name the daemon, DDFIMAGE and DDFREAD programs of tests/tools. Runs under
software emulation; needs qemu-system-x86, busybox-static, cpio, mdadm and python3-libnbd.
"""

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import judge

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e" / "agent"))

from cases import write_random  # noqa: E402
from harness import EID, Agent  # noqa: E402

MODULES = ["virtio_pci", "virtio_blk", "crc32c_generic", "raid0", "raid1", "raid10", "raid456"]
MIB = 96
CONTENT_64K = 384

# name, level, spans, members of a span, missing
OURS = [
    ("raid0", "raid0", 1, 3, ()),
    ("raid1", "raid1", 1, 2, ()),
    ("raid1lost", "raid1", 1, 3, (1,)),
    ("raid5", "raid5", 1, 4, ()),
    ("raid5lost", "raid5", 1, 3, (2,)),
    ("raid6", "raid6", 1, 5, ()),
    ("raid6lost", "raid6", 1, 5, (0, 3)),
    ("raid1e", "raid1e", 1, 3, ()),
    ("raid10", "raid10", 2, 2, ()),
    ("raid10lost", "raid10", 2, 2, (0, 3)),
]
# Of a running arrayd. name, level, members, more arguments, the place that fails, is it rebuilt?
# Some of them are written to by Linux, one after another drive of it has failed there, and come
# back.
LIVE = [
    ("live0", "raid0", 3, {}, None, False),
    ("live1", "raid1", 3, {"drives_per_span": 3}, None, False),
    ("live1lost", "raid1", 2, {}, 1, False),
    ("live5", "raid5", 4, {}, None, False),
    ("live5cut", "raid5", 3, {}, None, False),
    ("live5lost", "raid5", 4, {}, 2, False),
    ("live5rebuilt", "raid5", 4, {}, 1, True),
    ("live6", "raid6", 5, {}, None, False),
    ("live6lost", "raid6", 5, {}, 0, False),
    ("live6rebuilt", "raid6", 5, {}, 4, True),
    ("live1e", "raid1e", 3, {}, None, False),
    ("live10", "raid10", 4, {}, None, False),
    ("live10rebuilt", "raid10", 4, {}, 3, True),
]
LENT = {"live0": None, "live1": None, "live5": None, "live5cut": None, "live6": 3,
        "live10rebuilt": None}
LENT_64K = 40
CUT = "live5cut"  # killed amid writes, with what it knows of them in its maps and its stripe log
# name, members, spares, level, data drives, the place that fails
THEIRS = [
    ("md0", 3, 0, "0", 3, None),
    ("md1", 2, 0, "1", 1, None),
    ("md5", 4, 0, "5", 3, None),
    ("md5spare", 3, 1, "5", 2, 1),
    ("md5lost", 3, 0, "5", 2, 0),
    ("md6", 5, 0, "6", 3, None),
    ("md6lost", 5, 0, "6", 3, 4),
    ("md10", 4, 0, "10", 2, None),
]
EXTENT_64K = 128
# As most people make them, without a size: nothing is left behind the data but the DDF workspace.
WHOLE = [
    ("whole0", 2, 0, "0", None),
    ("whole1", 2, 1, "1", 0),
    ("whole5", 3, 1, "5", 1),
    ("whole6", 4, 1, "6", 2),
    ("whole10", 4, 1, "10", 3),
]
WHOLE_MIB = 66
WHOLE_64K = 64
END_BYTES = 1 << 20


def ours_make(folder, lines, drives):
    for name, level, spans, members, missing in OURS:
        place = folder / name
        place.mkdir()
        judge.run(os.environ["DDFIMAGE"], place, level, spans, members, MIB, *missing)
        content = (place / "data").read_bytes()
        lines.append(f"ours {name} {spans * members} {len(content)} "
                     f"{hashlib.sha256(content).hexdigest()} 0 -")
        drives += [(f"{name}-{number}", place / f"d{number}") for number in range(spans * members)
                   if number not in missing]


def read_all(agent, name="data"):
    with agent.nbd(name) as data:
        size = data.get_size()
        return b"".join(bytes(data.pread(min(1 << 20, size - at), at))
                        for at in range(0, size, 1 << 20))


def settled(agent, name="data"):
    agent.until("it to be consistent", lambda view: view.vd(name)["consistent"]
                and not view.running("bgi") and not view.running("resync"))


def cut(agent, content):
    """Parts of rows are written, and the end comes at once."""
    key = agent.view().vd_key()
    with agent.control() as control:
        control.command("vd_set", {"virtual_drive": key, "stripe_log": True})
    with agent.nbd() as data:
        for at in range(4096, LENT_64K << 17, 3 << 16):
            content[at:at + 4096] = bytes([at >> 16 & 0xFF]) * 4096
            data.pwrite(bytes(content[at:at + 4096]), at)
    agent.kill()
    return hashlib.sha256(content).hexdigest()


def live_make(folder, lines, drives):
    """What Linux is going to write to, with its content."""
    lent = {}
    for name, level, members, more, failing, rebuilt in LIVE:
        place = folder / name
        place.mkdir()
        agent = Agent(slots=members, drive_mib=MIB, directory=place)
        agent.start()
        try:
            agent.create(level, range(members), **more)
            if failing is not None:
                with agent.nbd() as data:
                    write_random(data, data.get_size(), 1)
                agent.fault(failing, "pull")
            with agent.nbd() as data:
                size = data.get_size()
                sums = write_random(data, size, 2)
            if rebuilt:
                agent.kill()  # the drive comes back with the next start
                agent.start()
                agent.optimal()
            if failing is None or rebuilt:
                settled(agent)
            if name in LENT:
                lent[name] = (agent, bytearray(read_all(agent)))
            if name == CUT:
                sums = cut(*lent[name])
        finally:
            agent.stop()
        failing_there = LENT.get(name)
        lines.append(f"ours {name} {members} {size} {sums} {LENT_64K if name in LENT else 0} "
                     f"{'-' if failing_there is None else failing_there}")
        drives += [(f"{name}-{number}", place / f"d{number}") for number in range(members)
                   if rebuilt or number != failing]
    return lent


def lent_check(lent, content):
    """What Linux has written is there, and all else as it was; it has been noticed: not of RAID 0,
    of whose writes md leaves no trace, but which knows nothing that could be out of date."""
    well = True
    for name, (agent, before) in lent.items():
        now = content[:LENT_64K << 16] + before[LENT_64K << 16:]
        failed = LENT[name]
        agent.start()
        try:
            noticed = "Another system has written" in agent.ctl("/c0", "show", "events").stdout
            same = read_all(agent) == now
            if failed is not None:
                same = same and agent.view().drive(failed)["state"] != "online"
            elif name != "live0":
                agent.optimal()
                settled(agent)
                same = same and read_all(agent) == now
        finally:
            agent.stop()
        right = same and noticed == (name != "live0")
        print(f"# {name}: {'what Linux wrote is there' if right else 'FAILED'}"
              f"{'' if noticed else ', no trace of who wrote'}")
        well = well and right
    return well


def theirs_make(folder, lines, drives):
    sets = [(*one[:4], one[4] * EXTENT_64K, one[5], 8192, MIB) for one in THEIRS]
    sets += [(*one[:4], WHOLE_64K, one[4], "-", WHOLE_MIB) for one in WHOLE]
    for name, members, spares, level, copies, failing, size, mib in sets:
        place = folder / name
        place.mkdir()
        for number in range(members + spares):
            with (place / f"d{number}").open("wb") as file:
                file.truncate(mib << 20)
            drives.append((f"{name}-{number}", place / f"d{number}"))
        lines.append(f"theirs {name} {members} {spares} {level} {copies} "
                     f"{'-' if failing is None else failing} {size}")


def imported(agent, level, content):
    """Imports the only set, checks and changes it; what it holds then. None: it is wrong."""
    agent.ctl("/c0/fall", "import")
    found = read_all(agent, "judge")
    start = WHOLE_64K << 16
    if found[:start] != content[:start] or found[-END_BYTES:] != content[:END_BYTES]:
        return None
    with agent.nbd("judge") as data:
        data.pwrite(content[-END_BYTES:], 3 << 20)
        data.pwrite(content[-END_BYTES:], len(found) - END_BYTES)
        data.flush()
    if level == "5":  # a member by one of ours, which has not room for a usual private area either
        member = f"/c0/e{EID}/s0"
        agent.ctl(member, "set", "offline")
        agent.ctl(member, "start", "rebuild")
        agent.optimal("judge")
        settled(agent, "judge")
    agent.stop()
    agent.start()
    changed = bytearray(found)
    changed[3 << 20:4 << 20] = content[-END_BYTES:]
    changed[-END_BYTES:] = content[-END_BYTES:]
    return bytes(changed) if read_all(agent, "judge") == changed else None


def whole_check(folder, content, lines, drives):
    well = True
    for name, members, spares, level, failing in WHOLE:
        place = folder / name
        paths = [place / f"d{number}" for number in range(members + spares) if number != failing]
        agent = Agent(slots=len(paths), directory=place, drives=[
            f'{{ path = "{path}"; enclosure = {EID}; slot = {slot}; }}'
            for slot, path in enumerate(paths)])
        agent.start()
        try:
            now = imported(agent, level, content)
            if now is not None:
                settled(agent, "judge")
        finally:
            agent.stop()
        print(f"# {name}: {'imported, contents are theirs' if now is not None else 'FAILED'}")
        well = well and now is not None
        if now is not None:
            lines.append(f"ours {name} {len(paths)} {len(now)} {hashlib.sha256(now).hexdigest()} "
                         "0 -")
            drives += [(f"{name}-{number}", path) for number, path in enumerate(paths)]
    return well


def root_make(root, kernel, lines, content):
    judge.root_base(root, {"mdadm": "/sbin/mdadm", "mdmon": "/sbin/mdmon"}, HERE / "ddf_init.sh")
    (root / "sets").write_text("\n".join(lines) + "\n")
    (root / "content").write_bytes(content)
    judge.modules_copy(kernel, root, MODULES)


def devices(drives):
    """Eight functions in each slot of the machine's bus."""
    for number, (serial, path) in enumerate(drives):
        yield from ("-drive", f"if=none,id=d{number},file={path},format=raw,cache=unsafe",
                    "-device", f"virtio-blk-pci,drive=d{number},serial={serial},multifunction=on,"
                               f"addr={4 + number // 8:x}.{number % 8:x}")


def theirs_check(folder, content):
    well = True
    for name, _, _, _, data, _ in THEIRS:
        place = folder / name
        found = subprocess.run([os.environ["DDFREAD"], place / "out", *sorted(place.glob("d*"))],
                               check=False, capture_output=True, text=True)
        output = place / "out.0"
        same = (found.returncode == 0 and output.exists()
                and output.read_bytes() == content[:data * EXTENT_64K * 65536])
        state = "degraded" if name.endswith("lost") else "optimal"
        right = same and f" {state} consistent " in found.stdout
        print(f"# {name}: {'contents are theirs' if same else 'FAILED'}; "
              + "; ".join((found.stdout + found.stderr).splitlines()))
        well = well and right
    return well


def boot(folder, kernel, lines, drives, content):
    root, archive = Path(tempfile.mkdtemp(dir=folder)), folder / "initrd"
    root_make(root, kernel, lines, content)
    judge.archive_make(root, archive)
    return judge.judge(judge.boot(kernel, archive, devices(drives)))


def sets_keep(folder, target):
    for name, *_ in THEIRS + WHOLE:
        judge.run("cp", "-a", "--sparse=always", folder / name, target / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel-package", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="the sets made by mdadm are kept here")
    options = parser.parse_args()
    content = random.Random(1980).randbytes(CONTENT_64K << 16)
    with tempfile.TemporaryDirectory(prefix="aw-judge-") as text:
        folder = Path(text)
        kernel = folder / "kernel"
        lines, drives = [], []
        ours_make(folder, lines, drives)
        lent = live_make(folder, lines, drives)
        theirs_make(folder, lines, drives)
        judge.run("dpkg-deb", "-x", options.kernel_package, kernel)
        well = boot(folder, kernel, lines, drives, content)
        if well and options.keep is not None:
            sets_keep(folder, options.keep)
        lines, drives = [], []
        well = well and theirs_check(folder, content)
        well = well and lent_check(lent, content)
        well = well and whole_check(folder, content, lines, drives)
        well = well and boot(folder, kernel, lines, drives, content)
    print("# the judge is content" if well else "# FAILED")
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
