"""What becomes of each frame an agent sends: a piece of work for the writer, then an answer."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol
from uuid import UUID

from arraywright.alerts import engine as alerts
from arraywright.commands import progress as commands
from arraywright.hosts import service as hosts
from arraywright.link import admission, history, identity
from arraywright.link.allowances import (
    EVENTS_PER_S,
    FULL_STATE_CHARACTERS,
    OBJECTS,
    UNKNOWN_OBJECTS,
    Allowances,
    Held,
)
from arraywright.link.batch import Batch, FencedError, ResyncError, WentBackError
from arraywright.link.frames import Received
from arraywright.link.protocol import (
    DOCUMENTS,
    CmdAckFrame,
    EventFrame,
    HeartbeatFrame,
    HelloFrame,
    NackFrame,
    ObjectRecord,
    ProgressFrame,
    ResultFrame,
    StateFrame,
)
from arraywright.link.writer import Apply, Writer

logger = logging.getLogger(__name__)
IN_FLIGHT = 64


class Sender(Protocol):
    host_id: UUID
    fence: int

    @property
    def has_gone(self) -> bool: ...

    def send(self, frame: Mapping[str, Any]) -> None: ...

    def nack(self, reason: str, detail: str) -> None: ...

    def close(self, nack: str | None, detail: str = "") -> None: ...

    def refuse(self, detail: str) -> bool: ...

    async def wait(self, seconds: float) -> None: ...

    def settled(self) -> None: ...


class Intake:
    """Keeps the order of one agent's frames and bounds how many are under way."""

    def __init__(
        self,
        sender: Sender,
        writer: Writer,
        allowances: Allowances,
        clock_offset_ms: int | None = None,
    ) -> None:
        """`clock_offset_ms`: what the hello has said, which is stored."""
        self._sender = sender
        self._writer = writer
        self._allowances = allowances
        self._room = asyncio.Semaphore(IN_FLIGHT)
        self._full: list[ObjectRecord] = []
        self._full_epoch: str | None = None
        self._full_size = 0
        self._full_kept: list[tuple[str, str]] = []
        self._clock_off: bool | None = None
        if clock_offset_ms is not None:
            self._clock_off = alerts.clock_is_off(clock_offset_ms)
        self._resyncing = False

    async def take(self, received: Received) -> None:
        frame = received.frame
        if received.nonsense:
            await self._submit(self._nonsense(received.nonsense))
        match frame:
            case StateFrame():
                await self._state(frame, received)
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
                await self._clock(frame)
            case HelloFrame():
                self._sender.refuse("hello: a session has one hello")
            case NackFrame():
                # The command of such a frame ends when its time is over.
                logger.warning("host %s refused a frame: %s", self._host, frame.detail)

    async def _clock(self, frame: HeartbeatFrame) -> None:
        """Stored when the clock goes off, and when it is right again."""
        if frame.ts is None:
            return
        offset_ms = (frame.ts - self._writer.now_us()) // 1000
        is_off = alerts.clock_is_off(offset_ms)
        if is_off == self._clock_off:
            return
        self._clock_off = is_off

        async def tell(batch: Batch) -> None:
            await hosts.set_clock(batch.session, batch.now_us, self._host, offset_ms)

        await self._submit(tell)

    @property
    def _host(self) -> UUID:
        return self._sender.host_id

    async def _submit(
        self,
        apply: Apply,
        done: Mapping[str, Any] | None = None,
        then: Callable[[], None] | None = None,
        objects: int = 0,
    ) -> None:
        """Hands work to the writer; `done` is filled while it is applied and sent after."""
        await self._room.acquire()
        host_id, fence = self._sender.host_id, self._sender.fence
        outcome: list[str] = []

        async def guarded(batch: Batch) -> None:
            outcome.clear()
            if objects and self._sender.has_gone:
                outcome.append("gone")  # it is not told that this is stored, and tells it again
                return
            try:
                batch.cursor(host_id, fence)
                await apply(batch)
            except FencedError:
                outcome.append("fenced")
            except ResyncError:
                outcome.append("resync")
            except WentBackError:
                outcome.append("went back")

        def answer(error: Exception | None) -> None:
            self._room.release()
            if error is not None:
                self._allowances.of(host_id).held = None
                self._sender.close("overload", "the frame could not be stored")
            elif "fenced" in outcome:
                self._sender.close("fenced", "a newer session of this agent has taken over")
            elif "went back" in outcome:
                self._sender.close("overload", "the event log of this host went back; come again")
            elif "resync" in outcome:
                self._ask_for_full()
            elif done is not None and "gone" not in outcome:
                self._sender.send(done)
            if then is not None:
                then()

        await self._writer.submit(host_id, guarded, answer, objects=objects)

    def _nonsense(self, found: list[str]) -> Apply:
        """Tells what could not be taken as the host sent it."""
        host_id, fence = self._sender.host_id, self._sender.fence
        logger.info("host %s reported what cannot be right: %s", host_id, found[0])

        async def apply(batch: Batch) -> None:
            count = self._allowances.nonsense_to_tell(host_id, len(found))
            if count > 0:
                batch.behaves(batch.cursor(host_id, fence), nonsense=count, example=found[0])

        return apply

    def _ask_for_full(self) -> None:
        """Once: deltas that were under way already are covered by the full state."""
        if not self._resyncing:
            self._resyncing = True
            self._sender.nack("resync", "send the full state")

    async def _state(self, frame: StateFrame, received: Received) -> None:
        if frame.full:
            await self._full_state(frame, received)
            return
        if frame.more:
            self._sender.refuse("state: only a full state may span frames")
            return
        if self._resyncing:
            return
        ack: dict[str, Any] = {"t": "ack"}
        host_id, fence = self._sender.host_id, self._sender.fence

        async def apply(batch: Batch) -> None:
            cursor = batch.cursor(host_id, fence)
            objects = await batch.within_limits(
                host_id, frame.objects, self._allowances.of(host_id)
            )
            if len(objects) < len(frame.objects):
                await self._nonsense([self._too_many(len(frame.objects) - len(objects))])(batch)
            ack["rev"] = await batch.apply_delta(
                cursor,
                epoch=frame.epoch,
                base_rev=frame.base_rev,
                to_rev=frame.to_rev,
                objects=objects,
                tombstones=frame.tombstones,
            )
            await batch.keep_older(host_id, received.left_out, frame.to_rev)

        await self._submit(apply, ack)

    @staticmethod
    def _too_many(count: int) -> str:
        return (
            f"{count} objects beyond the limit of {OBJECTS}, {UNKNOWN_OBJECTS} of them "
            "of unknown kinds"
        )

    def _gather(self, frame: StateFrame, size: int) -> int:
        """Adds to the full state what fits; how many objects did not."""
        if frame.epoch != self._full_epoch:
            self._full, self._full_epoch, self._full_size = [], frame.epoch, 0
            self._full_kept = []
        self._full_size += size
        if self._full_size > FULL_STATE_CHARACTERS:
            return len(frame.objects)
        unknown = sum(item.kind not in DOCUMENTS for item in self._full)
        left_out = 0
        for item in frame.objects:
            is_unknown = item.kind not in DOCUMENTS
            if len(self._full) >= OBJECTS or (is_unknown and unknown >= UNKNOWN_OBJECTS):
                left_out += 1
                continue
            unknown += is_unknown
            self._full.append(item)
        return left_out

    async def _full_state(self, frame: StateFrame, received: Received) -> None:
        left_out = self._gather(frame, received.size)
        self._full_kept += received.left_out[: OBJECTS - len(self._full_kept)]
        if left_out:
            await self._submit(self._nonsense([self._too_many(left_out)]))
        if frame.more:
            return
        objects, self._full, self._full_epoch = self._full, [], None
        kept, self._full_kept = self._full_kept, []
        self._resyncing = False
        unknown = sum(item.kind not in DOCUMENTS for item in objects)
        ack: dict[str, Any] = {"t": "ack"}
        host_id, fence = self._sender.host_id, self._sender.fence

        async def apply(batch: Batch) -> None:
            allowance = self._allowances.of(host_id)
            allowance.held = None
            ack["rev"] = await batch.apply_full(
                batch.cursor(host_id, fence),
                epoch=frame.epoch,
                to_rev=frame.to_rev,
                objects=objects,
                kept=kept,
            )
            if ack["rev"] == frame.to_rev:
                allowance.held = Held(len(objects) - unknown + len(kept), unknown)

        await self._submit(apply, ack, self._sender.settled, len(objects))

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
        delay_s = self._allowances.events_delay_s(host_id, len(frame.events))
        if delay_s > 0:
            await self._sender.wait(delay_s)
        late = self._allowances.noisy_to_tell(host_id)

        async def apply(batch: Batch) -> None:
            cursor = batch.cursor(host_id, fence)
            if late > 0:
                batch.behaves(cursor, noisy=late, rate=int(EVENTS_PER_S))
            if frame.epoch == cursor.event_epoch:
                if await history.went_back(batch.session, cursor, frame.events):
                    await admission.log_went_back(batch.session, batch.now_us, cursor)
                    raise WentBackError
                repeats = await history.repeats(batch.session, cursor, frame.events)
                batch.apply_events(cursor, frame, repeats)
            ack["event_seq"] = cursor.event_seq

        await self._submit(apply, ack)

    async def _result(self, frame: ResultFrame) -> None:
        await self._submit(
            lambda batch: commands.finished(batch, self._host, frame),
            {"t": "ack", "result": frame.command_id},
        )
