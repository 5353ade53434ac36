"""Backend and hosts together."""

from __future__ import annotations

from pathlib import Path

from agents import Host, HostPlan
from backend import Backend
from processes import StackError

ROOT = Path(__file__).resolve().parent.parent.parent


class Stack:
    def __init__(self, folder: Path, plans: list[HostPlan], address: str, port: int, *,
                 demo: bool, build: Path = ROOT / ".run/build/agent") -> None:
        self.folder = folder
        self.backend = Backend(folder / "backend", ROOT / ".run/venv/bin/arraywright",
                               ROOT / "frontend/dist", build, address, port, demo)
        self.hosts = {plan.name: Host(plan, folder / "hosts" / plan.name, build)
                      for plan in plans}

    def start(self) -> None:
        """All programs come up beside each other; then the hosts are connected."""
        self.backend.launch()
        for host in self.hosts.values():
            host.launch_agent()
        self.backend.wait_ready()
        for host in self.hosts.values():
            host.wait_ready()
            self.connect(host)

    def connect(self, host: Host) -> None:
        token = None if host.is_enrolled else self.backend.enrolment_token()
        host.start_uplink(self.backend.url, token, self.backend.certificate)

    def host(self, name: str) -> Host:
        if name not in self.hosts:
            raise StackError(f"there is no host {name} in this stack")
        return self.hosts[name]

    def check(self) -> None:
        self.backend.check()
        for host in self.hosts.values():
            host.check()

    def stop(self) -> None:
        """Hosts first, so that their last events reach the backend. Stops all, then complains."""
        problems = []
        for part in [*self.hosts.values(), self.backend]:
            try:
                part.stop()
            except StackError as error:
                problems.append(str(error))
        if problems:
            raise StackError("\n".join(problems))
