"""Puts the parts together."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from arraywright import __version__, bootstrap, maintenance, openapi, system, ui
from arraywright.alerts import endpoints as alerts
from arraywright.audit import endpoints as audit
from arraywright.auth import endpoints as auth
from arraywright.commands import endpoints as commands
from arraywright.commands.dispatcher import CommandDispatcher
from arraywright.conditional import Conditional
from arraywright.events import endpoints as events
from arraywright.hosts import endpoints as hosts
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.kit.problems import PROBLEM_MEDIA_TYPE, InvalidError, NotFoundError, ProblemError
from arraywright.lab import endpoints as lab
from arraywright.link import endpoints as link
from arraywright.link.presence import Presence
from arraywright.live import endpoints as live
from arraywright.metrics import endpoints as metrics
from arraywright.metrics.sampler import Sampler
from arraywright.middleware import Address, BodyLimit, RootPath, SecurityHeaders
from arraywright.operations import endpoints as operations
from arraywright.runtime import Runtime
from arraywright.settings import Settings
from arraywright.storage import endpoints as storage

logger = logging.getLogger(__name__)
PREFIX = "/api/v1"
STOP_S = 5.0

ROUTERS: tuple[APIRouter, ...] = (
    system.router,
    auth.router,
    auth.users_router,
    auth.tokens_router,
    hosts.fleet_router,
    hosts.router,
    hosts.tokens_router,
    storage.controllers,
    storage.enclosures,
    storage.drives,
    storage.drive_groups,
    storage.virtual_drives,
    storage.batteries,
    commands.controllers,
    commands.drives,
    commands.virtual_drives,
    commands.batteries,
    commands.router,
    operations.router,
    events.router,
    alerts.router,
    alerts.rules_router,
    audit.router,
    metrics.router,
    lab.router,
    live.router,
    link.router,
)


def begin_shutdown(runtime: Runtime) -> None:
    """Ends everything that would otherwise keep a connection open."""
    runtime.hub.close()
    runtime.waiters.release_all()
    runtime.registry.close_all()


async def _workers(runtime: Runtime) -> list[asyncio.Task[None]]:
    presence = Presence(runtime)
    await presence.start()
    return [
        asyncio.create_task(runtime.writer.run(), name="writer"),
        asyncio.create_task(runtime.outbox.run(), name="outbox"),
        asyncio.create_task(CommandDispatcher(runtime).run(), name="commands"),
        asyncio.create_task(presence.run(), name="presence"),
        asyncio.create_task(Sampler(runtime).run(), name="metrics"),
        asyncio.create_task(maintenance.run(runtime), name="maintenance"),
    ]


async def _stop(runtime: Runtime, workers: list[asyncio.Task[None]]) -> None:
    """Lets each worker end its transaction: one that is canceled half-way keeps its locks."""
    await runtime.writer.stop()
    runtime.outbox.wake()
    runtime.registry.wake_commands()
    _, late = await asyncio.wait(workers, timeout=STOP_S)
    for worker in late:
        logger.error("the worker %s did not stop", worker.get_name())
        worker.cancel()


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """From start to stop: what runs is made anew from the settings each time."""
    settings: Settings = app.state.settings
    database = Database(settings.resolved_database_url())
    identity = await bootstrap.server_id(database)
    device_key = await bootstrap.device_key(database)
    runtime = Runtime.build(settings, app.state.clock, database, identity, device_key)
    app.state.runtime = runtime
    workers = await _workers(runtime)
    try:
        yield
    finally:
        begin_shutdown(runtime)
        await runtime.lab.close()
        await _stop(runtime, workers)
        await runtime.activity.flush(database)
        await database.close()


def create_app(settings: Settings, clock: Clock | None = None) -> FastAPI:
    """The application; the database has been prepared by `bootstrap.prepare`."""
    app = FastAPI(
        title="Arraywright",
        version=__version__,
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json",
        generate_unique_id_function=openapi.operation_id,
    )
    app.state.settings = settings
    app.state.clock = clock or Clock()
    api = APIRouter(prefix=PREFIX)
    for router in ROUTERS:
        api.include_router(router)
    app.include_router(api)
    document: dict[str, Any] = {}

    def build_document() -> dict[str, Any]:
        if not document:
            document.update(openapi.build(app, PREFIX, ROUTERS))
        return document

    app.openapi = build_document  # type: ignore[method-assign]  # FastAPI's own way to do it
    if settings.ui_dir is not None:
        app.include_router(ui.make_router(settings.ui_dir))
    _add_handlers(app)
    app.add_middleware(link.AgentLink, path=f"{PREFIX}/agents/link")
    app.add_middleware(BodyLimit)
    app.add_middleware(Conditional)
    app.add_middleware(Address)
    app.add_middleware(GZipMiddleware, minimum_size=2048, compresslevel=5)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(RootPath)
    return app


def _render(request: Request, problem: ProblemError) -> JSONResponse:
    return JSONResponse(
        _printable(problem.document(request.scope["path"])),
        status_code=problem.status,
        media_type=PROBLEM_MEDIA_TYPE,
        headers=problem.headers,
    )


def _bad_json() -> ProblemError:
    return ProblemError("The body is not JSON.", status=400, code="malformed_json")


def _printable(value: Any) -> Any:
    """A caller's own words are repeated to him, also those that are no text."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {name: _printable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_printable(item) for item in value]
    return value


def _pointer(location: tuple[Any, ...]) -> str:
    if location and location[0] == "body":
        return "".join(f"/{part}" for part in location[1:]) or "/"
    return ".".join(str(part) for part in location[1:])


def _no_such(request: Request) -> ProblemError:
    """No such resource, or none that knows this method: then its methods are named."""
    path = str(request.scope["path"]).removeprefix(PREFIX)
    methods: set[str] = set()
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute) and route.path_regex.match(path):
                methods |= route.methods or set()
    if "GET" in methods:
        methods.add("HEAD")
    if not methods:
        return NotFoundError("There is no such resource.")
    allowed = ", ".join(sorted(methods))
    return ProblemError(
        f"This resource knows only {allowed}.",
        status=405,
        code="method_not_allowed",
        headers={"Allow": allowed},
    )


def _add_handlers(app: FastAPI) -> None:
    @app.exception_handler(ProblemError)
    async def on_problem(request: Request, problem: ProblemError) -> JSONResponse:
        return _render(request, problem)

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        if any(item["type"] == "json_invalid" for item in error.errors()):
            return _render(request, _bad_json())
        errors = [(_pointer(tuple(item["loc"])), str(item["msg"])) for item in error.errors()]
        first = f"{errors[0][0]}: {errors[0][1]}" if errors else "The request is not valid."
        return _render(request, InvalidError(first, errors=errors))

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code in (404, 405):
            return _render(request, _no_such(request))
        if error.status_code == 400:
            return _render(request, _bad_json())
        problem = ProblemError(
            str(error.detail), status=error.status_code, code="http", headers=error.headers
        )
        return _render(request, problem)

    @app.exception_handler(Exception)
    async def on_failure(request: Request, error: Exception) -> JSONResponse:
        logger.error("request %s %s failed", request.method, request.url.path, exc_info=error)
        return _render(
            request, ProblemError("Something went wrong here; the log of the server says what.")
        )
