"""The wall clock in integer microseconds; tests bring their own."""

import time


class Clock:
    def now_us(self) -> int:
        return time.time_ns() // 1000

    def monotonic_s(self) -> float:
        return time.monotonic()
