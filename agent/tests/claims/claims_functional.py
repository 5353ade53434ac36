"""Claims that need no timing: each is shown by a test of the suites, which must be there."""

from __future__ import annotations

import re
from pathlib import Path

from claims_000_004 import Outcome
from claims_001_002_003 import ssd
from lab import Lab, Load

AGENT = Path(__file__).resolve().parent.parent.parent


def shown(path: str, test: str):  # noqa: ANN201
    def look(_: Lab) -> Outcome:
        file = AGENT / path
        found = file.is_file() and re.search(rf"\b{re.escape(test)}\b", file.read_text()) is not None
        return f"{path}: {test}", found
    return look


def e13(lab: Lab) -> Outcome:
    size = lab.answer(ssd(), Load(operations=100, warmup=10))["size_bytes"]
    each = 64 * 10**9 // 4096 * 4096
    return f"{size} bytes", 16 * (each - 65 * 2**20) <= size <= 16 * each


CLAIMS = [
    ("A50", "F", "dirty cache survives power loss for the retention time", shown(
        "tests/unit/emulate/test_emulated_battery.c", "without_power_it_keeps_the_cache_as_long_as_it_says")),
    ("A52", "F", "six ports leave none for a spare after three mirrors", shown(
        "tests/unit/ctl/test_refusals.c", "test_profile_ports")),
    ("C01", "F", "a four-drive R6 is refused by the model that does not take it", shown(
        "tests/unit/ctl/test_refusals.c", "test_profile_shapes")),
    ("C04", "F", "WB without a battery: the profile decides", shown(
        "tests/unit/ctl/test_battery.c", "a_controllers_rule_is_kept")),
    ("C05", "F", "degraded, twice degraded, offline, data right in each", shown(
        "sim/test_closure.c", "test_degraded")),
    ("E13", "F", "R0 x16 of 64 GB: 1 TB less the reserved 64 MiB each", e13),
]
