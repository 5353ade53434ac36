"""Opens and resolves alerts as the state of a host changes, in the same transaction.

An alert belongs to a rule and an object; at most one is unresolved at a time. Acknowledging
changes who looks after it, never whether it is there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts import repository, rules
from arraywright.alerts.models import Alert
from arraywright.alerts.schemas import AlertRuleName, AlertState
from arraywright.hosts.models import Host
from arraywright.kit.ids import object_id
from arraywright.kit.schema import moment
from arraywright.live import outbox


@dataclass(frozen=True, slots=True)
class Changed:
    """An object that changed; `doc` is None when it is gone."""

    kind: str
    key: str
    doc: dict[str, Any] | None


def _key(rule: str, target: UUID) -> str:
    return f"{rule}:{target}"


def _tell(session: AsyncSession, alert: Alert) -> None:
    outbox.add(session, kind="alert", object_id=str(alert.id), rev=alert.rev, host_id=alert.host_id)


def _open(
    session: AsyncSession,
    now_us: int,
    finding: rules.Finding,
    *,
    host_id: UUID,
    kind: str,
    key: str,
    path: str,
    group_id: UUID | None = None,
) -> Alert:
    target = object_id(host_id, kind, key)
    alert = Alert(
        id=uuid4(),
        rev=1,
        open_key=_key(finding.rule.value, target),
        rule=finding.rule.value,
        severity=finding.severity.value,
        state=AlertState.OPEN.value,
        host_id=host_id,
        object_kind=kind,
        object_key=key,
        object_id=target,
        object_path=path[:255],
        group_id=group_id,
        reason=finding.reason(),
        opened_us=now_us,
        changed_us=now_us,
    )
    session.add(alert)
    _tell(session, alert)
    return alert


def _refresh(session: AsyncSession, now_us: int, alert: Alert, finding: rules.Finding) -> None:
    """The same trouble, perhaps worse: then an acknowledgement no longer counts."""
    reason = finding.reason()
    if alert.reason == reason and alert.severity == finding.severity.value:
        return
    if alert.severity != finding.severity.value:
        alert.severity = finding.severity.value
        alert.state = AlertState.OPEN.value
    alert.reason = reason
    alert.changed_us = now_us
    alert.rev += 1
    _tell(session, alert)


def resolve(session: AsyncSession, now_us: int, alert: Alert) -> None:
    alert.open_key = None
    alert.state = AlertState.RESOLVED.value
    alert.resolved_us = now_us
    alert.changed_us = now_us
    alert.rev += 1
    _tell(session, alert)


async def objects_changed(
    session: AsyncSession, now_us: int, changes: Mapping[UUID, Iterable[Changed]]
) -> None:
    """Changes by host."""
    watched = {
        host_id: [change for change in items if change.kind in rules.WATCHED_KINDS]
        for host_id, items in changes.items()
    }
    hosts = [host_id for host_id, items in watched.items() if items]
    if not hosts:
        return
    for host_id, present in (await repository.open_of_hosts(session, hosts)).items():
        for change in watched[host_id]:
            if _is_starting(change):
                continue
            _object_changed(session, now_us, host_id, change, present)
            _settle_rebuilds(session, now_us, host_id, change, present)


def _is_starting(change: Changed) -> bool:
    """Its agent has just begun and does not know yet: no news, of trouble or of its end."""
    doc = change.doc or {}
    return "starting" in (doc.get("state"), doc.get("status"))


def _object_changed(
    session: AsyncSession,
    now_us: int,
    host_id: UUID,
    change: Changed,
    present: dict[str, Alert],
) -> None:
    target = object_id(host_id, change.kind, change.key)
    findings = rules.evaluate(change.kind, change.doc) if change.doc is not None else []
    held = set()
    for finding in findings:
        key = _key(finding.rule.value, target)
        held.add(key)
        alert = present.get(key)
        if alert is not None:
            _refresh(session, now_us, alert, finding)
            continue
        assert change.doc is not None
        group = change.doc.get("drive_group")
        present[key] = _open(
            session,
            now_us,
            finding,
            host_id=host_id,
            kind=change.kind,
            key=change.key,
            path=str(change.doc.get("path", change.key)),
            group_id=object_id(host_id, "drive_group", group) if group else None,
        )
    for key, alert in list(present.items()):
        if alert.object_id != target or key in held:
            continue
        if alert.rule != AlertRuleName.REBUILD_FAILED.value:
            resolve(session, now_us, present.pop(key))


def _settle_rebuilds(
    session: AsyncSession,
    now_us: int,
    host_id: UUID,
    change: Changed,
    present: dict[str, Alert],
) -> None:
    """A failed rebuild stays a matter until its group is whole, gone, or rebuilt anew."""
    doc = change.doc or {}
    if change.kind == "drive_group" and (change.doc is None or doc["state"] == "optimal"):
        group_id = object_id(host_id, "drive_group", change.key)
    elif change.kind == "operation" and doc.get("kind") == "rebuild":
        if doc["state"] not in ("running", "completed") or not doc["drive_group"]:
            return
        group_id = object_id(host_id, "drive_group", doc["drive_group"])
    else:
        return
    for key, alert in list(present.items()):
        if alert.rule == AlertRuleName.REBUILD_FAILED.value and alert.group_id == group_id:
            resolve(session, now_us, present.pop(key))


async def is_open(session: AsyncSession, host_id: UUID, rule: AlertRuleName) -> bool:
    """About the host itself."""
    return _key(rule.value, host_id) in await repository.open_of_host(session, host_id)


async def host_found(
    session: AsyncSession, now_us: int, host: Host, finding: rules.Finding
) -> bool:
    """Something about the host itself, told once; True if the alert is new."""
    present = await repository.open_of_host(session, host.id)
    alert = present.get(_key(finding.rule.value, host.id))
    if alert is not None:
        _refresh(session, now_us, alert, finding)
        return False
    _open(
        session, now_us, finding, host_id=host.id, kind="host", key=host.name[:64], path=host.name
    )
    return True


async def host_offline(
    session: AsyncSession, now_us: int, host: Host, last_seen_us: int | None
) -> None:
    if await is_open(session, host.id, AlertRuleName.HOST_OFFLINE):
        return
    seen = moment(last_seen_us if last_seen_us is not None else now_us)
    finding = rules.host_offline(host.name, seen.isoformat(timespec="seconds"))
    await host_found(session, now_us, host, finding)


async def host_settled(
    session: AsyncSession, now_us: int, host_id: UUID, rule: AlertRuleName
) -> bool:
    """What was found about the host itself is over; False if nothing was."""
    present = await repository.open_of_host(session, host_id)
    alert = present.get(_key(rule.value, host_id))
    if alert is None:
        return False
    resolve(session, now_us, alert)
    return True


async def host_condition(
    session: AsyncSession, now_us: int, host: Host, finding: rules.Finding
) -> None:
    """How the host behaves; the alert is as old as the last time it did so."""
    if await host_found(session, now_us, host, finding):
        return
    alert = (await repository.open_of_host(session, host.id))[_key(finding.rule.value, host.id)]
    alert.changed_us = now_us


async def host_back(session: AsyncSession, now_us: int, host_id: UUID) -> None:
    await host_settled(session, now_us, host_id, AlertRuleName.HOST_OFFLINE)


async def resolve_all(session: AsyncSession, host_id: UUID, now_us: int) -> None:
    for alert in (await repository.open_of_host(session, host_id)).values():
        resolve(session, now_us, alert)
