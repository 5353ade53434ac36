"""What the server's process tells about itself in Prometheus' text format."""

import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from arraywright.runtime import Runtime

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Figure(NamedTuple):
    name: str
    help: str
    kind: str
    value: Callable[[Runtime], float]


def _cpu_s(_runtime: Runtime) -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _resident_bytes(_runtime: Runtime) -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES


FIGURES = (
    Figure(
        "arraywright_server_agents_connected",
        "Agents that are connected to this process.",
        "gauge",
        lambda runtime: len(runtime.registry),
    ),
    Figure(
        "arraywright_server_hellos_waiting",
        "Agents that have dialed and wait for their turn.",
        "gauge",
        lambda runtime: runtime.door.waiting,
    ),
    Figure(
        "arraywright_server_reports_waiting",
        "Reports of agents that are not stored yet.",
        "gauge",
        lambda runtime: runtime.writer.waiting,
    ),
    Figure(
        "arraywright_server_reports_stored_total",
        "Reports of agents that were stored.",
        "counter",
        lambda runtime: runtime.writer.stored,
    ),
    Figure(
        "arraywright_server_transactions_total",
        "Transactions that stored them.",
        "counter",
        lambda runtime: runtime.writer.transactions,
    ),
    Figure(
        "arraywright_server_transaction_seconds_total",
        "Time of these transactions, with the wait for the database.",
        "counter",
        lambda runtime: runtime.writer.storing_s,
    ),
    Figure(
        "arraywright_server_live_streams",
        "Browsers and programs that listen for changes.",
        "gauge",
        lambda runtime: runtime.hub.listeners,
    ),
    Figure("process_cpu_seconds_total", "CPU time of this process.", "counter", _cpu_s),
    Figure("process_resident_memory_bytes", "Memory of this process.", "gauge", _resident_bytes),
)


def figures(runtime: Runtime) -> str:
    lines = []
    for figure in FIGURES:
        lines += [
            f"# HELP {figure.name} {figure.help}",
            f"# TYPE {figure.name} {figure.kind}",
            f"{figure.name} {float(figure.value(runtime)):.16g}",
        ]
    return "\n".join([*lines, ""])
