"""Slows down guessing: after some failures a caller waits, twice as long each time.

Kept in memory, keyed by user name and address together and by address alone, so that a
stranger cannot lock out a user who works from elsewhere.
"""

from collections import OrderedDict
from dataclasses import dataclass

from arraywright.kit.clock import Clock
from arraywright.kit.problems import TooManyError

FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 900.0
FORGET_S = 3600.0
REMEMBERED = 10_000
ADDRESS_FACTOR = 10


@dataclass(slots=True)
class _Record:
    failures: int = 0
    last_s: float = 0.0
    blocked_until_s: float = 0.0


class AttemptLimiter:
    def __init__(self, clock: Clock, attempts: int) -> None:
        self._clock = clock
        self._attempts = attempts
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def check(self, *, name: str, address: str) -> None:
        """Refuses a caller who has to wait."""
        now = self._clock.monotonic_s()
        left = max(self._left(key, now) for key, _ in self._keys(name, address))
        if left > 0:
            seconds = int(left) + 1
            raise TooManyError(
                f"Too many failed attempts. Try again in {seconds} seconds.",
                params={"seconds": str(seconds)},
                headers={"Retry-After": str(seconds)},
            )

    def failed(self, *, name: str, address: str) -> None:
        now = self._clock.monotonic_s()
        for key, allowed in self._keys(name, address):
            record = self._records.setdefault(key, _Record())
            self._records.move_to_end(key)
            if now - record.last_s > FORGET_S:
                record.failures = 0
            record.failures += 1
            record.last_s = now
            over = record.failures - allowed
            if over >= 0:
                pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(over, 20))
                record.blocked_until_s = now + pause
        while len(self._records) > REMEMBERED:
            self._records.popitem(last=False)

    def succeeded(self, *, name: str, address: str) -> None:
        self._records.pop(f"{name.lower()}@{address}", None)

    def _keys(self, name: str, address: str) -> tuple[tuple[str, int], tuple[str, int]]:
        """Each key with the failures it may have."""
        return (
            (f"{name.lower()}@{address}", self._attempts),
            (f"@{address}", self._attempts * ADDRESS_FACTOR),
        )

    def _left(self, key: str, now: float) -> float:
        record = self._records.get(key)
        return record.blocked_until_s - now if record else 0.0
