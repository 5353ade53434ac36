from arraywright.kit.clock import Clock


class HandClock(Clock):
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.offset_s = 0.0

    def now_us(self) -> int:
        return super().now_us() + int(self.offset_s * 1e6)

    def monotonic_s(self) -> float:
        return super().monotonic_s() + self.offset_s
