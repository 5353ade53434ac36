"""Each oddity of each card: off unless it is asked for, then it takes what its profile says, and only
from what its profile names.

    test_quirks.py ARRAYSIM PROFILES
"""

from __future__ import annotations

import json
import sys
import unittest
from dataclasses import replace
from pathlib import Path

from lab import D1, D3, KIB, MIB, Array, Lab, Load

ARRAYSIM, PROFILES = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))


def ssds(level: str, drives: int, **more: object) -> Array:
    return Array(level, drives, D3, **{"write_back": False} | more)  # type: ignore[arg-type]


def random(writes: int = 0, depth: int = 1, size: int = 8 * KIB) -> Load:
    return Load(writes=writes, depths=(depth,), bytes=size, operations=2000, warmup=500)


def stream(writes: int = 0, size: int = 64 * KIB, **before: bool) -> Load:
    return Load(pattern="sequential", writes=writes, bytes=size, depths=(4,), operations=1000,
                warmup=300, **before)


Place = tuple[Array, Load]
MIRRORS = Array("raid10", 4, D1)
RAID1, RAID5_4, R0_8 = ssds("raid1", 2), ssds("raid5", 4), ssds("raid0", 8)

# Where it is met, and the like of it where it is not.
PLACES: dict[str, dict[str, tuple[Place, Place]]] = {
    "3ware-9500s-8": {
        "twinstor-idle": ((RAID1, random()), (ssds("raid0", 2), random())),
        "read-ahead-conflict": (
            (ssds("raid0", 4, read_policy="adaptive_read_ahead"), stream()),
            (ssds("raid0", 4), stream())),
        "write-through-mirror-reads": (
            (replace(MIRRORS, write_back=False), random(0, 16)), (MIRRORS, random(0, 16))),
    },
    "3ware-9690sa-8i": {
        "raid5-read-penalty": ((RAID5_4, random()), (ssds("raid6", 5), random())),
        "two-failed-write-collapse": (
            (ssds("raid6", 5, failed=(0, 1)), random(100, 4)),
            (ssds("raid6", 5, failed=(0,)), random(100, 4))),
        "degraded-pure-write-drop": (
            (RAID5_4.without(0), random(100)), (RAID5_4.without(0), random(50))),
        "four-drive-stripe-slow": (
            (ssds("raid0", 4), stream(100)), (ssds("raid0", 3), stream(100))),
    },
    "lsi-megaraid-sas-9260-8i": {
        "adaptive-cache-lag": (
            (R0_8, stream(100, after_random=True)), (R0_8, stream(100))),
        "stale-after-delete": ((R0_8, stream(100, recreated=True)), (R0_8, stream(100))),
        "medium-block-dip": (
            (ssds("raid5", 3), stream(100, 128 * KIB)), (ssds("raid5", 3), stream(100, MIB))),
        "large-random-write-cap": (
            (R0_8, random(100, 4, 512 * KIB)), (R0_8, random(100, 4, 128 * KIB))),
        "raid50-deep-queue-weak": (
            (ssds("raid50", 8), random(0, 32)), (ssds("raid50", 8), random(0, 16))),
    },
    "lsi-sas3041e-r": {
        "slow-file-writes": (
            (ssds("raid0", 2, cache=0), stream(100)), (ssds("raid0", 2, cache=0), stream())),
    },
    "lsi-megaraid-sata-300-8x": {
        "mirror-write-collapse": ((RAID1, random(80)), (RAID1, random(30))),
        "cache-quota": (
            (Array("raid0", 3, D1), replace(random(100, 16), warmup=4000)),
            (Array("raid0", 2, D1), replace(random(100, 16), warmup=4000))),
        "raid5-read-dip": ((RAID5_4, stream(0, 128 * KIB)), (RAID5_4, stream(0, 256 * KIB))),
        "raid5-deep-queue-stumble": ((RAID5_4, random(0, 256)), (RAID5_4, random(0, 128))),
        "three-drive-stripe-slow": (
            (ssds("raid0", 3), stream(100)), (ssds("raid0", 4), stream(100))),
    },
}


def cards() -> dict[str, dict]:
    return {path.stem: json.loads(path.read_text())
            for path in sorted((PROFILES / "controllers").glob("*.json"))}


def mean_us(point: dict) -> float:
    """Of all requests."""
    kinds = [point[kind] for kind in ("read_latency", "write_latency") if point[kind]["count"]]
    return sum(kind["count"] * kind["mean_us"] for kind in kinds) / sum(
        kind["count"] for kind in kinds)


class Quirks(unittest.TestCase):
    lab = Lab(ARRAYSIM, PROFILES, 2)

    def points(self, card: str, quirk: str, place: Place) -> tuple[dict, dict]:
        """Without and with it."""
        array, load = replace(place[0], profile=card), place[1]
        return self.lab.point(array, load), self.lab.point(array.odd(quirk), load)

    def test_each_is_tried(self) -> None:
        named = {name: {quirk["name"] for quirk in card["quirks"]}
                 for name, card in cards().items() if card.get("quirks")}
        self.assertEqual(named, {name: set(table) for name, table in PLACES.items()})

    def test_it_takes_what_it_says_and_only_if_asked_for(self) -> None:
        for card, table in PLACES.items():
            effects = {quirk["name"]: quirk["effect"] for quirk in cards()[card]["quirks"]}
            for name, (place, _) in table.items():
                with self.subTest(card=card, quirk=name):
                    usual, odd = self.points(card, name, place)
                    self.check(effects[name], usual, odd)

    def check(self, effect: dict, usual: dict, odd: dict) -> None:
        if "bytes_per_s" in effect:
            most = 1.02 * effect["bytes_per_s"]
            self.assertGreater(usual["bytes_per_s"], 1.1 * most)
            self.assertLessEqual(odd["bytes_per_s"], most)
            self.assertGreaterEqual(odd["bytes_per_s"], 0.9 * effect["bytes_per_s"])
        elif "delay_us" in effect:
            longer = mean_us(odd) - mean_us(usual)
            self.assertGreaterEqual(longer, 0.95 * effect["delay_us"])
            self.assertLessEqual(longer, 1.05 * effect["delay_us"])
        else:
            self.assertLess(odd["operations_per_s"], 0.95 * usual["operations_per_s"])

    def test_it_leaves_everything_else_alone(self) -> None:
        for card, table in PLACES.items():
            for name, (_, elsewhere) in table.items():
                with self.subTest(card=card, quirk=name):
                    usual, odd = self.points(card, name, elsewhere)
                    self.assertEqual(usual, odd)


if __name__ == "__main__":
    unittest.main()
