"""Measures the backend with thousands of agents.

    python -m bench.fleetsim --hosts 2000
    python -m bench.fleetsim --hosts 10000 --lists

The agents speak the real protocol over real sockets, with documents as large as those of real
hosts. The figures are the CPU time of the backend's process alone, so they hold on a machine that
does other things as well; times until something has happened do not.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path

import uvloop

from arraywright.settings import Settings
from bench.fleetsim import hosts, lists, scenarios
from bench.fleetsim.agent import Agent, World
from bench.fleetsim.backend import Backend


def _say(what: str, figures: scenarios.Figures) -> None:
    print(json.dumps({"what": what, **figures}), flush=True)


async def measure(state: Path, arguments: argparse.Namespace) -> None:
    secret = state / "password"
    settings = Settings(
        state_dir=state,
        database_url=arguments.database_url,
        initial_admin_password_file=secret,
    )
    if arguments.lists:
        found = await lists.measure(state, settings, arguments.hosts)
        _say("lists, CPU ms", {"hosts": arguments.hosts, **found})
        return
    world = World(await hosts.enrol(settings, arguments.hosts))
    agents = [Agent(world, number) for number in range(arguments.hosts)]
    async with Backend(state, arguments.database_url) as backend:
        world.port = backend.port
        spread_s, limit_s = arguments.within, arguments.limit
        first = await scenarios.first_connections(
            world, agents, backend, within_s=spread_s, limit_s=limit_s
        )
        _say("first connections", {"hosts": arguments.hosts, **first})
        _say("steady", await scenarios.steady(world, agents, backend, arguments.steady))
        _say("flood", await scenarios.flood(world, agents, backend, arguments.flood))
    async with Backend(state, arguments.database_url, world.port) as backend:
        password = secret.read_text().strip()
        again = await scenarios.restart(world, agents, backend, password, limit_s)
        _say("restart", again)
        _say("steady again", await scenarios.steady(world, agents, backend, arguments.steady))
        world.running = False
        for agent in agents:
            agent.leave()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=500)
    parser.add_argument("--lists", action="store_true", help="requests to a fleet without agents")
    parser.add_argument("--within", type=float, default=20.0, help="seconds of first connections")
    parser.add_argument("--steady", type=float, default=30.0, help="seconds of the steady state")
    parser.add_argument("--flood", type=int, default=4, help="changes of each host")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds until all are there")
    parser.add_argument("--database-url", default="", help="default: SQLite in a new directory")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as directory:
        uvloop.run(measure(Path(directory), arguments))


if __name__ == "__main__":
    main()
