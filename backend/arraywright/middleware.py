"""Headers that every answer carries, and a limit for what every request may carry."""

import json
from urllib.parse import unquote

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arraywright.kit.problems import (
    PROBLEM_MEDIA_TYPE,
    InvalidError,
    NotFoundError,
    ProblemError,
)
from arraywright.kit.web import ROOT, configured_root, forwarded_root
from arraywright.settings import Settings

MAXIMUM_BODY_BYTES = 1024 * 1024

HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
API_POLICY = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")


class RootPath:
    """Takes the sub-path off at which a proxy shows us: everything inside knows plain paths.

    A proxy may have taken it off already: both ways work.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        settings: Settings = scope["app"].state.settings
        request = HTTPConnection(scope)
        root = configured_root(settings) or forwarded_root(request, settings)
        scope = {**scope, ROOT: root}
        path: str = scope["path"]
        if root and path == root and scope["type"] == "http":
            headers = [(b"location", f"{root}/".encode()), (b"content-length", b"0")]
            await send({"type": "http.response.start", "status": 308, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        if root and path.startswith(f"{root}/"):
            scope["path"] = path.removeprefix(root)
            scope["raw_path"] = scope.get("raw_path", b"").removeprefix(root.encode())
        await self._app(scope, receive, send)


class SecurityHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                present = {name for name, _ in headers}
                headers.extend(pair for pair in HEADERS if pair[0] not in present)
                if scope["path"].startswith("/api/"):
                    headers.append(API_POLICY)
                    if b"cache-control" not in present:
                        headers.append((b"cache-control", b"no-store"))
                if scope["scheme"] == "https":
                    headers.append((b"strict-transport-security", b"max-age=31536000"))
            await send(message)

        await self._app(scope, receive, guarded)


class Address:
    """Refuses addresses with NUL characters: no database and no file has such names."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            problem = _address_problem(scope)
            if problem is not None:
                await _send_problem(problem, scope, send)
                return
        await self._app(scope, receive, send)


def _address_problem(scope: Scope) -> ProblemError | None:
    if "\x00" in scope["path"]:
        return NotFoundError("There is no such resource.")
    query = scope["query_string"]
    if b"%00" in query or b"\x00" in query:
        parts = query.decode("ascii", "replace").split("&")
        names = [unquote(part.partition("=")[0]) for part in parts if "%00" in part]
        pointer = names[0].replace("\x00", "") if names else ""
        return InvalidError(
            "A query parameter must not contain NUL characters.",
            errors=[(pointer, "must not contain NUL characters")],
        )
    return None


class BodyTooLargeError(ProblemError):
    status = 413
    code = "body_too_large"


class BodyLimit:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > MAXIMUM_BODY_BYTES:
            await _send_problem(_too_large(), scope, send)
            return
        received = 0
        refused = False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MAXIMUM_BODY_BYTES:
                raise _too_large()
            return message

        async def guarded(message: Message) -> None:
            """The application takes the exception above for a broken body: we know better."""
            nonlocal refused
            if received <= MAXIMUM_BODY_BYTES:
                await send(message)
            elif not refused:
                refused = True
                await _send_problem(_too_large(), scope, send)

        await self._app(scope, counted, guarded)


async def _send_problem(problem: ProblemError, scope: Scope, send: Send) -> None:
    body = json.dumps(problem.document(scope["path"])).encode()
    headers = [
        (b"content-type", PROBLEM_MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _too_large() -> BodyTooLargeError:
    return BodyTooLargeError(f"A request has at most {MAXIMUM_BODY_BYTES} bytes.")
