"""Who may say hello now, and when the others come again.

After a restart, or when a network comes back, every agent dials at once, and one that is not
welcome in time gives up and dials again. So few hellos are worked on at a time, a few more wait,
and whoever would wait too long is sent away at once, before anything is done for him, with a time
that follows from how long one hello has taken lately and how many are still to come.

A host that has to tell its whole state keeps its place until that is stored: so few full states
are in memory at a time.
"""

import asyncio
from collections import deque

from arraywright.kit.clock import Clock

INSIDE = 24
"""Hosts at a time: enough for every group commit to have company."""
PATIENCE_S = 6.0
"""Agents wait 20 s for a welcome."""
SHARE = 0.5
"""Of the time is for hellos; the rest is for those that are connected, and for users."""
SOONEST_S = 5
LATEST_S = 600
COST_S = 0.01
"""Of one hello, before any has been measured."""
MEMORY = 200


def _within_s(hosts: int, cost_s: float) -> int:
    return round(min(max(hosts * cost_s / SHARE, SOONEST_S), LATEST_S))


class Door:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._away: deque[float] = deque()
        """When those come again that were sent away."""
        self._busy_s = COST_S
        self._count = 1.0
        self._since_s = 0.0

    @property
    def cost_s(self) -> float:
        """The time of one hello while as many as possible are worked on."""
        return self._busy_s / self._count

    @property
    def waiting(self) -> int:
        """Who wait for their turn."""
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether one more would wait too long."""
        return len(self._waiting) * self.cost_s > PATIENCE_S

    def spread_s(self, hosts: int) -> int:
        """The time within which so many hosts may come, one by one."""
        return _within_s(hosts, self.cost_s)

    @staticmethod
    def window_s(hosts: int) -> int:
        """The same after the end of this process: what was slow here need not be slow for the next
        one, and its door sends away whoever comes too early."""
        return _within_s(hosts, COST_S)

    def send_away(self) -> int:
        """The time within which this one shall come again."""
        now_s = self._clock.monotonic_s()
        while self._away and self._away[0] <= now_s:
            self._away.popleft()
        spread_s = self.spread_s(len(self._away) + len(self._waiting) + self._inside + 1)
        self._away.append(now_s + spread_s)
        return spread_s

    def try_enter(self) -> bool:
        """Whether there was room at once."""
        if self._inside >= INSIDE or self._waiting:
            return False
        self._inside += 1
        self._note_full()
        return True

    async def enter(self) -> None:
        """Returns in turn; one that is canceled has not entered."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # its turn came at the same moment
            else:
                self._waiting.remove(turn)
            raise

    def leave(self) -> None:
        if self._inside == INSIDE:
            self._measure()
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._note_full()
                return
        self._inside -= 1

    def _note_full(self) -> None:
        if self._inside == INSIDE:
            self._since_s = self._clock.monotonic_s()

    def _measure(self) -> None:
        """Older hellos count less and less."""
        fading = 1.0 - 1.0 / MEMORY
        self._busy_s = self._busy_s * fading + self._clock.monotonic_s() - self._since_s
        self._count = self._count * fading + 1.0
