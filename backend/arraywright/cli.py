"""The command line: serve, migrate, create-admin, create-token, audit, health, openapi."""

import argparse
import asyncio
import faulthandler
import json
import logging
import os
import socket
import sys
import threading
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import uvicorn
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from arraywright import __version__, bootstrap, migrations
from arraywright.app import STOP_S, begin_shutdown, create_app
from arraywright.audit import service as audit
from arraywright.audit.schemas import AuditVerification
from arraywright.auth import users
from arraywright.bootstrap import StartError
from arraywright.hosts import enrolment
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.kit.problems import ProblemError
from arraywright.kit.roles import Role
from arraywright.settings import Settings

MAXIMUM_FRAME_BYTES = 256 * 1024
DRAIN_S = 2.0
SHUTDOWN_S = 5
# The stages of a stop, one after the other, and a second for the rest. Whatever has not ended
# by then is left: everything acknowledged is committed already.
SHUTDOWN_LIMIT_S = DRAIN_S + SHUTDOWN_S + STOP_S + 1.0

OPTIONS: dict[str, str] = {
    "host": "address to listen on",
    "port": "port to listen on",
    "public-url": "how agents and browsers reach us",
    "trusted-proxies": "addresses and networks of proxies whose X-Forwarded-For is believed",
    "allowed-hosts": "names by which callers may reach us, if there is no public URL",
    "ui-dir": "directory of the built console",
    "tls-certificate": "certificate chain (PEM); then we speak HTTPS",
    "tls-key": "its key (PEM)",
    "initial-admin-password-file": "the first administrator's password: read, or made with 0600",
    "heartbeat-s": "seconds between two signs of life of an agent",
    "install-line": "template of the line that enrols a machine: {url}, {token}",
    "arraysim": "the program that predicts what arrays would do",
    "profiles-dir": "its profiles of controllers, drives and workloads",
    "log-level": "debug, info, warning or error",
}


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
    with _listen(settings) as listener:
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


async def _migrate(settings: Settings) -> None:
    bootstrap.make_state_dir(settings)
    bootstrap.protect_database(settings)
    database = Database(settings.resolved_database_url())
    try:
        await migrations.upgrade(database)
    finally:
        await database.close()


async def _create_admin(settings: Settings, username: str, password_file: Path) -> None:
    await _migrate(settings)
    password = bootstrap.password_from_file(password_file, username)
    database = Database(settings.resolved_database_url())
    now_us = Clock().now_us()
    try:
        async with database.write() as session:
            await users.add(
                session, now_us, username=username, role=Role.ADMINISTRATOR, password=password
            )
            await audit.record(
                session, now_us, actor="command line", action="user.create", target=username
            )
    finally:
        await database.close()
    _say(f"Administrator {username} made; password in {password_file}")


async def _create_token(settings: Settings, name: str, minutes: int) -> dict[str, str]:
    await _migrate(settings)
    database = Database(settings.resolved_database_url())
    try:
        server_id: UUID = await bootstrap.server_id(database)
        async with database.write() as session:
            row, token = await enrolment.issue(
                session, Clock().now_us(), created_by="command line", name=name, minutes=minutes
            )
    finally:
        await database.close()
    return {"id": str(row.id), "token": token, "server_id": str(server_id)}


async def _verify_audit(settings: Settings) -> AuditVerification:
    database = Database(settings.resolved_database_url())
    try:
        async with database.read() as session:
            return await audit.verify(session)
    finally:
        await database.close()


def _report_audit(found: AuditVerification) -> int:
    if found.intact:
        _say(f"The audit trail is intact: {found.entries} entries, newest hash {found.last_hash}")
        return 0
    _say(
        f"The audit trail is broken at entry {found.first_broken}: it, or one before it, "
        "was changed or removed. Compare it with your backups."
    )
    return 1


def _health(url: str) -> int:
    """0 if the server there is well; for container health checks."""
    try:
        with urllib.request.urlopen(f"{url.rstrip('/')}/api/v1/health", timeout=3) as answer:  # noqa: S310
            healthy = answer.status == 200
    except (OSError, ValueError) as error:
        print(f"arraywright: {url}: {error}", file=sys.stderr)
        return 1
    return 0 if healthy else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="arraywright", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--state-dir", help="where the embedded database lives")
    shared.add_argument("--database-url", help="postgresql://… or sqlite:///…; default: embedded")
    serve_parser = commands.add_parser("serve", parents=[shared], help="run the server")
    for name, text in OPTIONS.items():
        serve_parser.add_argument(f"--{name}", help=text)
    serve_parser.add_argument(
        "--insecure-http",
        action="store_const",
        const=True,
        help="allow plain HTTP beyond this machine",
    )
    commands.add_parser("migrate", parents=[shared], help="bring the database up to date")
    admin = commands.add_parser("create-admin", parents=[shared], help="add an administrator")
    admin.add_argument("--username", required=True)
    admin.add_argument("--password-file", required=True, type=Path)
    token = commands.add_parser(
        "create-token", parents=[shared], help="make an enrolment token; prints JSON"
    )
    token.add_argument("--name", default="")
    token.add_argument("--minutes", type=int, default=60)
    trail = commands.add_parser("audit", help="the audit trail")
    trail.add_subparsers(dest="audit_command", required=True).add_parser(
        "verify", parents=[shared], help="exit status 0 if no entry was changed or removed"
    )
    health = commands.add_parser("health", help="exit status 0 if a server is well")
    health.add_argument("--url", default="http://127.0.0.1:8080")
    commands.add_parser("openapi", help="print the OpenAPI document")
    return parser


def _settings(arguments: argparse.Namespace) -> Settings:
    names = {"state-dir", "database-url", "insecure-http", *OPTIONS}
    given = {
        key: value
        for key in (name.replace("-", "_") for name in names)
        if (value := getattr(arguments, key, None)) is not None
    }
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise StartError(f"Setting {where}: {first['msg']}.") from error


def _run(arguments: argparse.Namespace) -> int:
    if arguments.command == "openapi":
        print(json.dumps(create_app(Settings()).openapi(), indent=2, sort_keys=True))
        return 0
    if arguments.command == "health":
        return _health(arguments.url)
    settings = _settings(arguments)
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("alembic").setLevel(logging.WARNING)
    match arguments.command:
        case "serve":
            return serve(settings)
        case "migrate":
            asyncio.run(_migrate(settings))
        case "create-admin":
            asyncio.run(_create_admin(settings, arguments.username, arguments.password_file))
        case "audit":
            return _report_audit(asyncio.run(_verify_audit(settings)))
        case "create-token":
            made = asyncio.run(_create_token(settings, arguments.name, arguments.minutes))
            print(json.dumps(made))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        return _run(arguments)
    except (StartError, ProblemError) as error:
        print(f"arraywright: {error}", file=sys.stderr)
    except (SQLAlchemyError, OSError) as error:
        print(f"arraywright: the database cannot be used: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
