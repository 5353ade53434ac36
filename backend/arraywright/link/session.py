"""One agent's connection, from the challenge to the close.

Reading and answering are separate: frames go to the writer as they come, answers are sent when
their transaction has committed. A frame that makes no sense is refused and changes nothing;
after a few of them the connection is closed.
"""

import asyncio
import base64
import contextlib
import json
import logging
import secrets
from collections.abc import Coroutine, Mapping
from typing import Any
from uuid import UUID, uuid4

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fastapi import WebSocket, WebSocketDisconnect
from pydantic_core import to_json

from arraywright.hosts import enrolment
from arraywright.kit.problems import HostOfflineError, HostTimeoutError
from arraywright.kit.waiting import happened
from arraywright.kit.web import client_address
from arraywright.link import admission
from arraywright.link.admission import Admitted, RefusedError
from arraywright.link.batch import Batch
from arraywright.link.frames import BadFrameError, Received, UnsupportedFrameError, parse_frame
from arraywright.link.identity import Machine
from arraywright.link.intake import Intake
from arraywright.link.protocol import AnswerFrame, HelloFrame
from arraywright.runtime import Runtime

logger = logging.getLogger(__name__)

PROTOCOL_VERSION = 1
HELLO_TIMEOUT_S = 10.0
QUERY_TIMEOUT_S = 2.0
CLOSE_TIMEOUT_S = 5.0
OUTGOING_FRAMES = 1000
BAD_FRAMES = 3
SETTLE_S = 20.0
"""A host that has not told its state by then leaves its place at the door to the next one."""
POLICY_VIOLATION = 1008
GOING_AWAY = 1001


def _to_text(document: Mapping[str, Any]) -> str:
    try:
        return to_json(document).decode()
    except ValueError:  # halves of characters
        return json.dumps(document, separators=(",", ":"))


class AgentSession:
    def __init__(self, websocket: WebSocket, runtime: Runtime) -> None:
        self.session_id = uuid4()
        self.host_id = UUID(int=0)
        self.fence = 0
        self.heard_s = 0.0
        self.seen_us: int | None = None
        self._clock_offset_ms: int | None = None
        self.machine = Machine(hostname="", address="", boot_id="", event_epoch="")
        self._websocket = websocket
        self._runtime = runtime
        self._outgoing: asyncio.Queue[str] = asyncio.Queue(OUTGOING_FRAMES)
        self._queries: dict[str, asyncio.Future[AnswerFrame]] = {}
        self._bad_frames = 0
        self._is_stranger = True
        self._closed = asyncio.Event()
        self._news = asyncio.Event()
        """Something is to be sent, or nothing any more."""
        self._incoming: asyncio.Future[Any] | None = None
        self._is_inside = False
        self._has_ended = False
        self._close_code = POLICY_VIOLATION
        self._nonce = secrets.token_hex(32)

    # Sending

    def send(self, frame: Mapping[str, Any]) -> None:
        """Queues a frame; an agent that does not read is cut off."""
        document = {"v": PROTOCOL_VERSION, **frame}
        try:
            self._outgoing.put_nowait(_to_text(document))
            self._news.set()
        except asyncio.QueueFull:
            self._end()

    def _end(self) -> None:
        self._closed.set()
        self._news.set()

    def nack(self, reason: str, detail: str, retry_s: int | None = None) -> None:
        later = {} if retry_s is None else {"retry_s": retry_s}
        self.send({"t": "nack", "reason": reason, "detail": detail[:500], **later})

    def close(self, nack: str | None, detail: str = "") -> None:
        if nack is None:
            self._go_away("shutdown", self._window_s())
        else:
            self.nack(nack, detail)
        self._end()

    def _go_away(self, reason: str, spread_s: int) -> None:
        self._close_code = GOING_AWAY
        self.send({"t": "goaway", "reason": reason, "spread_s": spread_s})

    async def query(self, name: str, args: Mapping[str, Any]) -> AnswerFrame:
        query_id = str(uuid4())
        future: asyncio.Future[AnswerFrame] = asyncio.get_running_loop().create_future()
        self._queries[query_id] = future
        try:
            self.send({"t": "query", "id": query_id, "name": name, "args": dict(args)})
            async with asyncio.timeout(QUERY_TIMEOUT_S):
                return await future
        except TimeoutError as error:
            raise HostTimeoutError("The host did not answer within 2 seconds.") from error
        except asyncio.CancelledError:
            if future.cancelled() and self._closed.is_set():
                raise HostOfflineError("The host has just gone offline.") from None
            raise
        finally:
            self._queries.pop(query_id, None)

    async def _sender(self) -> None:
        """Sends what is queued; after the close whatever is left, then ends."""
        try:
            while True:
                while not self._outgoing.empty():
                    await self._websocket.send_text(self._outgoing.get_nowait())
                if self._closed.is_set():
                    break
                self._news.clear()
                await self._news.wait()
            await self._websocket.close(self._close_code)
        except (WebSocketDisconnect, RuntimeError, OSError):
            self._end()

    # Life

    async def run(self) -> None:
        await self._websocket.accept()
        sender = asyncio.create_task(self._sender())
        try:
            if await self._greet():
                self._leave_strangers()
                await self._until_closed(self._listen())
        finally:
            self._has_ended = True
            self._end()
            self._leave_strangers()
            self.settled()
            if self._incoming is not None:
                self._incoming.cancel()
            self._runtime.registry.unregister(self)
            for future in self._queries.values():
                future.cancel()
            _, late = await asyncio.wait({sender}, timeout=CLOSE_TIMEOUT_S)
            for task in late:
                task.cancel()

    async def _until_closed(self, listening: Coroutine[Any, Any, None]) -> None:
        """One task reads frame after frame; it is told by a cancellation that we have closed."""
        listener = asyncio.create_task(listening)
        closed = asyncio.create_task(self._closed.wait())
        try:
            await asyncio.wait({listener, closed}, return_when=asyncio.FIRST_COMPLETED)
            if listener.done():
                listener.result()
        finally:
            listener.cancel()
            closed.cancel()

    def _leave_strangers(self) -> None:
        """It has said who it is, or has gone."""
        if self._is_stranger:
            self._is_stranger = False
            self._runtime.allowances.leave(client_address(self._websocket, self._runtime.settings))

    async def _receive(self) -> str | None:
        """The next text frame; None when the agent ends the connection."""
        if self._incoming is None:
            message = await self._websocket.receive()
        else:
            message, self._incoming = await self._incoming, None
        if message["type"] == "websocket.disconnect":
            self._end()
            return None
        text = message.get("text")
        return text if isinstance(text, str) else ""

    def _coming(self) -> asyncio.Future[Any]:
        """What comes next; kept, so that a disconnection is noticed meanwhile."""
        if self._incoming is None:
            self._incoming = asyncio.ensure_future(self._websocket.receive())
        return self._incoming

    @property
    def has_gone(self) -> bool:
        """Whether nobody would hear an answer."""
        if self._closed.is_set():
            return True
        if self._incoming is None or not self._incoming.done():
            return False
        if self._incoming.cancelled() or self._incoming.exception() is not None:
            return True
        return bool(self._incoming.result()["type"] == "websocket.disconnect")

    async def _greet(self) -> bool:
        if self._runtime.door.is_full:
            self._go_away("busy", self._runtime.door.send_away())
            return False
        self.send(
            {
                "t": "challenge",
                "nonce": self._nonce,
                "server_id": str(self._runtime.server_id),
                "server_time_us": self._runtime.clock.now_us(),
            }
        )
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_S):
                text = await self._receive()
            if text is None:
                return False
            frame = parse_frame(text).frame
            if not isinstance(frame, HelloFrame):
                raise RefusedError("bad", "the first frame must be a hello")
            if not await self._enter():
                return False
            await self._welcome(frame)
        except RefusedError as refused:
            logger.warning("an agent was refused: %s", refused.detail)
            self.nack(refused.reason, refused.detail, refused.retry_s)
        except (BadFrameError, UnsupportedFrameError) as error:
            self.nack("bad", str(error))
        except TimeoutError:
            self.nack("bad", "no hello within 10 seconds")
        else:
            return self.host_id.int != 0
        return False

    async def _enter(self) -> bool:
        """Waits for the turn of this hello; False if it came too late, or went away."""
        door = self._runtime.door
        if door.is_full:
            self._go_away("busy", door.send_away())
            return False
        if not door.try_enter():
            turn = asyncio.ensure_future(door.enter())
            closed = asyncio.ensure_future(self._closed.wait())
            others = {self._coming(), closed}
            try:
                await asyncio.wait({turn, *others}, return_when=asyncio.FIRST_COMPLETED)
                if not turn.done() and not self.has_gone:
                    await asyncio.wait({turn, closed}, return_when=asyncio.FIRST_COMPLETED)
            finally:  # a turn that has come is given back with the session, whatever ended it
                closed.cancel()
                self._is_inside = turn.done()
                turn.cancel()
            return self._is_inside
        self._is_inside = True
        return True

    def settled(self) -> None:
        """Its place at the door is the next one's."""
        if self._is_inside:
            self._is_inside = False
            self._runtime.door.leave()

    def _verified(self, hello: HelloFrame, public_key: str) -> RefusedError | None:
        server_id = self._runtime.server_id
        signed = f"arraywright-hello-v1\n{self._nonce}\n{server_id}\n{hello.agent_id}"
        key = enrolment.parse_public_key(public_key)
        try:
            signature = base64.b64decode(hello.signature, validate=True)
            key.verify(signature, signed.encode(), ec.ECDSA(hashes.SHA256()))
        except (InvalidSignature, ValueError):
            return RefusedError("unauthorised", "the signature does not fit the key")
        return None

    def _window_s(self) -> int:
        return self._runtime.door.window_s(len(self._runtime.registry))

    async def _welcome(self, hello: HelloFrame) -> None:
        self.machine = Machine(
            hostname=hello.hostname,
            address=client_address(self._websocket, self._runtime.settings),
            boot_id=hello.boot_id,
            event_epoch=hello.event_epoch,
        )
        admitted = await self._admitted(hello)
        if isinstance(admitted, RefusedError):
            raise admitted
        if admitted is not None and admitted.acked_rev == 0:
            asyncio.get_running_loop().call_later(SETTLE_S, self.settled)
        else:
            self.settled()

    async def _admitted(self, hello: HelloFrame) -> Admitted | RefusedError | None:
        """Judged and stored together with other hellos; None if nobody waits for it any more."""
        runtime = self._runtime
        while True:
            found: list[Admitted | RefusedError] = []
            is_second: list[bool] = []
            stored: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()

            async def judge(
                batch: Batch,
                found: list[Admitted | RefusedError] = found,
                is_second: list[bool] = is_second,
            ) -> None:
                found.clear()
                is_second.clear()
                if self.has_gone:
                    return
                if UUID(hello.agent_id) in batch.greeted:
                    is_second.append(True)  # who is connected is known after the first
                    return
                found.append(await self._judged(batch, hello))

            def answer(
                error: Exception | None,
                found: list[Admitted | RefusedError] = found,
                stored: asyncio.Future[Exception | None] = stored,
            ) -> None:
                if error is None and found and isinstance(found[0], Admitted):
                    self._connected(UUID(hello.agent_id), found[0])
                if not stored.done():
                    stored.set_result(error)

            await runtime.writer.submit(UUID(hello.agent_id), judge, answer, is_hello=True)
            error = await stored
            if error is not None:
                raise RefusedError("overload", "the hello could not be stored") from error
            if not is_second:
                return found[0] if found else None

    async def _judged(self, batch: Batch, hello: HelloFrame) -> Admitted | RefusedError:
        """By the key that the batch has read together with everything else about the host."""
        known = batch.arriving(UUID(hello.agent_id))
        if known is None:
            return RefusedError("unauthorised", "this agent is not enrolled here")
        refusal = self._verified(hello, known.host.public_key)
        if refusal is not None:
            return refusal
        return await admission.admit(batch, self._runtime, hello, known, self.machine)

    def _connected(self, host_id: UUID, admitted: Admitted) -> None:
        """Right after the commit, so that the next hello finds who is connected."""
        runtime = self._runtime
        self.host_id = host_id
        self.fence = admitted.fence
        self._clock_offset_ms = admitted.clock_offset_ms
        if self._has_ended:
            runtime.registry.departed(host_id, self.fence)
            return
        fence = {} if admitted.agent_fence is None else {"fence": admitted.agent_fence}
        self.send(
            {
                "t": "welcome",
                "session_id": str(self.session_id),
                "acked_rev": admitted.acked_rev,
                "acked_event_seq": admitted.acked_event_seq,
                "heartbeat_s": runtime.settings.heartbeat_s,
                "reconnect_window_s": self._window_s(),
                **fence,
            }
        )
        runtime.registry.register(self)

    async def _listen(self) -> None:
        intake = Intake(self, self._runtime.writer, self._runtime.allowances, self._clock_offset_ms)
        while (text := await self._receive()) is not None:
            self._runtime.registry.heard(self)
            try:
                received = parse_frame(text)
            except UnsupportedFrameError as error:
                self.nack("unsupported", str(error))
            except BadFrameError as error:
                if self.refuse(str(error)):
                    return
            else:
                await self._take(intake, received)

    async def _take(self, intake: Intake, received: Received) -> None:
        frame = received.frame
        if isinstance(frame, AnswerFrame):
            future = self._queries.get(frame.re)
            if future is not None and not future.done():
                future.set_result(frame)
            return
        await intake.take(received)

    async def wait(self, seconds: float) -> None:
        """Reads nothing for a while: the host has brought too much."""
        await happened(self._closed, seconds)
        self._runtime.registry.heard(self)

    def refuse(self, detail: str) -> bool:
        """Answers a malformed frame; True when it was one too many."""
        logger.warning("host %s sent a malformed frame: %s", self.host_id, detail)
        self._bad_frames += 1
        self.nack("bad", detail)
        if self._bad_frames >= BAD_FRAMES:
            self._end()
            return True
        return False


async def serve(websocket: WebSocket, runtime: Runtime) -> None:
    if not runtime.allowances.enter(client_address(websocket, runtime.settings)):
        logger.warning("too many connections that have not said who they are")
        await websocket.close()  # answers the handshake with 403
        return
    session = AgentSession(websocket, runtime)
    with contextlib.suppress(WebSocketDisconnect):
        await session.run()
