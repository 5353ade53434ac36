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


def shown(default: list[float], odd: list[float]) -> str:
    return f"{texts(*default)}; with the quirk {texts(*odd)}"


def both(curve) -> tuple[list[float], list[float]]:  # noqa: ANN001
    return curve(False), curve(True)


def a05(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = (card("raid1", 2, CARD_000, "mirror-write-collapse") if odd else a("raid1", 2))
        rates = [lab.db(array, 1, w) for w in (60, 70, 80, 90, 100)]
        return [rate / rates[0] for rate in rates]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


def a08(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        quirks = ("cache-quota",) if odd else ()
        return [lab.db(card(R0, n, CARD_000, *quirks), 16, 100) / n for n in (1, 2, 3, 4)]
    default, odd = both(curve)
    loss = [b / c for b, c in zip(odd, default)]
    return f"per drive {texts(*default)}; with the quirk {texts(*odd)}", {"loss": loss, "odd": odd}


def a19(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = card(R5, 4, CARD_000, "raid5-read-dip") if odd else a(R5, 4)
        return [lab.seq(array, KIB * size) for size in (32, 64, 128, 256, 512)]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


def a26(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = card(R5, 4, CARD_000, "raid5-deep-queue-stumble") if odd else a(R5, 4)
        rates = [lab.workload_long(array, "w06-file-server", depth) for depth in (64, 256)]
        return [rates[1] / rates[0]]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


def a40(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        return [lab.mt(card(R0, n, CARD_000, "three-drive-stripe-slow") if odd else a(R0, n), 2, 100)
                for n in (2, 3, 4)]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


def b01(lab: Lab) -> Outcome:
    """Sequential writing after random load over the same without, of eight drives; and of one."""
    def curve(odd: bool) -> list[float]:
        array = eight(R0, CARD_001, *(("adaptive-cache-lag",) if odd else ()))
        alone, after = (lab.seq(array, 256 * KIB, 100, after_random=word)
                        for word in (False, True))
        reads = [lab.seq(array, 256 * KIB, 0, after_random=word) for word in (False, True)]
        return [after / alone, after / lab.seq(Array(R0, 1), 256 * KIB, 100), reads[1] / reads[0]]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


def b02(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = eight(R0, CARD_001, *(("stale-after-delete",) if odd else ()))
        return [lab.seq(array, 256 * KIB, 100, recreated=True) / lab.seq(array, 256 * KIB, 100)]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


def b05(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        return [lab.seq(eight(level, CARD_001, "medium-block-dip") if odd else x8(level),
                        KIB * size, 100) for level in (R5, R50, R10) for size in (16, 64, 256, 1024)]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


def b19(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = eight(R0, CARD_001, *(("large-random-write-cap",) if odd else ()))
        return [lab.rnd(array, size * KIB, 100) for size in (128, 512, 2048)]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


def b29(lab: Lab) -> Outcome:
    """Creating ISO files without a random phase before, over the same after it."""
    def curve(odd: bool) -> list[float]:
        array = eight(R0, CARD_001, *(("adaptive-cache-lag",) if odd else ()))
        alone, after = (lab.files(array, "create", 600 * MIB, after_random=word)
                        for word in (False, True))
        return [alone / after]
    default, odd = both(curve)
    before = lab.files(x8(R0).fitted("lsi-megaraid-sas-8708em2"), "create", 600 * MIB)
    return f"{shown(default, odd)}; 8708EM2 {before:.0f} MB/s", {
        "default": default, "odd": odd, "before": before}


def b32(lab: Lab) -> Outcome:
    cases = [(level, size) for level in (R0, R5, R6, R10, R50)
             for size in (64 * KIB, 96 * KIB, 2 * MIB, 4 * MIB, 600 * MIB)]

    def strays(case: tuple[str, int]) -> bool:
        alone, after = (lab.files(x8(case[0]), "read", case[1], after_random=word)
                        for word in (False, True))
        return abs(after / alone - 1) > 0.05

    with ThreadPoolExecutor(8) as pool:
        count = sum(pool.map(strays, cases))
    return f"{count} of 25", {"count": count}


def c13(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        def array(level: str) -> Array:
            return eight(level, CARD_002, "raid5-read-penalty") if odd else x8(level)
        return [lab.db(array(R6), depth, 0) / lab.db(array(R5), depth, 0) for depth in (1, 16)]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


def g04(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        array = card("raid1", 2, CARD_004, "twinstor-idle") if odd else a("raid1", 2)
        return [lab.db(array, 1, w) / lab.db(SINGLE, 1, w) for w in (0, 20)]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


def g17(lab: Lab) -> Outcome:
    def curve(odd: bool) -> list[float]:
        plain, ahead = (card(R0, 4, CARD_004, "read-ahead-conflict", read_policy=word) if odd else
                        a(R0, 4, read_policy=word)
                        for word in ("no_read_ahead", "adaptive_read_ahead"))
        return [lab.seq(ahead, 64 * KIB) / lab.seq(plain, 64 * KIB)]
    default, odd = both(curve)
    return shown(default, odd), {"default": default, "odd": odd}


CLAIMS = {
    "A05": a05, "A08": a08, "A19": a19, "A26": a26, "A40": a40, "B01": b01, "B02": b02, "B05": b05,
    "B19": b19, "B29": b29, "B32": b32, "C13": c13, "G04": g04, "G17": g17
}
