"""Debian's mdadm reads what our writer makes, as files and, where possible, as loop devices: every
field that it prints is compared, for every level it knows and every state of a member.

DDFIMAGE names the program that writes the drives (tests/tools/ddfimage.c).
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

DDFIMAGE = os.environ["DDFIMAGE"]
MDADM = shutil.which("mdadm", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
MIB = 96
USABLE_KIB = (MIB - 64) * 1024
EXTENT_KIB = 8 * 1024
GROUP_GUID = "41525241:59575254:67726F75:702D3031:32333435:36373839"
VD_GUID = "41525241:59575254:76642D30:2D303132:33343536:37383961"

# level, spans, members of a span, data strips of a row, what mdadm calls it
SETS = [
    ("raid0", 1, 1, 1, "RAID0"),
    ("raid0", 1, 4, 4, "RAID0"),
    ("raid1", 1, 2, 1, "RAID1"),
    ("raid1", 1, 3, 1, "RAID1"),
    ("raid5", 1, 3, 2, "RAID5"),
    ("raid5", 1, 5, 4, "RAID5"),
    ("raid6", 1, 4, 2, "RAID6"),
    ("raid6", 1, 7, 5, "RAID6"),
    ("raid1e", 1, 3, 1.5, "RAID1E"),
    ("raid10", 2, 2, 2, "RAID1"),
    ("raid10", 3, 2, 3, "RAID1"),
    ("raid10", 2, 3, 2, "RAID1"),
]


def drives_make(folder, level, spans, members, missing=()):
    subprocess.run([DDFIMAGE, folder, level, str(spans), str(members), str(MIB),
                    *(str(place) for place in missing)], check=True)


def examine(device, *options):
    done = subprocess.run([MDADM, "--examine", *options, str(device)], check=True,
                          capture_output=True, text=True)
    return done.stdout


def fields(text):
    """`Name : value` lines; what has no colon is left out."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s*([A-Za-z][^:]*?)\s*: (.*)$", line)
        if match:
            found[match[1]] = match[2].strip()
    return found


def drive_lines(text):
    """Number, reference, size and state of each physical drive."""
    return [tuple(match) for match in
            re.findall(r"^\s+(\d+)\s+([0-9A-F]{8})\s+(\d+K)\s+(?:/dev/\S+\s+)?(\S*/.*)$", text, re.MULTILINE)]


def expected_drives(count, missing=()):
    return [(str(place), f"{(0x10 + place) * 0x01010101:08X}", f"{USABLE_KIB}K",
             "active/Offline, Failed, Missing" if place in missing else "active/Online")
            for place in range(count)]


@unittest.skipIf(MDADM is None, "mdadm is not installed")
class Examine(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="aw-mdadm-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def check(self, text, spans, members, data, name, span, state="Optimal, Consistent",
              missing=()):
        found = fields(text)
        places = range(span * members, (span + 1) * members)
        record = " ".join(f"{place}@1024K" for place in places)
        wanted = {
            "Magic": "de11de11",
            "Version": "01.02.00",
            "Controller GUID": "41525241:59575254:C0000000:00000000:00000000:00000000",
            "Container GUID": GROUP_GUID,
            "Seq": "00000005",
            "Redundant hdr": "yes",
            "Virtual Disks": "1",
            "VD GUID[0]": VD_GUID,
            "unit[0]": "0",
            "state[0]": state,
            "init state[0]": "Fully Initialised",
            "access[0]": "Read/Write",
            "Name[0]": "judge",
            "Raid Devices[0]": f"{members} ({record})",
            "Chunk Size[0]": "128 sectors",
            "Raid Level[0]": name,
            "Device Size[0]": str(EXTENT_KIB),
            "Array Size[0]": str(int(data * EXTENT_KIB)),
        }
        if spans > 1:
            wanted["Secondary Position[0]"] = f"{span} of {spans}"
            wanted["Secondary Level[0]"] = "Spanned"
        self.assertEqual({key: found.get(key) for key in wanted}, wanted, text)
        self.assertEqual(drive_lines(text), expected_drives(spans * members, missing), text)

    def test_every_level(self):
        for level, spans, members, data, name in SETS:
            with self.subTest(level=level, spans=spans, members=members):
                drives_make(self.folder, level, spans, members)
                for place in range(spans * members):
                    drive = self.folder / f"d{place}"
                    self.check(examine(drive), spans, members, data, name, place // members)
                    export = dict(line.split("=", 1) for line in
                                  examine(drive, "--export").splitlines() if "=" in line)
                    self.assertEqual(export["MD_METADATA"], "ddf")
                    self.assertEqual(export["MD_LEVEL"], "container")
                    self.assertEqual(export["MD_DEVICES"], str(spans * members))

    def test_one_container_one_array(self):
        drives_make(self.folder, "raid6", 1, 4)
        lines = {examine(self.folder / f"d{place}", "--brief") for place in range(4)}
        self.assertEqual(len(lines), 1)
        self.assertEqual(sum(line.startswith("ARRAY") for line in lines.pop().splitlines()), 2)

    def test_missing_members(self):
        for level, spans, members, data, name, missing, state in (
                ("raid1", 1, 2, 1, "RAID1", (1,), "Degraded, Consistent"),
                ("raid1", 1, 3, 1, "RAID1", (0,), "Partially Optimal, Consistent"),
                ("raid5", 1, 4, 3, "RAID5", (2,), "Degraded, Consistent"),
                ("raid6", 1, 5, 3, "RAID6", (1,), "Partially Optimal, Consistent"),
                ("raid6", 1, 5, 3, "RAID6", (1, 4), "Degraded, Consistent"),
                ("raid10", 2, 2, 2, "RAID1", (0, 3), "Degraded, Consistent")):
            with self.subTest(level=level, missing=missing):
                drives_make(self.folder, level, spans, members, missing)
                for place in set(range(spans * members)) - set(missing):
                    self.check(examine(self.folder / f"d{place}"), spans, members, data, name,
                               place // members, state, missing)
                for file in self.folder.iterdir():
                    file.unlink()

    def test_loop_devices(self):
        drives_make(self.folder, "raid5", 1, 3)
        made = subprocess.run(["losetup", "--find", "--show", "--read-only",
                               str(self.folder / "d1")], check=False, capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest(f"no loop devices: {made.stderr.strip()}")
        device = made.stdout.strip()
        self.addCleanup(subprocess.run, ["losetup", "--detach", device], check=True)
        text = examine(device)
        self.check(text, 1, 3, 2, "RAID5", 0)
        self.assertNotIn("not in metadata", text)
        self.assertRegex(text, rf"11111111\s+{USABLE_KIB}K {device}\s+active/Online")

    def test_blkid_knows_it(self):
        drives_make(self.folder, "raid5", 1, 3)
        done = subprocess.run(["blkid", "-p", "-o", "export", str(self.folder / "d0")], check=True,
                              capture_output=True, text=True)
        self.assertIn("TYPE=ddf_raid_member", done.stdout)
        self.assertIn("VERSION=01.02.00", done.stdout)


if __name__ == "__main__":
    unittest.main()
