"""Anomalies: not there by default, there with the quirk of the card that had it. Claims A."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from claims_000_004 import CARD_000, CARD_004, R0, R5, SINGLE, Outcome, a, texts
from claims_001_002_003 import R6, R10, R50, x8
from lab import KIB, MIB, Array, Lab

CARD_001, CARD_002 = "lsi-megaraid-sas-9260-8i", "3ware-9690sa-8i"


def card(level: str, drives: int, profile: str, *quirks: str, **more: object) -> Array:
    return a(level, drives, profile=profile, **more).odd(*quirks)


def eight(level: str, profile: str, *quirks: str) -> Array:
    return x8(level, profile=profile).odd(*quirks)


def shown(default: list[float], odd: list[float], default_good: bool, odd_good: bool) -> Outcome:
    return f"{texts(*default)}; with the quirk {texts(*odd)}", default_good and odd_good


def smooth(curve: list[float], share: float) -> bool:
    return all(later >= share * earlier for earlier, later in zip(curve, curve[1:]))


def both(curve) -> tuple[list[float], list[float]]:  # noqa: ANN001
    return curve(False), curve(True)


def a05(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = (card("raid1", 2, CARD_000, "mirror-write-collapse") if odd else a("raid1", 2))
        rates = [lab.db(array, 1, w) for w in (60, 70, 80, 90, 100)]
        return [rate / rates[0] for rate in rates]
    default, odd = both(curve)
    return shown(default, odd, smooth(default, 0.9), min(odd[1:4]) < 0.7 * min(odd[0], odd[4]))


def a08(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        quirks = ("cache-quota",) if odd else ()
        return [lab.db(card(R0, n, CARD_000, *quirks), 16, 100) / n for n in (1, 2, 3, 4)]
    default, odd = both(curve)
    loss = [b / c for b, c in zip(odd, default)]
    return f"per drive {texts(*default)}; with the quirk {texts(*odd)}", (
        min(loss[:2]) > 0.99 and max(loss[2:]) < 0.99 and min(odd[:2]) > max(odd[2:]))


def a19(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = card(R5, 4, CARD_000, "raid5-read-dip") if odd else a(R5, 4)
        return [lab.seq(array, KIB * size) for size in (32, 64, 128, 256, 512)]
    default, odd = both(curve)
    return shown(default, odd, smooth(default, 0.9), odd[2] < 0.9 * min(odd[1], odd[3]))


def a26(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = card(R5, 4, CARD_000, "raid5-deep-queue-stumble") if odd else a(R5, 4)
        rates = [lab.workload_long(array, "w06-file-server", depth) for depth in (64, 256)]
        return [rates[1] / rates[0]]
    default, odd = both(curve)
    return shown(default, odd, default[0] >= 0.95, odd[0] < 0.95)


def a40(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        return [lab.mt(card(R0, n, CARD_000, "three-drive-stripe-slow") if odd else a(R0, n), 2, 100)
                for n in (2, 3, 4)]
    default, odd = both(curve)
    return shown(default, odd, default == sorted(default), odd[1] < min(odd[0], odd[2]))


def b01(lab: Lab) -> Outcome:
    """Sequential writing after random load over the same without, of eight drives; and of one."""
    def curve(odd: bool) -> list[float]:
        array = eight(R0, CARD_001, *(("adaptive-cache-lag",) if odd else ()))
        alone, after = (lab.seq(array, 256 * KIB, 100, after_random=word)
                        for word in (False, True))
        reads = [lab.seq(array, 256 * KIB, 0, after_random=word) for word in (False, True)]
        return [after / alone, after / lab.seq(Array(R0, 1), 256 * KIB, 100), reads[1] / reads[0]]
    default, odd = both(curve)
    return shown(default, odd, abs(default[0] - 1) <= 0.05,
                 odd[1] < 1 and abs(odd[2] - 1) <= 0.05)


def b02(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = eight(R0, CARD_001, *(("stale-after-delete",) if odd else ()))
        return [lab.seq(array, 256 * KIB, 100, recreated=True) / lab.seq(array, 256 * KIB, 100)]
    default, odd = both(curve)
    return shown(default, odd, abs(default[0] - 1) <= 0.05, odd[0] < 0.95)


def b05(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        return [lab.seq(eight(level, CARD_001, "medium-block-dip") if odd else x8(level),
                        KIB * size, 100) for level in (R5, R50, R10) for size in (16, 64, 256, 1024)]
    default, odd = both(curve)
    return shown(default, odd, all(smooth(default[i:i + 4], 0.95) for i in (0, 4, 8)),
                 odd[1] < odd[3] and odd[5] < odd[7])


def b19(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = eight(R0, CARD_001, *(("large-random-write-cap",) if odd else ()))
        return [lab.rnd(array, size * KIB, 100) for size in (128, 512, 2048)]
    default, odd = both(curve)
    return shown(default, odd, default == sorted(default) and default[2] > 110,
                 max(odd[1:]) <= 110)


def b29(lab: Lab) -> Outcome:
    """Creating ISO files without a random phase before, over the same after it."""
    def curve(odd: bool) -> list[float]:
        array = eight(R0, CARD_001, *(("adaptive-cache-lag",) if odd else ()))
        alone, after = (lab.files(array, "create", 600 * MIB, after_random=word)
                        for word in (False, True))
        return [alone / after]
    default, odd = both(curve)
    text, good = shown(default, odd, abs(default[0] - 1) <= 0.05, 3 <= odd[0] <= 4)
    before = lab.files(x8(R0).fitted("lsi-megaraid-sas-8708em2"), "create", 600 * MIB)
    return f"{text}; 8708EM2 {before:.0f} MB/s", good and 190 <= before <= 201


def b32(lab: Lab) -> Outcome:
    cases = [(level, size) for level in (R0, R5, R6, R10, R50)
             for size in (64 * KIB, 96 * KIB, 2 * MIB, 4 * MIB, 600 * MIB)]

    def strays(case: tuple[str, int]) -> bool:
        alone, after = (lab.files(x8(case[0]), "read", case[1], after_random=word)
                        for word in (False, True))
        return abs(after / alone - 1) > 0.05

    with ThreadPoolExecutor(8) as pool:
        count = sum(pool.map(strays, cases))
    return f"{count} of 25", count == 0


def c13(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        def array(level: str) -> Array:
            return eight(level, CARD_002, "raid5-read-penalty") if odd else x8(level)
        return [lab.db(array(R6), depth, 0) / lab.db(array(R5), depth, 0) for depth in (1, 16)]
    default, odd = both(curve)
    return shown(default, odd, all(abs(ratio - 1) <= 0.03 for ratio in default), min(odd) > 1.03)


def g04(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = card("raid1", 2, CARD_004, "twinstor-idle") if odd else a("raid1", 2)
        return [lab.db(array, 1, w) / lab.db(SINGLE, 1, w) for w in (0, 20)]
    default, odd = both(curve)
    return shown(default, odd, default[0] > 1, max(odd) < 1)


def g17(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        plain, ahead = (card(R0, 4, CARD_004, "read-ahead-conflict", read_policy=word) if odd else
                        a(R0, 4, read_policy=word)
                        for word in ("no_read_ahead", "adaptive_read_ahead"))
        return [lab.seq(ahead, 64 * KIB) / lab.seq(plain, 64 * KIB)]
    default, odd = both(curve)
    return shown(default, odd, default[0] >= 0.95, odd[0] < 0.95)


CLAIMS = [
    ("A05", "A", "no notch of R1 at 70-90 % writes; with the quirk there is one", a05),
    ("A08", "A", "300-8X, per drive at writes: only with the quota do small arrays get more", a08),
    ("A19", "A", "no dip of sequential R5 reading at 128 KiB; with the quirk there is one", a19),
    ("A26", "A", "R5 x4, 256 over 64 requests: no stumble; with the quirk there is one", a26),
    ("A40", "A", "two writers: R0 x2 < x3 < x4; with the quirk x3 is last", a40),
    ("B01", "A", "after random load: written as without, over one drive, read as without; with the "
     "quirk below one drive", b01),
    ("B02", "A", "a new array writes as one made afresh; with the quirk it does not", b02),
    ("B05", "A", "R5, R50, R10: sequential writing grows with the block; with the quirk it dips", b05),
    ("B19", "A", "large random writes grow with the block; with the quirk there is a ceiling", b19),
    ("B29", "A", "creating ISO files: 3-4 times slower after random load only with the quirk; 8708EM2, R0: 200 MB/s", b29),
    ("B32", "A", "reading files after random load: 0 of 25 cases stray by 5 %", b32),
    ("C13", "A", "R6 and R5 read alike; with the quirk R6 is ahead", c13),
    ("G04", "A", "R1 over one drive at 0 and 20 % writes: over 1 at reads; with the quirk below", g04),
    ("G17", "A", "adaptive read-ahead never below none by over 5 %; with the quirk it is", g17),
]
