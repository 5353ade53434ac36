"""Opens and resolves alerts as findings come and go, in the same transaction as the state.

An alert belongs to a rule and an object; at most one is unresolved at a time. Each finding that
an agent reports has its alert until it is gone. Acknowledging changes who looks after it, never
whether it is there.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts import findings, former_rules, repository
from arraywright.alerts.findings import Finding
from arraywright.alerts.models import Alert
from arraywright.alerts.schemas import AlertState, ServerRule
from arraywright.hosts.models import Host
from arraywright.kit.ids import object_id
from arraywright.kit.schema import moment
from arraywright.live import outbox

SERVER_RULES = frozenset(rule.value for rule in ServerRule)
CLOCK_LIMIT_MS = 30_000
"""Farther off than that, times of events mislead."""


@dataclass(frozen=True, slots=True)
class Changed:
    """An object that changed; `doc` is None when it is gone."""

    kind: str
    key: str
    doc: dict[str, Any] | None


def _tell(session: AsyncSession, alert: Alert) -> None:
    outbox.add(session, kind="alert", object_id=str(alert.id), rev=alert.rev, host_id=alert.host_id)


def resolve(session: AsyncSession, now_us: int, alert: Alert) -> None:
    alert.open_key = None
    alert.state = AlertState.RESOLVED.value
    alert.resolved_us = now_us
    alert.changed_us = now_us
    alert.rev += 1
    _tell(session, alert)


def _server_key(rule: ServerRule, host_id: UUID) -> str:
    return f"{rule.value}:{host_id}"


@dataclass(frozen=True, slots=True)
class Desk:
    """The unresolved alerts of one host, by key, and what is needed to change them."""

    session: AsyncSession
    now_us: int
    host_id: UUID
    present: dict[str, Alert]
    told: list[Alert] = field(default_factory=list)
    """Those that have changed."""

    def _tell(self, alert: Alert) -> None:
        self.told.append(alert)
        _tell(self.session, alert)

    def key(self, finding: Finding) -> str:
        return f"{finding.rule}:{object_id(self.host_id, finding.kind, finding.key)}"

    def hold(self, finding: Finding) -> None:
        """The finding is there: so is its alert."""
        alert = self.present.get(self.key(finding))
        if alert is None:
            self._open(finding)
        else:
            self._refresh(alert, finding)

    def _open(self, finding: Finding) -> None:
        alert = Alert(
            id=uuid4(),
            rev=1,
            open_key=self.key(finding),
            rule=finding.rule,
            severity=finding.severity,
            state=AlertState.OPEN.value,
            host_id=self.host_id,
            object_kind=finding.kind,
            object_key=finding.key,
            object_id=object_id(self.host_id, finding.kind, finding.key),
            object_path=finding.path[:255],
            reason=finding.stored(),
            opened_us=self.now_us,
            changed_us=self.now_us,
        )
        self.session.add(alert)
        self.present[self.key(finding)] = alert
        self._tell(alert)

    def _refresh(self, alert: Alert, finding: Finding) -> None:
        """The same trouble, perhaps elsewhere, perhaps worse: then an acknowledgement no longer
        counts."""
        stored = finding.stored()
        path = finding.path[:255]
        if (alert.reason, alert.severity, alert.object_path) == (stored, finding.severity, path):
            return
        if alert.severity != finding.severity:
            alert.severity = finding.severity
            alert.state = AlertState.OPEN.value
        alert.reason = stored
        alert.object_path = path
        alert.changed_us = self.now_us
        alert.rev += 1
        self._tell(alert)

    def resolve(self, key: str) -> None:
        alert = self.present.pop(key)
        self.told.append(alert)
        resolve(self.session, self.now_us, alert)

    def settle(self, rule: ServerRule) -> bool:
        """What was found about the host itself is over; False if nothing was."""
        key = _server_key(rule, self.host_id)
        if key not in self.present:
            return False
        self.resolve(key)
        return True

    def replace(self, source: str, found: Iterable[Finding], *, whole: bool) -> None:
        """`found` is all that there is from this source; the rest of it is over. With the first
        report of an agent (whole), so is what was found here before it reported anything."""
        held = set()
        for finding in found:
            held.add(self.key(finding))
            self.hold(finding)
        for key, alert in list(self.present.items()):
            if key in held or alert.rule in SERVER_RULES:
                continue
            from_former = "/" in alert.reason.get("source", "/")
            if alert.reason.get("source") == source or (whole and from_former):
                self.resolve(key)


async def objects_changed(
    session: AsyncSession,
    now_us: int,
    changes: Mapping[UUID, Iterable[Changed]],
    reporting: set[UUID],
) -> set[UUID]:
    """Changes by host; returns the hosts of which an alert has changed.

    `reporting`: hosts that are known to report findings, completed here.
    """
    unknown = [host_id for host_id in changes if host_id not in reporting]
    if unknown:
        reporting |= await repository.reporting(session, unknown)
    watched = {
        host_id: [
            change
            for change in items
            if change.kind in findings.SOURCES
            or (host_id not in reporting and change.kind in former_rules.WATCHED_KINDS)
        ]
        for host_id, items in changes.items()
    }
    hosts = [host_id for host_id, items in watched.items() if items]
    if not hosts:
        return set()
    touched = set()
    for host_id, present in (await repository.open_of_hosts(session, hosts)).items():
        desk = Desk(session, now_us, host_id, present)
        for change in watched[host_id]:
            if host_id in reporting:
                _reported(desk, change)
            elif change.kind in former_rules.WATCHED_KINDS:
                _judged(desk, change)
        if desk.told:
            touched.add(host_id)
    return touched


def _reported(desk: Desk, change: Changed) -> None:
    if change.kind not in findings.SOURCES:
        return
    found = findings.reported(change.key, change.doc) if change.doc is not None else []
    if found is None:
        return
    if change.doc is not None and not change.doc.get("findings_whole", True):
        for finding in found:  # it starts: what it does not name yet is not over
            desk.hold(finding)
        return
    desk.replace(change.key, found, whole=change.kind == "controller")


def _judged(desk: Desk, change: Changed) -> None:
    if change.doc is not None and "starting" in (change.doc.get("state"), change.doc.get("status")):
        return  # its agent has just begun and does not know yet
    found = []
    if change.doc is not None:
        found = former_rules.evaluate(change.kind, change.key, change.doc)
    desk.replace(f"{change.kind}/{change.key}", found, whole=False)


async def desks(session: AsyncSession, now_us: int, host_ids: Collection[UUID]) -> dict[UUID, Desk]:
    found = await repository.open_of_hosts(session, host_ids)
    return {host_id: Desk(session, now_us, host_id, found[host_id]) for host_id in host_ids}


async def desk_of(session: AsyncSession, now_us: int, host_id: UUID) -> Desk:
    return (await desks(session, now_us, [host_id]))[host_id]


async def is_open(session: AsyncSession, host_id: UUID, rule: ServerRule) -> bool:
    """About the host itself."""
    return _server_key(rule, host_id) in await repository.open_of_host(session, host_id)


async def host_found(session: AsyncSession, now_us: int, host: Host, finding: Finding) -> bool:
    """Something about the host itself, told once; True if the alert is new."""
    desk = await desk_of(session, now_us, host.id)
    is_new = desk.key(finding) not in desk.present
    desk.hold(finding)
    return is_new


async def host_settled(session: AsyncSession, now_us: int, host_id: UUID, rule: ServerRule) -> bool:
    """What was found about the host itself is over; False if nothing was."""
    return (await desk_of(session, now_us, host_id)).settle(rule)


async def hosts_found(
    session: AsyncSession, now_us: int, found: Sequence[tuple[Host, Finding]]
) -> None:
    """Something about each of many hosts, told once."""
    present = await repository.open_of_hosts(session, [host.id for host, _ in found])
    for host, finding in found:
        Desk(session, now_us, host.id, present[host.id]).hold(finding)


def offline(host: Host, last_seen_us: int | None) -> Finding:
    seen = moment(last_seen_us)
    since = "it was enrolled" if seen is None else seen.isoformat(timespec="seconds")
    return findings.host_offline(host.name, since)


async def host_condition(session: AsyncSession, now_us: int, host: Host, finding: Finding) -> None:
    """How the host behaves; the alert is as old as the last time it did so."""
    if await host_found(session, now_us, host, finding):
        return
    present = await repository.open_of_host(session, host.id)
    present[f"{finding.rule}:{host.id}"].changed_us = now_us


def host_back(desk: Desk) -> None:
    desk.settle(ServerRule.HOST_OFFLINE)
    desk.settle(ServerRule.HOST_NEVER_CONNECTED)


async def settle_told(session: AsyncSession, now_us: int, before_us: int) -> set[UUID]:
    """What happened once ends when somebody has taken note of it, or after a time."""
    hosts = set()
    for alert in await repository.open_of_rule(session, ServerRule.HOST_RESTORED.value):
        if alert.state == AlertState.ACKNOWLEDGED.value or alert.opened_us < before_us:
            resolve(session, now_us, alert)
            hosts.add(alert.host_id)
    return hosts


async def hosts_with(session: AsyncSession, rule: ServerRule) -> set[UUID]:
    return {alert.host_id for alert in await repository.open_of_rule(session, rule.value)}


def clock_is_off(offset_ms: int | None) -> bool:
    """None: an agent that does not tell its time."""
    return offset_ms is not None and abs(offset_ms) > CLOCK_LIMIT_MS


def clock_seen(desk: Desk, host: Host, offset_ms: int | None) -> None:
    if offset_ms is not None and clock_is_off(offset_ms):
        desk.hold(findings.clock_off(host.name, offset_ms))
    else:
        desk.settle(ServerRule.CLOCK_OFF)


async def resolve_all(session: AsyncSession, host_id: UUID, now_us: int) -> None:
    desk = await desk_of(session, now_us, host_id)
    for key in list(desk.present):
        desk.resolve(key)
