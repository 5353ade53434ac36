"""What becomes of each frame an agent sends: a piece of work for the writer, then an answer."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Protocol
from uuid import UUID

from arraywright.commands import progress as commands
from arraywright.link import history, identity
from arraywright.link.batch import Batch, FencedError, ResyncError
from arraywright.link.frames import Frame
from arraywright.link.protocol import (
    CmdAckFrame,
    EventFrame,
    HeartbeatFrame,
    HelloFrame,
    ObjectRecord,
    ProgressFrame,
    ResultFrame,
    StateFrame,
)
from arraywright.link.writer import Apply, Writer

logger = logging.getLogger(__name__)
IN_FLIGHT = 64
FULL_OBJECTS = 20_000


class Sender(Protocol):
    host_id: UUID
    fence: int

    def send(self, frame: Mapping[str, Any]) -> None: ...

    def nack(self, reason: str, detail: str) -> None: ...

    def close(self, nack: str | None, detail: str = "") -> None: ...

    def refuse(self, detail: str) -> bool: ...


class Intake:
    """Keeps the order of one agent's frames and bounds how many are under way."""

    def __init__(self, sender: Sender, writer: Writer) -> None:
        self._sender = sender
        self._writer = writer
        self._room = asyncio.Semaphore(IN_FLIGHT)
        self._full: list[ObjectRecord] = []
        self._full_epoch: str | None = None
        self._resyncing = False

    async def take(self, frame: Frame) -> None:
        match frame:
            case StateFrame():
                await self._state(frame)
            case EventFrame():
                await self._events(frame)
            case CmdAckFrame():
                await self._submit(lambda batch: commands.acknowledged(batch, self._host, frame))
            case ProgressFrame():
                await self._submit(lambda batch: commands.progressed(batch, self._host, frame))
            case ResultFrame():
                await self._result(frame)
            case HeartbeatFrame():
                await self._heartbeat(frame)
            case HelloFrame():
                self._sender.refuse("hello: a session has one hello")

    @property
    def _host(self) -> UUID:
        return self._sender.host_id

    async def _submit(self, apply: Apply, done: Mapping[str, Any] | None = None) -> None:
        """Hands work to the writer; `done` is filled while it is applied and sent after."""
        await self._room.acquire()
        host_id, fence = self._sender.host_id, self._sender.fence
        outcome: list[str] = []

        async def guarded(batch: Batch) -> None:
            outcome.clear()
            try:
                batch.cursor(host_id, fence)
                await apply(batch)
            except FencedError:
                outcome.append("fenced")
            except ResyncError:
                outcome.append("resync")

        def answer(error: Exception | None) -> None:
            self._room.release()
            if error is not None:
                self._sender.close("overload", "the frame could not be stored")
            elif "fenced" in outcome:
                self._sender.close("fenced", "a newer session of this agent has taken over")
            elif "resync" in outcome:
                self._ask_for_full()
            elif done is not None:
                self._sender.send(done)

        await self._writer.submit(host_id, guarded, answer)

    def _ask_for_full(self) -> None:
        """Once: deltas that were under way already are covered by the full state."""
        if not self._resyncing:
            self._resyncing = True
            self._sender.nack("resync", "send the full state")

    async def _state(self, frame: StateFrame) -> None:
        if frame.full:
            await self._full_state(frame)
            return
        if frame.more:
            self._sender.refuse("state: only a full state may span frames")
            return
        if self._resyncing:
            return
        ack: dict[str, Any] = {"t": "ack"}
        host_id, fence = self._sender.host_id, self._sender.fence

        async def apply(batch: Batch) -> None:
            ack["rev"] = await batch.apply_delta(
                batch.cursor(host_id, fence),
                epoch=frame.epoch,
                base_rev=frame.base_rev,
                to_rev=frame.to_rev,
                objects=frame.objects,
                tombstones=frame.tombstones,
            )

        await self._submit(apply, ack)

    async def _full_state(self, frame: StateFrame) -> None:
        if frame.epoch != self._full_epoch:
            self._full, self._full_epoch = [], frame.epoch
        self._full.extend(frame.objects)
        if len(self._full) > FULL_OBJECTS:
            self._full, self._full_epoch = [], None
            self._sender.refuse(f"state: more than {FULL_OBJECTS} objects")
            return
        if frame.more:
            return
        objects, self._full, self._full_epoch = self._full, [], None
        self._resyncing = False
        ack: dict[str, Any] = {"t": "ack"}
        host_id, fence = self._sender.host_id, self._sender.fence

        async def apply(batch: Batch) -> None:
            ack["rev"] = await batch.apply_full(
                batch.cursor(host_id, fence),
                epoch=frame.epoch,
                to_rev=frame.to_rev,
                objects=objects,
            )

        await self._submit(apply, ack)

    async def _heartbeat(self, frame: HeartbeatFrame) -> None:
        """Having been heard is all it is for, but for the one that says what is durable."""
        fence = frame.fence
        if fence is None:
            return
        host_id, session_fence = self._sender.host_id, self._sender.fence

        async def apply(batch: Batch) -> None:
            identity.confirm(batch.cursor(host_id, session_fence), fence)

        await self._submit(apply)

    async def _events(self, frame: EventFrame) -> None:
        ack: dict[str, Any] = {"t": "ack"}
        host_id, fence = self._sender.host_id, self._sender.fence

        async def apply(batch: Batch) -> None:
            cursor = batch.cursor(host_id, fence)
            if frame.epoch == cursor.event_epoch:
                repeats = await history.repeats(batch.session, cursor, frame.events)
                batch.apply_events(cursor, frame, repeats)
            ack["event_seq"] = cursor.event_seq

        await self._submit(apply, ack)

    async def _result(self, frame: ResultFrame) -> None:
        await self._submit(
            lambda batch: commands.finished(batch, self._host, frame),
            {"t": "ack", "result": frame.command_id},
        )
