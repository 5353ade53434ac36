"""HEAD for whatever has GET, entity tags of answers, and 304 for what the caller has already."""

import hashlib
import re
from collections.abc import Iterable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TAG = re.compile(r'(?:W/)?("[!#-~\x80-\xff]*")')
KEPT_IN_304 = frozenset({b"cache-control", b"etag", b"location", b"vary"})


def has_already(if_none_match: str, tag: str) -> bool:
    """RFC 9110, 13.1.2: any of a list, weak or not."""
    return if_none_match.strip() == "*" or tag in TAG.findall(if_none_match)


class Conditional:
    """Knows nothing of what is answered.

    The tag of a JSON answer names all of it: `"<what the endpoint said>.<hash>"`. Two answers with
    the same configuration but other figures have other tags, and If-Match reads the first part.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send)
        await self._app({**scope, "method": "GET"}, exchange.receive, exchange.send)


class _Exchange:
    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._is_head = scope["method"] == "HEAD"
        given: Iterable[tuple[bytes, bytes]] = scope["headers"]
        self._if_none_match = ", ".join(
            value.decode("latin-1") for name, value in given if name == b"if-none-match"
        )
        self._receive = receive
        self._send = send
        self._start: Message | None = None
        self._is_over = False

    async def receive(self) -> Message:
        """An answer without an end, as the live stream, stops once its head has been sent."""
        return {"type": "http.disconnect"} if self._is_over else await self._receive()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        if self._is_over:
            return
        if self._start is not None:
            await self._send_start(self._start, message)
            self._start = None
        if self._is_over:
            await self._send({"type": "http.response.body", "body": b""})
        else:
            await self._send(message)

    async def _send_start(self, start: Message, body: Message) -> None:
        headers = MutableHeaders(scope=start)
        if start["status"] == 200 and not body.get("more_body", False):
            if headers.get("content-type", "").startswith("application/json"):
                headers["ETag"] = _tag(headers.get("etag"), body.get("body", b""))
            if self._if_none_match and has_already(self._if_none_match, headers.get("etag", "")):
                kept = [pair for pair in start["headers"] if pair[0] in KEPT_IN_304]
                start = {**start, "status": 304, "headers": kept}
                self._is_over = True
        self._is_over = self._is_over or self._is_head
        await self._send(start)


def _tag(said: str | None, body: bytes) -> str:
    digest = hashlib.blake2b(body, digest_size=8).hexdigest()
    return f'"{digest}"' if said is None else f'"{said.strip(chr(34))}.{digest}"'
