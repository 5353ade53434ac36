"""The simulated fleet of the benchmarks is one that the backend knows as agents."""

from pathlib import Path

import httpx
import pytest

from arraywright.link import door
from arraywright.settings import Settings
from bench.fleetsim import hosts, scenarios
from bench.fleetsim.agent import Agent, World
from tests.conftest import Callers
from tests.support.server import running

pytestmark = pytest.mark.anyio
HOSTS = 20
PATIENCE_S = 120.0


async def _fleet(client: httpx.AsyncClient) -> tuple[int, int]:
    """How many hosts are online, and how many have an optimal virtual drive."""
    figures = (await client.get("/fleet")).json()
    optimal = {row["state"]: row["count"] for row in figures["virtual_drives_by_state"]}
    return figures["hosts_online"], optimal.get("optimal", 0)


async def test_simulated_agents_come_change_and_come_again(
    settings: Settings, password_hash: str, tmp_path: Path
) -> None:
    quiet = settings.model_copy(
        update={"initial_admin_password_file": tmp_path / "password", "disconnect_grace_s": 5.0}
    )
    world = World(await hosts.enrol(quiet, HOSTS))
    agents = [Agent(world, number) for number in range(HOSTS)]
    async with running(quiet) as server:
        world.port = int(server.url.rpartition(":")[2])
        callers = Callers(server, password_hash)
        await callers.create()
        for agent in agents:
            agent.come(0.0)
        assert await scenarios.until(lambda: scenarios.live(agents) == HOSTS, PATIENCE_S)
        first = callers.anonymous()
        first.headers["Authorization"] = f"Bearer {next(iter(callers.tokens.values()))}"
        assert await _fleet(first) == (HOSTS, HOSTS)
        for agent in agents:
            agent.change()
            agent.event()
        assert await scenarios.until(lambda: all(a.is_acknowledged for a in agents), PATIENCE_S)
        await callers.close()
    # They were told to come back within a time; here they come at once.
    for agent in agents:
        agent.leave()
    async with running(quiet) as server:
        world.port = int(server.url.rpartition(":")[2])
        world.counts.clear()
        for agent in agents:
            agent.leave()
            agent.come(0.0)
        assert await scenarios.until(lambda: scenarios.live(agents) == HOSTS, PATIENCE_S)
        assert world.counts["welcomes"] == HOSTS
        assert world.counts["states"] == 0, "what is known is not told again"
        world.running = False
        for agent in agents:
            agent.leave()


async def test_a_crowd_is_sent_away_and_comes_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "INSIDE", 2)
    monkeypatch.setattr(door, "PATIENCE_S", 2 * door.COST_S)
    monkeypatch.setattr(door, "SOONEST_S", 1)
    world = World(await hosts.enrol(settings, HOSTS))
    agents = [Agent(world, number) for number in range(HOSTS)]
    async with running(settings) as server:
        world.port = int(server.url.rpartition(":")[2])
        for agent in agents:
            agent.come(0.0)
        assert await scenarios.until(lambda: scenarios.live(agents) == HOSTS, PATIENCE_S)
        assert world.counts["sent away"] > 0
        world.running = False
        for agent in agents:
            agent.leave()
