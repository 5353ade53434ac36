"""Documents 001 (9260-8i) and 002 (9690SA-8I): drives D2. Document 003: drives D3."""

from __future__ import annotations

from dataclasses import replace
from statistics import correlation

from claims_000_004 import STEPS, Outcome, texts
from lab import D3, KIB, MIB, Array, Lab, Load, streaming

R0, R1, R5, R6, R10, R50 = "raid0", "raid1", "raid5", "raid6", "raid10", "raid50"
SINGLE = Array(R0, 1)
CARD, NINE = "lsi-megaraid-sas-9260-8i", "3ware-9690sa-8i"


def x8(level: str, **more: object) -> Array:
    return Array(level, 8, **more)  # type: ignore[arg-type]


R5_1, R6_1, R6_2, R10_1 = (x8(R5).without(0), x8(R6).without(0), x8(R6).without(0, 1),
                           x8(R10).without(0))


def b04(lab: Lab) -> Outcome:
    load = Load(pattern="sequential", bytes=2 * MIB, writes=100, depths=(4,), operations=2000,
                warmup=200)  # 125 flushes of the drives: one more or less is no percent
    base, *others = (lab.point(streaming(x8(level)), load) for level in (R0, R5, R6, R50, R10))
    ratios = [other["bytes_per_s"] / base["bytes_per_s"] for other in others]
    reads = sum(drive["reads"] for point in (base, *others) for drive in point["drives"])
    return f"R0 {base['bytes_per_s'] / 1e6:.0f} MB/s; {texts(*ratios)}; {reads} reads", {
        "reads": reads, "ratios": ratios}


def b07(lab: Lab) -> Outcome:
    rates = [lab.db(x8(R5, cache=cache), 1, 100) for cache in (4 * MIB, 16 * MIB, 64 * MIB)]
    return texts(*(rate / rates[0] for rate in rates)), {"rates": rates}


def b08(lab: Lab) -> Outcome:
    r5, r6, r50 = (lab.db(x8(level), 1, 100) for level in (R5, R6, R50))
    return texts(r50 / r5, r50 / r6), {"r50": r50, "r5": r5, "r6": r6}


def b10(lab: Lab) -> Outcome:
    ratios = [lab.db(x8(R10), 16, w) / lab.db(x8(R0), 16, w) for w in (0, 10)]
    return texts(*ratios), {"ratios": ratios}


def b11(lab: Lab) -> Outcome:
    r5, r6, r50 = (lab.db(x8(level), 16, 100) for level in (R5, R6, R50))
    return texts(r50 / r6, r50 / r5), {"r50": r50, "r6": r6, "r5": r5}


def b13(lab: Lab) -> Outcome:
    single, r10, r0, r5 = (lab.rt(array, False) for array in (SINGLE, x8(R10), x8(R0), x8(R5)))
    again = lab.rt(x8(R5), False, seed=2) / r5
    return f"R10 {r10:.2f}, one {single:.2f}, R0 {r0:.2f}, R5 {r5:.2f} ms; other seed {again:.3f}", {
        "r10": r10, "single": single, "r0": r0, "r5": r5, "again": again}


def b14(lab: Lab) -> Outcome:
    times = [lab.rt(x8(R5, cache=cache), True) for cache in (4 * MIB, 16 * MIB, 64 * MIB)]
    return texts(*times) + " ms", {"times": times}


def b16(lab: Lab) -> Outcome:
    r0, r5, r6, r10 = (lab.rnd(x8(level), 2 * MIB) for level in (R0, R5, R6, R10))
    # Eight strips of a request are on each mirror; if they are split, counts are no multiples.
    few = lab.point(x8(R10), Load(bytes=2 * MIB, operations=10, warmup=0))
    split = any(drive["reads"] % 8 for drive in few["drives"])
    return f"{texts(r5 / r0, r6 / r0, r10 / r0)}, R10 {'splits' if split else 'does not split'}", {
        "r0": r0, "r5": r5, "r6": r6, "split": split, "r10": r10}


def b17(lab: Lab) -> Outcome:
    levels, sizes = (R0, R10, R50, R5, R6), [KIB // 2 << i for i in range(5)]
    rows = [[lab.rnd_long(x8(level), size, 100) for level in levels] for size in sizes]
    commands = [lab.commands(x8(level), 8 * KIB) for level in levels]
    ratios = "; ".join(texts(*(rate / row[0] for rate in row[1:])) for row in rows)
    return f"{ratios}; commands {' '.join(f'{count:.1f}' for count in commands)}", {
        "rows": rows, "commands": commands}


def b20(lab: Lab) -> Outcome:
    card = {"profile": CARD, "read_policy": "adaptive_read_ahead"}
    rates = [lab.mt(x8(level, **card), 1) for level in (R0, R5, R6)]
    deep = lab.mt(x8(R0, **card), 1, depth=4)
    return f"{texts(*rates)} MB/s, four at a time {deep:.0f}", {"rates": rates, "deep": deep}


def b22(lab: Lab) -> Outcome:
    arrays = [x8(level).fitted(CARD) for level in (R0, R5, R6, R10)]
    rates = [lab.mt(array, 1, 100) for array in arrays]
    grows = [lab.mt(array, 1, 100, depth=8) / rate for array, rate in zip(arrays, rates)]
    return f"{texts(*rates)} MB/s; eight at a time {texts(*grows)}", {"rates": rates, "grows": grows}


def b23(lab: Lab) -> Outcome:
    ratios, default = ([lab.mt(array, 2, 100) / lab.mt(array, 1, 100) for array in arrays]
                       for arrays in ([x8(level).fitted(CARD) for level in (R0, R5, R6, R10)],
                                      [x8(level) for level in (R0, R5, R6, R10)]))
    return f"{texts(*ratios)}; by default {texts(*default)}", {"ratios": ratios}


def b25(lab: Lab) -> Outcome:
    base, *others = (lab.rating(x8(level), "w07-web-server") for level in (R0, R10, R5, R6, R50))
    ratios = [other / base for other in others]
    return texts(*ratios), {"ratios": ratios}


def crossover(lab: Lab, workload: str, long: int) -> list[float]:
    return [lab.workload(x8(R10), workload, depth) / lab.workload(x8(R0), workload, depth)
            for depth in (1, 2, long)]


def b26(lab: Lab) -> Outcome:
    ratios = crossover(lab, "w06-file-server", 64)
    r5, r50, r6 = (lab.workload(x8(level), "w06-file-server", 64) for level in (R5, R50, R6))
    return f"{texts(*ratios)}; R50/R5 {r50 / r5:.2f}, R6/R5 {r6 / r5:.2f}", {
        "ratios": ratios, "r6": r6, "r5": r5, "r50": r50}


def b28(lab: Lab) -> Outcome:
    gains = [lab.rating_long(x8(level), "w09-workstation-32gb")
             / lab.rating_long(x8(level), "w08-workstation") for level in (R0, R5, R6, R10)]
    small, large = (lab.rating_long(x8(R10), w) / lab.rating_long(x8(R0), w)
                    for w in ("w09-workstation-32gb", "w08-workstation"))
    return f"{texts(*gains)}; R10/R0 {small:.2f} after {large:.2f}", {
        "gains": gains, "small": small, "large": large}


def b31(lab: Lab) -> Outcome:
    rates = [lab.files(x8(level).fitted(CARD), "create", 64 * KIB)
             for level in (R0, R5, R6, R10, R50)]
    return texts(*rates) + " MB/s", {"rates": rates}


def b34(lab: Lab) -> Outcome:
    array = x8(R5).fitted(CARD)
    back, through = (lab.files(policy, "create", 64 * KIB)
                     / lab.files(policy, "read", 64 * KIB) for policy in (array, array.through()))
    return f"created/read WB {back:.2f}, WT {through:.2f}", {"back": back, "through": through}


def b35(lab: Lab) -> Outcome:
    arrays = [x8(level).fitted(CARD) for level in (R0, R5, R6, R10, R50)]
    pairs = [(lab.files(array, "create", size), lab.files(array, "copy", size))
             for array in arrays for size in (64 * KIB, 4 * MIB, 600 * MIB)]
    fit = correlation(*zip(*pairs))
    return f"correlation {fit:.2f}", {"fit": fit}


def c07(lab: Lab) -> Outcome:
    ratio = lab.db(x8(R5), 1, 100) / lab.db(x8(R5), 1, 0)
    return f"{ratio:.2f}", {"ratio": ratio}


def c08(lab: Lab) -> Outcome:
    r6 = [lab.db(x8(R6), 1, w) / lab.db(x8(R5), 1, w) for w in (0, 50, 100)]
    degraded = [lab.db(R5_1, 1, w) / lab.db(x8(R5), 1, w) for w in (0, 50, 100)]
    return f"R6/R5 {texts(*r6)}; R5-1/R5 {texts(*degraded)}", {"r6": r6, "degraded": degraded}


def c11(lab: Lab) -> Outcome:
    losses = [1 - lab.db_long(R10_1, 16, w) / lab.db_long(x8(R10), 16, w) for w in STEPS]
    shares = [1 - w / 100 for w in STEPS]
    slope = sum(s * l for s, l in zip(shares, losses)) / sum(s * s for s in shares)
    mean = sum(losses) / len(losses)
    rest = sum((loss - slope * share) ** 2 for share, loss in zip(shares, losses))
    fit = 1 - rest / max(1e-9, sum((loss - mean) ** 2 for loss in losses))
    return f"losses {texts(*losses)}, slope {slope:.2f}, R2 {fit:.2f}", {"fit": fit, "losses": losses}


def c14(lab: Lab) -> Outcome:
    base = lab.db(x8(R6), 16, 0)
    one, two = lab.db(R6_1, 16, 0) / base, lab.db(R6_2, 16, 0) / base
    return texts(one, two), {"one": one, "two": two}


def c16(lab: Lab) -> Outcome:
    ratio = lab.db(R5_1, 256, 0) / lab.db(x8(R5), 256, 0)
    return f"{ratio:.2f}", {"ratio": ratio}


def c17(lab: Lab) -> Outcome:
    single, r10 = lab.rt(SINGLE, False), lab.rt(x8(R10), False)
    others = [lab.rt(x8(level), False) for level in (R0, R5, R6)]
    # Documents disagree about R10 (B13), so it is not demanded; others are held to B13's band.
    return f"one {single:.2f} ms, others {texts(*others)}; R10 {r10:.2f}", {
        "others": others, "single": single}


def c19(lab: Lab) -> Outcome:
    single, r5, r6 = (lab.rt(array, True) for array in (SINGLE, x8(R5), x8(R6)))
    return f"one {single:.2f}, R5 {r5:.2f}, R6 {r6:.2f} ms", {"r5": r5, "single": single, "r6": r6}


def c20(lab: Lab) -> Outcome:
    times = [lab.rt(array, True) for array in (x8(R6), R6_1, R6_2)]
    through = lab.rt(x8(R5).through(), True)
    return f"{texts(*times)}; R5 WT {through:.1f} ms", {"times": times, "through": through}


def c22(lab: Lab) -> Outcome:
    losses = [1 - lab.db(worse, 1, 0) / lab.db(whole, 1, 0)
              for worse, whole in ((R5_1, x8(R5)), (R6_1, x8(R6)), (R6_2, x8(R6)))]
    return texts(*losses), {"losses": losses}


def c23(lab: Lab) -> Outcome:
    r0x8, r10x8, r0x4 = (lab.rnd(array, 2 * MIB) for array in (x8(R0), x8(R10), Array(R0, 4)))
    return texts(r10x8 / r0x8, r0x4 / r0x8), {"r0x8": r0x8, "r10x8": r10x8, "r0x4": r0x4}


def c25(lab: Lab) -> Outcome:
    ratios = [lab.rnd(x8(level), 4 * KIB, 100) / lab.rnd(Array(level, 4), 4 * KIB, 100)
              for level in (R0, R10)]
    return texts(*ratios), {"ratios": ratios}


def c26(lab: Lab) -> Outcome:
    grows = lab.rnd(x8(R5), 4 * KIB, 100) / lab.rnd(Array(R5, 4), 4 * KIB, 100)
    six = lab.rnd(x8(R6), 4 * KIB, 100) / lab.rnd(x8(R5), 4 * KIB, 100)
    return texts(grows, six), {"grows": grows, "six": six}


def c28(lab: Lab) -> Outcome:
    ratios = [lab.rnd(R5_1, 448 * KIB, 100) / lab.rnd(x8(R5), 448 * KIB, 100),
              lab.rnd(R6_1, 384 * KIB, 100) / lab.rnd(x8(R6), 384 * KIB, 100)]
    return texts(*ratios), {"ratios": ratios}


def c29(lab: Lab) -> Outcome:
    # "At most": the ceiling is in that range, is kept, and is what holds R0 back.
    capped, free = lab.seq(x8(R0).fitted(NINE), MIB), lab.seq(x8(R0), MIB)
    ceiling = lab.ceiling(NINE, "read_bytes_per_s") / 1e6
    small, large = lab.seq(x8(R10), 64 * KIB), lab.seq(x8(R10), 2 * MIB)
    single = lab.seq(SINGLE, MIB)
    return (f"ceiling {ceiling:.0f}, R0 {capped:.0f} MB/s, without {free:.0f}; "
            f"R10 {small / single:.1f} and {large / single:.1f} of one drive"), {
        "ceiling": ceiling, "capped": capped, "free": free, "small": small, "single": single,
        "large": large}


def c31(lab: Lab) -> Outcome:
    ratio = lab.seq(R6_2, MIB) / lab.seq(R6_1, MIB)
    return f"{ratio:.2f}", {"ratio": ratio}


def c32(lab: Lab) -> Outcome:
    ratio = lab.seq(R10_1, MIB, 100) / lab.seq(x8(R10), MIB, 100)
    return f"{ratio:.2f}", {"ratio": ratio}


def c34(lab: Lab) -> Outcome:
    rates = [lab.mt(nine(level, 8), 1) for level in (R0, R5, R6, R10)]
    deep = lab.mt(nine(R0, 8), 1, depth=4)
    return f"{texts(*rates)} MB/s; four at a time {deep:.0f}", {"rates": rates, "deep": deep}


def c35(lab: Lab) -> Outcome:
    ratio = lab.mt(x8(R10), 2) / lab.mt(x8(R10), 1)
    return f"{ratio:.2f}", {"ratio": ratio}


def c38(lab: Lab) -> Outcome:
    r0, r10 = (lab.mt(array, 2, 100) / lab.mt(array, 1, 100)
               for array in (x8(R0).fitted(NINE), x8(R10).fitted(NINE)))
    default = [lab.mt(x8(level), 2, 100) / lab.mt(x8(level), 1, 100) for level in (R0, R10)]
    return f"{texts(r0, r10)}; by default {texts(*default)}", {"r0": r0, "r10": r10}


def nine(level: str, drives: int) -> Array:
    return Array(level, drives, read_policy="adaptive_read_ahead").fitted(NINE)


def c37(lab: Lab) -> Outcome:
    ratios = [lab.mt(nine(level, 4), 4) / lab.mt(nine(level, 4), 2) for level in (R0, R5, R10)]
    return texts(*ratios), None


def c40(lab: Lab) -> Outcome:
    ratios = [lab.mt(nine(level, 8), 4, 100) / lab.mt(nine(level, 8), 2, 100)
              for level in (R0, R5, R10)]
    return texts(*ratios), None


def c41(lab: Lab) -> Outcome:
    ratios = [lab.workload(x8(R10), "w07-web-server", depth)
              / lab.workload(x8(R0), "w07-web-server", depth) for depth in (1, 4, 16, 64, 256)]
    return texts(*ratios), {"ratios": ratios}


def c44(lab: Lab) -> Outcome:
    r5, r6, two = (lab.rating(array, "w06-file-server") for array in (x8(R5), x8(R6), R6_2))
    return texts(r6 / r5, two / r5), {"r6": r6, "r5": r5, "two": two}


def c46(lab: Lab) -> Outcome:
    ratios = crossover(lab, "w08-workstation", 32)
    return texts(*ratios), {"ratios": ratios}


def c47(lab: Lab) -> Outcome:
    r5, r6 = (lab.rating_long(x8(level), "w08-workstation") for level in (R5, R6))
    two = lab.rating_long(R6_2, "w08-workstation") / lab.rating_long(SINGLE, "w08-workstation")
    return f"R5/R6 {r5 / r6:.2f}; R6-2/one {two:.2f}", {"r5": r5, "r6": r6, "two": two}


def c49(lab: Lab) -> Outcome:
    rates = [lab.rating_long(x8(level), "w09-workstation-32gb") for level in (R0, R5, R6, R10)]
    return texts(*(rate / rates[0] for rate in rates)), {"rates": rates}


def c50(lab: Lab) -> Outcome:
    rates = [lab.files(nine(level, 8), "create", 600 * MIB) for level in (R0, R5, R6, R10)]
    ideal = 8 * lab.files(nine(R0, 1), "create", 600 * MIB)
    return f"{texts(*rates)} MB/s, {rates[0] / ideal:.2f} of ideal", {"rates": rates}


def c52(lab: Lab) -> Outcome:
    create, read = (lab.files(nine(R5, 8), what, 4 * MIB) for what in ("create", "read"))
    worse = lab.files(nine(R5, 8).without(0), "read", 4 * MIB)
    return f"create {create:.0f}, read {read:.0f}, degraded {worse:.0f} MB/s", {
        "create": create, "read": read, "worse": worse}


def c53(lab: Lab) -> Outcome:
    (near, near_6), (far, far_6) = (
        (lab.files(nine(level, 8), what, 4 * MIB) for level in (R5, R6))
        for what in ("copy", "copy_far"))
    return f"near R5 {near:.0f}, R6 {near_6:.0f}; far {far:.0f}, {far_6:.0f} MB/s", {
        "near": near, "near_6": near_6, "far": far, "far_6": far_6}


def c55(lab: Lab) -> Outcome:
    rates = [lab.seq(x8(R0).fitted(NINE), MIB, w) for w in (0, 100)]
    return texts(*rates) + " MB/s", {"rates": rates}


def ssd(drives: int = 16, **more: object) -> Array:
    return Array(R0, drives, **{"drive": D3, "cache": 0, "drive_cache": True,  # type: ignore[arg-type]
                                "write_back": False} | more)


def stream(lab: Lab, array: Array, writes: int = 0) -> tuple[float, float]:
    """W13 as its file has it: mean and maximum, MB/s. Sixteen drives have 256 MiB of buffers, which
    a card that is faster than they by 80 MB/s fills in three seconds: 12,000 writes."""
    point = lab.point(array, Load(depths=(), profile=f"w13-streaming-{'write' if writes else 'read'}",
                                  warmup=16000 if writes else 3000))
    return point["bytes_per_s"] / 1e6, point["bytes_per_s_max"] / 1e6


def e01(lab: Lab) -> Outcome:
    rate, _ = stream(lab, ssd())
    return f"{rate:.0f} MB/s", {"rate": rate}


def e02(lab: Lab) -> Outcome:
    rate, _ = stream(lab, ssd(8, profile="adaptec-raid-5805", controllers=2, cache=16 * MIB))
    return f"{rate:.0f} MB/s", {"rate": rate}


def e04(lab: Lab) -> Outcome:
    hba = ssd(8, profile="lsi-megaraid-sas-9210-8i", controllers=2)
    raid = ssd(8, profile=CARD, controllers=2)
    (read, _), (write, _) = stream(lab, hba), stream(lab, hba, 100)
    (card_read, _), (card_write, _) = stream(lab, raid), stream(lab, raid, 100)
    return f"HBA {write / read:.2f}, RAID card {card_write / card_read:.2f}", {
        "write": write, "read": read, "card_write": card_write, "card_read": card_read}


def e05(lab: Lab) -> Outcome:
    mean, peak = stream(lab, ssd(8, profile="lsi-megaraid-sas-9210-8i", controllers=2))
    raid, _ = stream(lab, ssd(8, controllers=2).fitted(CARD))
    return f"mean {mean:.0f}, peak {peak:.0f} MB/s; RAID card {raid:.0f}", {
        "mean": mean, "peak": peak, "raid": raid}


def e11(lab: Lab) -> Outcome:
    link, _ = stream(lab, ssd(8, ceilings=(("link_bytes_per_s", 600_000_000),)))
    base, _ = stream(lab, ssd(8))
    narrow, _ = stream(lab, ssd(ceilings=(("bus_bytes_per_s", 2_000_000_000),)))
    wide, _ = stream(lab, ssd(ceilings=(("bus_bytes_per_s", 4_000_000_000),)))
    return f"link {link / base:.2f}; bus 2 and 4 GB/s: {narrow:.0f}, {wide:.0f} MB/s", {
        "link": link, "base": base, "narrow": narrow, "wide": wide}


def e14(lab: Lab) -> Outcome:
    raw = lab.seq(ssd(8), MIB)
    cached = lab.seq(ssd(8, cache=64 * MIB, io_policy="cached"), MIB)
    return f"{cached / raw:.2f}", {"cached": cached, "raw": raw}


def pairs_of_cards(lab: Lab, workload: str, figure: str) -> list[float]:
    """Two 9210-8i, two 5805, two 9260-8i with write-back, eight SSDs on each."""
    cards = [ssd(8, profile="lsi-megaraid-sas-9210-8i", controllers=2)] + [
        ssd(8, profile=profile, controllers=2, cache=16 * MIB, write_back=True)
        for profile in ("adaptec-raid-5805", CARD)]
    answers = [lab.answer(array, Load(profile=workload, depths=(1, 4, 16, 64, 256)))
               for array in cards]
    return [max(point["operations_per_s"] for point in answer["points"]) if figure == "peak"
            else answer["ratings"][0]["value"] for answer in answers]


def e07(lab: Lab) -> Outcome:
    hba, adaptec, card = pairs_of_cards(lab, "w14-toms-database", "peak")
    return f"HBA {hba:.0f}, 5805 {adaptec:.0f}, 9260-8i {card:.0f}", (
        None)


def e08(lab: Lab) -> Outcome:
    pair = ssd(8, controllers=2, write_back=True).fitted(CARD)
    on, off = (lab.answer(array, Load(profile="w15-toms-file-server", depths=(1, 4, 16, 64, 256)))
               ["ratings"][0]["value"] for array in (pair, replace(pair, write_back=False, cache=0)))
    # And when two caches of 512 MB have been filled, by 2.3 KB of each request.
    full = lab.ops(pair, Load(profile="w15-toms-file-server", depths=(16,), operations=20000,
                              warmup=500_000))
    through = lab.workload(replace(pair, write_back=False, cache=0), "w15-toms-file-server", 16)
    return f"on {on:.0f}, off {off:.0f}: {on / off:.2f}; 16 at a time and full {full / through:.2f}", {
        "on": on, "off": off, "full": full, "through": through}


def e10(lab: Lab) -> Outcome:
    hba, adaptec, card = pairs_of_cards(lab, "w17-toms-workstation", "mean")
    return texts(hba / adaptec, card / adaptec), {"hba": hba, "adaptec": adaptec, "card": card}


CLAIMS = {
    "B04": b04, "B07": b07, "B08": b08, "B10": b10, "B11": b11, "B13": b13, "B14": b14, "B16": b16,
    "B17": b17, "B20": b20, "B22": b22, "B23": b23, "B25": b25, "B26": b26, "B28": b28, "B31": b31,
    "B34": b34, "B35": b35, "C07": c07, "C08": c08, "C10": b10, "C11": c11, "C14": c14, "C16": c16,
    "C17": c17, "C19": c19, "C20": c20, "C22": c22, "C23": c23, "C25": c25, "C26": c26, "C28": c28,
    "C29": c29, "C31": c31, "C32": c32, "C34": c34, "C35": c35, "C37": c37, "C38": c38, "C40": c40,
    "C41": c41, "C43": b26, "C44": c44, "C46": c46, "C47": c47, "C49": c49, "C50": c50, "C52": c52,
    "C53": c53, "C55": c55, "E01": e01, "E02": e02, "E04": e04, "E05": e05, "E07": e07, "E08": e08,
    "E10": e10, "E11": e11, "E14": e14
}
