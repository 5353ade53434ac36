"""A real server on a free loopback port, in the test's own event loop."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from fastapi import FastAPI

from arraywright.app import create_app
from arraywright.kit.clock import Clock
from arraywright.runtime import Runtime
from arraywright.server import Server, server_config
from arraywright.settings import Settings

PATIENCE_S = 15.0
# Assembling the routes takes longer than most tests: applications that have stopped start again.
_idle: list[FastAPI] = []


@dataclass
class Running:
    app: FastAPI
    url: str
    server: Server

    @property
    def runtime(self) -> Runtime:
        runtime = self.app.state.runtime
        assert isinstance(runtime, Runtime)
        return runtime

    def client(self, **options: Any) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=f"{self.url}/api/v1", timeout=PATIENCE_S, verify=False, **options
        )


@asynccontextmanager
async def running(settings: Settings, clock: Clock | None = None) -> AsyncIterator[Running]:
    app = _idle.pop() if _idle else create_app(settings)
    app.state.settings = settings
    app.state.clock = clock or Clock()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = Server(server_config(app, settings))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not server.started:
                assert not task.done(), "the server has not started"
                await asyncio.sleep(0.002)
        yield Running(app, f"http://127.0.0.1:{listener.getsockname()[1]}", server)
    finally:
        server.should_exit = True
        async with asyncio.timeout(PATIENCE_S):
            await task
        listener.close()
    _idle.append(app)
