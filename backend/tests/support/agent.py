"""A scripted agent that speaks the real protocol over a real WebSocket with a real key."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import httpx
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.support import documents, wire

Frame = dict[str, Any]
PATIENCE_S = 10.0


class Closed(Exception):
    """The server has closed the connection."""


def public_key_text(key: ec.EllipticCurvePrivateKey) -> str:
    encoded = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(encoded).decode()


class FakeAgent:
    """State that a real agent keeps on disk: identity, epochs, revision, events, journal."""

    def __init__(self, base_url: str, hostname: str = "alpha") -> None:
        self.base_url = base_url
        self.hostname = hostname
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.agent_id = ""
        self.server_id = ""
        self.state_epoch = str(uuid4())
        self.event_epoch = str(uuid4())
        self.rev = 1
        self.event_seq = 0
        self.command_number = 0
        self.boot_id = "b1"
        # What stands in the two state directories; None: an agent that keeps no fences.
        self.link_fence: str | None = None
        self.state_fence: str | None = None
        self.welcome: Frame = {}
        self._socket: ClientConnection | None = None

    async def enrol(self, token: str) -> httpx.Response:
        body = {
            "token": token,
            "public_key": public_key_text(self.key),
            "hostname": self.hostname,
            "machine_id_hash": "a" * 64,
            "agent_version": "0.1.0",
        }
        wire.validator("messages", "enrol_request").validate(body)
        async with httpx.AsyncClient(base_url=self.base_url, verify=False) as client:
            answer = await client.post("/api/v1/agents/enrol", json=body)
        if answer.is_success:
            wire.validator("messages", "enrol_response").validate(answer.json())
            self.agent_id = answer.json()["agent_id"]
            self.server_id = answer.json()["server_id"]
        return answer

    # Connection

    async def open(self) -> Frame:
        """Dials and returns the challenge."""
        url = self.base_url.replace("http", "ws", 1) + "/api/v1/agents/link"
        self._socket = await connect(url, compression=None, proxy=None)
        return await self.expect("challenge")

    def sign(self, nonce: str) -> str:
        text = f"arraywright-hello-v1\n{nonce}\n{self.server_id}\n{self.agent_id}"
        return base64.b64encode(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))).decode()

    def hello(self, challenge: Frame, **changes: Any) -> Frame:
        return {
            "v": 1,
            "t": "hello",
            "agent_id": self.agent_id,
            "signature": self.sign(challenge["nonce"]),
            "agent_version": "0.1.0",
            "hostname": self.hostname,
            "boot_id": self.boot_id,
            "state_epoch": self.state_epoch,
            "state_rev": self.rev,
            "event_epoch": self.event_epoch,
            "event_seq_last": self.event_seq,
            "event_seq_first": 1 if self.event_seq else 0,
            "command_number": self.command_number,
            "capabilities": [],
            "policy_preset": "lab",
            **self._fences(),
            **changes,
        }

    def _fences(self) -> Frame:
        if self.link_fence is None:
            return {}
        return {
            "capabilities": ["fence"],
            "link_fence": self.link_fence,
            "state_fence": self.state_fence,
        }

    def keep_fences(self) -> None:
        """From now on like an agent of the present version."""
        self.link_fence = self.state_fence = ""

    async def connect(self, *, dies: bool = False, **changes: Any) -> Self:
        """One that dies has not stored the fence yet, or not said so."""
        challenge = await self.open()
        await self.send(self.hello(challenge, **changes))
        self.welcome = await self.expect("welcome")
        if self.link_fence is not None and not dies:
            await self.store_fence()
        return self

    async def store_fence(self) -> None:
        """Makes the fence of the session durable and says so."""
        self.link_fence = self.state_fence = self.welcome["fence"]
        heartbeat = {"state_rev": self.rev, "event_seq": self.event_seq}
        await self.send({"v": 1, "t": "heartbeat", **heartbeat, "fence": self.link_fence})

    async def refused(self, **changes: Any) -> Frame:
        """Dials and is sent away."""
        challenge = await self.open()
        await self.send(self.hello(challenge, **changes))
        answer = await self.expect("nack")
        await self.expect_close()
        return answer

    async def close(self) -> None:
        if self._socket is not None:
            with suppress(ConnectionClosed):
                await self._socket.close()
            self._socket = None

    async def abort(self) -> None:
        """As if the cable was cut."""
        assert self._socket is not None
        self._socket.transport.abort()
        self._socket = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # Frames

    async def send(self, frame: Frame) -> None:
        wire.check_frame(frame)
        await self.send_raw(json.dumps(frame))

    async def send_raw(self, text: str | bytes) -> None:
        assert self._socket is not None
        await self._socket.send(text)

    async def receive(self) -> Frame:
        assert self._socket is not None
        try:
            async with asyncio.timeout(PATIENCE_S):
                text = await self._socket.recv()
        except ConnectionClosed as error:
            raise Closed(str(error)) from error
        frame: Frame = json.loads(text)
        wire.check_frame(frame)
        return frame

    async def expect(self, kind: str, **fields: Any) -> Frame:
        """The next frame, which must be of this kind and have these fields."""
        frame = await self.receive()
        assert frame["t"] == kind, frame
        for name, value in fields.items():
            assert frame[name] == value, frame
        return frame

    async def expect_close(self) -> None:
        try:
            frame = await self.receive()
        except Closed:
            return
        raise AssertionError(f"expected the connection to be closed, got {frame}")

    # Reports

    def state_frame(
        self,
        objects: list[Frame],
        *,
        base_rev: int,
        to_rev: int,
        full: bool = False,
        more: bool = False,
        tombstones: list[Frame] | None = None,
        epoch: str | None = None,
    ) -> Frame:
        return {
            "v": 1,
            "t": "state",
            "epoch": epoch or self.state_epoch,
            "base_rev": base_rev,
            "to_rev": to_rev,
            "full": full,
            "more": more,
            "objects": objects,
            "tombstones": tombstones or [],
        }

    async def report_all(self, objects: list[Frame]) -> None:
        await self.send(self.state_frame(objects, base_rev=0, to_rev=self.rev, full=True))
        await self.expect("ack", rev=self.rev)

    async def change(self, kind: str, key: str, doc: Frame, config_rev: int = 1) -> None:
        """One object changes."""
        base, self.rev = self.rev, self.rev + 1
        item = documents.item(kind, key, self.rev, doc, config_rev)
        await self.send(self.state_frame([item], base_rev=base, to_rev=self.rev))
        await self.expect("ack", rev=self.rev)

    async def find(self, *findings: Frame) -> None:
        """These are all findings of its controller."""
        await self.change("controller", "c0", documents.controller(findings=list(findings)))

    async def remove(self, kind: str, key: str) -> None:
        base, self.rev = self.rev, self.rev + 1
        stone = {"kind": kind, "key": key, "rev": self.rev}
        await self.send(self.state_frame([], base_rev=base, to_rev=self.rev, tombstones=[stone]))
        await self.expect("ack", rev=self.rev)

    def event_frame(self, events: list[Frame], **changes: Any) -> Frame:
        return {
            "v": 1,
            "t": "event",
            "epoch": self.event_epoch,
            "first_seq": events[0]["seq"],
            "events": events,
            **changes,
        }

    async def report_events(self, events: list[Frame], acked: int, **changes: Any) -> None:
        await self.send(self.event_frame(events, **changes))
        await self.expect("ack", event_seq=acked)

    # Commands

    async def acknowledge(self, command: Frame, state: str = "accepted") -> None:
        await self.send(
            {
                "v": 1,
                "t": "cmd_ack",
                "command_id": command["command_id"],
                "state": state,
                "reason": documents.reason("ok", "Done."),
            }
        )

    async def finish(
        self,
        command: Frame,
        state: str = "succeeded",
        objects: list[Frame] | None = None,
        reason: Frame | None = None,
    ) -> None:
        await self.send(
            {
                "v": 1,
                "t": "result",
                "command_id": command["command_id"],
                "state": state,
                "reason": reason or documents.reason("ok", "Done."),
                "objects": objects or [],
            }
        )
        await self.expect("ack", result=command["command_id"])

    async def answer_query(self, data: Frame | None, **changes: Any) -> Frame:
        query = await self.expect("query")
        frame = {
            "v": 1,
            "t": "answer",
            "re": query["id"],
            "ok": data is not None,
            "reason": documents.reason("ok", "Done."),
            **({"data": data} if data is not None else {}),
            **changes,
        }
        await self.send(frame)
        return query

    async def serve(self, handle: Callable[[Frame], Awaitable[None]]) -> None:
        """Runs commands until the connection ends."""
        with suppress(Closed):
            while True:
                frame = await self.receive()
                if frame["t"] == "command":
                    await handle(frame)
