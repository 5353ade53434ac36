"""A stock kernel with a real udevd and stock mdadm looks at members of ours: with what the agent
installs in an initramfs (its udev rule and mdadm's AUTO -ddf, each of them alone too) nobody
assembles, scans or writes to them, and every byte stays; without, udev assembles them, which shows
that the test can fail, and that handing over to mdadm is a matter of taking both files away.
ARRAYD and ARRAYCTL name the programs under test.
"""

import hashlib
import shutil
import tempfile
from pathlib import Path

import bench
import ddf_judge
import machine
from harness import Agent

HERE = Path(__file__).resolve().parent
DIST = HERE.parents[1] / "dist"
SETS = [("mirror", "raid1", 2), ("parity", "raid5", 3)]
PROGRAMS = {"mdadm": "/sbin/mdadm", "mdmon": "/sbin/mdmon", "udevadm": "/usr/bin/udevadm",
            "systemd-udevd": "/usr/lib/systemd/systemd-udevd"}
HANDS_OFF = ["rule and mdadm.conf", "the rule alone", "mdadm.conf alone"]
STORY = "udev keeps its hands off"


def head_make():
    """A partition table, whose partition is an LVM physical volume: what a virtual drive may well
    begin with, and so a member of a mirror."""
    head = bytearray(1 << 20) + bytearray(1 << 20)
    head[446 + 4] = 0x8E
    head[446 + 8:446 + 12] = (2048).to_bytes(4, "little")
    head[446 + 12:446 + 16] = (8192).to_bytes(4, "little")
    head[510:512] = b"\x55\xaa"
    label = bytearray(512)
    label[0:8] = b"LABELONE"
    label[8:16] = (1).to_bytes(8, "little")
    label[20:24] = (32).to_bytes(4, "little")
    label[24:32] = b"LVM2 001"
    label[32:64] = b"0123456789abcdefghijklmnopqrstuv"
    label[16:20] = lvm_crc(label[20:]).to_bytes(4, "little")
    head[(1 << 20) + 512:(1 << 20) + 1024] = label
    return bytes(head)


def lvm_crc(data):
    crc = 0xF597A6CF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xEDB88320 if crc & 1 else 0)
    return crc


def set_make(place, level, members):
    """Size and digest of what is on it."""
    agent = Agent(slots=members, drive_mib=ddf_judge.MIB, directory=place)
    agent.start()
    try:
        agent.create(level, range(members))
        with agent.nbd() as data:
            data.pwrite(head_make(), 0)
            data.flush()
        ddf_judge.settled(agent)
        content = ddf_judge.read_all(agent)
    finally:
        agent.stop()
    return len(content), hashlib.sha256(content).hexdigest()


def sums(drives):
    return [hashlib.sha256(path.read_bytes()).hexdigest() for _, path in drives]


def hook_run(root):
    """The agent's own initramfs hook, over its files as they are installed."""
    stage = Path(tempfile.mkdtemp(dir=root.parent))
    rules, conf = stage / "usr/lib/udev/rules.d", stage / "etc/mdadm/mdadm.conf.d"
    for folder in (rules, conf):
        folder.mkdir(parents=True)
    shutil.copy(DIST / "63-arraywright.rules", rules)
    shutil.copy(DIST / "mdadm.conf", conf / "arraywright.conf")
    (stage / "hook-functions").touch()
    text = (DIST / "initramfs-hook").read_text()
    for old, new in (("/usr/share/initramfs-tools/hook-functions", f"{stage}/hook-functions"),
                     ("in /usr/lib/udev/", f"in {stage}/usr/lib/udev/"),
                     ("-e /etc/mdadm/", f"-e {stage}/etc/mdadm/"),
                     ("cp -p /etc/mdadm/", f"cp -p {stage}/etc/mdadm/")):
        assert old in text, old
        text = text.replace(old, new)
    hook = stage / "hook"
    hook.write_text(text)
    machine.run("env", f"DESTDIR={root}", "sh", hook)


def root_make(folder, kernel, lines):
    root = Path(tempfile.mkdtemp(dir=folder)) / "root"
    root.mkdir()
    machine.root_make(root, PROGRAMS, HERE / "udev_init.sh")
    rules = root / "usr/lib/udev/rules.d"
    rules.mkdir(parents=True)
    for rule in sorted(Path("/usr/lib/udev/rules.d").glob("*.rules")):
        if rule.name != "63-arraywright.rules":  # of this machine
            shutil.copy(rule, rules)
    (root / "etc/mdadm").mkdir()
    (root / "etc/mdadm/mdadm.conf").write_text("HOMEHOST <system>\n")
    (root / "etc/group").write_text("".join(
        f"{name}:x:{number}:\n" for number, name in enumerate(
            "root tty dialout kmem input video render sgx audio lp disk cdrom tape kvm".split())))
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n")
    hook_run(root)
    (root / "sets").write_text("\n".join(lines) + "\n")
    kernel.modules_copy(root, bench.MODULES)
    return root


def story(folder, kernel, verdicts):
    lines, drives, digests, out_mib = [], [], {}, 0
    for name, level, members in SETS:
        place = folder / name
        place.mkdir()
        size, digests[name] = set_make(place, level, members)
        lines.append(f"{name} {members} {size} {out_mib}")
        out_mib += -(-size // bench.MIB)
        drives += [(f"{name}-{number}", place / f"d{number}") for number in range(members)]
    out = folder / "out"
    with out.open("wb") as file:
        file.truncate(out_mib * bench.MIB)
    before = sums(drives)
    guest = machine.Guest(kernel, root_make(folder, kernel, lines), [*drives, ("out", out)])
    if guest.until("judge: look at them"):
        same = sums(drives) == before
        guest.answer("looked")
        guest.end()
        verdicts.judge(STORY, "every byte of the members", same, "is as it was", "bytes have changed")
    else:
        verdicts.failed(STORY, "every byte of the members", "the guest did not come to it", guest)
    verdicts.of_guest(STORY, guest, HANDS_OFF)
    copied = out.read_bytes()
    for line in lines:
        name, _, size, at = line.split()
        if name not in guest.passed:
            verdicts.of_guest(STORY, guest, [name])
            continue
        found = copied[int(at) * bench.MIB:int(at) * bench.MIB + int(size)]
        verdicts.judge(STORY, name, hashlib.sha256(found).hexdigest() == digests[name],
                       f"{guest.passed[name]}; contents are ours", "contents differ", guest)
