"""The server process: listening, serving and a stop that ends."""

import asyncio
import faulthandler
import gc
import os
import socket
import threading
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from arraywright import __version__, bootstrap
from arraywright.app import STOP_S, begin_shutdown, create_app
from arraywright.backup import embedded
from arraywright.backup import service as backup
from arraywright.kit.clock import Clock
from arraywright.kit.failure import StartError
from arraywright.settings import Settings

MAXIMUM_FRAME_BYTES = 256 * 1024
COLLECT_AFTER = (20_000, 10, 10)
"""A document of a drive is a hundred containers that live for some milliseconds. At Python's own
700, a sixth of the CPU time goes into looking for cycles among those of all connections."""
DRAIN_S = 2.0
SHUTDOWN_S = 5
KEEP_ALIVE_S = 130
"""How long a connection without requests stays open: longer than proxies keep theirs (nginx 60 s,
Traefik 90 s, Caddy 120 s). A request that is sent just as we close is answered with 502."""
# The stages of a stop, one after the other, and a second for the rest. Whatever has not ended
# by then is left: everything acknowledged is committed already.
SHUTDOWN_LIMIT_S = DRAIN_S + SHUTDOWN_S + STOP_S + 1.0


def _say(text: str) -> None:
    print(text, flush=True)


def _leave() -> None:
    _say(f"Not everything has ended {SHUTDOWN_LIMIT_S:.0f} s after the request to stop; leaving.")
    faulthandler.dump_traceback()
    os._exit(0)


def _limit_stop() -> None:
    """This process ends in bounded time, whatever a thread of it still waits for."""
    limit = threading.Timer(SHUTDOWN_LIMIT_S, _leave)
    limit.daemon = True
    limit.start()


class AgentConnection(WebSocketsSansIOProtocol):
    """Agents answer our farewell by closing, so a stop meets connections that are ending.

    uvicorn tries to send such a one a close frame, which raises, and its whole stop is broken
    off: the application is not told to end, its threads stay and with them the process.
    """

    def shutdown(self) -> None:
        if not self.transport.is_closing():
            super().shutdown()


class Server(uvicorn.Server):
    """Says when it listens, and ends live streams and agents' connections before it waits
    for open connections."""

    announcement = ""
    on_stop: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # What has been loaded stays until the end: no collection need look at it again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*COLLECT_AFTER)
        if self.started and self.announcement:
            _say(self.announcement)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self.on_stop is not None:
            self.on_stop()
        app: Any = self.config.app
        runtime = getattr(app.state, "runtime", None)
        if runtime is not None:
            begin_shutdown(runtime)
            await runtime.registry.drained(DRAIN_S)
        await super().shutdown(sockets)


def server_config(app: Any, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
        ws=AgentConnection,
        ws_max_size=MAXIMUM_FRAME_BYTES,
        ws_per_message_deflate=False,
        # Agents ping us, and their heartbeats tell us that they live. With pings from both sides
        # libwebsockets 4.1 may answer ours with the payload of its own, which counts as no answer.
        ws_ping_interval=None,
        timeout_graceful_shutdown=SHUTDOWN_S,
        timeout_keep_alive=KEEP_ALIVE_S,
        log_level=settings.log_level,
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise StartError(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror}."
        ) from error
    listener.set_inheritable(True)
    return listener


def _check_exposure(settings: Settings) -> None:
    """Passwords and tokens do not travel in the clear unless somebody insists."""
    if settings.tls_certificate or settings.is_loopback or settings.insecure_http:
        return
    raise StartError(
        f"{settings.host} can be reached from other machines: give --tls-certificate and "
        "--tls-key, or --insecure-http if something else protects the connection."
    )


def serve(settings: Settings) -> int:
    _check_exposure(settings)
    _, file = backup.place_of(settings)
    with _listen(settings) as listener:
        if file is None:
            return _serve_on(settings, listener)
        bootstrap.make_state_dir(settings)
        # A predecessor may still be ending.
        with embedded.held(file, patience_s=SHUTDOWN_LIMIT_S):
            return _serve_on(settings, listener)


def _serve_on(settings: Settings, listener: socket.socket) -> int:
    asyncio.run(bootstrap.prepare(settings, Clock(), _say))
    server = Server(server_config(create_app(settings), settings))
    scheme = "https" if settings.tls_certificate else "http"
    address = f"[{settings.host}]" if ":" in settings.host else settings.host
    server.announcement = (
        f"Arraywright {__version__} on {scheme}://{address}:{listener.getsockname()[1]}"
    )
    server.on_stop = _limit_stop
    server.run(sockets=[listener])
    return 0 if server.started else 1
