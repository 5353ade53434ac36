"""Wakes requests that wait for a command (`Prefer: wait`)."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from arraywright.live.hub import Change


class Waiters:
    def __init__(self) -> None:
        self._events: dict[str, set[asyncio.Event]] = defaultdict(set)

    def notice(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if change.kind == "command":
                for event in self._events.get(change.object_id, ()):
                    event.set()

    @asynccontextmanager
    async def listen(self, command_id: str) -> AsyncIterator[asyncio.Event]:
        event = asyncio.Event()
        self._events[command_id].add(event)
        try:
            yield event
        finally:
            self._events[command_id].discard(event)
            if not self._events[command_id]:
                del self._events[command_id]

    def release_all(self) -> None:
        """The server stops: nobody waits any longer."""
        for events in self._events.values():
            for event in events:
                event.set()
