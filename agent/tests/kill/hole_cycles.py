#!/usr/bin/env python3
"""Kills and missing drives, with the settings of a new installation: data at rest stay as they are.

    hole_cycles.py [--cycles 200] [--seed N] [--stripelog auto|on|off] [--ledger FILE]

RAID 5, 6, 50 and 60 on plain files. Every cycle writes to some blocks of every virtual drive over
NBD, ends arrayd with SIGKILL in the middle of it, starts it again and reads everything: blocks that
are never written have what they were filled with, the others what was acknowledged or written since.
Between runs, after an orderly stop, files are taken away, as many as a virtual drive bears, and put
back; they are rebuilt while the cycles go on. A drive is taken away only from a virtual drive whose
rows agree (README.md tells what a loss in between costs).
"""

import argparse
import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "e2e" / "agent"),
                str(Path(__file__).resolve().parents[2] / "tools")]
import nbd  # noqa: E402
import seeds  # noqa: E402
from harness import EID, Agent  # noqa: E402

BLOCK = 4096
DRIVE_MIB = 72
LAYOUT = {"five": ("raid5", 4, 1), "six": ("raid6", 5, 1),
          "fifty": ("raid50", 6, 2), "sixty": ("raid60", 8, 2)}
SIZE = 8 << 20
WRITERS = 2


def content(block, version):
    return (block << 20 | version).to_bytes(8, "little") * (BLOCK // 8)


class Volume:
    """One virtual drive, and what each of its blocks may hold."""

    def __init__(self, name, first):
        self.name = name
        self.level, self.count, self.spans = LAYOUT[name]
        self.slots = list(range(first, first + self.count))
        self.away = set()
        self.blocks = 0
        self.lock = threading.Lock()

    def fill(self, agent):
        with agent.nbd(self.name) as handle:
            self.blocks = handle.get_size() // BLOCK
            for block in range(0, self.blocks, 64):
                end = min(block + 64, self.blocks)
                handle.pwrite(b"".join(content(at, 1) for at in range(block, end)), block * BLOCK)
            handle.flush()
        self.acked = [1] * self.blocks
        self.sent = [1] * self.blocks

    def write(self, agent, rng, stop):
        """Until the connection ends. Every third block is left alone."""
        try:
            handle = agent.nbd_open(self.name)
            while not stop.is_set():
                block = rng.randrange(self.blocks)
                if block % 3 == 0:
                    continue
                with self.lock:
                    self.sent[block] += 1
                    version = self.sent[block]
                handle.pwrite(content(block, version), block * BLOCK)
                with self.lock:
                    self.acked[block] = max(self.acked[block], version)
        except nbd.Error:
            pass

    def verify(self, agent):
        """How many blocks could not be read. What was never written is as it was."""
        told = 0
        with agent.nbd(self.name) as handle:
            for first in range(0, self.blocks, 64):
                told += self._verify_some(handle, first, min(64, self.blocks - first))
        return told

    def _verify_some(self, handle, first, count):
        try:
            data = handle.pread(count * BLOCK, first * BLOCK)
        except nbd.Error:
            if count == 1:
                return 1
            return sum(self._verify_some(handle, first + i, 1) for i in range(count))
        for i in range(count):
            self._verify_block(first + i, bytes(data[i * BLOCK:(i + 1) * BLOCK]))
        return 0

    def _verify_block(self, block, data):
        version = int.from_bytes(data[:8], "little") & 0xfffff
        if data != content(block, version) or not self.acked[block] <= version <= self.sent[block]:
            raise AssertionError(
                f"{self.name}: block {block} ({'at rest' if block % 3 == 0 else 'written'}): version "
                f"{version}, acknowledged {self.acked[block]}, sent {self.sent[block]}, whole: "
                f"{data == content(block, version)}")
        self.acked[block] = version  # what has been read stays
        self.sent[block] = version


class Cycles:
    def __init__(self, arguments):
        self.rng = random.Random(arguments.seed)
        self.mode = arguments.stripelog
        self.volumes = []
        for name in LAYOUT:
            self.volumes.append(Volume(name, sum(v.count for v in self.volumes)))
        slots = sum(v.count for v in self.volumes)
        self.agent = Agent(slots=slots, drives=[])
        listed = ",\n".join(f'{{ path = "{self.path(slot)}"; enclosure = {EID}; slot = {slot}; }}'
                            for slot in range(slots))
        text = self.agent.config_path.read_text()
        self.agent.config_path.write_text(text.replace("drives = (\n  \n);",
                                                       f"drives = (\n{listed}\n);"))
        for slot in range(slots):
            with self.path(slot).open("wb") as file:
                file.truncate(DRIVE_MIB << 20)
        self.kills = self.pulls = self.returns = self.told = self.degraded = 0

    def path(self, slot):
        return self.agent.directory / f"p{slot}"

    def begin(self):
        self.agent.start()
        for volume in self.volumes:
            self.agent.create(volume.level, volume.slots, name=volume.name, size_bytes=SIZE,
                              **({"drives_per_span": volume.count // 2} if volume.spans > 1 else {}))
        for volume in self.volumes:
            if self.mode:
                path = self.agent.view().vd(volume.name)["path"]
                self.agent.ctl(path, "set", f"stripelog={self.mode}")
            volume.fill(self.agent)

    def agrees(self, view, volume):
        return view.vd(volume.name)["consistent"] and not view.running("resync")

    def change_drives(self):
        """A file goes or comes back, if the state allows it; arrayd is stopped meanwhile."""
        view = self.agent.view()
        volume = self.rng.choice(self.volumes)
        left = view.vd(volume.name)["drive_failures_left"]
        take = left > 0 and self.agrees(view, volume) and (not volume.away or self.rng.random() < .3)
        self.agent.stop()
        if take:
            slot = self.rng.choice([s for s in volume.slots if s not in volume.away])
            os.rename(self.path(slot), f"{self.path(slot)}.away")
            volume.away.add(slot)
            self.pulls += 1
        elif volume.away:
            slot = volume.away.pop()
            os.rename(f"{self.path(slot)}.away", self.path(slot))
            self.returns += 1
        self.agent.start()

    def write_and_kill(self):
        stop = threading.Event()
        threads = [threading.Thread(target=volume.write,
                                    args=(self.agent, random.Random(self.rng.random()), stop))
                   for volume in self.volumes for _ in range(WRITERS)]
        for thread in threads:
            thread.start()
        time.sleep(self.rng.uniform(.02, .3))
        self.agent.kill()
        self.kills += 1
        stop.set()
        for thread in threads:
            thread.join()

    def run(self, cycles):
        self.begin()
        for cycle in range(cycles):
            if self.rng.random() < .4:
                self.change_drives()
            self.degraded += sum(self.agent.view().vd(v.name)["state"] != "optimal"
                                 for v in self.volumes)
            self.write_and_kill()
            self.agent.start()
            told = sum(volume.verify(self.agent) for volume in self.volumes)
            self.told += told
            if told and self.mode != "off":
                raise AssertionError(f"cycle {cycle}: {told} blocks could not be read")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cycles", type=int, default=200)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--stripelog", choices=("auto", "on", "off"))
    parser.add_argument("--ledger", type=Path)
    arguments = parser.parse_args()
    arguments.seed = arguments.seed if arguments.seed is not None else seeds.fresh("hole-cycles")
    began = time.time()
    cycles = Cycles(arguments)
    try:
        cycles.run(arguments.cycles)
    except BaseException:
        print(f"seed {arguments.seed}: kills {cycles.kills}", file=sys.stderr)
        print(cycles.agent.log()[-2000:], file=sys.stderr)
        raise
    finally:
        cycles.agent.close()
    entry = {"kind": "hole-cycles", "seed": arguments.seed, "cycles": cycles.kills,
             "volumes": len(LAYOUT), "degraded": cycles.degraded, "pulls": cycles.pulls,
             "returns": cycles.returns, "told": cycles.told, "wrong": 0, "lost": 0,
             "stripelog": arguments.stripelog or "default", "seconds": round(time.time() - began)}
    print(json.dumps(entry))
    if arguments.ledger:
        commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True,
                                text=True, cwd=Path(__file__).parent, check=False).stdout.strip()
        with arguments.ledger.open("a") as file:
            file.write(json.dumps({"commit": commit, **entry}) + "\n")


if __name__ == "__main__":
    main()
