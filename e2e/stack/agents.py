"""A host of the stack: one arrayd with emulated drives, and its uplink."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from processes import Child, StackError, wait_until

MIB = 1 << 20
PROFILES = Path(__file__).resolve().parents[2] / "agent" / "profiles"


@dataclass
class HostPlan:
    """What a host of the stack consists of."""

    name: str
    drives: int = 8
    drive_bytes: int = 1024 * MIB
    transfer_bytes_per_s: int = 100 * MIB
    policy: str = "lab"
    battery: str = ""  # the profile of an emulated battery
    cache_bytes: int = 0  # of shared memory
    controllers: int = 1  # each with `drives` drives
    drive_profile: str = ""  # instead of transfer_bytes_per_s; its size, if drive_bytes is 0


class Host:
    # The launcher starts the uplink, not systemd. An older version has no such option.
    enrol_options: tuple[str, ...] = ("--no-start",)

    def __init__(self, plan: HostPlan, folder: Path, build: Path) -> None:
        self.plan = plan
        self.folder = folder
        self.control_socket = folder / "control.sock"
        self.nbd_socket = folder / "nbd.sock"
        self._build = build
        self._agent: Child | None = None
        self._uplink: Child | None = None
        self._plugged: dict[int, Path] = {}

    @property
    def arrayctl(self) -> Path:
        return self._build / "src/cli/arrayctl"

    # The agent

    def plug(self, slot: int, path: Path) -> None:
        """From the next start on a drive of somebody else's is in this slot of the first
        controller: a plain file, of which nothing is taken for ours."""
        self._plugged[slot] = path

    def start_agent(self) -> None:
        self.launch_agent()
        self.wait_ready()

    def launch_agent(self) -> None:
        if len(str(self.control_socket)) > 100:
            raise StackError(f"{self.folder} is too long a path for a socket; use a shorter one")
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "drives").mkdir(exist_ok=True)
        config = self.folder / "arrayd.conf"
        config.write_text(self._config_text())
        self._agent = Child(f"arrayd of {self.plan.name}",
                            [str(self._build / "src/daemon/arrayd"), "--config", str(config)],
                            self.folder / "arrayd.log")

    def wait_ready(self) -> None:
        wait_until(f"arrayd of {self.plan.name} answers", self._agent_answers, 20, self._agent)

    def _agent_answers(self) -> bool:
        if not self.control_socket.exists():
            return False
        done = subprocess.run([str(self.arrayctl), "show", "ctrlcount"], check=False,
                              env={**os.environ, "ARRAYWRIGHT_SOCKET": str(self.control_socket)},
                              capture_output=True)
        return done.returncode == 0

    def _emulated_text(self) -> str:
        size = f"size = {self.plan.drive_bytes}L; " if self.plan.drive_bytes else ""
        if self.plan.drive_profile:
            return f'{{ {size}profile = "{self.plan.drive_profile}"; }}'
        return (f"{{ {size}overhead_us = 80; "
                f"transfer_per_s = {self.plan.transfer_bytes_per_s}L; }}")

    def _controller_text(self, index: int) -> str:
        """Files of the first controller have the names they have if it is the only one."""
        prefix = f"c{index}-" if index else ""
        plugged = self._plugged if index == 0 else {}
        drives = ",\n".join(
            f'    {{ path = "{plugged[slot]}"; enclosure = 252; slot = {slot}; }}'
            if slot in plugged else
            f'    {{ path = "{self.folder}/drives/{prefix}slot{slot}.img"; enclosure = 252; '
            f"slot = {slot};\n      emulated = {self._emulated_text()}; }}"
            for slot in range(self.plan.drives))
        columns = (self.plan.drives + 1) // 2
        battery = (f'battery = {{ source = "emulated"; profile = "{self.plan.battery}"; }};'
                   if self.plan.battery else "")
        # In the host's own folder, so that a stack that is forgotten leaves nothing behind.
        cache = (f'cache = {{ medium = "shared-memory"; path = "{self.folder}/{prefix}cache"; '
                 f'size = {self.plan.cache_bytes}L; }};' if self.plan.cache_bytes else "")
        return f"""{battery}
{cache}
enclosures = (
    {{ eid = 252; model = "Emulated enclosure"; slots = {self.plan.drives}; rows = 2;
      columns = {columns}; emulated = true; }}
);
drives = (
{drives}
);
"""

    def _config_text(self) -> str:
        each = [self._controller_text(index) for index in range(self.plan.controllers)]
        controllers = (each[0] if len(each) == 1
                       else "controllers = (\n" + ",\n".join(f"{{ {one} }}" for one in each) + ");\n")
        return f"""# Written by the launcher of the demo and of the end-to-end tests.
state_dir = "{self.folder}/state";
policy = "{self.plan.policy}";
control = {{ socket = "{self.control_socket}"; mode = "0600"; }};
nbd = {{ unix = "{self.nbd_socket}"; }};
scan = {{ enabled = false; }};
profiles_dir = "{PROFILES}";
{controllers}"""

    def stop_agent(self) -> None:
        if self._agent is not None:
            self._agent.stop()
            self._agent = None

    def kill_agent(self) -> None:
        if self._agent is not None:
            self._agent.kill()
            self._agent = None

    # Its link to the backend

    @property
    def is_enrolled(self) -> bool:
        return (self.folder / "uplink" / "identity.json").exists()

    def start_uplink(self, url: str, token: str | None, ca: Path | None) -> None:
        """token: one-time enrolment token, needed the first time only."""
        program = str(self._build / "src/uplink/arraywright-uplink")
        config = self.folder / "uplink.conf"
        config.write_text(f"""# Written by the launcher of the demo and of the end-to-end tests.
url = "{url}";
control_socket = "{self.control_socket}";
state_dir = "{self.folder}/uplink";
hostname = "{self.plan.name}";
{f'ca_file = "{ca}";' if ca else ""}
reconnect_base_ms = 200;
reconnect_cap_ms = 2000;
""")
        if token is not None:
            done = subprocess.run([program, "--config", str(config), "enrol",
                                   *self.enrol_options, "--url", url, "--token", token],
                                  check=False, capture_output=True, text=True)
            if done.returncode != 0:
                raise StackError(f"{self.plan.name} could not enrol: {done.stderr or done.stdout}")
        self._uplink = Child(f"uplink of {self.plan.name}", [program, "--config", str(config)],
                             self.folder / "uplink.log")

    def stop_uplink(self) -> None:
        if self._uplink is not None:
            self._uplink.stop()
            self._uplink = None

    def stop(self) -> None:
        self.stop_uplink()
        self.stop_agent()

    def check(self) -> None:
        """Raises if a program of this host has ended by itself."""
        for child in (self._agent, self._uplink):
            if child is not None and not child.is_running():
                raise StackError(f"{child.name} has ended:\n{child.log_tail()}")

    def describe(self) -> dict[str, str]:
        return {
            "name": self.plan.name,
            "controlSocket": str(self.control_socket),
            "nbdSocket": str(self.nbd_socket),
            "arrayctl": str(self.arrayctl),
            
        }
