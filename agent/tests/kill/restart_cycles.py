#!/usr/bin/env python3
"""Eight NBD writers, and an end without warning again and again; nothing acknowledged is lost.

    restart_cycles.py kill  [--cycles 100]    SIGKILL
    restart_cycles.py power [--cycles 20]     SIGKILL and a power cut of all drives
        [--cache shared-memory|log] [--seed N] [--seconds 900] [--ledger FILE] [--lying-drives]

Without --cache the virtual drives are write-through. With it they are write-back, over shared
memory behind an emulated battery or over a log in a file; with `power` over a log on a drive that
forgets too. That they are write-back is asked before each end, and that the cache had writes the
drives had not is asked after it: most ends must have met some, or nothing was tested.

kill: every acknowledged write is there afterwards. power: the drives are those that forget
unflushed writes (tests/tools/lossydrive.c); what was acknowledged with FUA or before an
acknowledged flush is there, and any other sector holds the durable write or one since. Behind a
cache whose log outlives the power that is not enough: every acknowledged write is there. Writes
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
import tempfile
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
from sector_ledger import SECTOR, Ledger, PowerLedger, WrongBytes  # noqa: E402

LONGEST = 128 * 1024 // SECTOR
PATIENCE_S = 90
DRIVE_MIB = 72  # 8 MiB of each are for virtual drives
LAYOUT = {"one": ("raid1", 2), "five": ("raid5", 3), "six": ("raid6", 4), "ten": ("raid10", 4)}
WRITERS_PER_DRIVE = 2
SETTLE_EVERY = 4  # restarts, in kill mode
PROFILES = Path(__file__).resolve().parents[2] / "profiles"
CACHE_MIB = (8, 16, 32)  # the smaller ones come full, and their logs go round
DIRTY_SHARE = 0.5  # of the ends with a cache, at least, must meet writes that are in it alone


def tree(what):
    done = subprocess.run(["git", "rev-parse", "--short=12", what], capture_output=True, text=True,
                          cwd=Path(__file__).parent, check=False)
    return done.stdout.strip() or "unknown"


class Cache:
    """Where a write-back cache is, and what the agent says of it."""

    def __init__(self, medium, power, size_mib):
        self.medium = medium
        self.drives = LossyDrives(1, size_mib) if power else None  # forgets like all the others
        in_memory = Path("/dev/shm")
        self.directory = Path(tempfile.mkdtemp(
            prefix="aw-cache-", dir=in_memory if medium == "shared-memory" else None))
        self.path = self.drives.paths[0] if power else self.directory / "cache"
        self.size_mib = size_mib
        self.dirty = False  # at the last kill
        self.dirty_cycles = 0  # at whose end there were writes in the cache alone
        self.recovered_cycles = 0
        self.recovered_bytes = 0
        self._seen_seq = 0

    def configuration(self):
        battery = ""
        if self.medium == "shared-memory":  # a log needs none
            battery = (f'profile = "native"; profiles_dir = "{PROFILES}";\n'
                       'battery = { source = "emulated"; profile = "lsi-ibbu01"; speed = 1; };\n')
        return (f'{battery}cache = {{ medium = "{self.medium}"; path = "{self.path}"; '
                f'size = "{self.size_mib} MiB"; }};\n')

    @staticmethod
    def check_shown(agent):
        """What an administrator sees: write-back, as asked for."""
        for name in LAYOUT:
            policy = agent.view().vd(name)["write_policy"]
            shown = agent.json(f"/c0/v{list(LAYOUT).index(name)}", "show")
            columns = [row["Cache"] for row in shown["Response Data"]["Virtual Drives"]]
            if policy["effective"] != "write_back" or not all("WB" in c for c in columns):
                raise AssertionError(f"{name} is not write-back: {policy}, {columns}")

    def before_kill(self, control):
        """It writes back until the end; what the start has found may be known by now."""
        view = control.view()
        for name in LAYOUT:
            policy = view.vd(name)["write_policy"]
            if policy["effective"] != "write_back":
                raise AssertionError(f"{name} does not write back when it is killed: {policy}")
        self.dirty = view.all("controller")["c0"]["cache"]["dirty_bytes"] > 0
        self.dirty_cycles += self.dirty
        self.events_read(control)

    def events_read(self, control):
        """Counts recoveries. Events are readable when they are durable, half a second later; of a
        life that ends before that nothing is heard."""
        while True:
            answer = control.ask("events.read", {"after_seq": self._seen_seq, "limit": 256})
            for event in answer["events"]:
                self._seen_seq = event["seq"]
                if event["name"] == "cache_recovered":
                    self.recovered_cycles += 1
                    self.recovered_bytes += int(event["params"]["bytes"])
            if self._seen_seq >= answer["last_seq"]:
                return

    def recovery_until(self, agent):
        """The start after a kill with dirty blocks has recovered some, and says so."""
        before = self.recovered_cycles
        def heard():
            with agent.control() as control:
                self.events_read(control)
            return self.recovered_cycles > before
        if self.dirty:
            wait_for("the event of the recovery", heard)

    @staticmethod
    def check_nothing_lost(view):
        for name in LAYOUT:
            lost = view.vd(name)["lost_writes"]
            if lost is not None:
                raise AssertionError(f"{name} says that it has lost writes: {lost}")

    def close(self):
        if self.drives is not None:
            self.drives.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class Writer:
    """One NBD connection and its part of one virtual drive."""

    def __init__(self, test, name, number, first, count):
        self.test = test
        self.vd = name
        make = PowerLedger if test.forgets else Ledger
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
        if durable and self.test.forgets:
            ledger.written_durably(sector, count, version)
        else:
            ledger.written(sector, count, version)
        self.acknowledged += 1

    def flush(self):
        self.handle.flush()
        if self.test.forgets:
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
        self.forgets = self.power and not options.cache  # what is acknowledged, until a flush
        slots = sum(count for _, count in LAYOUT.values())
        self.cache = Cache(options.cache, self.power, self.random.choice(CACHE_MIB)) \
            if options.cache else None
        config = self.cache.configuration() if self.cache else ""
        if self.power:
            self.drives = LossyDrives(slots, DRIVE_MIB)
            self.agent = Agent(slots=slots, drives=self.drives.configured(EID), config=config)
        else:
            self.agent = Agent(slots=slots, drive_mib=DRIVE_MIB, config=config)
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
                              strip_bytes=self.random.choice([8192, 16384, 65536]),
                              write_policy="write_back" if self.cache else "write_through")
            first += count
        for rate in ("rebuildrate", "bgirate"):
            self.agent.ctl("/c0", "set", f"{rate}=100")
        view = self.agent.view()
        for name in LAYOUT:
            part = view.vd(name)["size_bytes"] // SECTOR // WRITERS_PER_DRIVE
            for number in range(WRITERS_PER_DRIVE):
                self.writers.append(Writer(self, name, number, number * part, part))
        if self.cache:
            self.agent.until("the battery", lambda view: all(
                view.vd(name)["write_policy"]["effective"] == "write_back" for name in LAYOUT))
            self.cache.check_shown(self.agent)

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
            if self.cache:
                self.cache.check_nothing_lost(control.view())
        self.longest_start_s = max(self.longest_start_s, time.monotonic() - started)
        for writer in self.writers:
            writer.connect()

    def settle(self):
        if self.cache:
            self.cache.recovery_until(self.agent)
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
        if self.cache and not self.failures:
            with self.agent.control() as control:
                self.cache.before_kill(control)
        self.killed = True
        self.agent.kill()
        for thread in threads:
            thread.join(PATIENCE_S)
            if thread.is_alive():
                raise AssertionError("a writer hangs although the agent is dead")
        if self.power:
            self.cut()
        self.restart()
        self.cycles += 1
        if self.power or self.cycles % SETTLE_EVERY == 0 or self.cycles == self.options.cycles:
            self.settle()

    def cut(self):
        for drives in [self.drives, *([self.cache.drives] if self.cache else [])]:
            drives.command("cut", "any", self.random.randrange(1 << 32))
        if self.forgets:
            for writer in self.writers:
                writer.ledger.power_was_cut()

    def flushes_lie(self):
        """Of the members: what is on them is what the log has forgotten. (If its own drive lies, too,
        arrayd mostly finds the log damaged, and does not start.)"""
        self.drives.command("flush", "*", "lie")

    def check_dirty(self):
        """Ends that met an empty cache prove nothing of it."""
        if self.cache and self.cache.dirty_cycles < self.cycles * DIRTY_SHARE:
            raise AssertionError(f"only {self.cache.dirty_cycles} of {self.cycles} ends met writes "
                                 "that were in the cache alone")

    def run(self):
        started = time.monotonic()
        try:
            self.agent.start()
            self.create()
            self.prepare()
            if self.options.lying_drives:
                self.flushes_lie()
            while self.cycles < self.options.cycles and not self.failures:
                if time.monotonic() - started > self.options.seconds:
                    raise AssertionError(f"only {self.cycles} cycles in {self.options.seconds} s")
                self.cycle()
            self.check_dirty()
        except (AssertionError, nbd.Error, OSError, EOFError) as error:
            self.failures.append(f"{type(error).__name__}: {error}")
        self.seconds = time.monotonic() - started

    def report(self):
        record = {
            "commit": tree("HEAD"),
            "engine": tree("HEAD:agent/src"),  # outlives a rebase
            "kind": kind(self.options.mode, self.options.cache),
            "seed": self.options.seed,
            "cycles": self.cycles,
            "acknowledged_writes": sum(w.acknowledged for w in self.writers),
            "verified_sectors": self.verified_sectors,
            "failures": len(self.failures),
            **({"first_failure": self.failures[0]} if self.failures else {}),
            "longest_start_s": round(self.longest_start_s, 2),
            "seconds": round(self.seconds),
        }
        if self.cache:
            record["cache_mib"] = self.cache.size_mib
            record["cycles_dirty"] = self.cache.dirty_cycles
            record["cycles_recovered"] = self.cache.recovered_cycles
            record["recovered_bytes"] = self.cache.recovered_bytes
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
        if self.cache:
            self.cache.close()
        shutil.rmtree(self.agent.directory, ignore_errors=True)


def kind(mode, cache):
    """Of a line of the ledger."""
    return f"{mode}_cycles" + (f"_{cache.replace('-', '_')}" if cache else "")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=("kill", "power"))
    parser.add_argument("--seed", type=int)
    parser.add_argument("--cycles", type=int)
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("--ledger", type=Path, help="a file to which a line of JSON is added")
    parser.add_argument("--cache", choices=("shared-memory", "log"))
    parser.add_argument("--lying-drives", action="store_true")
    options = parser.parse_args()
    if options.mode == "power" and options.cache == "shared-memory":
        parser.error("shared memory does not outlive the power")
    if options.seed is None:
        options.seed = seeds.fresh(kind(options.mode, options.cache))
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
        print(f"# AW_SEED={options.seed} repeats it; everything is kept in {test.agent.directory}")
        if test.agent.process is not None:
            test.agent.kill()
    sys.stdout.flush()
    os._exit(code)  # threads that hang must not keep a failed test alive


if __name__ == "__main__":
    main()
