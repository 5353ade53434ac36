"""The client's half of a WebSocket, cheap enough for thousands in one process.

Texts that fit one frame, no extensions, no fragments: what the uplink sends and what the backend
answers. Frames are masked with zeros: the mask is there, and costs nothing.
"""

import asyncio
import base64
import os
import struct
from typing import Protocol, cast

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
_FINAL = 0x80
_MASKED = 0x80
_SHORT = 126
_LONG = 127


def frame(kind: int, payload: bytes) -> bytes:
    size = len(payload)
    if size < _SHORT:
        head = struct.pack("!BB", _FINAL | kind, _MASKED | size)
    elif size < 1 << 16:
        head = struct.pack("!BBH", _FINAL | kind, _MASKED | _SHORT, size)
    else:
        head = struct.pack("!BBQ", _FINAL | kind, _MASKED | _LONG, size)
    return head + bytes(4) + payload


class Listener(Protocol):
    def opened(self) -> None: ...

    def received(self, text: bytes) -> None: ...

    def lost(self) -> None: ...


class Connection(asyncio.Protocol):
    """From the upgrade to the end; tells its listener."""

    def __init__(self, listener: Listener, path: str) -> None:
        self._listener = listener
        self._path = path
        self._input = bytearray()
        self._is_open = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none of asyncio's
        key = base64.b64encode(os.urandom(16)).decode()
        self._transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def connection_lost(self, _error: Exception | None) -> None:
        self._transport = None
        self._listener.lost()

    def data_received(self, data: bytes) -> None:
        self._input += data
        if not self._is_open and not self._upgraded():
            return
        while self._transport is not None and (found := self._next()) is not None:
            self._take(*found)

    def _upgraded(self) -> bool:
        end = self._input.find(b"\r\n\r\n")
        if end < 0:
            return False
        if b" 101 " not in self._input[:20]:
            self.abort()
            return False
        del self._input[: end + 4]
        self._is_open = True
        self._listener.opened()
        return True

    def _next(self) -> tuple[int, bytes] | None:
        data = self._input
        if len(data) < 2:
            return None
        start, size = 2, data[1]
        if size == _SHORT:
            start, size = 4, int.from_bytes(data[2:4], "big")
        elif size == _LONG:
            start, size = 10, int.from_bytes(data[2:10], "big")
        if len(data) < start + size:
            return None
        kind, payload = data[0] & 0x0F, bytes(data[start : start + size])
        del data[: start + size]
        return kind, payload

    def _take(self, kind: int, payload: bytes) -> None:
        if kind == TEXT:
            self._listener.received(payload)
        elif kind == PING:
            self._write(frame(PONG, payload))
        elif kind == CLOSE and self._transport is not None:
            self._write(frame(CLOSE, payload))
            self._transport.close()

    def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    def send(self, text: bytes) -> None:
        self._write(frame(TEXT, text))

    def abort(self) -> None:
        """As if the cable was cut."""
        if self._transport is not None:
            self._transport.abort()
