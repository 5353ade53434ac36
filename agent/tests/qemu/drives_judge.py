"""Drives as servers have them: SCSI with 512-byte and 4 KiB blocks, NVMe, virtio, each with its serial
number, found by scanning, used, pulled and plugged again while data are written, replaced by a blank
one in the same slot, with sectors that cannot be read. ARRAYD, ARRAYCTL and ARRAYWRIGHT_ATTACH name
the programs under test.
"""

import json
import os
import re
import socket
import time
from pathlib import Path

import bench
import machine

HERE = Path(__file__).resolve().parent
MODULES = ["virtio_pci", "virtio_scsi", "virtio_blk", "sd_mod", "nvme", "nbd"]
STORY = "drives as servers have them"
DRIVE_MIB = 128
PATIENCE_S = int(os.environ.get("AW_PATIENCE_S", "900"))  # for what hangs, not for a slow machine
BAD_SECTOR = 60_000  # of 512 bytes: within the data of a member
CASES = ["found by scanning", "arrays of them", "the cable of a member is loose for a moment",
         "a member is pulled while it is written to",
         "a blank drive in its slot", "an NVMe drive is pulled and comes back",
         "a virtio drive is pulled and comes back", "a sector that cannot be read",
         "left to the host as JBOD", "a bay without a LED says so", "erased",
         "every byte is there"]


class Machine:
    """The drives of the guest, and what is plugged and pulled: QEMU's monitor in JSON."""

    def __init__(self, folder):
        self.folder = folder
        self.path = folder / "qmp"
        self._monitor = None

    def file(self, name):
        path = self.folder / name
        with path.open("wb") as file:
            file.truncate(DRIVE_MIB * bench.MIB)
        return path

    def node(self, name, bad_sector=None):
        """A block node over a new file; one of its sectors may fail every read."""
        plain = {"driver": "file", "filename": str(self.file(name)), "cache": {"no-flush": True}}
        if bad_sector is not None:
            plain = {"driver": "blkdebug", "image": plain, "inject-error": [
                {"event": "read_aio", "iotype": "read", "errno": 5, "sector": bad_sector,
                 "once": False}]}
        return {"driver": "raw", "node-name": name, "file": plain}

    @staticmethod
    def scsi(name, target, block=512):
        return {"driver": "scsi-hd", "id": f"dev-{name}", "drive": name, "bus": "bus.0",
                "channel": 0, "scsi-id": target, "lun": 0, "serial": f"SER-{name}",
                "wwn": 0x5000C500A0000000 + target, "rotation_rate": 7200,
                "logical_block_size": block, "physical_block_size": 4096}

    @staticmethod
    def nvme(name):
        return {"driver": "nvme", "id": f"dev-{name}", "drive": name, "serial": f"SER-{name}"}

    @staticmethod
    def virtio(name):
        return {"driver": "virtio-blk-pci", "id": f"dev-{name}", "drive": name,
                "serial": f"SER-{name}"}

    def arguments(self, drives):
        yield from ("-device", "virtio-scsi-pci,id=bus",
                    "-qmp", f"unix:{self.path},server=on,wait=off")
        for node, device in drives:
            yield from ("-blockdev", json.dumps(node), "-device", json.dumps(device))

    def ask(self, command, **arguments):
        if self._monitor is None:
            self._monitor = socket.socket(socket.AF_UNIX)
            self._monitor.connect(str(self.path))
            self._lines = self._monitor.makefile("r")
            self._lines.readline()
            self.ask("qmp_capabilities")
        request = {"execute": command, "arguments": arguments}
        self._monitor.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = json.loads(self._lines.readline())
            if "error" in answer:
                raise AssertionError(f"{command}: {answer['error']}")
            if "return" in answer:
                return answer["return"]

    def pull(self, name):
        self.ask("device_del", id=f"dev-{name}")

    def plug(self, node, device):
        if node is not None:
            self.ask("blockdev-add", **node)
        self.ask("device_add", **device)


class Host:
    """A shell in the guest."""

    def __init__(self, guest):
        self.guest = guest

    def sh(self, line):
        """Status and what it has printed."""
        print(f"# ask {line}", flush=True)
        self.guest.answer(line)
        out = []
        for said in self.guest.reading():
            if found := re.fullmatch(r"judge: done (\d+)", said):
                return int(found[1]), out
            if said.startswith(machine.ANSWER):
                out.append(said.removeprefix(machine.ANSWER))
        raise AssertionError(f"the guest ended at: {line}")

    def must(self, line):
        status, out = self.sh(line)
        if status != 0:
            raise AssertionError(f"{line}: {status}: {' | '.join(out[-8:])}")
        return out

    def ctl(self, words):
        """The response data of a command in JSON."""
        told = json.loads("\n".join(self.must(f"arrayctl {words} J")))
        return told["Controllers"][0].get("Response Data", {})

    def until(self, what, check):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            answer = check()
            if answer:
                return answer
            time.sleep(1)
        for line in ("arrayctl status", "arrayctl /c0 show events | tail -60", "tail -20 /run/arrayd.log"):
            print("\n".join(f"#   {said}" for said in self.sh(line)[1]), flush=True)
        raise AssertionError(f"waited in vain for {what}")

    def drives(self):
        """Of each serial number: its address, its row of the list, its details."""
        found = {}
        data = self.ctl("/c0/sall show all")
        for key, rows in data.items():
            if place := re.fullmatch(r"Drive (/c0/s\d+)", key):
                detail = data[f"Drive {place[1]} - Detailed Information"]
                attributes = detail[f"Drive {place[1]} Device attributes"]
                found[attributes["SN"].strip()] = (place[1], rows[0], attributes)
        return found

    def address(self, name):
        return self.drives()[f"SER-{name}"][0]

    def number(self, name):
        return self.address(name).removeprefix("/c0/s")

    def state(self, name):
        drives = self.drives()
        return drives[f"SER-{name}"][1]["State"] if f"SER-{name}" in drives else None

    def told(self, *objects):
        """Of each finding about one of them the object and the code."""
        return {(row["Object"], row["Code"])
                for row in self.ctl("/c0 show health").get("Health", []) if row["Object"] in objects}

    def vd_state(self, name):
        rows = self.ctl("/c0/vall show")["Virtual Drives"]
        return next(row["State"] for row in rows if row["Name"] == name)


def root_make(root, kernel):
    machine.root_make(
        root, {"arrayd": os.environ["ARRAYD"], "arrayctl": os.environ["ARRAYCTL"],
               "arraywright-attach": os.environ["ARRAYWRIGHT_ATTACH"]}, HERE / "drives_init.sh")
    (root / "etc/group").write_text("root:x:0:\n")
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n")
    (root / "etc/arrayd.conf").write_text(
        'state_dir = "/run/state";\npolicy = "lab";\n'
        'control = { socket = "/run/arraywright/control.sock"; mode = "0666"; };\n'
        'nbd = { unix = "/run/nbd.sock"; };\n')
    kernel.modules_copy(root, MODULES)


def found(host):
    drives = host.until("all drives", lambda: (d := host.drives()) and len(d) == 12 and d)
    for name, block, interface in (("a0", "512B", "VIRTIO"), ("k0", "4 KB", "VIRTIO"),
                                   ("n0", "512B", "NVMe"), ("v0", "512B", "VIRTIO")):
        _, row, attributes = drives[f"SER-{name}"]
        if row["EID:Slt"].strip()[0] != ":" or row["State"] != "UGood":
            return f"{name} is shown as {row}"
        if (row["SeSz"], row["Intf"]) != (block, interface):
            return f"{name} has blocks of {row['SeSz']} and is {row['Intf']}"
        if name == "n0" and attributes["Write Cache"] != "Enabled":  # a volatile one
            return f"the cache of {name} is {attributes['Write Cache']}"
    names = [drives[f"SER-{name}"][2]["WWN"].lower() for name in ("a0", "k1", "v0")]
    right = ["5000c500a0000000", "5000c500a0000009"]
    made = re.fullmatch("3[0-9a-f]{15}", names[2])  # of a virtio drive, which has none
    return None if names[:2] == right and made else f"the WWNs are {names}"


def arrays(host):
    for level, names, name in (("r5", ("a0", "a1", "a2"), "data"), ("r1", ("n0", "n1"), "fast"),
                               ("r1", ("k0", "k1"), "native"), ("r1", ("v2", "v3"), "guest")):
        numbers = ",".join(host.number(each) for each in names)
        host.must(f"arrayctl /c0 add vd {level} drives={numbers} name={name}")
    # Of data alone: the drive with a bad sector is going to be set aside, and would take it first.
    host.must(f"arrayctl {host.address('a3')} add hotsparedrive dgs=0")
    for name in ("data", "fast"):
        host.must(f"attach {name}")
        host.must(f"writer_start {name}; writer_goes_on {name} 3")
    block = host.must("attach native; cat /sys/block/nbd2/queue/logical_block_size")
    host.must("attach guest; writer_start guest; writer_goes_on guest 3")
    return None if block == ["4096"] else f"a virtual drive over 4Kn drives has blocks of {block}"


def loose(host, qemu):
    """Transfers of a SCSI drive fail before the kernel says that it has gone: it is waited for all
    the same, and is back in its own place."""
    host.must("arrayctl /c0 set glitchtime=60")
    qemu.pull("a2")
    host.until("the loss", lambda: host.state("a2") != "Onln")
    host.must("sleep 8; writer_goes_on data 3")  # longer than a spare waits for what failed
    if host.state("a3") not in ("GHS", "DHS"):
        return f"the spare is {host.state('a3')}"
    qemu.plug(None, qemu.scsi("a2", 2))
    host.until("the rebuild in its place",
               lambda: host.vd_state("data") == "Optl" and host.state("a2") == "Onln")
    host.must("arrayctl /c0 set glitchtime=5")
    spare = host.state("a3")
    return None if spare in ("GHS", "DHS") else f"the spare is {spare} after the rebuild"


def pulled(host, qemu):
    """The spare takes its place: what is told then is that none is left, and that a drive is away."""
    address = host.address("a1")
    about = ("/c0/v0", "/c0/d0", address)
    if host.told(*about):
        return f"told before: {host.told(*about)}"
    qemu.pull("a1")
    host.until("the loss", lambda: host.state("a1") != "Onln")
    host.must("writer_goes_on data 3")
    host.until("the rebuild onto the spare",
               lambda: host.vd_state("data") == "Optl" and host.state("a3") == "Onln")
    host.must("writer_goes_on data 3")
    told = host.told(*about)
    wanted = {("/c0/d0", "spares_used_up"), (address, "drive_removed")}
    return None if told == wanted else f"then {told}"


def replaced(host, qemu):
    qemu.ask("blockdev-del", **{"node-name": "a1"})
    qemu.plug(qemu.node("b1"), qemu.scsi("b1", 1))
    host.until("the blank drive", lambda: host.state("b1") == "UGood")
    host.must(f"arrayctl {host.address('b1')} add hotsparedrive dgs=0")
    host.until("the new spare", lambda: host.state("b1") in ("GHS", "DHS"))
    # Nobody knows bays here, so that somebody has to say that the old drive is not to be missed.
    for row in host.ctl("/c0 show health").get("Health", []):
        if row["Code"] == "drive_removed":
            host.must("arrayctl " + re.search('"/c0/s[0-9]+ set missing"', row["Next Step"])[0].strip('"'))
    told = {row["Code"] for row in host.ctl("/c0 show health").get("Health", [])}
    return f"still told: {told}" if told & {"drive_removed", "spares_used_up"} else None


def comes_back(host, qemu, device, name, number):
    """Of a mirror without a spare, under I/O: told while it is away, rebuilt, and no longer told."""
    serial = device["drive"]
    about = (f"/c0/v{number}", f"/c0/d{number}")
    if host.told(*about):
        return f"told before: {host.told(*about)}"
    qemu.pull(serial)
    host.until("the loss", lambda: host.state(serial) != "Onln")
    host.must(f"writer_goes_on {name} 3")
    if host.vd_state(name) != "Dgrd":
        return f"the mirror is {host.vd_state(name)}"
    wanted = {(about[0], "virtual_drive_degraded"), (about[1], "place_empty")}
    host.until("the findings", lambda: host.told(*about) == wanted)
    qemu.plug(None, device)
    host.until("its return", lambda: host.state(serial) in ("Onln", "Rbld", "UGood", "UBad"))
    if host.state(serial) in ("UGood", "UBad"):
        host.must(f"arrayctl {host.address(serial)} start rebuild")
    host.until("the rebuild", lambda: host.vd_state(name) == "Optl")
    host.must(f"writer_goes_on {name} 3")
    host.until("that all is well", lambda: not host.told(*about))
    return None


def unreadable(host):
    """Read through the mirror everything is there; what the drive could not read is counted."""
    host.must("dd if=/dev/urandom of=/run/whole bs=1M count=48; "
              "dd if=/run/whole of=/dev/arraywright/native bs=1M oflag=direct")
    for _ in range(4):  # either copy is read
        host.must("echo 3 >/proc/sys/vm/drop_caches; dd if=/dev/arraywright/native of=/run/again "
                  "bs=1M count=48 iflag=direct; cmp /run/whole /run/again")
    address = host.address("k0")
    detail = host.ctl(f"{address} show all")[f"Drive {address} - Detailed Information"]
    errors = int(detail[f"Drive {address} State"]["Media Error Count"])
    return None if errors > 0 else f"no media error is counted: {detail}"


def jbod(host):
    host.must(f"arrayctl {host.address('v0')} set jbod")
    if host.state("v0") != "JBOD":
        return f"it is {host.state('v0')}"
    host.must("dd if=/dev/urandom of=/dev/vda bs=1M count=1 oflag=direct")
    return None


def located(host):
    address = host.address("a0")
    status, out = host.sh(f"arrayctl {address} start locate")
    said = " ".join(out)
    return None if status != 0 and "no locate LED" in said else f"{status}: {said}"


def erased(host):
    address = host.address("v1")
    host.must(f"arrayctl {address} start erase simple confirm=SER-v1")
    host.until("the erase", lambda: any("Not in progress" in line for line in
                                        host.must(f"arrayctl {address} show erase")))
    return None if host.state("v1") == "UGood" else f"it is {host.state('v1')}"


def every_byte(host):
    for name in ("data", "fast", "guest"):
        host.must(f"writer_end {name}")
    return None


def story(folder, kernel, verdicts):
    root = folder / "root"
    root.mkdir()
    root_make(root, kernel)
    qemu = Machine(folder)
    drives = [(qemu.node(f"a{n}"), qemu.scsi(f"a{n}", n)) for n in range(4)]
    drives += [(qemu.node(f"k{n}", BAD_SECTOR if n == 0 else None),
                qemu.scsi(f"k{n}", 8 + n, 4096)) for n in range(2)]
    drives += [(qemu.node(f"n{n}"), qemu.nvme(f"n{n}")) for n in range(2)]
    drives += [(qemu.node(f"v{n}"), qemu.virtio(f"v{n}")) for n in range(4)]
    guest = machine.Guest(kernel, root, processors=2, more=qemu.arguments(drives))
    if not guest.until("judge: ready"):
        for name in CASES:
            verdicts.failed(STORY, name, "the guest did not come to it", guest)
        return
    host = Host(guest)
    steps = [(found, host), (arrays, host), (loose, host, qemu), (pulled, host, qemu),
             (replaced, host, qemu),
             (comes_back, host, qemu, qemu.nvme("n1"), "fast", 1),
             (comes_back, host, qemu, qemu.virtio("v3"), "guest", 3), (unreadable, host),
             (jbod, host), (located, host), (erased, host), (every_byte, host)]
    for name, (step, *arguments) in zip(CASES, steps, strict=True):
        verdicts.call(STORY, name, "so it is", step, *arguments)
    guest.answer("poweroff -f")
    guest.end()
