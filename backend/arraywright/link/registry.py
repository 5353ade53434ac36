"""Which agents are connected to this process, and when each was heard last."""

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from arraywright.kit.clock import Clock
from arraywright.kit.waiting import happened
from arraywright.link.identity import Machine


class Peer(Protocol):
    """A connected agent."""

    host_id: UUID
    fence: int
    machine: Machine
    heard_s: float
    seen_us: int | None
    """When it was heard last, until that is stored."""

    def send(self, frame: Mapping[str, Any]) -> None: ...

    async def query(self, name: str, args: Mapping[str, Any]) -> Any: ...

    def close(self, nack: str | None, detail: str = "") -> None: ...


class Departed(NamedTuple):
    heard_s: float
    since_s: float
    """When its grace time begins."""
    fence: int


class Registry:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._peers: dict[UUID, Peer] = {}
        self._left_us: dict[UUID, int] = {}
        """When those were heard last that have gone since that was stored."""
        self._departed: dict[UUID, Departed] = {}
        self._challenged_s: dict[UUID, float] = {}
        self._contested: set[UUID] = set()
        self.resend: set[UUID] = set()
        self.command_news = asyncio.Event()
        """A command has been made, or a host has connected."""
        self._has_commands = False
        self._empty = asyncio.Event()
        self._closing = False

    def register(self, peer: Peer) -> None:
        """The newest session wins; an older one is told so and closed."""
        older = self._peers.get(peer.host_id)
        if older is not None and older is not peer:
            older.close("fenced", "a newer session of this agent has taken over")
        self._peers[peer.host_id] = peer
        self._departed.pop(peer.host_id, None)
        self.resend.add(peer.host_id)
        self.heard(peer)
        self.command_news.set()
        if self._closing:
            peer.close(None)

    def unregister(self, peer: Peer) -> None:
        if self._peers.get(peer.host_id) is peer:
            del self._peers[peer.host_id]
            if peer.seen_us is not None:
                self._left_us[peer.host_id] = peer.seen_us
            self.resend.discard(peer.host_id)
            self.departed(peer.host_id, peer.fence)
            if not self._peers:
                self._empty.set()

    def heard(self, peer: Peer) -> None:
        peer.heard_s = self._clock.monotonic_s()
        peer.seen_us = self._clock.now_us()
        if (
            self._challenged_s
            and peer.host_id in self._challenged_s
            and self._peers.get(peer.host_id) is peer
        ):
            self._contested.add(peer.host_id)

    def peer(self, host_id: UUID) -> Peer | None:
        return self._peers.get(host_id)

    def connected(self) -> list[UUID]:
        return list(self._peers)

    def __len__(self) -> int:
        return len(self._peers)

    def silent(self, longer_than_s: float) -> list[Peer]:
        limit = self._clock.monotonic_s() - longer_than_s
        return [peer for peer in self._peers.values() if peer.heard_s < limit]

    def forgive(self, seconds: float) -> None:
        """So long nobody could be heard or come back, and the fault is ours."""
        now_s = self._clock.monotonic_s()
        for peer in self._peers.values():
            peer.heard_s = min(now_s, peer.heard_s + seconds)
        self._departed = {
            host: Departed(left.heard_s + seconds, left.since_s + seconds, left.fence)
            for host, left in self._departed.items()
        }

    def departed(self, host_id: UUID, fence: int, *, patience_s: float = 0.0) -> None:
        """The session with this fence has ended."""
        now_s = self._clock.monotonic_s()
        self._departed[host_id] = Departed(now_s, now_s + patience_s, fence)

    def late(self, longer_than_s: float) -> set[UUID]:
        """Expected, and not heard for so long."""
        limit = self._clock.monotonic_s() - longer_than_s
        silent = {peer.host_id for peer in self.silent(longer_than_s)}
        return silent | {host for host, left in self._departed.items() if left.heard_s < limit}

    def awaited_s(self, host_id: UUID, patience_s: float) -> float | None:
        """How much longer the host is expected back; None if it is not."""
        left = self._departed.get(host_id)
        if left is None:
            return None
        wait_s = left.since_s + patience_s - self._clock.monotonic_s()
        return wait_s if wait_s > 0.0 else None

    def challenged(self, host_id: UUID) -> None:
        """A second machine has shown up under this identity."""
        self._challenged_s[host_id] = self._clock.monotonic_s()

    def is_contested(self, host_id: UUID) -> bool:
        """Whether the machine that was connected then has been heard since: there are two."""
        return host_id in self._contested

    def quiet(self, host_id: UUID, longer_than_s: float, started_s: float) -> bool:
        """Whether no second machine was seen for so long, and this process looked so long."""
        limit = self._clock.monotonic_s() - longer_than_s
        return self._challenged_s.get(host_id, started_s) < limit

    def settled(self, host_id: UUID) -> None:
        self._challenged_s.pop(host_id, None)
        self._contested.discard(host_id)

    def gone(self, longer_than_s: float) -> dict[UUID, int]:
        """Hosts without a session for so long, and its fence; each is named once."""
        limit = self._clock.monotonic_s() - longer_than_s
        hosts = {h: left.fence for h, left in self._departed.items() if left.since_s <= limit}
        for host in hosts:
            del self._departed[host]
        return hosts

    def take_seen(self) -> dict[UUID, int]:
        """When those were heard last that were heard since this was asked before."""
        seen, self._left_us = self._left_us, {}
        for host_id, peer in self._peers.items():
            if peer.seen_us is not None:
                seen[host_id], peer.seen_us = peer.seen_us, None
        return seen

    def wake_commands(self) -> None:
        self._has_commands = True
        self.command_news.set()

    def take_commands(self) -> bool:
        """Whether a command has been made since this was asked last."""
        has_commands, self._has_commands = self._has_commands, False
        return has_commands

    def evict(self, host_id: UUID) -> None:
        """The host is retired: its key is no longer welcome."""
        self._departed.pop(host_id, None)
        self.settled(host_id)
        peer = self._peers.get(host_id)
        if peer is not None:
            peer.close("unauthorised", "this host has been retired")

    def close_all(self) -> None:
        """Sends everybody away, and whoever still comes."""
        self._closing = True
        for peer in list(self._peers.values()):
            peer.close(None)

    async def drained(self, seconds: float) -> None:
        """Until every agent has been sent away, at most so long."""
        self._empty.clear()
        if self._peers:
            await happened(self._empty, seconds)
