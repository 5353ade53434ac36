"""Claims that need no timing: each is tried on a running arrayd, or on the lab's arrays."""

from __future__ import annotations

import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from claims_000_004 import Outcome
from claims_001_002_003 import ssd
from lab import Array, Lab, Load

AGENT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(AGENT / "tests" / "e2e" / "agent"))

MIB = 1 << 20
MEMORY = Path("/dev/shm")


@contextmanager
def arrayd(lab: Lab, profile: str, slots: int, battery: str = "", cache: bool = False,
           speed: int = 1, media: tuple[str, ...] = ()) -> Iterator[object]:
    """A real arrayd with that controller's profile on emulated drives."""
    os.environ |= {"ARRAYD": str(lab.arrayd), "ARRAYCTL": str(lab.arrayctl)}
    from harness import Agent  # looks at the environment once

    config = f'profile = "{profile}"; profiles_dir = "{lab.profiles}";\n'
    if battery:
        config += f'battery = {{ source = "emulated"; profile = "{battery}"; speed = {speed}; }};\n'
    with tempfile.TemporaryDirectory(prefix="aw-claim-",
                                     dir=MEMORY if MEMORY.is_dir() else None) as folder:
        if cache:
            config += (f'cache = {{ medium = "shared-memory"; path = "{folder}/cache"; '
                       'size = "16 MiB"; };\n')
        agent = Agent(slots=slots, config=config, media=media)
        agent.medium = Path(folder) / "cache"
        try:
            yield agent.start()
        finally:
            agent.close()


def refusal(agent: object, level: str, slots: list[int], **more: object) -> str:
    """The code with which it is refused; "" if it is not."""
    from harness import Refused

    try:
        agent.create(level, slots, **more)  # type: ignore[attr-defined]
    except Refused as error:
        return error.code
    return ""


def policy(agent: object, name: str = "data") -> tuple[str, str]:
    doc = agent.view().vd(name)["write_policy"]  # type: ignore[attr-defined]
    return doc["effective"], doc["reason"]["code"]


def policy_until(agent: object, effective: str) -> None:
    agent.until(f"{effective}",  # type: ignore[attr-defined]
                lambda view: view.vd()["write_policy"]["effective"] == effective)


def battery_doc(agent: object) -> dict:
    return agent.view().all("battery")["c0-bbu"]  # type: ignore[attr-defined]


def event_names(agent: object) -> list[str]:
    with agent.control() as control:  # type: ignore[attr-defined]
        return [event["name"] for event in
                control.ask("events.read", {"after_seq": 0, "limit": 256})["events"]]


def retention_hours(lab: Lab, battery: str) -> float:
    with arrayd(lab, "lsi-megaraid-sata-300-8x", 1, battery) as agent:
        agent.until("the battery", lambda view: "c0-bbu" in view.all("battery"))
        return battery_doc(agent)["retention_s"] / 3600


def test_passes(lab: Lab, program: str, name: str) -> bool:
    """One test of a unit test's program, which goes through virtual time."""
    done = subprocess.run([lab.built / "tests" / "unit" / program], capture_output=True, text=True,
                          timeout=300, check=False, env={"CMOCKA_MESSAGE_OUTPUT": "TAP"})
    return re.search(rf"^ok \d+ - {name}$", done.stdout + done.stderr, flags=re.M) is not None


def a50(lab: Lab) -> Outcome:
    smart, plain = (retention_hours(lab, battery) for battery in ("lsi-ibbu01", "lsi-bbu03"))
    in_time = test_passes(lab, "emulate/test_emulated_battery",
                          "without_power_it_keeps_the_cache_as_long_as_it_says")
    with arrayd(lab, "lsi-megaraid-sata-300-8x", 3, "lsi-ibbu01", cache=True) as agent:
        agent.create("raid5", [0, 1, 2], write_policy="write_back")
        policy_until(agent, "write_back")
        with agent.nbd() as handle:
            for block in range(64):
                handle.pwrite(bytes([block + 1]) * 4096, block * 65536)
        agent.kill()
        agent.start()
        with agent.nbd() as handle:
            kept = sum(bytes(handle.pread(4096, block * 65536)) == bytes([block + 1]) * 4096
                       for block in range(64))
            for block in range(64):
                handle.pwrite(bytes([block + 2]) * 4096, block * 65536)
        agent.kill()
        agent.medium.unlink()  # as memory is when its battery is empty
        agent.start()
        lost = agent.view().vd()["lost_writes"]
    return (f"full packs {smart:.0f} h, {'emptied' if in_time else 'not emptied'} in that time, and "
            f"{plain:.0f} h; after a cut {kept} of 64 blocks there; without the memory: "
            f"{lost and lost['code']}",
            smart == 72 and in_time and plain == 32 and kept == 64
            and lost is not None and lost["code"] == "cache_lost_medium")


def spare_refusal(agent: object, slot: int) -> str:
    done = agent.ctl(f"/c0/e252/s{slot}", "add", "hotsparedrive", check=False)  # type: ignore[attr-defined]
    return "" if done.returncode == 0 else done.stdout


def a52(lab: Lab) -> Outcome:
    said = []
    with arrayd(lab, "lsi-megaraid-sata-300-8x", 8) as agent:
        for name, first in (("a", 0), ("b", 2), ("c", 4)):
            said.append(refusal(agent, "raid1", [first, first + 1], name=name))
        said.append(spare_refusal(agent, 6))
    with arrayd(lab, "lsi-megaraid-sata-300-8x", 8) as agent:
        said.append(refusal(agent, "raid10", [0, 1, 2, 3], name="a"))
        said.append(refusal(agent, "raid1", [4, 5], name="b"))
        said.append(spare_refusal(agent, 6))
    with arrayd(lab, "lsi-megaraid-sata-150-6", 8) as agent:
        for name, first in (("a", 0), ("b", 2), ("c", 4)):
            said.append(refusal(agent, "raid1", [first, first + 1], name=name))
        six = spare_refusal(agent, 6)
    return (f"eight ports: {sum(not word for word in said[:7])} of 7 steps taken; six: "
            f"{sum(not word for word in said[7:])} mirrors, spare "
            f"{'refused' if six else 'taken'}", not any(said) and "port" in six)


def c01(lab: Lab) -> Outcome:
    said = {}
    for profile in ("3ware-9690sa-8i", "lsi-megaraid-sas-9260-8i", "native"):
        with arrayd(lab, profile, 4) as agent:
            said[profile] = refusal(agent, "raid6", [0, 1, 2, 3])
    try:
        lab.answer(Array("raid6", 4, profile="3ware-9690sa-8i"), Load(operations=10, warmup=0))
        lab_says = "taken"
    except RuntimeError as error:
        lab_says = "refused" if "at least 5 drives" in str(error) else str(error)
    return (f"9690SA {said['3ware-9690sa-8i']}, in the lab {lab_says}; 9260-8i "
            f"{said['lsi-megaraid-sas-9260-8i'] or 'taken'}, native {said['native'] or 'taken'}",
            said["3ware-9690sa-8i"] == "too_few_drives" and lab_says == "refused"
            and not said["lsi-megaraid-sas-9260-8i"] and not said["native"])


def survived(lab: Lab, level: str) -> int:
    count = 0
    for pair in itertools.combinations(range(4), 2):
        try:
            lab.answer(Array(level, 4).without(*pair), Load(operations=20, warmup=0))
            count += 1
        except RuntimeError as error:
            if not re.search("survive|too many drives have failed", str(error)):
                raise
    return count


def c02(lab: Lab) -> Outcome:
    ten, six = survived(lab, "raid10"), survived(lab, "raid6")
    sizes = [lab.answer(Array(level, 4), Load(operations=20, warmup=0))["size_bytes"]
             for level in ("raid10", "raid6")]
    return (f"R10 {ten} of 6 pairs, R6 {six} of 6; sizes {sizes[0]}, {sizes[1]}",
            ten == 4 and six == 6 and sizes[0] == sizes[1])


def c04(lab: Lab) -> Outcome:
    with arrayd(lab, "promise-supertrak-ex8650", 2, cache=True) as agent:
        refused = [refusal(agent, "raid1", [0, 1], write_policy=word)
                   for word in ("write_back", "always_write_back")]
    with arrayd(lab, "3ware-9690sa-8i", 2, cache=True) as agent:
        forced = refusal(agent, "raid1", [0, 1], write_policy="always_write_back")
        policy_until(agent, "always_write_back")
        before = policy(agent)
        agent.until("the event", lambda _: "write_back_forced" in event_names(agent))
        agent.stop()
        agent.start()
        after = policy(agent)
    return (f"EX8650: {refused[0]}; 9690SA: {before[0]}, {before[1]}; after a restart "
            f"{after[0]}, {after[1]}",
            refused == ["write_policy_refused"] * 2 and not forced and before == after
            == ("always_write_back", "write_policy_forced"))


def c05(lab: Lab) -> Outcome:
    import nbd

    size = 24 * MIB
    data = random.Random(5).randbytes(size)
    states, right = [], 0
    with arrayd(lab, "native", 5) as agent:
        agent.create("raid6", [0, 1, 2, 3, 4])
        agent.until("consistency", lambda view: view.vd()["consistent"])
        with agent.nbd() as handle:
            for at in range(0, size, 4 * MIB):
                handle.pwrite(data[at:at + 4 * MIB], at)
            for failed in range(4):
                if failed > 0:
                    agent.fault(failed - 1, "pull")
                    last = states[-1]
                    agent.until("another state", lambda view, last=last:
                                view.vd()["state"] != last)
                states.append(agent.view().vd()["state"])
                try:
                    right += all(bytes(handle.pread(4 * MIB, at)) == data[at:at + 4 * MIB]
                                 for at in range(0, size, 4 * MIB))
                except nbd.Error:
                    states.append("no data")
    return (f"{', '.join(states)}; data right in {right}", right == 3 and states
            == ["optimal", "partially_degraded", "degraded", "offline", "no data"])


def c56(lab: Lab) -> Outcome:
    """Command line and control socket, as BIOS and manager."""
    with arrayd(lab, "native", 2) as agent:
        agent.create("raid1", [0, 1])
        agent.ctl("/c0/v0", "set", "name=renamed", "rdcache=ra")
        seen = [agent.view().vd("renamed")["read_policy"]["requested"]]
        with agent.control() as control:
            control.command("vd_set", {"virtual_drive": agent.view().vd_key("renamed"),
                                       "read_policy": "no_read_ahead"})
        row = agent.json("/c0/v0", "show")["Response Data"]["Virtual Drives"][0]
        seen += [row["Cache"], row["Name"]]
    return (f"set on one, seen on the other: {seen[0]}; {seen[1]}, {seen[2]}",
            seen[0] == "read_ahead" and seen[1].startswith("NR") and seen[2] == "renamed")


def e13(lab: Lab) -> Outcome:
    size = lab.answer(ssd(), Load(operations=100, warmup=10))["size_bytes"]
    each = 64 * 10**9 // 4096 * 4096
    return f"{size} bytes", 16 * (each - 65 * 2**20) <= size <= 16 * each


def g29(lab: Lab) -> Outcome:
    rows = []
    with arrayd(lab, "3ware-9500s-8", 2, cache=True) as agent:
        agent.create("raid1", [0, 1], read_policy="no_read_ahead")
        for word, effective in (("awb", "always_write_back"), ("wt", "write_through")):
            agent.ctl("/c0/v0", "set", f"wrcache={word}")
            policy_until(agent, effective)
            doc = agent.view().vd()["write_policy"]
            shown = agent.json("/c0/v0", "show")["Response Data"]["Virtual Drives"][0]["Cache"]
            rows.append((doc["requested"], doc["effective"], shown))
    return ("; ".join(" ".join(row) for row in rows),
            rows[0][:2] == ("always_write_back",) * 2 and "AWB" in rows[0][2]
            and rows[1][:2] == ("write_through",) * 2 and "WT" in rows[1][2])


def b38(lab: Lab) -> Outcome:
    """Arrays are made in the modules of the claims, and what names no card is the native one's."""
    card = next((lab.profiles / "controllers").glob("lsi-sas3041e*.json")).stem
    modules = sorted(Path(__file__).parent.glob("claims_*.py"))
    users = [module.name for module in modules if card in module.read_text()]
    with lab.lock:
        used = {array.profile for array, *_ in lab.answers if array.drives == 1}
    return f"used by {len(users)} of {len(modules)} modules", not users and card not in used


def read_bytes(agent: object) -> list[int]:
    view = agent.view()  # type: ignore[attr-defined]
    return [view.drive(slot)["patrol"]["read_bytes"] for slot in range(4)]


def b37(lab: Lab) -> Outcome:
    """Two groups of two kinds, and one group of both."""
    media = ("hdd", "ssd", "ssd", "ssd")
    with arrayd(lab, "native", 4, cache=True, media=media) as agent:
        size = agent.view().drive(0)["size_bytes"]
        with agent.control() as control:
            control.command("controller_set", {"controller": "c0", "mixed_media": True})
        agent.create("raid1", [0, 1], name="mixed", write_policy="always_write_back")
        agent.create("raid1", [2, 3], name="flash", write_policy="always_write_back")
        for name in ("mixed", "flash"):
            agent.until(f"{name} consistent",
                        lambda view, name=name: view.vd(name)["consistent"])
        with agent.control() as control:
            control.command("patrol_read", {"controller": "c0", "action": "start"})
        agent.until("patrol complete", lambda view: view.all("controller")["c0"]["patrol"]["iterations"])
        first = read_bytes(agent)
        skipped = [(agent.view().drive(slot)["patrol"]["skipped"] or {}).get("code")
                   for slot in range(4)]
        waits = [agent.view().vd(name)["cache"]["flush_after_ms"] for name in ("mixed", "flash")]
    return (f"read of the hard disk {first[0]} of {size} bytes, of the SSDs {first[1:]}, as "
            f"{skipped[1]}; a write waits {waits[0]} ms before a disk, {waits[1]} ms before flash",
            first == [size, 0, 0, 0] and skipped == [None, *["patrol_skips_ssd"] * 3]
            and waits[1] > waits[0])


CLAIMS = {
    "A50": a50, "A52": a52, "B37": b37, "B38": b38, "C01": c01, "C02": c02, "C04": c04, "C05": c05,
    "C56": c56, "E13": e13, "G29": g29
}
