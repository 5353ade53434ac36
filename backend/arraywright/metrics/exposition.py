"""The fleet in Prometheus' text format: what the server knows that no agent can say of itself.

Drives, virtual drives and load are the hosts' own metrics (arraywright-monitor): a host that is
offline tells none, and this tells that it is offline.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.hosts.models import Host, HostSummary
from arraywright.link.protocol import ControllerStatus

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = dict[str, str]
Sample = tuple[Labels, float]


class Row(NamedTuple):
    host: Host
    summary: HostSummary


class Family(NamedTuple):
    name: str
    help: str
    samples: Callable[[Row], Iterable[Sample]]


def _info(row: Row) -> Iterable[Sample]:
    yield {"name": row.host.name, "agent_version": row.summary.agent_version}, 1


def _number(field: str, divisor: float = 1) -> Callable[[Row], Iterable[Sample]]:
    """What is not known has no series."""

    def samples(row: Row) -> Iterable[Sample]:
        value = getattr(row.summary, field)
        if value is not None:
            yield {}, value / divisor

    return samples


def _status(row: Row) -> Iterable[Sample]:
    for word in ControllerStatus:
        yield {"status": word.value}, row.summary.worst_state == word.value


FAMILIES = (
    Family("info", "What a host is called now.", _info),
    Family("online", "Whether it is connected.", _number("online")),
    Family("last_seen_timestamp_seconds", "Its last message.", _number("last_seen_us", 1e6)),
    Family("status", "Its worst finding, as of its last report.", _status),
    Family("open_alerts", "Alerts that are not resolved.", _number("open_alerts")),
    Family("drives", "Its drives.", _number("drives")),
    Family("drives_failed", "Drives that a finding calls failed.", _number("drives_failed")),
    Family("virtual_drives", "Its virtual drives.", _number("virtual_drives")),
    Family(
        "virtual_drives_degraded",
        "Virtual drives without full redundancy.",
        _number("virtual_drives_degraded"),
    ),
    Family(
        "virtual_drives_offline",
        "Virtual drives out of reach.",
        _number("virtual_drives_offline"),
    ),
    Family(
        "drive_failures_left",
        "Least drives that may still fail, of its redundant virtual drives.",
        _number("drive_failures_left"),
    ),
    Family(
        "operations_running", "Background work that runs or waits.", _number("operations_running")
    ),
    Family("raw_bytes", "Size of its drives.", _number("raw_bytes")),
    Family("usable_bytes", "Size of its virtual drives.", _number("usable_bytes")),
)


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _sample(name: str, row: Row, labels: Labels, value: float) -> str:
    every = {"host_id": str(row.host.id), **labels}
    shown = ",".join(f'{label}="{_escaped(text)}"' for label, text in every.items())
    return f"arraywright_host_{name}{{{shown}}} {float(value):.16g}"


async def fleet(session: AsyncSession) -> str:
    found = await session.execute(
        select(Host, HostSummary)
        .join(HostSummary, HostSummary.host_id == Host.id)
        .where(Host.retired_us.is_(None))
        .order_by(Host.name, Host.id)
    )
    rows = [Row(host, summary) for host, summary in found]
    lines = []
    for family in FAMILIES:
        lines += [
            f"# HELP arraywright_host_{family.name} {family.help}",
            f"# TYPE arraywright_host_{family.name} gauge",
        ]
        lines += [
            _sample(family.name, row, labels, value)
            for row in rows
            for labels, value in family.samples(row)
        ]
    return "\n".join([*lines, ""])
