"""The seed of a test of whole programs: AW_SEED repeats one; else one of its own from what
AW_FRESH_SEED says, which `make test` sets anew for every run; else any."""

import os
import random


def fresh(name):
    if os.environ.get("AW_SEED"):
        return int(os.environ["AW_SEED"], 0)
    drawn_from = os.environ.get("AW_FRESH_SEED")
    source = random.Random(f"{drawn_from} {name}") if drawn_from else random.SystemRandom()
    return source.randrange(1, 1 << 32)
