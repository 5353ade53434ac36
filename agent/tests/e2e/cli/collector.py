"""Debian's collector for Prometheus, unmodified, against this command line: its samples must
be what the control socket says, and what REST answers."""

import os
import re
import subprocess
from pathlib import Path

from harness import ARRAYCTL, PATIENCE_S

SCRIPT = Path("/usr/share/prometheus-node-exporter-collectors/storcli.py")
SAMPLE = re.compile(r"(megaraid_\w+)\{(.*)\} (\S+)")

DRIVE_STATES = {
    "unconfigured_good": "UGood", "unconfigured_bad": "UBad", "hot_spare": "GHS",
    "dedicated_hot_spare": "DHS", "offline": "Offln", "failed": "Failed", "rebuild": "Rbld",
    "online": "Onln", "missing": "Missing"}
VD_STATES = {"optimal": "Optl", "partially_degraded": "Pdgd", "degraded": "Dgrd",
             "offline": "OfLn"}
WRITE = {"write_through": "WT", "write_back": "WB", "always_write_back": "AWB"}


def samples(scene):
    """{(name, labels): value} of one run, with PATH only and in an empty place."""
    done = subprocess.run(
        ["/usr/bin/python3", str(SCRIPT), "--storcli_path", ARRAYCTL], text=True, timeout=PATIENCE_S,
        capture_output=True, cwd="/", check=False,
        env={"PATH": os.environ["PATH"], "ARRAYWRIGHT_SOCKET": scene.socket})
    assert done.returncode == 0 and not done.stderr, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        if not line.startswith("#"):
            match = SAMPLE.fullmatch(line)
            assert match, line
            key = (match[1].removeprefix("megaraid_"), match[2])
            assert key not in found, f"twice: {line}"
            found[key] = float(match[3])
    return found


def controller_samples(number, view):
    base = f'controller="{number}"'
    [controller] = view.all("controller").values()
    batteries = list(view.all("battery").values())
    yield ("controller_info", f'{base},model="{controller["model"]}",'
           f'serial="{controller["serial"]}",fwversion="{controller["firmware_version"]}"'), 1
    yield ("temperature", base), 0
    yield ("battery_backup_healthy", base), bool(batteries) and batteries[0]["state"] == "optimal"
    for name, status in (("degraded", "degraded"), ("failed", "failed"), ("healthy", "optimal")):
        yield (name, base), controller["status"] == status
    yield ("ports", base), sum(e["slot_count"] for e in view.all("enclosure").values())
    yield ("scheduled_patrol_read", base), (
        controller["patrol_mode"] == "auto" and controller["patrol_delay_hours"] > 0)
    yield ("time_difference", base), 0
    yield ("drive_groups", base), len(view.all("drive_group"))
    yield ("virtual_drives", base), len(view.all("virtual_drive"))
    if batteries and batteries[0]["kind"] == "cachevault":
        yield ("cv_temperature", f'{base},cvidx="0"'), 0  # it has no sensor
    yield ("physical_drives", base), sum(d["present"] for d in view.all("drive").values())


def vd_samples(number, view):
    for vd in view.all("virtual_drive").values():
        group = view.all("drive_group")[vd["drive_group"]]["index"]
        ahead = "NR" if vd["read_policy"]["effective"] == "no_read_ahead" else "R"
        cache = (ahead + WRITE[vd["write_policy"]["effective"]] +
                 ("C" if vd["io_policy"] == "cached" else "D"))
        yield ("vd_info", f'controller="{number}",DG="{group}",VG="{vd["index"]}",'
               f'name="{vd["name"]}",cache="{cache}",type="{vd["level"].upper()}",'
               f'state="{VD_STATES[vd["state"]]}"'), 1


def drive_samples(number, view):
    for drive in view.all("drive").values():
        if not drive["present"]:
            continue
        base = f'controller="{number}",enclosure="{drive["eid"]}",slot="{drive["slot"]}"'
        served = (drive["hot_spare"] or {}).get("drive_groups", [])
        groups = [drive["drive_group"]] if drive["drive_group"] is not None else served
        group = "F" if drive["foreign"] else min(
            (view.all("drive_group")[key]["index"] for key in groups), default="-")
        yield ("pd_shield_counter", base), 0
        yield ("pd_media_errors", base), drive["media_error_count"]
        yield ("pd_other_errors", base), drive["other_error_count"]
        yield ("pd_predictive_errors", base), drive["predictive_failure_count"]
        yield ("pd_smart_alerted", base), drive["predictive_failure_count"] > 0
        yield ("pd_commissioned_spare", base), (
            drive["hot_spare"] is not None and drive["drive_group"] is not None)
        yield ("pd_emergency_spare", base), 0
        yield ("pd_info", f'{base},disk_id="{drive["did"]}",'
               f'interface="{drive["interface"].upper()}",media="{drive["media"].upper()}",'
               f'model="{drive["model"]}",DG="{group}",state="{DRIVE_STATES[drive["state"]]}",'
               f'firmware="{drive["firmware"]}",serial="{drive["serial"]}"'), 1


def expected(controllers):
    """Of the views of a host's controllers, in the order of their numbers."""
    out = {}
    for number, view in enumerate(controllers):
        for source in (controller_samples, vd_samples, drive_samples):
            out.update({key: float(value) for key, value in source(number, view)})
    return out
