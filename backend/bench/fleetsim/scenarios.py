"""What is measured: first connections, the steady state, a flood of changes, a restart."""

import asyncio
import time
from collections.abc import Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx

from bench.fleetsim.agent import Agent, World
from bench.fleetsim.backend import Backend, Meter

Figures = dict[str, Any]
USER = "admin"
LOOK_S = 0.1
# Of one host and second, as a fleet behaves that nobody works on.
DELTAS = 0.01
EVENTS = 0.004


def _percentile(values: list[float], share: float) -> float | None:
    ordered = sorted(values)
    return round(1000 * ordered[int(len(ordered) * share)], 1) if ordered else None


def _acks(world: World) -> Figures:
    return {
        "ack_p50_ms": _percentile(world.acks_s, 0.5),
        "ack_p99_ms": _percentile(world.acks_s, 0.99),
    }


async def until(condition: Callable[[], bool], limit_s: float) -> bool:
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > limit_s:
            return False
        await asyncio.sleep(LOOK_S)
    return True


def live(agents: list[Agent]) -> int:
    return sum(agent.is_live for agent in agents)


class Logins:
    """A user who logs in again and again while something else is measured."""

    def __init__(self, port: int, password: str) -> None:
        self._url = f"http://127.0.0.1:{port}/api/v1"
        self._password = password
        self.took_s: list[float] = []
        self.failed = 0

    async def _once(self) -> None:
        began = time.monotonic()
        try:
            async with httpx.AsyncClient(base_url=self._url, timeout=300) as client:
                body = {"username": USER, "password": self._password}
                answer = await client.post("/auth/login", json=body)
        except httpx.HTTPError:
            self.failed += 1
            return
        self.failed += answer.status_code != 200
        self.took_s.append(time.monotonic() - began)

    async def _run(self) -> None:
        while True:
            await self._once()
            await asyncio.sleep(1.0)

    @asynccontextmanager
    async def going_on(self) -> Any:
        task = asyncio.create_task(self._run())
        try:
            yield self
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def figures(self) -> Figures:
        return {
            "logins": len(self.took_s),
            "login_max_s": round(max(self.took_s, default=0.0), 2),
            "logins_failed": self.failed,
        }


async def first_connections(
    world: World, agents: list[Agent], backend: Backend, *, within_s: float, limit_s: float
) -> Figures:
    agents[0].come(0.0)  # the very first one pays for what a new process makes once
    await until(lambda: agents[0].is_live, limit_s)
    meter = Meter(backend)
    for agent in agents[1:]:
        agent.come(within_s)
    await until(lambda: live(agents) == len(agents), limit_s)
    found = {
        "live": live(agents),
        "wall_s": round(meter.wall_s, 1),
        "cpu_ms_each": meter.each_ms(live(agents) - 1),
        "rss_mib": backend.rss_mib(),
        **_acks(world),
    }
    world.acks_s.clear()
    return found


async def _happen(agents: list[Agent], share: float, seconds: float, what: str) -> None:
    """So often per agent and second, at random agents."""
    began, owed = time.monotonic(), 0.0
    before = began
    while (now := time.monotonic()) - began < seconds:
        owed += (now - before) * share * len(agents)
        before = now
        while owed >= 1.0:
            owed -= 1.0
            getattr(agents[0].world.random.choice(agents), what)()
        await asyncio.sleep(0.02)


async def steady(world: World, agents: list[Agent], backend: Backend, seconds: float) -> Figures:
    world.acks_s.clear()
    meter = Meter(backend)
    await asyncio.gather(
        _happen(agents, DELTAS, seconds, "change"), _happen(agents, EVENTS, seconds, "event")
    )
    return {
        "cpu_percent": meter.share_percent,
        "deltas": len(world.acks_s),
        "rss_mib": backend.rss_mib(),
        **_acks(world),
    }


async def flood(world: World, agents: list[Agent], backend: Backend, each: int) -> Figures:
    """Every agent tells one change after the other, as fast as they are acknowledged."""
    world.acks_s.clear()
    meter = Meter(backend)
    for _ in range(each):
        for agent in agents:
            agent.change()
        await until(lambda: all(agent.is_acknowledged for agent in agents), 600)
    count = len(world.acks_s)
    return {
        "deltas": count,
        "cpu_ms_each": meter.each_ms(count),
        "deltas_per_s": round(count / meter.wall_s),
        **_acks(world),
    }


async def restart(
    world: World, agents: list[Agent], backend: Backend, password: str, limit_s: float
) -> Figures:
    """The backend has just been started anew; the agents were sent away by the one before."""
    world.counts.clear()
    meter = Meter(backend)
    logins = Logins(backend.port, password)
    async with logins.going_on():
        await until(lambda: live(agents) == len(agents), limit_s)
    return {
        "back": live(agents),
        "wall_s": round(meter.wall_s, 1),
        "cpu_s": round(meter.cpu_s, 1),
        "cpu_ms_each": meter.each_ms(live(agents)),
        "rss_mib": backend.rss_mib(),
        **logins.figures(),
        **dict(world.counts),
    }
