"""What one host may bring: enough for any real one, too little to hurt the others.

Events flow at a steady rate after a burst: a host that sends more waits for its
acknowledgements, so that nothing it has to say is lost. Objects beyond the limit are not stored.
Connections that have not said who they are are few, in all and from one address.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from arraywright.kit.clock import Clock
from arraywright.link.protocol import DOCUMENTS, ObjectRecord

EVENTS_BURST = 10_000
EVENTS_PER_S = 50.0
OBJECTS = 20_000
UNKNOWN_OBJECTS = 1_000
TOMBSTONES = 20_000
FULL_STATE_CHARACTERS = 96 * 1024 * 1024
TELL_EVERY_S = 60.0
ENROLMENTS_BURST = 100
ENROLMENTS_PER_S = 1.0
STRANGERS = 1_000
STRANGERS_PER_ADDRESS = 200


@dataclass(slots=True)
class Held:
    """An upper bound of what is stored of a host."""

    objects: int
    unknown: int

    def has_room(self, objects: int, unknown: int) -> bool:
        return (
            self.objects + self.unknown + objects + unknown <= OBJECTS
            and self.unknown + unknown <= UNKNOWN_OBJECTS
        )

    def choose(
        self, objects: Sequence[ObjectRecord], present: Collection[tuple[str, str]]
    ) -> list[ObjectRecord]:
        """What is there already, and new ones as far as there is room."""
        chosen = []
        objects_more = unknown_more = 0
        for item in objects:
            if (item.kind, item.key) in present:
                chosen.append(item)
                continue
            is_unknown = item.kind not in DOCUMENTS
            if self.has_room(objects_more + (not is_unknown), unknown_more + is_unknown):
                chosen.append(item)
                unknown_more += is_unknown
                objects_more += not is_unknown
        return chosen


@dataclass(slots=True)
class Allowance:
    events_left: float
    at_s: float
    late_events: int = 0
    nonsense: int = 0
    held: Held | None = None
    noisy_told_s: float = -TELL_EVERY_S
    nonsense_told_s: float = -TELL_EVERY_S


class Allowances:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._hosts: dict[UUID, Allowance] = {}
        self._strangers: Counter[str] = Counter()
        self._enrolments: dict[UUID, tuple[float, float]] = {}

    def of(self, host_id: UUID) -> Allowance:
        """Lives as long as the process: connecting anew gives nothing back."""
        now_s = self._clock.monotonic_s()
        return self._hosts.setdefault(host_id, Allowance(float(EVENTS_BURST), now_s))

    def forget(self, host_id: UUID) -> None:
        self._hosts.pop(host_id, None)

    def events_delay_s(self, host_id: UUID, count: int) -> float:
        """Takes room for so many events; how long they have to wait."""
        host = self.of(host_id)
        now_s = self._clock.monotonic_s()
        host.events_left += (now_s - host.at_s) * EVENTS_PER_S
        host.events_left = min(host.events_left, float(EVENTS_BURST)) - count
        host.at_s = now_s
        if host.events_left >= 0:
            return 0.0
        host.late_events += count
        return -host.events_left / EVENTS_PER_S

    def noisy_to_tell(self, host_id: UUID) -> int:
        """Events that had to wait since this was told last; 0 if it was told just now."""
        host = self.of(host_id)
        now_s = self._clock.monotonic_s()
        if host.late_events == 0 or now_s - host.noisy_told_s < TELL_EVERY_S:
            return 0
        host.noisy_told_s = now_s
        count, host.late_events = host.late_events, 0
        return count

    def nonsense_to_tell(self, host_id: UUID, count: int) -> int:
        """Impossible reports since this was told last; 0 if it was told just now."""
        host = self.of(host_id)
        host.nonsense += count
        now_s = self._clock.monotonic_s()
        if now_s - host.nonsense_told_s < TELL_EVERY_S:
            return 0
        host.nonsense_told_s = now_s
        total, host.nonsense = host.nonsense, 0
        return total

    def enrolment_delay_s(self, token_id: UUID) -> float:
        """How long the next host that enrolls with a token has to wait; 0: it may."""
        now_s = self._clock.monotonic_s()
        left, at_s = self._enrolments.get(token_id, (float(ENROLMENTS_BURST), now_s))
        left = min(left + (now_s - at_s) * ENROLMENTS_PER_S, float(ENROLMENTS_BURST))
        allowed = left >= 1
        self._enrolments[token_id] = (left - 1 if allowed else left, now_s)
        return 0.0 if allowed else (1 - left) / ENROLMENTS_PER_S

    # Connections without an identity

    def enter(self, address: str) -> bool:
        """Whether one more may try to say who it is."""
        if self._strangers[address] >= STRANGERS_PER_ADDRESS:
            return False
        if self.strangers >= STRANGERS:
            return False
        self._strangers[address] += 1
        return True

    @property
    def strangers(self) -> int:
        return self._strangers.total()

    def leave(self, address: str) -> None:
        self._strangers[address] -= 1
        if self._strangers[address] <= 0:
            del self._strangers[address]
