"""Predictions for the claims: arrays and loads by short names, each point run once.

The controller is the native one unless a claim names a card. Cards had 128 MiB of cache or more: so
has what is written in streams, for they fill it soon; else there are 16 MiB, so that a few thousand
requests see the steady state. No load is measured before it has written as much as the cache holds,
a stream twice that; one of few writes, before it has sent 8,000 requests. Nor is one of nothing but
writes measured over less. A claim about a card's cache takes the card with its own: Array.fitted;
if it is about how much that gains, the cache is filled whatever that takes: Load.filled. Room comes
a quarter of the cache at a time, with each flush of the drives: what is to be told apart by a few
percent is measured over many of those.
"""

from __future__ import annotations

import copy
import json
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

D1, D2, D3 = "wd-wd740gd", "fujitsu-mba3073rc", "intel-x25-e"
KIB, MIB, GB = 1024, 1024 * 1024, 10**9
CACHE, STREAM_CACHE = 16 * MIB, 128 * MIB
VOLUME = 32 * GB              # of FC-Test's files
WARMUP_MAX = 8000


@dataclass(frozen=True)
class Array:
    """WB: write-back in the controller, the drives' own write buffers on. WT: neither. through(): the
    buffers are on, but what is written through ends past them, as with FUA; back(): to be compared with
    that. Without a cache it is the card's own."""

    level: str
    drives: int
    drive: str = D2
    write_back: bool = True
    failed: tuple[int, ...] = ()
    profile: str = "native"
    cache: int | None = CACHE
    drive_cache: bool | None = None
    read_policy: str = "no_read_ahead"
    io_policy: str = "direct"
    strip: int = 64 * KIB
    controllers: int = 1
    ceilings: tuple[tuple[str, int], ...] = ()
    quirks: tuple[str, ...] = ()
    past_buffers: bool = False    # what is written through

    def back(self) -> Array:
        """The other of through(): the write policy alone is what differs."""
        return replace(self, write_back=True, drive_cache=True, past_buffers=True)

    def through(self) -> Array:
        return replace(self, write_back=False, drive_cache=True, past_buffers=True)

    def fitted(self, profile: str) -> Array:
        return replace(self, profile=profile, cache=None)

    def without(self, *members: int) -> Array:
        return replace(self, failed=members)

    def odd(self, *quirks: str) -> Array:
        return replace(self, quirks=quirks)


@dataclass(frozen=True)
class Load:
    profile: str = ""
    pattern: str = "random"
    bytes: int = 8 * KIB
    writes: int = 0
    depths: tuple[int, ...] = (1,)
    workers: int = 1
    zone: int = 0
    start: int = 0
    file: int = 0
    operations: int = 4000
    warmup: int = 3000             # at least
    filled: bool = False           # the cache, however few of them are writes; and once again
    flushes: int = 0               # measured over at least so many, each of a quarter of the cache
    after_random: bool = False     # a phase of random requests before it
    recreated: bool = False        # and the array made anew


def enough(operations: int, size: int) -> int:
    """Fewer long requests tell as much as many short ones."""
    return max(150, min(operations, 400 * MIB // size))


def streaming(array: Array) -> Array:
    return replace(array, cache=STREAM_CACHE) if array.cache == CACHE else array


class Lab:
    def __init__(self, program: Path, profiles: Path, jobs: int) -> None:
        self.program, self.profiles = program, profiles
        self.built = program.resolve().parents[2]
        self.arrayd = self.built / "src" / "daemon" / "arrayd"
        self.arrayctl = self.built / "src" / "cli" / "arrayctl"
        self.pool = ThreadPoolExecutor(jobs)
        self.lock = threading.Lock()
        self.answers: dict[tuple[Array, Load, int], object] = {}
        self.points = [0]
        self.used: set[Array] = set()

    def view(self) -> Lab:
        """The same answers, for one claim: used are the arrays that it asks for."""
        other = copy.copy(self)
        other.used = set()
        return other

    def written(self, load: Load) -> float:
        """Bytes per request, on an average."""
        if not load.profile:
            writes = {"files_create": 100, "files_copy": 50, "files_copy_far": 50}.get(load.pattern,
                                                                                load.writes)
            return load.bytes * writes / 100
        data = json.loads((self.profiles / "workloads" / f"{load.profile}.json").read_text())
        mean = sum(part["bytes"] * part["percent"] for part in data["mixes"][0]) / 100
        return mean * data["write_percents"][0] / 100

    def card(self, profile: str) -> dict:
        return json.loads((self.profiles / "controllers" / f"{profile}.json").read_text())

    def cache_bytes(self, array: Array) -> int:
        return self.card(array.profile)["cache_bytes"] if array.cache is None else array.cache

    def limits(self, array: Array, load: Load) -> dict:
        operations, warmup, written = load.operations, load.warmup, self.written(load)
        if array.write_back and written and self.cache_bytes(array):
            fills = int(self.cache_bytes(array) / written)
            if load.pattern != "random":
                fills *= 2
            most = WARMUP_MAX if load.pattern == "random" and not load.filled else fills
            warmup = max(warmup, min(most, fills))
            if written == load.bytes or load.filled or load.pattern.startswith("files"):
                operations = max(operations, fills)
            operations = max(operations, load.flushes * fills // 4)
        return {"operations": operations, "warmup_operations": warmup}

    def scenario(self, array: Array, load: Load, seed: int) -> dict:
        controller: dict = {"profile": array.profile, "count": array.controllers}
        if array.cache is not None:
            controller["cache_bytes"] = array.cache
        if array.ceilings:
            controller["ceilings"] = dict(array.ceilings)
        if array.past_buffers:
            controller["write_through"] = "past_buffers"
        if array.quirks:
            controller["quirks"] = list(array.quirks)
        cache = array.write_back if array.drive_cache is None else array.drive_cache
        has_cache = array.cache is None or array.cache > 0
        workload: dict = {"depths": list(load.depths)} if load.depths else {}
        if load.profile:
            workload["profile"] = load.profile
        else:
            workload |= {"name": "load", "pattern": load.pattern,
                         "mixes": [[{"bytes": load.bytes, "percent": 100}]],
                         "write_percents": [load.writes], "workers": [load.workers]}
        for key, value in (("zone_bytes", load.zone), ("start_bytes", load.start),
                           ("file_bytes", load.file)):
            if value:
                workload[key] = value
        before = {}
        if load.after_random or load.recreated:
            before = {"before": {"workload": {"profile": "w01-database", "write_percents": [50],
                                              "depths": [4]},
                                 "operations": 3000, "pause_s": 60, "recreate": load.recreated}}
        return before | {"name": "claim", "seed": seed, "controller": controller,
                "drives": {"profile": array.drive, "count": array.drives, "write_cache": cache,
                           "failed": list(array.failed)},
                "array": {"level": array.level, "strip_bytes": array.strip,
                          "write_policy": "always_write_back" if array.write_back and has_cache
                          else "write_through", "read_policy": array.read_policy,
                          "io_policy": array.io_policy},
                "limits": self.limits(array, load),
                "workloads": [workload]}

    def compute(self, array: Array, load: Load, seed: int) -> dict:
        done = subprocess.run([self.program, "run", "--jobs", "1", "--quiet", "--profiles",
                               self.profiles, "-"], capture_output=True, text=True, timeout=300,
                              input=json.dumps(self.scenario(array, load, seed)), check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{array} {load}: {done.stderr.strip()}")
        return json.loads(done.stdout)["arrays"][0]

    def answer(self, array: Array, load: Load, seed: int = 1) -> dict:
        self.used.add(array)
        with self.lock:
            future = self.answers.get((array, load, seed))
            if future is None:
                future = self.pool.submit(self.compute, array, load, seed)
                self.answers[array, load, seed] = future
                self.points[0] += max(1, len(load.depths))
        return future.result()  # type: ignore[attr-defined]

    # Figures

    def point(self, array: Array, load: Load, seed: int = 1) -> dict:
        return self.answer(array, load, seed)["points"][0]

    def ops(self, array: Array, load: Load) -> float:
        return self.point(array, load)["operations_per_s"]

    def db(self, array: Array, depth: int, writes: int) -> float:
        return self.ops(array, Load(writes=writes, depths=(depth,)))

    def db_long(self, array: Array, depth: int, writes: int) -> float:
        """For differences of a few percent: five times as many, from each of three seeds."""
        load = Load(writes=writes, depths=(depth,), operations=20000)
        return sum(self.point(array, load, seed)["operations_per_s"] for seed in (1, 2, 3)) / 3

    def ceiling(self, profile: str, name: str) -> int:
        return self.card(profile)["ceilings"][name]

    def seq_point(self, array: Array, size: int, writes: int = 0, depth: int = 4,
                  **before: bool) -> dict:
        load = Load(pattern="sequential", bytes=size, writes=writes, depths=(depth,),
                    operations=enough(1500, size), warmup=enough(1000, size), **before)
        return self.point(streaming(array) if writes else array, load)

    def seq(self, array: Array, size: int, writes: int = 0, depth: int = 4,
            **before: bool) -> float:
        """MB/s"""
        return self.seq_point(array, size, writes, depth, **before)["bytes_per_s"] / 1e6

    def rnd(self, array: Array, size: int, writes: int = 0, depth: int = 4) -> float:
        load = Load(bytes=size, writes=writes, depths=(depth,), operations=enough(2500, size),
                    warmup=enough(2500, size))
        return self.point(array, load)["bytes_per_s"] / 1e6

    def rnd_long(self, array: Array, size: int, writes: int) -> float:
        """As db_long."""
        load = Load(bytes=size, writes=writes, depths=(4,), operations=20000)
        return sum(self.point(array, load, seed)["bytes_per_s"] for seed in (1, 2, 3)) / 3e6

    def mt(self, array: Array, workers: int, writes: int = 0, depth: int = 1) -> float:
        load = Load(pattern="sequential", bytes=64 * KIB, writes=writes, depths=(depth,),
                    workers=workers, operations=3000, warmup=2000)
        return self.point(streaming(array) if writes else array, load)["bytes_per_s"] / 1e6

    def rt(self, array: Array, writes: bool, seed: int = 1) -> float:
        """ms; of blocks of 4 KiB, the smallest that needs no read on these drives"""
        load = Load(bytes=4 * KIB, writes=100 if writes else 0, operations=6000, warmup=4000)
        kind = "write_latency" if writes else "read_latency"
        return self.point(array, load, seed)[kind]["mean_us"] / 1e3

    def rating_load(self, workload: str, **more: object) -> Load:
        depths = {"w08-workstation": (1, 2, 4, 8, 16, 32), "w09-workstation-32gb":
                  (1, 2, 4, 8, 16, 32)}.get(workload, (1, 4, 16, 64, 256))
        return Load(profile=workload, depths=depths, operations=2500, warmup=2500,
                    **more)  # type: ignore[arg-type]

    def rating(self, array: Array, workload: str, **more: object) -> float:
        return self.answer(array, self.rating_load(workload, **more))["ratings"][0]["value"]

    def rating_long(self, array: Array, workload: str) -> float:
        """Where a few percent decide, as in db_long."""
        return self.rating(array, workload, filled=True, flushes=10)

    def rated_ops(self, array: Array, workload: str) -> list[float]:
        """At each depth of rating()."""
        load = self.rating_load(workload, filled=True, flushes=10)
        return [point["operations_per_s"] for point in self.answer(array, load)["points"]]

    def workload(self, array: Array, workload: str, depth: int) -> float:
        return self.ops(array, Load(profile=workload, depths=(depth,)))

    def workload_long(self, array: Array, workload: str, depth: int) -> float:
        """As db_long."""
        load = Load(profile=workload, depths=(depth,), operations=20000)
        return sum(self.point(array, load, seed)["operations_per_s"] for seed in (1, 2, 3)) / 3

    def commands(self, array: Array, size: int) -> float:
        """Of the drives, for one random write that goes through to them; without those that note
        in which regions has been written, which come with the first few hundred."""
        load = Load(bytes=size, writes=100, operations=2000, warmup=400)
        drives = self.point(array.through(), load)["drives"]
        return sum(drive["reads"] + drive["writes"] for drive in drives) / load.operations

    def files(self, array: Array, what: str, file: int, **before: bool) -> float:
        load = Load(pattern=f"files_{what}", bytes=64 * KIB, file=file, zone=VOLUME,
                    operations=2500, warmup=1500, **before)
        return self.point(array if what == "read" else streaming(array),
                          load)["bytes_per_s"] / 1e6
