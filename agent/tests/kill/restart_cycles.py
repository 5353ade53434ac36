#!/usr/bin/env python3
"""Eight NBD writers, and an end without warning again and again; nothing acknowledged is lost.

    restart_cycles.py kill  [--cycles 100]    SIGKILL
    restart_cycles.py power [--cycles 20]     SIGKILL and a power cut of all drives
        [--seed N] [--seconds 900] [--ledger FILE] [--lying-drives]

kill: every acknowledged write is there afterwards. power: the drives are those that forget
unflushed writes (tests/tools/lossydrive.c); what was acknowledged with FUA or before an
acknowledged flush is there, and any other sector holds the durable write or one since. Writes
under way may be there or not. A sector of which that much is unknown is settled once the
virtual drive is consistent, because until then mirrors may answer with either copy.

--lying-drives turns the flushes of the drives into lies and expects writes to be lost: the
proof that this test can see a loss.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "e2e" / "agent"),
                str(Path(__file__).resolve().parents[2] / "tools")]
import ledgers  # noqa: E402
import nbd  # noqa: E402
from harness import EID, Agent, wait_for  # noqa: E402
from lossy_drives import LossyDrives  # noqa: E402
from sector_ledger import SECTOR, Ledger, PowerLedger, WrongBytes  # noqa: E402

LONGEST = 128 * 1024 // SECTOR
PATIENCE_S = 90
DRIVE_MIB = 72  # 8 MiB of each are for virtual drives
LAYOUT = {"one": ("raid1", 2), "five": ("raid5", 3), "six": ("raid6", 4), "ten": ("raid10", 4)}
WRITERS_PER_DRIVE = 2
SETTLE_EVERY = 4  # restarts, in kill mode


def tree(what):
    done = subprocess.run(["git", "rev-parse", "--short=12", what], capture_output=True, text=True,
                          cwd=Path(__file__).parent, check=False)
    return done.stdout.strip() or "unknown"


class Writer:
    """One NBD connection and its part of one virtual drive."""

    def __init__(self, test, name, number, first, count):
        self.test = test
        self.vd = name
        make = PowerLedger if test.power else Ledger
        self.ledger = make(list(LAYOUT).index(name) * WRITERS_PER_DRIVE + number + 1, first, count)
        self.random = random.Random(test.random.random())
        self.operations = 0
        self.acknowledged = 0

    def connect(self):
        self.handle = self.test.agent.nbd_open(self.vd)

    def pick(self):
        count = self.random.randint(1, 1 << self.random.randrange(9))
        count = min(count, LONGEST, len(self.ledger.versions))
        sector = self.ledger.first + self.random.randrange(len(self.ledger.versions) - count + 1)
        return sector, count

    def write(self, sector, count):
        ledger = self.ledger
        version = ledger.next_version
        ledger.next_version += 1
        durable = self.random.random() < 0.05
        try:
            self.handle.pwrite(ledger.make(sector, count, version), sector * SECTOR,
                               nbd.CMD_FLAG_FUA if durable else 0)
        except nbd.Error:
            ledger.unknown(sector, count, version)
            raise
        if durable and self.test.power:
            ledger.written_durably(sector, count, version)
        else:
            ledger.written(sector, count, version)
        self.acknowledged += 1

    def flush(self):
        self.handle.flush()
        if self.test.power:
            self.ledger.flushed()

    def read(self, sector, count):
        return bytes(self.handle.pread(count * SECTOR, sector * SECTOR))

    def step(self):
        sector, count = self.pick()
        dice = self.random.random()
        if not self.ledger.is_settled(sector, count):
            return
        if dice < 0.75:
            self.write(sector, count)
        elif dice < 0.77:
            self.flush()
        else:
            self.ledger.check(sector, self.read(sector, count), self.vd)
        self.operations += 1

    def work(self):
        """Until the agent dies; any other error is the agent's fault."""
        try:
            while not self.test.failures:
                self.step()
        except nbd.Error as error:
            if not self.test.killed:
                self.test.failures.append(f"{self.vd}: {error}, although the agent runs")
        except BaseException as error:  # whatever it is, the test must fail
            self.test.failures.append(f"{self.vd}: {type(error).__name__}: {error}")

    def verify(self):
        ledger = self.ledger
        for at in range(0, len(ledger.versions), 2048):
            count = min(2048, len(ledger.versions) - at)
            sector = ledger.first + at
            data = self.read(sector, count)
            if ledger.is_settled(sector, count):
                ledger.check(sector, data, f"{self.vd} (verify)")
                continue
            for i in range(count):
                if sector + i not in ledger.unsettled:
                    ledger.check(sector + i, data[i * SECTOR:(i + 1) * SECTOR],
                                 f"{self.vd} (verify)")


class Test:
    def __init__(self, options):
        self.options = options
        self.power = options.mode == "power"
        self.random = random.Random(options.seed)
        slots = sum(count for _, count in LAYOUT.values())
        if self.power:
            self.drives = LossyDrives(slots, DRIVE_MIB)
            self.agent = Agent(slots=slots, drives=self.drives.configured(EID))
        else:
            self.agent = Agent(slots=slots, drive_mib=DRIVE_MIB)
        self.writers = []
        self.failures = []
        self.killed = False
        self.cycles = 0
        self.verified_sectors = 0
        self.longest_start_s = 0.0

    def create(self):
        first = 0
        for name, (level, count) in LAYOUT.items():
            self.agent.create(level, range(first, first + count), name=name,
                              strip_bytes=self.random.choice([8192, 16384, 65536]))
            first += count
        for rate in ("rebuildrate", "bgirate"):
            self.agent.ctl("/c0", "set", f"{rate}=100")
        view = self.agent.view()
        for name in LAYOUT:
            part = view.vd(name)["size_bytes"] // SECTOR // WRITERS_PER_DRIVE
            for number in range(WRITERS_PER_DRIVE):
                self.writers.append(Writer(self, name, number, number * part, part))

    def prepare(self):
        """Every part is written once, so that each sector has a content of its own."""
        for writer in self.writers:
            writer.connect()
            ledger = writer.ledger
            for at in range(0, len(ledger.versions), LONGEST):
                writer.write(ledger.first + at, min(LONGEST, len(ledger.versions) - at))
            writer.flush()
        self.until_consistent()

    def until_consistent(self):
        with self.agent.control() as control:
            wait_for("consistency", lambda: all(
                vd["state"] == "optimal" and vd["consistent"]
                for vd in control.view().all("virtual_drive").values()), PATIENCE_S)

    def restart(self):
        started = time.monotonic()
        self.agent.start()
        with self.agent.control() as control:
            wait_for("all exports to be back", lambda: len(
                [vd for vd in control.view().all("virtual_drive").values()
                 if vd["exports"]]) == len(LAYOUT), PATIENCE_S)
        self.longest_start_s = max(self.longest_start_s, time.monotonic() - started)
        for writer in self.writers:
            writer.connect()

    def settle(self):
        self.until_consistent()
        for writer in self.writers:
            writer.ledger.settle(writer.read, writer.vd)
            writer.verify()
            self.verified_sectors += len(writer.ledger.versions)

    def cycle(self):
        goal = sum(w.operations for w in self.writers) + self.random.randint(50, 1000)
        threads = [threading.Thread(target=writer.work, daemon=True) for writer in self.writers]
        self.killed = False
        for thread in threads:
            thread.start()
        wait_for("work", lambda: self.failures or
                 sum(w.operations for w in self.writers) >= goal, PATIENCE_S)
        self.killed = True
        self.agent.kill()
        for thread in threads:
            thread.join(PATIENCE_S)
            if thread.is_alive():
                raise AssertionError("a writer hangs although the agent is dead")
        if self.power:
            self.drives.command("cut", "any", self.random.randrange(1 << 32))
            for writer in self.writers:
                writer.ledger.power_was_cut()
        self.restart()
        self.cycles += 1
        if self.power or self.cycles % SETTLE_EVERY == 0 or self.cycles == self.options.cycles:
            self.settle()

    def run(self):
        started = time.monotonic()
        try:
            self.agent.start()
            self.create()
            self.prepare()
            if self.options.lying_drives:
                self.drives.command("flush", "*", "lie")
            while self.cycles < self.options.cycles and not self.failures:
                if time.monotonic() - started > self.options.seconds:
                    raise AssertionError(f"only {self.cycles} cycles in {self.options.seconds} s")
                self.cycle()
        except (AssertionError, nbd.Error, OSError, EOFError) as error:
            self.failures.append(f"{type(error).__name__}: {error}")
        self.seconds = time.monotonic() - started

    def report(self):
        record = {
            "commit": tree("HEAD"),
            "engine": tree("HEAD:agent/src"),  # outlives a rebase
            "kind": f"{self.options.mode}_cycles",
            "seed": self.options.seed,
            "cycles": self.cycles,
            "acknowledged_writes": sum(w.acknowledged for w in self.writers),
            "verified_sectors": self.verified_sectors,
            "failures": len(self.failures),
            **({"first_failure": self.failures[0]} if self.failures else {}),
            "longest_start_s": round(self.longest_start_s, 2),
            "seconds": round(self.seconds),
        }
        if self.power:
            status = self.drives.status()
            record["writes_forgotten"] = status["lost"]
            record["writes_torn"] = status["torn"]
        print(f"# {json.dumps(record)}")
        for failure in self.failures:
            print(f"# FAILED {failure}")
        return record

    def close(self):
        self.agent.stop()
        if self.power:
            self.drives.close()
        shutil.rmtree(self.agent.directory, ignore_errors=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=("kill", "power"))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("AW_SEED", "0"), 0)
                        or random.SystemRandom().randrange(1, 1 << 32))
    parser.add_argument("--cycles", type=int)
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("--ledger", type=Path, help="a file to which a line of JSON is added")
    parser.add_argument("--lying-drives", action="store_true")
    options = parser.parse_args()
    if options.cycles is None:
        options.cycles = 20 if options.mode == "power" else 100
    return options


def main():
    options = parse()
    print(f"# AW_SEED={options.seed}", flush=True)
    test = Test(options)
    test.run()
    record = test.report()
    if options.ledger is not None:
        ledgers.append(options.ledger, record)
    if options.lying_drives:
        seen = any(WrongBytes.__name__ in failure for failure in test.failures)
        print(f"# the loss was {'seen, as it must be' if seen else 'NOT SEEN'}")
        code = 0 if seen else 1
    else:
        code = 1 if test.failures else 0
    if code == 0:
        test.close()
    else:
        print(f"# seed {options.seed}; everything is kept in {test.agent.directory}")
        if test.agent.process is not None:
            test.agent.kill()
    sys.stdout.flush()
    os._exit(code)  # threads that hang must not keep a failed test alive


if __name__ == "__main__":
    main()
