"""Documents 000 (MegaRAID SATA 300-8X) and 004 (3ware 9500S-8): drives D1. Where RAID 5 is written
to, the card is that of the document: cards do not choose how to change a row as the native one does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lab import D1, KIB, MIB, Array, Lab, Load

# What is told, and the figures that claims.json has bounds for; None: measured for information.
Outcome = tuple[str, dict | None]


def a(level: str, drives: int, **more: object) -> Array:
    return Array(level, drives, drive=D1, **more)  # type: ignore[arg-type]


def of_000(level: str, drives: int, **more: object) -> Array:
    return a(level, drives, profile=CARD_000, **more)


def of_004(level: str, drives: int, **more: object) -> Array:
    return a(level, drives, profile=CARD_004, **more)


SINGLE, R0, R1, R5, R10 = a("raid0", 1), "raid0", a("raid1", 2), "raid5", "raid10"
CARD_000, CARD_004 = "lsi-megaraid-sata-300-8x", "3ware-9500s-8"
STEPS = (0, 20, 40, 60, 80, 100)


def texts(*values: float) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def a01(lab: Lab) -> Outcome:
    single = lab.db(SINGLE, 1, 0)
    ratios = [lab.db(array, 1, 0) / single
              for array in (a(R0, 2), a(R0, 4), R1, a(R5, 4), a(R10, 4))]
    return texts(*ratios), {"ratios": ratios}


def a02(lab: Lab) -> Outcome:
    on = a(R0, 1, write_back=False, drive_cache=True)
    off = a(R0, 1, write_back=False, drive_cache=False)
    up = [lab.db(on, 1, w) / lab.db(on, 1, 0) for w in STEPS]
    flat = [lab.db(off, 1, w) / lab.db(off, 1, 0) for w in STEPS]
    return f"on {texts(*up)}; off {texts(*flat)}", {"up": up, "flat": flat}


def a04(lab: Lab) -> Outcome:
    ratios = [lab.db(R1, 1, w) / lab.db(SINGLE, 1, w) for w in (0, 20)] + [
        lab.db(a(R10, 4), 1, w) / lab.db(a(R0, 2), 1, w) for w in (0, 20)]
    drives = lab.point(R1, Load())["drives"]
    share = drives[0]["reads"] / sum(drive["reads"] for drive in drives)
    return f"{texts(*ratios)}, first member reads {share:.2f}", {"ratios": ratios, "share": share}


def a07(lab: Lab) -> Outcome:
    rates = [lab.db(a(R0, n), 16, 0) for n in (1, 2, 3, 4)]
    return texts(*(rate / rates[0] for rate in rates)), {"rates": rates}


def a10(lab: Lab) -> Outcome:
    """The ceiling is a fifth below what three drives do without."""
    three = lab.db(of_000(R5, 3), 16, 100)
    free = lab.db(of_000(R5, 4), 16, 100) / three
    ceiling = (("xor_bytes_per_s", int(0.8 * 8 * KIB * three)),)
    capped = (lab.db(of_000(R5, 4, ceilings=ceiling), 16, 100)
              / lab.db(of_000(R5, 3, ceilings=ceiling), 16, 100))
    native = lab.db(a(R5, 4), 16, 100) / lab.db(a(R5, 3), 16, 100)
    return f"x4/x3 {free:.2f}, with a ceiling {capped:.2f}; by default {native:.2f}", {
        "free": free, "capped": capped}


def a11(lab: Lab) -> Outcome:
    pairs = [(R1, SINGLE), (a(R10, 4), a(R0, 2))]
    ratios = [lab.db(x.through(), q, w) / lab.db(y.through(), q, w)
              for x, y in pairs for q in (1, 16) for w in (0, 100)]
    return texts(*ratios), {"ratios": ratios}


def policy(array: Array, depth: int) -> Callable[[Lab], list[float]]:
    return lambda lab: [lab.db(array.back(), depth, w) / lab.db(array.through(), depth, w)
                        for w in STEPS]


def policy_long(array: Array, depth: int) -> Callable[[Lab], list[float]]:
    """Where a percent or two decide."""
    return lambda lab: [lab.db_long(array.back(), depth, w) / lab.db_long(array.through(), depth, w)
                        for w in STEPS]


def a13(lab: Lab) -> Outcome:
    ratios = policy(a(R0, 4), 16)(lab)
    return texts(*ratios), {"ratios": ratios}


def a14(lab: Lab) -> Outcome:
    ratios = policy(a(R0, 4), 1)(lab)
    return texts(*ratios), {"ratios": ratios}


def a16(lab: Lab) -> Outcome:
    ratios = policy_long(a(R10, 4), 16)(lab)
    return texts(*ratios), {"ratios": ratios}


def a17(lab: Lab) -> Outcome:
    single = lab.seq(SINGLE, MIB)
    ratios = [lab.seq(a(R0, n), MIB) / single / n for n in (2, 3, 4)]
    small = lab.seq(a(R0, 4), 16 * KIB, depth=1) / lab.seq(SINGLE, 16 * KIB, depth=1)
    return f"{texts(*ratios)} of n; at 16 KiB, one at a time, {small:.2f}", {
        "ratios": ratios, "small": small}


def a20(lab: Lab) -> Outcome:
    ratios = [lab.seq(array.back(), 128 * KIB) / lab.seq(array.through(), 128 * KIB)
              for array in (a(R0, 4), a(R5, 4), a(R10, 4))]
    return texts(*ratios), {"ratios": ratios}


def a22(lab: Lab) -> Outcome:
    ratios = [lab.seq(R1, MIB, 100) / lab.seq(SINGLE, MIB, 100),
              lab.seq(a(R10, 4), MIB, 100) / lab.seq(a(R0, 2), MIB, 100)]
    return texts(*ratios), {"ratios": ratios}


def a23(lab: Lab) -> Outcome:
    array = of_000(R5, 4).through()
    small, full = lab.seq(array, 16 * KIB, 100), lab.seq(array, 192 * KIB, 100)
    point = lab.point(array, Load(pattern="sequential", bytes=192 * KIB, writes=100, depths=(4,),
                                  operations=1500, warmup=1000))
    reads = sum(drive["reads"] for drive in point["drives"])
    return f"{small:.0f} and {full:.0f} MB/s, {reads} reads", {"full": full, "small": small, "reads": reads}


def a25(lab: Lab) -> Outcome:
    fs = "w06-file-server"
    ratios = [lab.rating(R1, fs) / lab.rating(a(R0, 2), fs),
              lab.rating(a(R10, 4), fs) / lab.rating(a(R0, 4), fs)]
    grows = [lab.rating(a(R0, n), fs) for n in (1, 2, 3, 4)]
    return texts(*ratios), {"ratios": ratios, "grows": grows}


def a28(lab: Lab) -> Outcome:
    ratios = [lab.rating(array.back(), "w06-file-server") / lab.rating(array.through(), "w06-file-server")
              for array in (of_000(R0, 4), of_000(R5, 4), of_000(R10, 4))]
    return texts(*ratios), {"ratios": ratios}


def a29(lab: Lab) -> Outcome:
    web = "w07-web-server"
    ratios = [lab.rating(R1, web) / lab.rating(a(R0, 2), web),
              lab.rating(a(R10, 4), web) / lab.rating(a(R0, 4), web)]
    return texts(*ratios), {"ratios": ratios}


def a31(lab: Lab) -> Outcome:
    ratios = [lab.rating(array.back(), "w07-web-server") / lab.rating(array.through(), "w07-web-server")
              for array in (a(R0, 4), a(R5, 4), a(R10, 4))]
    return texts(*ratios), {"ratios": ratios}


def a32(lab: Lab) -> Outcome:
    """Up at very low load, too: no ledge that the drive has not."""
    shapes = ((R0, 1), (R0, 2), (R0, 3), (R0, 4), ("raid1", 2), (R10, 4), (R5, 3), (R5, 4))
    rows = [lab.rated_ops(of_000(*shape), "w08-workstation")[:3] for shape in shapes]
    return "; ".join(texts(*(rate / row[0] for rate in row[1:])) for row in rows), {"rows": rows}


def a34(lab: Lab) -> Outcome:
    def rating(level: str, drives: int, card: str = CARD_000) -> float:
        return lab.rating_long(a(level, drives, profile=card), "w08-workstation")

    single, r5, r1, r0 = (rating(*shape) for shape in ((R0, 1), (R5, 3), ("raid1", 2), (R0, 2)))
    big = rating(R10, 4) / rating(R0, 4)
    native = rating(R5, 3, "native") / rating(R0, 1, "native")
    return (f"{texts(r5 / single, r1 / single, r0 / single)}, R10/R0 x4 {big:.2f}; R5 x3 by default "
            f"{native:.2f}"), {"single": single, "r5": r5, "r1": r1, "r0": r0, "big": big}


def a35(lab: Lab) -> Outcome:
    losses = [1 - share for share in through_over_back(
        lab, CARD_000, "w08-workstation")]
    return texts(*losses), {"losses": losses}


def a37(lab: Lab) -> Outcome:
    ratio = lab.mt(R1, 2) / lab.mt(SINGLE, 2)
    return f"{ratio:.2f}", {"ratio": ratio}


def a41(lab: Lab) -> Outcome:
    rates = {(level, size): [lab.files(of_000(level, n), "create", size) for n in (3, 4)]
             for level in (R0, R5) for size in (64 * KIB, 600 * MIB)}
    programs, iso = (rates[R5, size][1] / rates[R0, size][1] for size in (64 * KIB, 600 * MIB))
    grows = [x4 / x3 for x3, x4 in rates.values()]
    return f"Programs {programs:.2f}, ISO {iso:.2f}; x4/x3 {texts(*grows)}", {
        "programs": programs, "iso": iso, "grows": grows}


def a44(lab: Lab) -> Outcome:
    rates = [lab.files(array, "copy", 4 * MIB) for array in (
        of_000(R5, 3), of_000(R5, 4), of_000(R0, 3), of_000(R0, 4))]
    return texts(*rates), {"rates": rates}


def a46(lab: Lab) -> Outcome:
    ratio = lab.files(R1, "read", 4 * MIB) / lab.files(SINGLE, "read", 4 * MIB)
    return f"R1/one drive {ratio:.2f}", None


def a47(lab: Lab) -> Outcome:
    rates = [lab.point(a(R0, 1), Load(pattern="sequential", bytes=128 * KIB, operations=1500,
                                      warmup=500, start=at * 7 * 10**9 + 1))["bytes_per_s"] / 1e6
             for at in range(10)]
    return texts(*rates), {"rates": rates}


def a49(lab: Lab) -> Outcome:
    direct, cached = of_000(R5, 4), of_000(R5, 4, io_policy="cached")
    ratios = [lab.db(cached, 16, 40) / lab.db(direct, 16, 40),
              lab.seq(cached, 128 * KIB) / lab.seq(direct, 128 * KIB)]
    return texts(*ratios), {"ratios": ratios}


def g02(lab: Lab) -> Outcome:
    """With the 128 MB of the card that was tested: each quarter of a cache ends with a flush of all
    drives, and of a small one that is dear for many."""
    def db(drives: int, writes: int) -> float:
        array = replace(a(R0, drives), cache=128 * MIB)
        return lab.ops(array, Load(writes=writes, filled=True))

    full = [db(n, 100) / db(1, 100) / n for n in (2, 4, 8)]
    small = [db(n, 20) / db(1, 20) for n in (2, 4, 8)]
    return f"of n at 100 % {texts(*full)}; at 20 % {texts(*small)}", {"full": full, "small": small}


def g05(lab: Lab) -> Outcome:
    curve = [lab.db(a(R10, 4), 1, w) for w in STEPS]
    return texts(*(value / curve[0] for value in curve)), {"curve": curve}


def g07(lab: Lab) -> Outcome:
    ratios = [lab.db(R1, 16, w) / lab.db(SINGLE, 16, w) for w in STEPS] + [
        lab.db(a(R10, 8), 16, w) / lab.db(a(R0, 4), 16, w) for w in STEPS]
    return texts(*ratios), {"ratios": ratios}


def g08(lab: Lab) -> Outcome:
    reads = lab.db(of_004(R5, 8), 16, 0) / lab.db(of_004(R0, 8), 16, 0)
    writes = lab.db(of_004(R5, 8), 16, 100) / lab.db(of_004(R5, 4), 16, 100)
    return texts(reads, writes), {"reads": reads, "writes": writes}


def g10(lab: Lab) -> Outcome:
    """4,000 requests, a fifth of them writes, are two flushes of the drives: a cell that lies
    below is measured over ten, three times."""
    def cell(array: Array, depth: int, writes: int) -> float:
        ratio = lab.db(array.back(), depth, writes) / lab.db(array.through(), depth, writes)
        if ratio >= 0.97:
            return ratio
        return lab.db_long(array.back(), depth, writes) / lab.db_long(array.through(), depth, writes)

    cells = [cell(of_004(level, 4), depth, writes) for level in (R0, R10, R5) for depth in (1, 16, 256)
             for writes in STEPS]
    return f"least {min(cells):.2f} of {len(cells)}", {"cells": cells}


def g11(lab: Lab) -> Outcome:
    gains = [policy(a(R0, 4), depth)(lab) for depth in (1, 16, 256)]
    top = [gain[-1] for gain in gains]
    return f"{texts(*top)}; reads {gains[0][0]:.2f}", {"top": top, "gains": gains}


def g13(lab: Lab) -> Outcome:
    ratios = policy_long(a(R10, 4), 1)(lab)
    return texts(*ratios), {"ratios": ratios}


def g14(lab: Lab) -> Outcome:
    gains, native = ([max(policy(a(level, 4, profile=card), 1)(lab)) for level in (R0, R10, R5)]
                     for card in (CARD_004, "native"))
    return f"{texts(*gains)}; by default {texts(*native)}", {"gains": gains}


def g19(lab: Lab) -> Outcome:
    fs = "w06-file-server"
    ratings = {n: lab.rating(a(R0, n), fs) for n in (1, 3, 4, 5, 8)}
    ratios = [lab.rating(a(R10, 2 * n), fs) / ratings[n + 1] for n in (2, 3, 4)]
    return texts(*ratios), {"ratios": ratios, "ratings": ratings}


def g22(lab: Lab) -> Outcome:
    web = "w07-web-server"
    ratios = [lab.rating(a(R10, n), web) / lab.rating(a(R0, n), web) for n in (4, 8)]
    least = lab.rating(a(R0, 2), web) / lab.rating(SINGLE, web)
    return texts(*ratios, least), {"ratios": ratios, "least": least}


def g23(lab: Lab) -> Outcome:
    ratios = [lab.rating(array.back(), "w07-web-server") / lab.rating(array.through(), "w07-web-server")
              for array in (a(R0, 4), a(R5, 4))]
    return texts(*ratios), {"ratios": ratios}


def g25(lab: Lab) -> Outcome:
    """With the 128 MB of the card that was tested, as G02."""
    r5, r0 = (lab.rating_long(array.fitted(CARD_004), "w08-workstation")
              for array in (a(R5, 8), a(R0, 3)))
    return f"{r5 / r0:.2f}", {"r5": r5, "r0": r0}


def g28(lab: Lab) -> Outcome:
    rates = [lab.seq(of_004(R5, 4, ceilings=(("xor_bytes_per_s", mb * 10**6),)), MIB, 100)
             for mb in (50, 100, 150, 1000)]
    return texts(*rates), {"rates": rates}


def g16(lab: Lab) -> Outcome:
    array = of_004(R5, 8)
    read, write = lab.seq(array, MIB), lab.seq(array, MIB, 100)
    return f"{read:.0f} and {write:.0f} MB/s", {"read": read, "write": write}


def a38(lab: Lab) -> Outcome:
    """This card's adaptive read-ahead was never seen to read ahead here (000 L111, L113)."""
    slopes = [[lab.mt(array, workers) / lab.mt(array, 2) for workers in (3, 4)] for array in (
        a(level, n).fitted(CARD_000) for level, n in ((R0, 4), (R5, 4), ("raid1", 2), (R10, 4)))]
    return "; ".join(texts(*slope) for slope in slopes), {"slopes": slopes}


def a43(lab: Lab) -> Outcome:
    ratios = []
    for level, n in ((R0, 2), (R0, 3), (R0, 4), ("raid1", 2), (R10, 4)):
        plain, adaptive = (lab.files(of_000(level, n, read_policy=word), "read", 10 * MIB)
                           for word in ("no_read_ahead", "adaptive_read_ahead"))
        ratios.append(adaptive / plain)
    return texts(*ratios), {"ratios": ratios}


def through_over_back(lab: Lab, profile: str, workload: str) -> list[float]:
    """Of R0, R5 and R10 of four drives, on that card with its own cache."""
    arrays = [a(level, 4).fitted(profile) for level in (R0, R5, R10)]
    return [lab.rating(array.through(), workload) / lab.rating(array.back(), workload, filled=True)
            for array in arrays]


def g20(lab: Lab) -> Outcome:
    gains = [1 / share for share in through_over_back(lab, CARD_004, "w06-file-server")]
    default = [lab.rating(array.back(), "w06-file-server") / lab.rating(array.through(), "w06-file-server")
               for array in (a(R0, 4), a(R5, 4), a(R10, 4))]
    return f"{texts(*gains)}; by default {texts(*default)}", {"gains": gains, "default": default}


def g26(lab: Lab) -> Outcome:
    losses = [1 - share for share in through_over_back(lab, CARD_004, "w08-workstation")]
    return texts(*losses), {"losses": losses}


CLAIMS = {
    "A01": a01, "A02": a02, "A04": a04, "A07": a07, "A10": a10, "A11": a11, "A13": a13, "A14": a14,
    "A16": a16, "A17": a17, "A20": a20, "A22": a22, "A23": a23, "A25": a25, "A28": a28, "A29": a29,
    "A31": a31, "A32": a32, "A34": a34, "A35": a35, "A37": a37, "A38": a38, "A41": a41, "A43": a43,
    "A44": a44, "A46": a46, "A47": a47, "A49": a49, "G01": a01, "G02": g02, "G05": g05, "G07": g07,
    "G08": g08, "G10": g10, "G11": g11, "G13": g13, "G14": g14, "G16": g16, "G19": g19, "G20": g20,
    "G22": g22, "G23": g23, "G25": g25, "G26": g26, "G28": g28
}
