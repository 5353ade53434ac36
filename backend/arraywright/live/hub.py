"""Who listens, and what was told lately.

The ring keeps the newest changes with consecutive numbers, so that a stream which broke can
resume. A subscriber has its own bounded backlog, merged by object; when it overflows the
subscriber is told to start over instead of slowing down everybody else.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID, uuid4

from arraywright.auth.principal import Principal

FLEET_KINDS = frozenset({"host", "alert", "command", "user", "api_token", "enrolment_token"})
BACKLOG = 5000


class Change(NamedTuple):
    kind: str
    object_id: str
    rev: int
    host_id: UUID | None


@dataclass(eq=False)
class Subscription:
    principal: Principal
    id: UUID = field(default_factory=uuid4)
    topics: frozenset[str] = frozenset({"all"})
    pending: dict[tuple[str, str], int] = field(default_factory=dict)
    position: int = 0
    delivered: int = 0
    needs_reset: bool = False
    end_reason: str | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def wants(self, change: Change) -> bool:
        limit = self.principal.host_ids
        if limit is not None and change.host_id not in limit:
            return False
        return (
            "all" in self.topics
            or ("fleet" in self.topics and change.kind in FLEET_KINDS)
            or (change.host_id is not None and f"host:{change.host_id}" in self.topics)
        )

    def offer(self, number: int, change: Change) -> None:
        self.position = number
        if self.wants(change):
            key = (change.kind, change.object_id)
            self.pending[key] = max(change.rev, self.pending.get(key, 0))
            if len(self.pending) > BACKLOG:
                self.pending.clear()
                self.needs_reset = True
            self.news.set()

    def end(self, reason: str) -> None:
        self.end_reason = self.end_reason or reason
        self.ended.set()
        self.news.set()

    def take(self) -> list[tuple[str, str, int]]:
        items = [(kind, object_id, rev) for (kind, object_id), rev in self.pending.items()]
        self.pending.clear()
        self.news.clear()
        return items


class Hub:
    def __init__(self, ring: int) -> None:
        self._boot = secrets.token_hex(4)
        self._ring: deque[tuple[int, Change]] = deque(maxlen=ring)
        self._number = 0
        self._subscriptions: dict[UUID, Subscription] = {}
        self._watchers: list[Callable[[Iterable[Change]], None]] = []
        self.closing = asyncio.Event()

    def watch(self, watcher: Callable[[Iterable[Change]], None]) -> None:
        """Calls `watcher` with everything that is published."""
        self._watchers.append(watcher)

    def event_id(self, number: int) -> str:
        return f"{self._boot}-{number}"

    @property
    def position(self) -> str:
        """What is read from now on misses nothing that a stream after this tells."""
        return self.event_id(self._number)

    def publish(self, changes: Iterable[Change]) -> None:
        changes = list(changes)
        for change in changes:
            self._number += 1
            self._ring.append((self._number, change))
            for subscription in self._subscriptions.values():
                subscription.offer(self._number, change)
        for watcher in self._watchers:
            watcher(changes)

    def subscribe(self, principal: Principal, last_event_id: str | None) -> Subscription:
        number = self._number
        subscription = Subscription(principal=principal, position=number, delivered=number)
        start = self._resume_point(last_event_id)
        if start is None:
            subscription.needs_reset = last_event_id is not None
        else:
            subscription.delivered = start
            for number, change in self._ring:
                if number > start:
                    subscription.offer(number, change)
        self._subscriptions[subscription.id] = subscription
        return subscription

    def _resume_point(self, last_event_id: str | None) -> int | None:
        """The number to go on after, if nothing after it has been forgotten."""
        boot, _, digits = (last_event_id or "").partition("-")
        if boot != self._boot or not digits.isdecimal():
            return None
        number = int(digits)
        oldest = self._ring[0][0] if self._ring else self._number + 1
        return number if oldest - 1 <= number <= self._number else None

    def unsubscribe(self, subscription: Subscription) -> None:
        self._subscriptions.pop(subscription.id, None)

    @property
    def listeners(self) -> int:
        return len(self._subscriptions)

    def find(self, stream_id: UUID) -> Subscription | None:
        return self._subscriptions.get(stream_id)

    def end(
        self,
        *,
        reason: str,
        session_id: UUID | None = None,
        token_id: UUID | None = None,
        user_id: UUID | None = None,
        keep_session_id: UUID | None = None,
    ) -> None:
        """Ends the streams of a session, a token or a user."""
        for subscription in self._subscriptions.values():
            principal = subscription.principal
            if keep_session_id is not None and principal.session_id == keep_session_id:
                continue
            if (
                (session_id is not None and principal.session_id == session_id)
                or (token_id is not None and principal.token_id == token_id)
                or (user_id is not None and principal.user_id == user_id)
            ):
                subscription.end(reason)

    def close(self) -> None:
        """The server stops: every stream ends now, so that none delays the shutdown."""
        self.closing.set()
        for subscription in self._subscriptions.values():
            subscription.end("shutdown")
