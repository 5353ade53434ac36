"""Stock Linux as the judge of the format on the drives, both ways: mdadm and the kernel's md
assemble sets that our writer made, whole and with drives missing, and the members that a running
arrayd leaves behind, whole, degraded and after one of its rebuilds, read them and write to some,
which a running arrayd takes back; sets that mdadm made, wrote, lost a drive of and rebuilt are read
by our reader, or imported by a running arrayd, written and rebuilt there, and assembled by mdadm
once more.

ARRAYD and ARRAYCTL name the daemon, DDFIMAGE and DDFREAD programs of tests/tools.
"""

import hashlib
import os
import subprocess

import machine
from bench import CONTENT
from cases import write_random
from harness import EID, Agent

MIB = 72
IMAGE_MIB = 80

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
    ("live1rebuilt", "raid1", 2, {}, 0, True),
    ("live5", "raid5", 4, {}, None, False),
    ("live5cut", "raid5", 3, {}, None, False),
    ("live5lost", "raid5", 4, {}, 2, False),
    ("live5rebuilt", "raid5", 4, {}, 1, True),
    ("live6", "raid6", 5, {}, None, False),
    ("live6lost", "raid6", 5, {}, 0, False),
    ("live6rebuilt", "raid6", 5, {}, 4, True),
    ("live1e", "raid1e", 3, {}, None, False),
    ("live10", "raid10", 4, {}, None, False),
    ("live10lost", "raid10", 4, {}, 2, False),
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
EXTENT_64K = 64
# As most people make them, without a size: nothing is left behind the data but the DDF workspace.
WHOLE = [
    ("whole0", 2, 0, "0", None),
    ("whole1", 2, 1, "1", 0),
    ("whole5", 3, 1, "5", 1),
    ("whole6", 4, 1, "6", 2),
    ("whole10", 4, 1, "10", 3),
    ("odd1", 2, 1, "1", 0),
    ("odd5", 3, 1, "5", 1),
]
ODD_SECTORS = {"odd1": 12, "odd5": 7}  # drives that end within a block of 4096 bytes
WHOLE_MIB = 66
WHOLE_64K = 64
END_BYTES = 1 << 20


def ours_make(bench):
    for name, level, spans, members, missing in OURS:
        place = bench.place(name)
        machine.run(os.environ["DDFIMAGE"], place, level, spans, members, IMAGE_MIB, *missing)
        content = (place / "data").read_bytes()
        bench.ours("our writer's", name,
                   [None if number in missing else place / f"d{number}"
                    for number in range(spans * members)],
                   len(content), hashlib.sha256(content).hexdigest())


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


def live_set(bench, name, level, members, more, failing, rebuilt):
    """The agent and what is on its virtual drive, if Linux is to write to it."""
    place = bench.place(name)
    lent = None
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
            digest = write_random(data, size, 2)
        if rebuilt:
            agent.kill()  # the drive comes back with the next start
            agent.start()
            agent.optimal()
        if failing is None or rebuilt:
            settled(agent)
        if name in LENT:
            lent = (agent, bytearray(read_all(agent)))
        if name == CUT:
            digest = cut(*lent)
    finally:
        agent.stop()
    bench.ours("arrayd's", name, [None if number == failing and not rebuilt else place / f"d{number}"
                                  for number in range(members)],
               size, digest, copy_64k=LENT_64K if name in LENT else 0, failing=LENT.get(name))
    return lent


def live_make(bench):
    """What Linux is going to write to, with its content."""
    lent = {}
    for name, *more in LIVE:
        if got := bench.verdicts.attempt("arrayd's", name, live_set, bench, name, *more):
            lent[name] = got
    return lent


def lent_back(name, agent, before):
    """What is wrong. What Linux has written is there, and all else as it was; it has been noticed:
    not of RAID 0, of whose writes md leaves no trace, but which knows nothing that could be out of
    date."""
    now = CONTENT[:LENT_64K << 16] + before[LENT_64K << 16:]
    failed = LENT[name]
    agent.start()
    try:
        noticed = "Another system has written" in agent.ctl("/c0", "show", "events").stdout
        if noticed == (name == "live0"):
            return "noticed that another system wrote" if noticed else "no trace of who wrote"
        if read_all(agent) != now:
            return "contents differ"
        if failed is not None:
            return ("a drive that failed in Linux is online"
                    if agent.view().drive(failed)["state"] == "online" else None)
        if name != "live0":
            agent.optimal()
            settled(agent)
            if read_all(agent) != now:
                return "contents differ after the resynchronization"
    finally:
        agent.stop()
    return None


def lent_check(lent, verdicts):
    for name, got in lent.items():
        verdicts.call("back from Linux", name, "what Linux wrote is there", lent_back, name, *got)


def theirs_make(bench):
    sets = [(*one[:4], one[4] * EXTENT_64K, one[5], EXTENT_64K * 64, MIB) for one in THEIRS]
    sets += [(*one[:4], WHOLE_64K, one[4], "-", WHOLE_MIB) for one in WHOLE]
    for name, members, spares, level, copies, failing, size, mib in sets:
        bench.theirs(name, members + spares, mib,
                     f"theirs {name} {members} {spares} {level} {copies} "
                     f"{'-' if failing is None else failing} {size}",
                     sectors=ODD_SECTORS.get(name, 0))


def imported(agent, level):
    """Imports the only set, checks and changes it; what it holds then, or what is wrong."""
    agent.ctl("/c0/fall", "import")
    found = read_all(agent, "judge")
    start = WHOLE_64K << 16
    if found[:start] != CONTENT[:start] or found[-END_BYTES:] != CONTENT[:END_BYTES]:
        return "contents differ"
    with agent.nbd("judge") as data:
        data.pwrite(CONTENT[-END_BYTES:], 3 << 20)
        data.pwrite(CONTENT[-END_BYTES:], len(found) - END_BYTES)
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
    changed[3 << 20:4 << 20] = CONTENT[-END_BYTES:]
    changed[-END_BYTES:] = CONTENT[-END_BYTES:]
    if read_all(agent, "judge") != changed:
        return "contents differ after a restart"
    settled(agent, "judge")
    return bytes(changed)


def whole_set(bench, name, members, spares, level, failing):
    """What is wrong; it is given back to mdadm if nothing is, together with the drive that failed
    there and was left behind as it was."""
    place = bench.folder / name
    drives = [place / f"d{number}" for number in range(members + spares)]
    paths = [path for number, path in enumerate(drives) if number != failing]
    agent = Agent(slots=len(paths), directory=place, drives=[
        f'{{ path = "{path}"; enclosure = {EID}; slot = {slot}; }}'
        for slot, path in enumerate(paths)])
    agent.start()
    try:
        now = imported(agent, level)
    finally:
        agent.stop()
    if isinstance(now, str):
        return now
    bench.ours("imported, then under mdadm again", name, drives, len(now),
               hashlib.sha256(now).hexdigest())
    return None


def whole_check(bench, made):
    for name, *more in WHOLE:
        if name in made:
            bench.verdicts.call("imported by arrayd", name, "contents are theirs", whole_set, bench,
                                name, *more)


def theirs_read(place, name, data):
    found = subprocess.run([os.environ["DDFREAD"], place / "out", *sorted(place.glob("d*"))],
                           check=False, capture_output=True, text=True)
    told = "; ".join((found.stdout + found.stderr).splitlines())
    output = place / "out.0"
    if found.returncode != 0 or not output.exists():
        return told
    if output.read_bytes() != CONTENT[:data * EXTENT_64K << 16]:
        return f"contents differ: {told}"
    state = "degraded" if name.endswith("lost") else "optimal"
    return None if f" {state} consistent " in found.stdout else told


def theirs_check(bench, made):
    for name, _, _, _, data, _ in THEIRS:
        if name in made:
            bench.verdicts.call("read by our reader", name, "contents are theirs", theirs_read,
                                bench.folder / name, name, data)
