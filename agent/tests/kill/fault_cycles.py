#!/usr/bin/env python3
"""Randomized data test: writers with a ledger while drives are pulled, replaced and rebuilt.

    fault_cycles.py [--seed N] [--cycles 200] [--seconds 600] [--drive-mib 96]

One arrayd serves virtual drives of RAID 0, 1, 5, 6 and 10 over emulated drives. Two writers
per virtual drive, each with its own NBD connection and half of the space, write, trim, zero,
flush, read and compare all the time. The ledger knows of every sector of 512 bytes which write
it holds last; a sector that reads as anything else is a wrong byte. Meanwhile, per redundant
virtual drive, drives are pulled, returned, replaced by blank ones, rebuilt onto spares and copied
back, fail to write, or lose sectors; and the whole agent is stopped and killed, also while a
member is being copied.

What a kill may do. Acknowledged writes stay. A write under way may be there or not, sector by
sector, and on mirrors it may flicker until the resynchronization is through; so those sectors
are settled once the virtual drive is consistent. All others stay as they are, also if the agent is
killed while drives are being rebuilt and the writers write.
"""

import argparse
import os
import random
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e" / "agent"))
import nbd  # noqa: E402
import seeds  # noqa: E402
from harness import MIB, Agent, Refused, wait_for  # noqa: E402
from sector_ledger import SECTOR, Ledger  # noqa: E402

LONGEST = 128 * 1024
PATIENCE_S = 90
LAYOUT = {  # name: level, slots, how many drives may be away at once
    "zero": ("raid0", [0, 1], 0),
    "one": ("raid1", [2, 3], 1),
    "five": ("raid5", [4, 5, 6], 1),
    "six": ("raid6", [7, 8, 9, 10], 2),
    "ten": ("raid10", [11, 12, 13, 14], 2),
}
SPARE_SLOT = 15


class Gate:
    """Lets writers through, or holds them still at a point where nothing is under way."""

    def __init__(self):
        self._changed = threading.Condition()
        self._closed = 0
        self._inside = 0

    def __enter__(self):
        with self._changed:
            while self._closed:
                self._changed.wait()
            self._inside += 1

    def __exit__(self, *_):
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    def close(self):
        with self._changed:
            self._closed += 1
            while self._inside:
                self._changed.wait()

    def open(self):
        with self._changed:
            self._closed -= 1
            self._changed.notify_all()


class Writer(threading.Thread):
    """Writes and compares one half of one virtual drive for as long as the test runs."""

    def __init__(self, test, name, number, first, count, seed):
        super().__init__(name=f"{name}/{number}", daemon=True)
        self.test = test
        self.vd = name
        self.ledger = Ledger(list(LAYOUT).index(name) * 2 + number + 1, first, count)
        self.random = random.Random(seed)
        self.lock = threading.Lock()  # the connection and the ledger
        self.handle = None
        self.epoch = None  # the agent's life that the handle belongs to
        self.operations = 0

    def connect(self):
        """A new connection to the agent that runs now."""
        with self.lock:
            self.epoch = self.test.epoch
            self.handle = self.test.agent.nbd_open(self.vd)

    def read(self, sector, count):
        return bytes(self.handle.pread(count * SECTOR, sector * SECTOR))

    def pick(self):
        count = min(1 << self.random.randrange(9), LONGEST // SECTOR, len(self.ledger.versions))
        count = self.random.randint(max(1, count // 2), count)
        sector = self.ledger.first + self.random.randrange(len(self.ledger.versions) - count + 1)
        return sector, count

    def change(self, sector, count, kind):
        """A write, write-zeroes or trim; if it fails nobody knows whether it happened."""
        ledger = self.ledger
        version = 0
        if kind == "write":
            version = ledger.next_version
            ledger.next_version += 1
        try:
            if kind == "write":
                flags = nbd.CMD_FLAG_FUA if self.random.random() < 0.1 else 0
                self.handle.pwrite(ledger.make(sector, count, version), sector * SECTOR, flags)
            elif kind == "zero":
                self.handle.zero(count * SECTOR, sector * SECTOR)
            else:
                self.handle.trim(count * SECTOR, sector * SECTOR)
        except nbd.Error:
            ledger.unknown(sector, count, version)
            raise
        ledger.written(sector, count, version)

    def step(self):
        sector, count = self.pick()
        dice = self.random.random()
        if not self.ledger.is_settled(sector, count):
            return
        if dice < 0.55:
            self.change(sector, count, "write")
        elif dice < 0.59:
            self.change(sector, count, "zero")
        elif dice < 0.62:
            self.change(sector, count, "trim")
        elif dice < 0.64:
            self.handle.flush()
        else:
            self.ledger.check(sector, self.read(sector, count), self.name)
        self.operations += 1

    def reconnect(self, error, epoch):
        """Only a restart of the agent excuses an error on a connection of that epoch."""
        with self.test.restarting:
            if self.test.stopping or self.epoch != epoch:
                return  # the end, or somebody has connected us anew already
            if self.test.epoch == epoch:
                raise AssertionError(f"{self.name}: {error} although the agent runs")
            self.connect()

    def run(self):
        epoch = self.epoch
        try:
            while not self.test.stopping:
                try:
                    with self.test.gate, self.lock:
                        epoch = self.epoch
                        self.step()
                except nbd.Error as error:
                    self.reconnect(error, epoch)
        except BaseException as error:  # whatever it is, the test must fail
            self.test.fail(error)

    def settle(self):
        with self.lock:
            self.ledger.settle(self.read, self.name)

    def verify(self, share=1.0):
        """Compares a share of this half, from a random place on."""
        with self.lock:
            ledger = self.ledger
            total = len(ledger.versions)
            left = max(1, int(total * share))
            at = self.random.randrange(total)
            while left > 0:
                count = min(left, 2048, total - at)
                sector = ledger.first + at
                if ledger.is_settled(sector, count):
                    ledger.check(sector, self.read(sector, count), f"{self.name} (verify)")
                left -= count
                at = (at + count) % total


class Faults(threading.Thread):
    """Takes drives of one redundant virtual drive away and gives them back, again and again."""

    def __init__(self, test, name, seed):
        super().__init__(name=f"faults/{name}", daemon=True)
        self.test = test
        self.vd = name
        self.level, self.slots, self.bearable = LAYOUT[name]
        self.random = random.Random(seed)

    def victims(self):
        """Slots that may be away together; of RAID 10 one of each pair."""
        if self.level == "raid10":
            pairs = [self.slots[i:i + 2] for i in range(0, len(self.slots), 2)]
            chosen = [self.random.choice(pair) for pair in pairs]
            return chosen[:self.random.randint(1, len(chosen))]
        return self.random.sample(self.slots, self.random.randint(1, self.bearable))

    def until_healthy(self):
        """All members online and in sync."""
        self.test.until(f"{self.vd} to be repaired", lambda view: self.healthy(view))

    def healthy(self, view):
        vd = view.vd(self.vd)
        members = view.all("drive_group")[vd["drive_group"]]["members"]
        return vd["state"] == "optimal" and all(m["state"] == "online" for m in members)

    def pull_and(self, back):
        slots = self.victims()
        for slot in slots:
            self.test.fault(slot, "pull")
        # Some degraded time, measured in work done rather than in seconds.
        self.test.work(self.vd, self.random.randrange(20))
        for slot in slots:
            self.test.fault(slot, back)
        self.until_healthy()
        return f"{self.level} pull and {back} {len(slots)}"

    def write_error(self):
        slot = self.random.choice(self.slots)
        self.test.fault(slot, "write_error")
        self.test.until(f"slot {slot} to fail",
                        lambda view: view.vd(self.vd)["state"] != "optimal")
        self.test.fault(slot, "replace")
        self.until_healthy()
        return f"{self.level} write error and replace"

    def media_errors(self):
        slot = self.random.choice(self.slots)
        for _ in range(self.random.randint(1, 4)):
            self.test.fault(slot, "media_error", count=self.random.randint(1, 64),
                            lba=self.random.randrange(self.test.usable_bytes // SECTOR - 64))
        for writer in self.test.writers_of(self.vd):
            with self.test.gate:
                writer.verify()
        self.test.fault(slot, "clear")
        return f"{self.level} media errors"

    def spare(self):
        """Rebuild onto the hot spare; then the new drive in the lost one's slot is filled from it
        and takes the place, or is the next spare."""
        if not self.test.spare_lock.acquire(blocking=False):
            return self.pull_and("replace")
        try:
            spare = self.test.spare_slot
            back = self.random.random() < 0.6
            self.test.add_spare(spare, self.vd, back)
            slot = self.random.choice(self.slots)
            self.test.fault(slot, "pull")
            self.test.until(f"the spare to serve {self.vd}", lambda view: self.healthy(view) and
                            view.drive(spare)["state"] == "online")
            self.test.fault(slot, "replace")
            if back:
                self.test.until(f"slot {slot} of {self.vd} to be filled from the spare",
                                lambda view: view.drive(slot)["state"] == "online" and
                                view.drive(spare)["state"] == "dedicated_hot_spare")
                self.test.remove_spare(spare)
                return f"{self.level} hot spare and copyback"
            self.test.until("the blank drive to arrive",
                            lambda view: view.drive_state(slot) == "unconfigured_good")
            self.slots[self.slots.index(slot)] = spare
            self.test.spare_slot = slot
        finally:
            self.test.spare_lock.release()
        return f"{self.level} hot spare"

    def copy_begin(self):
        """Begins to copy a member to the free drive; no other cycle may run."""
        slot = self.random.choice(self.slots)
        self.test.copyback(slot, self.test.spare_slot)
        return slot

    def copy_end(self, slot):
        """The drive is the member then, and the former one is replaced by a blank one."""
        spare = self.test.spare_slot
        self.test.until(f"slot {spare} to take the place of slot {slot} in {self.vd}",
                        lambda view: view.drive(spare)["state"] == "online" and
                        view.drive(slot)["drive_group"] is None)
        self.test.fault(slot, "replace")
        self.test.until("the blank drive to arrive",
                        lambda view: view.drive_state(slot) == "unconfigured_good")
        self.slots[self.slots.index(slot)] = spare
        self.test.spare_slot = slot

    def cycle(self):
        dice = self.random.random()
        if dice < 0.30:
            return self.pull_and("replace")
        if dice < 0.55:
            return self.pull_and("return")
        if dice < 0.75:
            return self.spare()
        if dice < 0.85:
            return self.write_error()
        return self.media_errors()

    def run(self):
        try:
            while not self.test.stopping:
                with self.test.fault_gate:
                    if self.test.stopping:
                        return
                    what = self.cycle()
                    for writer in self.test.writers_of(self.vd):
                        writer.verify(0.1)
                self.test.count(what)
        except BaseException as error:  # whatever it is, the test must fail
            self.test.fail(error)


class Test:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.agent = Agent(slots=16, drive_mib=options.drive_mib)
        self.usable_bytes = (options.drive_mib - 64) * MIB
        self.gate = Gate()        # writers
        self.fault_gate = Gate()  # fault cycles
        self.restarting = threading.Lock()
        self.spare_lock = threading.Lock()
        self.spare_slot = SPARE_SLOT
        self.epoch = 0
        self.stopping = False
        self.failures = []
        self.counts = {}
        self.total = 0
        self.restarts = 0
        self._counted = threading.Condition()
        self.writers = {}
        self.threads = []

    # For the threads

    def fail(self, error):
        with self._counted:
            self.failures.append(f"{threading.current_thread().name}: "
                                 f"{type(error).__name__}: {error}")
            self.stopping = True
            self._counted.notify_all()

    def count(self, what):
        with self._counted:
            self.total += 1
            self.counts[what] = self.counts.get(what, 0) + 1
            self._counted.notify_all()

    def until(self, what, check):
        def looked():
            if self.stopping and self.failures:
                raise AssertionError("given up: another thread has failed")
            return check(control.view())
        with self.agent.control() as control:
            try:
                return wait_for(what, looked, PATIENCE_S)
            except AssertionError as error:
                raise AssertionError(f"{error}\n{self.summary(control.view())}") from None

    @staticmethod
    def summary(view):
        lines = [f"{vd['name']} {vd['level']} {vd['state']} consistent={vd['consistent']}"
                 for vd in view.all("virtual_drive").values()]
        lines += [f"{op['kind']} {op['state']} {op['target']} {op['done_bytes']} of "
                  f"{op['total_bytes']} {op['speed_bytes_per_s']}/s {op['reason']}"
                  for op in view.all("operation").values() if op["ended_at_us"] is None]
        lines += [f"slot {drive['slot']} {drive['state']} present={drive['present']} "
                  f"{drive['drive_group']} {(drive['state_reason'] or {}).get('text')}"
                  for drive in view.all("drive").values()]
        return "\n".join(f"#   {line}" for line in lines)

    def fault(self, slot, fault, **more):
        self.agent.fault(slot, fault, **more)

    def add_spare(self, slot, name, revertible):
        with self.agent.control() as control:
            view = control.view()
            control.command("spare_add", {"drive": view.drive_key(slot),
                                          "drive_groups": [view.vd(name)["drive_group"]],
                                          "non_revertible": not revertible})

    def remove_spare(self, slot):
        with self.agent.control() as control:
            control.command("spare_remove", {"drive": control.view().drive_key(slot)})

    def copyback(self, slot, target):
        with self.agent.control() as control:
            view = control.view()
            control.command("copyback", {"drive": view.drive_key(slot), "action": "start",
                                         "target": view.drive_key(target)})

    def writers_of(self, name):
        return self.writers[name]

    def work(self, name, operations):
        """Waits until the writers of a virtual drive have done that many operations more."""
        goal = sum(w.operations for w in self.writers[name]) + operations
        wait_for(f"work on {name}", lambda: self.stopping or
                 sum(w.operations for w in self.writers[name]) >= goal, PATIENCE_S)

    # The whole

    def create(self):
        for name, (level, slots, _) in LAYOUT.items():
            self.agent.create(level, slots, name=name, strip_bytes=self.random.choice(
                [8192, 16384, 65536]))
        self.agent.ctl("/c0", "set", "rebuildrate=80")
        self.agent.ctl("/c0", "set", "bgirate=80")
        self.agent.ctl("/c0", "set", "glitchtime=0")  # the same drives go again and again

    def start_writers(self):
        view = self.agent.view()
        for name in LAYOUT:
            sectors = view.vd(name)["size_bytes"] // SECTOR
            half = sectors // 2
            self.writers[name] = [
                Writer(self, name, number, number * half, half, self.random.random())
                for number in range(2)]
            for writer in self.writers[name]:
                writer.connect()
                writer.start()
                self.threads.append(writer)

    def all_writers(self):
        return [writer for pair in self.writers.values() for writer in pair]

    def start_faults(self):
        for name, (_, _, bearable) in LAYOUT.items():
            if bearable:
                faults = Faults(self, name, self.random.random())
                faults.start()
                self.threads.append(faults)

    def restart(self, end):
        """Ends the agent while the writers are busy or held still, and starts it again."""
        with self.restarting:
            end()
            self.epoch += 1
            self.agent.start()
            # Whatever the writers held over the end of the old connections.
            self.until("all exports to be back", lambda view: len(
                [vd for vd in view.all("virtual_drive").values() if vd["exports"]]) == len(LAYOUT))
        self.restarts += 1

    def consistent(self):
        self.until("all virtual drives to be consistent", lambda view: all(
            vd["state"] == "optimal" and vd["consistent"] or vd["level"] == "raid0"
            for vd in view.all("virtual_drive").values()))

    def settle_all(self):
        self.consistent()
        self.gate.close()
        try:
            for writer in self.all_writers():
                if writer.epoch != self.epoch:
                    writer.connect()
                writer.settle()
        finally:
            self.gate.open()

    def restart_while_busy(self):
        """All healthy, perhaps a copyback, writers at full speed, SIGKILL or SIGTERM."""
        self.fault_gate.close()
        try:
            self.consistent()
            copying = self.random.choice([thread for thread in self.threads
                                          if isinstance(thread, Faults)])
            slot = copying.copy_begin() if self.random.random() < 0.7 else None
            self.work("five", 30)
            self.restart(self.agent.kill if self.random.random() < 0.7 else self.agent.stop)
            if slot is not None:
                copying.copy_end(slot)
                self.count("restart during a copyback")
            self.settle_all()
        finally:
            self.fault_gate.open()

    def restart_while_degraded(self):
        """Drives away or being rebuilt, writers at full speed, SIGKILL."""
        self.fault_gate.close()
        try:
            self.consistent()
            slots = [thread.random.choice(thread.slots) for thread in self.threads
                     if isinstance(thread, Faults)]
            view = self.agent.view()
            before = {slot: view.drive_key(slot) for slot in slots}
            for slot in slots:
                self.fault(slot, "pull")
            self.work("five", 30)
            for slot in slots:
                self.fault(slot, "replace")
            # The new drives are members, and what is not optimal is being rebuilt.
            self.until("every rebuild to begin", lambda view: all(
                view.drive_key(slot) not in (before[slot], None) and
                view.drive(slot)["drive_group"]
                for slot in slots) and all(
                vd["state"] == "optimal" or vd["drive_group"] in
                [op["drive_group"] for op in view.running("rebuild")]
                for vd in view.all("virtual_drive").values()))
            self.work("five", 10)
            self.restart(self.agent.kill)
            self.gate.close()
            try:
                for writer in self.all_writers():
                    if writer.epoch != self.epoch:
                        writer.connect()
                    writer.verify()
            finally:
                self.gate.open()
            self.settle_all()
        finally:
            self.fault_gate.open()
        self.count("kill while degraded")

    def verify_all(self):
        for writer in self.all_writers():
            writer.verify()

    def drive(self):
        """Lets the cycles run, with a restart every now and then, until there are enough."""
        deadline = time.monotonic() + self.options.seconds
        next_restart = 20
        while not self.stopping and self.total < self.options.cycles:
            if time.monotonic() > deadline:
                raise AssertionError(f"only {self.total} cycles in {self.options.seconds} s")
            with self._counted:
                self._counted.wait(1)
            if self.total >= next_restart and not self.stopping:
                next_restart += 30
                if self.random.random() < 0.5:
                    self.restart_while_busy()
                else:
                    self.restart_while_degraded()

    def finish(self):
        self.fault_gate.close()  # cycles under way end first
        self.consistent()
        self.gate.close()
        self.verify_all()
        self.agent.stop()        # and once more from what a clean stop has left
        self.agent.start()
        for writer in self.all_writers():
            writer.connect()
        self.verify_all()

    def run(self):
        self.agent.start()
        started = time.monotonic()
        try:
            self.create()
            self.start_writers()
            self.start_faults()
            self.drive()
            if not self.failures:
                self.finish()
        except (AssertionError, Refused, nbd.Error, OSError, EOFError) as error:
            self.fail(error)
        self.stopping = True
        self.report(time.monotonic() - started)
        return 1 if self.failures else 0

    def report(self, seconds):
        operations = sum(writer.operations for writer in self.all_writers())
        for what, count in sorted(self.counts.items()):
            print(f"# {count:4} x {what}")
        print(f"# {self.total} fault cycles, {self.restarts} restarts, {operations} operations "
              f"in {seconds:.0f} s")
        for failure in self.failures:
            print(f"# FAILED {failure}")
        if self.failures:
            print(f"# AW_SEED={self.options.seed} repeats it; everything is kept in {self.agent.directory}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=seeds.fresh("fault_cycles"))
    parser.add_argument("--cycles", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--drive-mib", type=int, default=96)
    options = parser.parse_args()
    print(f"# AW_SEED={options.seed}", flush=True)
    test = Test(options)
    code = test.run()
    sys.stdout.flush()
    if code == 0:
        test.agent.close()
    elif test.agent.process is not None:
        test.agent.kill()
    os._exit(code)  # threads that hang must not keep a failed test alive


if __name__ == "__main__":
    main()
