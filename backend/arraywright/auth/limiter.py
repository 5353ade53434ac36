"""Slows down guessing without locking anybody out: after some failures a caller waits, twice as
long each time.

A browser that has logged in before proves it with its device cookie and has a counter of its
own, so whatever strangers do, its user gets in. Strangers are counted by account and address
together and, more patiently, by account alone. Addresses alone count only where it is known that
they are the callers' own: behind a proxy nobody has told us about, everybody has the same.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from arraywright.kit.clock import Clock
from arraywright.kit.problems import TooManyError

FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 900.0
LONGEST_ACCOUNT_PAUSE_S = 30.0
FORGET_S = 3600.0
REMEMBERED = 50_000
ACCOUNT_FACTOR = 10
ADDRESS_FACTOR = 10


@dataclass(frozen=True, slots=True)
class Counter:
    """What is counted, how many failures it may have, and how long a pause gets."""

    key: str
    factor: int = 1
    longest_s: float = LONGEST_PAUSE_S


@dataclass(slots=True)
class _Record:
    failures: int = 0
    last_s: float = 0.0
    blocked_until_s: float = 0.0


def login_counters(name: str, address: str, *, device: str | None, real: bool) -> list[Counter]:
    """`device`: of the user, as its cookie proves; `real`: the address is the caller's own."""
    account = name.lower()
    if device is not None:
        return [Counter(f"device {device}")]
    counters = [
        Counter(f"login {account}@{address}"),
        Counter(f"account {account}", ACCOUNT_FACTOR, LONGEST_ACCOUNT_PAUSE_S),
    ]
    if real:
        counters.append(Counter(f"address {address}", ADDRESS_FACTOR))
    return counters


class AttemptLimiter:
    def __init__(self, clock: Clock, attempts: int) -> None:
        self._clock = clock
        self._attempts = attempts
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def check(self, counters: Iterable[Counter]) -> None:
        """Refuses a caller who has to wait."""
        now = self._clock.monotonic_s()
        left = max(self._left(counter.key, now) for counter in counters)
        if left > 0:
            seconds = int(left) + 1
            raise TooManyError(
                f"Too many failed attempts. Try again in {seconds} seconds.",
                params={"seconds": str(seconds)},
                headers={"Retry-After": str(seconds)},
            )

    def failed(self, counters: Iterable[Counter]) -> None:
        now = self._clock.monotonic_s()
        for counter in counters:
            record = self._records.setdefault(counter.key, _Record())
            self._records.move_to_end(counter.key)
            if now - record.last_s > FORGET_S:
                record.failures = 0
            record.failures += 1
            record.last_s = now
            over = record.failures - self._attempts * counter.factor
            if over >= 0:
                pause = min(counter.longest_s, FIRST_PAUSE_S * 2.0 ** min(over, 20))
                record.blocked_until_s = now + pause
        while len(self._records) > REMEMBERED:
            self._records.popitem(last=False)

    def succeeded(self, counters: Iterable[Counter]) -> None:
        for counter in counters:
            self._records.pop(counter.key, None)

    def _left(self, key: str, now: float) -> float:
        record = self._records.get(key)
        return record.blocked_until_s - now if record else 0.0
