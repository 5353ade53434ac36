"""One agent: signs in, tells its state, beats, changes, and comes again by the uplink's rules."""

import asyncio
import base64
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID, uuid4

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from bench.fleetsim import hosts
from bench.fleetsim.wire import Connection
from tests.support import documents

PATH = "/api/v1/agents/link"
# agent/src/uplink: how long it waits for a welcome and for an acknowledgement, and its back-off.
WELCOME_S = 20.0
ACK_S = 60.0
BACKOFF_S, BACKOFF_CAP_S = 2.0, 600.0
HEALTHY_S = 120.0
Frame = dict[str, Any]


@dataclass
class World:
    """What all agents share, and what is counted of them."""

    fleet: hosts.Fleet
    port: int = 0
    running: bool = True
    counts: Counter[str] = field(default_factory=Counter)
    acks_s: list[float] = field(default_factory=list)
    welcomes_s: list[float] = field(default_factory=list)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    random: Random = field(default_factory=lambda: Random(1))

    def sign(self, nonce: str, agent_id: UUID) -> str:
        text = f"arraywright-hello-v1\n{nonce}\n{self.fleet.server_id}\n{agent_id}"
        signed = self.fleet.key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))
        return base64.b64encode(signed).decode()


class Agent:
    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.number = number
        self.host_id = world.fleet.hosts[number]
        self.drives = hosts.drives_of(number)
        self.is_live = False
        """Welcome, and everything it has is stored."""
        self.state_epoch, self.event_epoch = str(uuid4()), str(uuid4())
        self.rev = 1
        self.event_seq = 0
        self.fence = ""
        self._connection: Connection | None = None
        self._acked_rev = 0
        self._sent_rev = 0
        self._sent_at: float | None = None
        self._changed: dict[int, int] = {}
        self._began = 0.0
        self._live_since = 0.0
        self._spread_s: float | None = None
        self._window_s = 5.0
        self._failures = 0
        self._timers: list[asyncio.TimerHandle] = []

    # Coming and going

    def come(self, within_s: float) -> None:
        self._after(self.world.random.uniform(0.0, within_s), self._dial)

    def leave(self) -> None:
        self._cancel()
        if self._connection is not None:
            self._connection.abort()

    def _after(self, delay_s: float, call: Any) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(delay_s, call))

    def _cancel(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _dial(self) -> None:
        self._cancel()
        self._began = time.monotonic()
        task = asyncio.create_task(self._open())
        self.world.tasks.add(task)
        task.add_done_callback(self.world.tasks.discard)

    async def _open(self) -> None:
        connection = self._connection = Connection(self, PATH)
        self._after(WELCOME_S, self._no_welcome)
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: connection, "127.0.0.1", self.world.port
            )
        except OSError:
            self.world.counts["refused"] += 1
            self.lost()

    def _no_welcome(self) -> None:
        self.world.counts["no welcome"] += 1
        if self._connection is not None:
            self._connection.abort()

    def opened(self) -> None:
        self.world.counts["opened"] += 1

    def lost(self) -> None:
        self._cancel()
        self._connection = None
        was_live, self.is_live = self.is_live, False
        spread_s, self._spread_s = self._spread_s, None
        self._sent_at = None
        if not self.world.running:
            return
        if spread_s is not None:
            self.come(spread_s)
            return
        healthy = was_live and time.monotonic() - self._live_since >= HEALTHY_S
        if healthy:
            self._failures = 0
        if was_live and self._failures == 0:
            self._failures = 0 if healthy else 1
            self.come(self._window_s)
            return
        limit_s = min(BACKOFF_CAP_S, BACKOFF_S * 2.0**self._failures)
        self._failures += 1
        self._after(self.world.random.uniform(limit_s / 2, limit_s), self._dial)

    # Frames

    def _send(self, kind: str, **fields: Any) -> None:
        if self._connection is not None:
            frame = {"v": 1, "t": kind, **fields}
            self._connection.send(json.dumps(frame, separators=(",", ":")).encode())

    def received(self, text: bytes) -> None:
        frame: Frame = json.loads(text)
        kind = frame["t"]
        if kind == "ack":
            self._acknowledged(frame)
        elif kind == "challenge":
            self._send("hello", **self._hello(frame["nonce"]))
        elif kind == "welcome":
            self._welcome(frame)
        elif kind == "goaway":
            self.world.counts["sent away"] += 1
            self._spread_s = float(frame["spread_s"])
        elif kind == "nack":
            self.world.counts[f"nack {frame['reason']}"] += 1

    def _hello(self, nonce: str) -> Frame:
        return {
            "agent_id": str(self.host_id),
            "signature": self.world.sign(nonce, self.host_id),
            "agent_version": "0.1.0",
            "hostname": f"host{self.number:05d}",
            "boot_id": "b1",
            "state_epoch": self.state_epoch,
            "state_rev": self.rev,
            "event_epoch": self.event_epoch,
            "event_seq_last": self.event_seq,
            "event_seq_first": 1 if self.event_seq else 0,
            "command_number": 0,
            "capabilities": ["fence"],
            "policy_preset": "lab",
            "link_fence": self.fence,
            "state_fence": self.fence,
            "ts": time.time_ns() // 1000,
        }

    def _welcome(self, frame: Frame) -> None:
        self._cancel()
        self.world.counts["welcomes"] += 1
        self.world.welcomes_s.append(time.monotonic() - self._began)
        self._window_s = float(frame["reconnect_window_s"])
        self.fence = frame["fence"]
        self._beat(float(frame["heartbeat_s"]), fence=self.fence)
        self._acked_rev = frame["acked_rev"]
        if self._acked_rev == 0:
            objects = hosts.everything(self.number, self.drives)
            self._report(objects, base_rev=0, full=True)
        else:
            self._live()

    def _live(self) -> None:
        self.is_live = True
        self._live_since = time.monotonic()
        self._tell_changes()

    def _beat(self, every_s: float, **more: str) -> None:
        now_us = time.time_ns() // 1000
        self._send("heartbeat", state_rev=self.rev, event_seq=self.event_seq, ts=now_us, **more)
        self._after(every_s, lambda: self._beat(every_s))
        if self._sent_at is not None and time.monotonic() - self._sent_at > ACK_S:
            self.world.counts["no acknowledgement"] += 1
            self.leave()

    def _report(self, objects: list[Frame], *, base_rev: int, full: bool) -> None:
        self._sent_at = time.monotonic()
        self._sent_rev = self.rev
        self._send(
            "state",
            epoch=self.state_epoch,
            base_rev=base_rev,
            to_rev=self.rev,
            full=full,
            more=False,
            objects=objects,
            tombstones=[],
        )

    def _acknowledged(self, frame: Frame) -> None:
        if "rev" not in frame or self._sent_at is None:
            return
        assert frame["rev"] == self._sent_rev, frame
        self.world.counts["states"] += 1
        self.world.acks_s.append(time.monotonic() - self._sent_at)
        self._sent_at = None
        self._acked_rev = frame["rev"]
        if self.is_live:
            self._tell_changes()
        else:
            self._live()

    # What happens on the host

    def change(self) -> None:
        """The temperature of a drive moves."""
        self.rev += 1
        self._changed[self.world.random.randrange(self.drives)] = self.rev
        if self.is_live and self._sent_at is None:
            self._tell_changes()

    @property
    def is_acknowledged(self) -> bool:
        return not self._changed and self._sent_at is None

    def _tell_changes(self) -> None:
        if not self._changed:
            return
        changed, self._changed = self._changed, {}
        objects = [
            documents.item(
                "drive",
                f"d{slot}",
                rev,
                hosts.drive(self.number, slot, temperature_c=30 + rev % 20),
            )
            for slot, rev in changed.items()
        ]
        self._report(objects, base_rev=self._acked_rev, full=False)

    def event(self) -> None:
        self.event_seq += 1
        event = documents.event(self.event_seq)
        self._send("event", epoch=self.event_epoch, first_seq=self.event_seq, events=[event])
