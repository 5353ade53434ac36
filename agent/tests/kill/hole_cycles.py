#!/usr/bin/env python3
"""Ends without warning and missing drives, with the settings of a new installation: nothing that was
acknowledged is lost, and data at rest stay as they are.

    hole_cycles.py pull  [--cycles 40]    SIGKILL, and drives that are pulled and put back under load
    hole_cycles.py kill  [--cycles 40]    SIGKILL, over plain files
    hole_cycles.py power [--cycles 60]    SIGKILL and a power cut of all drives
        [--seed N] [--stripelog auto|on|off] [--seconds 900] [--ledger FILE]

RAID 5, 6, 50 and 60. Every cycle writes to two thirds of the blocks of every virtual drive over NBD,
ends arrayd in the middle of it, starts it again and reads everything. Under this load drives are set
offline and rebuilt; with `kill`, files are taken away and put back between the runs, too. With `pull`,
drives are pulled instead, and put back by hand or by the restart, with automatic rebuild. A drive goes
only from a virtual drive whose rows agree (docs/limits.md tells what a loss in between costs).

power: the drives are those that forget unflushed writes (tests/tools/lossydrive.c). What was
acknowledged before a flush is there, and any other block holds what was durable or written since.

With --stripelog off the same must hold, except that blocks may be unreadable until they are written
again; they are counted.
"""

import argparse
import json
import os
import random
import sys
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "e2e" / "agent"),
                str(Path(__file__).resolve().parents[2] / "tools")]
import ledgers  # noqa: E402
import nbd  # noqa: E402
import seeds  # noqa: E402
from harness import EID, Agent, wait_for  # noqa: E402
from lossy_drives import LossyDrives  # noqa: E402

BLOCK, SECTOR = 4096, 512
READ_BLOCKS = 64
DRIVE_MIB = 72
LAYOUT = {"five": ("raid5", 4, 1), "six": ("raid6", 5, 1),
          "fifty": ("raid50", 6, 2), "sixty": ("raid60", 8, 2)}
SIZE = 8 << 20
WRITERS = 2
PATIENCE_S = 90
LOAD_S = (.02, .3)


def content(block, version):
    return (block << 20 | version).to_bytes(8, "little") * (BLOCK // 8)


class Volume:
    """One virtual drive, and what each of its blocks may hold."""

    def __init__(self, name, first):
        self.name = name
        self.level, self.count, self.spans = LAYOUT[name]
        self.slots = list(range(first, first + self.count))
        self.away = set()  # their files
        self.blocks = 0
        self.lock = threading.Lock()
        self.acknowledged = 0

    def fill(self, agent):
        with agent.nbd(self.name) as handle:
            self.blocks = handle.get_size() // BLOCK
            for block in range(0, self.blocks, READ_BLOCKS):
                end = min(block + READ_BLOCKS, self.blocks)
                handle.pwrite(b"".join(content(at, 1) for at in range(block, end)), block * BLOCK)
            handle.flush()
        self.base = [1] * self.blocks   # what was read last,
        self.dead = [1] * self.blocks   # and how far versions had come by then
        self.floor = [1] * self.blocks  # the oldest that may be there
        self.acked = [1] * self.blocks
        self.sent = [1] * self.blocks

    def write_some(self, handle, number, rng, forgets):
        block = rng.randrange(self.blocks - 2) // 3 * 3 + 1 + number  # of each block one writes
        with self.lock:
            self.sent[block] += 1
            version = self.sent[block]
        handle.pwrite(content(block, version), block * BLOCK)
        with self.lock:
            self.acknowledged += 1
            self.acked[block] = max(self.acked[block], version)
            if not forgets:
                self.floor[block] = max(self.floor[block], version)

    def flush(self, handle):
        with self.lock:
            acked = list(self.acked)
        handle.flush()
        with self.lock:
            self.floor = [max(pair) for pair in zip(self.floor, acked)]

    def write(self, agent, number, rng, stop, forgets):
        """Until the connection ends. Every third block is left alone."""
        try:
            handle = agent.nbd_open(self.name)
            while not stop.is_set():
                if rng.random() < .05:
                    self.flush(handle)
                else:
                    self.write_some(handle, number, rng, forgets)
        except nbd.Error:
            pass

    def verify(self, agent):
        """How many blocks could not be read; they are written again."""
        told = 0
        with agent.nbd(self.name) as handle:
            for first in range(0, self.blocks, READ_BLOCKS):
                count = min(READ_BLOCKS, self.blocks - first)
                try:
                    data = handle.pread(count * BLOCK, first * BLOCK)
                except nbd.Error:
                    told += sum(self._verify_alone(handle, first + i) for i in range(count))
                    continue
                for i in range(count):
                    self._verify_block(handle, first + i, bytes(data[i * BLOCK:(i + 1) * BLOCK]))
        return told

    def _verify_alone(self, handle, block):
        try:
            data = bytes(handle.pread(BLOCK, block * BLOCK))
        except nbd.Error:
            self._write_again(handle, block)
            return 1
        self._verify_block(handle, block, data)
        return 0

    def _known(self, block, version):
        """What has been read stays, and what was sent before does not come back."""
        self.base[block] = self.floor[block] = self.acked[block] = version
        self.dead[block] = self.sent[block] = max(self.sent[block], version)

    def _write_again(self, handle, block):
        version = self.sent[block] + 1
        handle.pwrite(content(block, version), block * BLOCK, nbd.CMD_FLAG_FUA)
        self._known(block, version)

    def _verify_block(self, handle, block, data):
        """A write that no flush has covered may be there in part."""
        versions = set()
        known = self.base[block]
        if known == self.sent[block] and data == content(block, known):
            return  # as most are: nothing was written to it
        for at in range(0, BLOCK, SECTOR):
            version = int.from_bytes(data[at:at + 8], "little") & 0xfffff
            allowed = self.floor[block] <= version <= self.sent[block] and not (
                self.base[block] < version <= self.dead[block])
            if data[at:at + SECTOR] != content(block, version)[:SECTOR] or not allowed:
                raise AssertionError(
                    f"{self.name}: block {block} ({'at rest' if block % 3 == 0 else 'written'}), "
                    f"sector {at // SECTOR}: version {version}, at least {self.floor[block]}, sent "
                    f"{self.sent[block]}, last read {self.base[block]} of {self.dead[block]}")
            versions.add(version)
        if len(versions) == 1:
            self._known(block, versions.pop())
        else:
            self._write_again(handle, block)


class Cycles:
    def __init__(self, options):
        self.options = options
        self.rng = random.Random(options.seed)
        self.forgets = options.mode == "power"
        self.volumes = []
        for name in LAYOUT:
            self.volumes.append(Volume(name, sum(v.count for v in self.volumes)))
        slots = sum(v.count for v in self.volumes)
        self.drives = None
        if self.forgets:
            self.drives = LossyDrives(slots, DRIVE_MIB)
            self.agent = Agent(slots=slots, drives=self.drives.configured(EID))
        elif options.mode == "pull":
            self.agent = Agent(slots=slots, drive_mib=DRIVE_MIB)
        else:
            self.agent = Agent(slots=slots, drives=[])
            self.plain_files(slots)
        self.kills = self.pulls = self.returns = self.offline = self.told = self.degraded = 0

    def plain_files(self, slots):
        listed = ",\n".join(f'{{ path = "{self.path(slot)}"; enclosure = {EID}; slot = {slot}; }}'
                            for slot in range(slots))
        text = self.agent.config_path.read_text()
        self.agent.config_path.write_text(text.replace("drives = (\n  \n);",
                                                       f"drives = (\n{listed}\n);"))
        for slot in range(slots):
            with self.path(slot).open("wb") as file:
                file.truncate(DRIVE_MIB << 20)

    def path(self, slot):
        return self.agent.directory / f"p{slot}"

    def begin(self):
        self.agent.start()
        for volume in self.volumes:
            self.agent.create(volume.level, volume.slots, name=volume.name, size_bytes=SIZE,
                              **({"drives_per_span": volume.count // 2} if volume.spans > 1 else {}))
        for volume in self.volumes:
            if self.options.stripelog:
                path = self.agent.view().vd(volume.name)["path"]
                self.agent.ctl(path, "set", f"stripelog={self.options.stripelog}")
            volume.fill(self.agent)
        self.agent.ctl("/c0", "set", "rebuildrate=100")
        if self.options.mode != "pull":
            self.agent.ctl("/c0", "set", "autorebuild=off")
        self.until_consistent()

    def until_consistent(self):
        """Nothing of a first synchronization is left, whatever is missing."""
        wait_for("consistency", lambda: all(
            self.agrees(self.agent.view(), volume) for volume in self.volumes), PATIENCE_S)

    @staticmethod
    def agrees(view, volume):
        return view.vd(volume.name)["consistent"]

    def may_lose(self, view, volume):
        return view.vd(volume.name)["drive_failures_left"] > 0 and self.agrees(view, volume)

    @staticmethod
    def states(view, volume):
        """Of the drives whose files are there."""
        return {slot: view.drive(slot)["state"] for slot in volume.slots if slot not in volume.away}

    def change_files(self):
        """A file goes or comes back, if the state allows it; arrayd is stopped meanwhile."""
        view = self.agent.view()
        able = [volume for volume in self.volumes if volume.away or self.may_lose(view, volume)]
        if not able:
            return
        volume = self.rng.choice(able)
        take = self.may_lose(view, volume) and (not volume.away or self.rng.random() < .3)
        present = [s for s, state in self.states(view, volume).items() if state == "online"]
        self.agent.stop()
        if take:
            slot = self.rng.choice(present)
            os.rename(self.path(slot), f"{self.path(slot)}.away")
            volume.away.add(slot)
            self.pulls += 1
        elif volume.away:
            slot = volume.away.pop()
            os.rename(f"{self.path(slot)}.away", self.path(slot))
            self.returns += 1
        self.agent.start()

    def change_states(self):
        """Under load a drive is set offline, or one that is gets rebuilt."""
        view = self.agent.view()
        volume = self.rng.choice(self.volumes)
        states = self.states(view, volume)
        offline = [slot for slot, state in states.items()
                   if state in ("offline", "failed", "unconfigured_bad")]  # the last came back
        online = [slot for slot, state in states.items() if state == "online"]
        if offline and self.rng.random() < .5:
            self.agent.ctl(f"/c0/e{EID}/s{self.rng.choice(offline)}", "start", "rebuild")
            self.returns += 1
        elif self.may_lose(view, volume):
            self.agent.ctl(f"/c0/e{EID}/s{self.rng.choice(online)}", "set", "offline", "force",
                           check=False)
            self.offline += 1

    def pull_some(self):
        """Under load: from an array that may lose one, or back. The restart returns the others."""
        returning = set()  # shown as away until nothing of it is on its way
        with self.agent.control() as control:
            for _ in range(self.rng.randint(1, 2 * len(self.volumes))):
                volume = self.rng.choice(self.volumes)
                view = control.view()
                pulled = [slot for slot in volume.slots
                          if not view.drive(slot)["present"] and slot not in returning]
                online = [s for s, state in self.states(view, volume).items() if state == "online"]
                if pulled and self.rng.random() < .5:
                    slot = self.rng.choice(pulled)
                    self.agent.fault(slot, "return")
                    returning.add(slot)
                    self.returns += 1
                elif self.may_lose(view, volume):
                    slot = self.rng.choice(online)
                    self.agent.fault(slot, "pull")
                    returning.discard(slot)
                    self.pulls += 1
                time.sleep(self.rng.uniform(0, LOAD_S[0]))

    def write_and_kill(self):
        stop = threading.Event()
        threads = [threading.Thread(target=volume.write, daemon=True,
                                    args=(self.agent, number, random.Random(self.rng.random()),
                                          stop, self.forgets))
                   for volume in self.volumes for number in range(WRITERS)]
        for thread in threads:
            thread.start()
        time.sleep(self.rng.uniform(*LOAD_S))
        if self.options.mode == "pull":
            self.pull_some()
        elif self.rng.random() < .7:
            self.change_states()
            time.sleep(self.rng.uniform(0, LOAD_S[1]))
        self.agent.kill()
        self.kills += 1
        stop.set()
        for thread in threads:
            thread.join(PATIENCE_S)
            if thread.is_alive():
                raise AssertionError("a writer hangs although arrayd is dead")
        if self.forgets:
            self.drives.command("cut", "any", self.rng.randrange(1 << 32))

    def run(self):
        started = time.monotonic()
        self.begin()
        for cycle in range(self.options.cycles):
            if time.monotonic() - started > self.options.seconds:
                raise AssertionError(f"only {cycle} cycles in {self.options.seconds} s")
            if self.options.mode == "kill" and self.rng.random() < .6:
                self.change_files()
            view = self.agent.view()
            self.degraded += sum(view.vd(v.name)["state"] != "optimal" for v in self.volumes)
            self.write_and_kill()
            self.agent.start()
            told = sum(volume.verify(self.agent) for volume in self.volumes)
            self.told += told
            if told and self.options.stripelog != "off":
                raise AssertionError(f"cycle {cycle}: {told} blocks could not be read")
        gone = {"pull": self.pulls >= self.options.cycles // 2,
                "kill": self.degraded and self.offline and self.pulls,
                "power": self.degraded and self.offline}
        if self.options.cycles >= 20 and not gone[self.options.mode]:
            raise AssertionError("nothing was missing: that proves nothing")

    def close(self):
        self.agent.stop()
        self.agent.close()
        if self.drives is not None:
            self.drives.close()

    def entry(self):
        return {"kind": f"hole_{self.options.mode}", "seed": self.options.seed,
                "cycles": self.kills, "volumes": len(LAYOUT), "degraded": self.degraded,
                "pulls": self.pulls, "offline": self.offline, "returns": self.returns,
                "acknowledged_writes": sum(v.acknowledged for v in self.volumes),
                "told": self.told, "stripelog": self.options.stripelog or "default"}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=("pull", "kill", "power"))
    parser.add_argument("--cycles", type=int, default=40)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--stripelog", choices=("auto", "on", "off"))
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("--ledger", type=Path, help="a file to which a line of JSON is added")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = seeds.fresh(f"hole-{options.mode}")
    return options


def main():
    options = parse()
    began = time.monotonic()
    cycles = Cycles(options)
    failure = None
    try:
        cycles.run()
    except (AssertionError, nbd.Error, OSError, EOFError) as error:
        failure = f"{type(error).__name__}: {error}"
        print(cycles.agent.log()[-2000:], file=sys.stderr)
    finally:
        cycles.close()
    entry = {**cycles.entry(), "failures": int(failure is not None),
             **({"first_failure": failure} if failure else {}),
             "seconds": round(time.monotonic() - began)}
    print(f"# {json.dumps(entry)}")
    if options.ledger:
        ledgers.append(options.ledger, {**ledgers.origin(engine="agent/src"), **entry})
    if failure:
        sys.exit(f"seed {options.seed}: {failure}")


if __name__ == "__main__":
    main()
