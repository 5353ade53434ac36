#!/usr/bin/env python3
"""A killed agent's writes in flight never land after its successor's.

    fence.py              the successor waits: its own writes are what is read in the end
    fence.py --canary     the same without the fence (tests/tools/nofence.c is preloaded into
                          arrayd): the old bytes must come back, or this test proves nothing
    --loop-devices        either on block devices over the same drives, whose fence is another one

The drives are slow ones (tests/tools/lossydrive.c): a write under way when its sender is killed
takes effect seconds later, whoever has written the same place meanwhile.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e" / "agent"))
import nbd  # noqa: E402
from harness import EID, MIB, Agent, LoopDevice, loop_devices_work  # noqa: E402
from lossy_drives import LossyDrives  # noqa: E402

SKIPPED = 77  # as meson understands it
OLD, NEW = b"o" * MIB, b"n" * MIB
DELAY_MS = {False: 6500, True: 5000}  # longer than the 5 s after which there is an event


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def write_in_vain(handle):
    with contextlib.suppress(nbd.Error):
        handle.pwrite(OLD, 0)


def lose_race(drives, agent, delay_ms, transfers):
    """Kills the agent with a write under way, and lets its successor write the same place."""
    with agent.nbd() as handle:
        handle.pwrite(OLD, 0)  # the array is marked dirty from here on
        handle.flush()
    drives.command("delay", "*", "write", delay_ms)
    doomed = threading.Thread(target=write_in_vain, args=(agent.nbd_open(),), daemon=True)
    doomed.start()
    drives.until("the write to be under way on both drives",
                 lambda status: status["writing_each"] >= transfers)
    killed_at = time.monotonic()
    agent.kill()
    drives.command("delay", "*", "write", 0)
    agent.start()
    online_s = time.monotonic() - killed_at
    with agent.nbd() as handle:
        handle.pwrite(NEW, 0)
        handle.flush()
    drives.until("the old write to land", lambda status: status["writing"] == 0)
    agent.until("consistency", lambda view: view.vd()["consistent"])
    with agent.nbd() as handle:
        return online_s, bytes(handle.pread(MIB, 0))


def delayed_events(agent):
    with agent.control() as control:
        events = control.ask("events.read", {"after_seq": 0, "limit": 256})["events"]
    return [event for event in events if event["code"] == 60080]


def race(drives, agent, canary, transfers):
    agent.start()
    agent.create("raid1", [0, 1])
    online_s, found = lose_race(drives, agent, DELAY_MS[canary], transfers)
    print(f"# online {online_s:.1f} s after the kill; "
          f"{found.count(b'o')} old bytes, {found.count(b'n')} new ones")
    if canary:
        check(b"o" in found, "nothing came back without the fence: the test sees nothing")
    else:
        check(found == NEW, "bytes of the killed agent landed after its successor's")
        check(online_s >= 5, "the successor did not wait")
        check(delayed_events(agent), "no event about the long wait")
    agent.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--canary", action="store_true")
    parser.add_argument("--loop-devices", action="store_true")
    options = parser.parse_args()
    if options.loop_devices and not loop_devices_work():
        print("# skipped: loop devices cannot be made here")
        sys.exit(SKIPPED)
    if options.canary:
        os.environ["LD_PRELOAD"] = os.environ["NOFENCE"]
    drives = LossyDrives(2, 72)
    loops = [LoopDevice(path) for path in drives.paths] if options.loop_devices else []
    if loops:
        drives.paths = [loop.path for loop in loops]
    agent = Agent(slots=2, drives=drives.configured(EID))
    try:
        # What was asked for at once: all of it, or the file system's share of it.
        race(drives, agent, options.canary, transfers=1 if loops else MIB // (128 * 1024))
    finally:
        if agent.process is not None:
            agent.kill()
        os.environ.pop("LD_PRELOAD", None)
        for loop in loops:
            loop.detach()
        subprocess.run(["fusermount3", "-uz", str(drives.mount)], check=False)
    drives.process.wait(30)


if __name__ == "__main__":
    main()
