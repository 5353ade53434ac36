"""Which figures are kept, and for how long."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from arraywright.link.protocol import INTEGER_MAX

HOUR_S = 3600
DAY_S = 24 * HOUR_S


class Tier(NamedTuple):
    """Buckets of one length; each tier is made from the one before it."""

    step_s: int
    keep_s: int


TIERS = (Tier(60, 6 * HOUR_S), Tier(HOUR_S // 2, 14 * DAY_S), Tier(DAY_S, 1095 * DAY_S))

UNITS: dict[str, str] = {
    "charge_percent": "percent",
    "temperature_c": "celsius",
    "voltage_mv": "millivolts",
    "full_capacity_mah": "milliampere_hours",
    "left_s": "seconds",
    "used_bytes": "bytes",
    "dirty_bytes": "bytes",
    "pinned_bytes": "bytes",
    "read_hit_percent": "percent",
    "destage_bytes_per_s": "bytes_per_second",
}
BATTERY = ("charge_percent", "temperature_c", "voltage_mv", "full_capacity_mah", "left_s")
CACHE = ("used_bytes", "dirty_bytes", "pinned_bytes", "read_hit_percent", "destage_bytes_per_s")
KINDS = ("battery", "controller")


def bucket(at_s: int, step_s: int) -> int:
    return at_s - at_s % step_s


def samples(kind: str, doc: Mapping[str, Any]) -> dict[str, float]:
    """What an object's document says now; what it does not know is left out."""
    source, names = (doc, BATTERY) if kind == "battery" else (doc.get("cache"), CACHE)
    if not isinstance(source, Mapping):
        return {}
    return {name: float(source[name]) for name in names if _is_figure(source.get(name))}


def _is_figure(value: Any) -> bool:
    """Documents that an older version has stored may hold anything: one must not stop the rest."""
    return type(value) in (int, float) and abs(value) <= INTEGER_MAX


def tier_for(span_s: int) -> int:
    """The finest tier that reaches so far back."""
    for index, tier in enumerate(TIERS):
        if span_s <= tier.keep_s:
            return index
    return len(TIERS) - 1
