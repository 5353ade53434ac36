"""What differs from run to run, replaced by rule, never by hand."""

import difflib
import re

KEYS = {  # the whole value behind these keys
    "Operating system": "<system>", "Host Name": "<host>", "Operating System ": "<kernel>",
    "Serial Number": "<serial>", "SN": "<serial>", "Serial No": "<serial>",
    "Current Controller Date/Time": "<time>", "Current System Date/time": "<time>",
    "System Time": "<time>", "Controller Time": "<time>", "Creation Date": "<date>",
    "Creation Time": "<time>", "SCSI NAA Id": "<naa>", "WWN": "<wwn>", "Estimated Time Left": "<time>",
    "Next Battery Learn": "<time>", "Next Learn": "<time>", "Next Patrol Read launch": "<time>",
    "FW Package Build": "<version>", "FW Version": "<version>", "Driver Version": "<version>",
    "Firmware Package Build": "<version>", "Firmware Version": "<version>",
    "Destage KiB/s": "<speed>", "Used KiB": "<size>", "Read Hit %": "<share>",
}

RULES = [  # of the same width as what they stand for, because tables are padded
    (r"\d{4}/\d\d/\d\d  \d\d:\d\d:\d\d \(\d+ seconds\)", "<time>"),
    (r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d", "<time>"),
    (r"\d\d/\d\d/\d{4}, \d\d:\d\d:\d\d", "<time>"),
    (r"\b0x[0-9a-f]{8}\b", "<seq>"),
    (r"\b0x3[0-9a-f]{15}\b", "<wwn>"),
    (r"\(serial EM[0-9A-F]{12}\)", "(serial)"),
]
ACTIVE = re.compile(r"(Background Initialization|Resynchronization|Rebuild) \(\d+%\)")
DIRECTORY = re.compile(r"/(?:dev/shm|tmp|var/tmp)/aw-[A-Za-z0-9_-]+")
MOVING = re.compile(r"\b\d+ +(In progress|Paused) +.*")


def normalise(text):
    for key, value in KEYS.items():
        text = re.sub(rf'^(\s*"{re.escape(key)}" : )(?:"(?:\\.|[^"\\])*"|[^,\n]*)', rf'\1"{value}"',
                      text, flags=re.M)
        text = re.sub(rf"^({re.escape(key)}\s*(?: =|:)) .*$", rf"\1 {value}", text, flags=re.M)
    for pattern, value in RULES:
        text = re.sub(pattern, lambda match, value=value: value.ljust(len(match[0])), text)
    text = ACTIVE.sub(r"\1 (<percent>)", text)
    text = DIRECTORY.sub("<directory>", text)
    text = re.sub(r'("Progress%" : )\d+', r"\1<percent>", text)
    return table_unpad(text) if MOVING.search(text) else text


def table_unpad(text):
    """A table of progress: how wide it is depends on the time that is left."""
    lines = []
    for line in text.split("\n"):
        line = MOVING.sub(r"<percent> \1 <time>", line)
        if " = " not in line:
            line = "---" if re.fullmatch("-{3,}", line) else re.sub(" +", " ", line)
        lines.append(line)
    return "\n".join(lines)


def difference(healthy, text):
    """What differs, without the places where it does: they move with every new key."""
    lines = difflib.unified_diff(healthy.splitlines(), text.splitlines(), n=0, lineterm="")
    return "\n".join("@@" if line.startswith("@@") else line
                     for line in list(lines)[2:])
