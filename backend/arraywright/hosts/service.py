"""Hosts: reading, retiring, and whether they are there."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts import engine as alerts
from arraywright.audit import service as audit
from arraywright.auth.principal import Principal
from arraywright.hosts import models, repository
from arraywright.hosts.filters import HostFilter
from arraywright.hosts.schemas import (
    DriveStateCount,
    Fleet,
    Host,
    HostSummary,
    HostUpdate,
    PresenceCount,
    SeverityCount,
    VirtualDriveStateCount,
)
from arraywright.kit.paging_sql import fetch_page
from arraywright.kit.presence import HERE, Presence
from arraywright.kit.problems import InvalidError, NotFoundError
from arraywright.kit.revisions import NO_REPORT, config_rev
from arraywright.kit.schema import Page, moment
from arraywright.link.protocol import HostDoc
from arraywright.link.repair import LIMITED, UnmendableError, fitted
from arraywright.live import outbox
from arraywright.live.hub import Change
from arraywright.runtime import Runtime
from arraywright.storage import blocked
from arraywright.storage.projection import ACTIVE_OPERATIONS


def _reported(row: Any) -> tuple[dict[str, Any], list[str]]:
    """What the host says about itself, and which of it had to be limited."""
    if row is None:
        return {}, []
    try:
        doc, places = fitted(HostDoc, row.doc)
    except UnmendableError:
        return {}, ["host"]
    return doc, sorted({*places, *doc.get(LIMITED, [])})


def _view(row: Any, principal: Principal) -> Host:
    host, summary, reported, namesake = row
    doc, limited = _reported(reported)
    return Host(
        id=host.id,
        name=host.name,
        label=models.label(host, has_namesake=namesake),
        rev=summary.rev,
        config_rev=config_rev(reported.life, reported.config_rev) if reported else NO_REPORT,
        presence=summary.presence,
        online=summary.online,
        stale_since=None if summary.online else moment(summary.last_seen_us),
        last_seen=moment(summary.last_seen_us),
        enrolled_at=moment(host.enrolled_us),
        labels=host.labels,
        connected_at=moment(summary.connected_us) if summary.online else None,
        hostname=doc.get("hostname", host.name),
        os=doc.get("os", ""),
        kernel=doc.get("kernel", ""),
        agent_version=summary.agent_version,
        boot_id=summary.boot_id,
        policy_preset=summary.policy_preset,
        started_at=moment(doc.get("started_at_us")),
        clock_offset_ms=summary.clock_offset_ms,
        summary=HostSummary.model_validate(summary),
        limited=limited,
        blocked=blocked.complete(
            "host",
            {},
            principal=principal,
            online=summary.online,
            last_seen_us=summary.last_seen_us,
        ),
    )


async def page(session: AsyncSession, principal: Principal, query: HostFilter) -> Page[Host]:
    rows, cursor, total = await fetch_page(
        session,
        repository.filtered(query),
        query,
        keys=[models.Host.name, models.Host.id],
        kinds=(str, str),
        key_of=lambda row: [row[1], str(row[0])],
        bind=lambda values: [values[0], UUID(values[1])],
        sorting=repository.sorting(query),
    )
    found = await repository.rows_of(session, [row[0] for row in rows])
    return Page(items=[_view(row, principal) for row in found], next_cursor=cursor, total=total)


async def get(session: AsyncSession, principal: Principal, host_id: UUID) -> Host:
    row = await repository.find(session, host_id)
    if row is None:
        raise NotFoundError("There is no such host.")
    return _view(row, principal)


async def fleet(session: AsyncSession) -> Fleet:
    drives = await repository.state_counts(session, "drive")
    virtual_drives = await repository.state_counts(session, "virtual_drive")
    operations = await repository.state_counts(session, "operation")
    presence = await repository.presence_counts(session)
    alert_counts = await repository.alert_counts(session)
    return Fleet(
        hosts=sum(presence.values()),
        hosts_online=sum(presence.get(word, 0) for word in HERE),
        hosts_by_presence=[
            PresenceCount(presence=word, count=presence[word.value])
            for word in Presence
            if word.value in presence
        ],
        drives_by_state=[DriveStateCount(state=s, count=n) for s, n, _ in drives],
        virtual_drives_by_state=[
            VirtualDriveStateCount(state=s, count=n) for s, n, _ in virtual_drives
        ],
        drive_failures_left=await repository.least_failures_left(session),
        raw_bytes=sum(size for _, _, size in drives),
        usable_bytes=sum(size for _, _, size in virtual_drives),
        operations_running=sum(n for s, n, _ in operations if s in ACTIVE_OPERATIONS),
        open_alerts_by_severity=[SeverityCount(severity=s, count=n) for s, n in alert_counts],
    )


async def retire(
    session: AsyncSession, runtime: Runtime, principal: Principal, host_id: UUID, confirm: str
) -> None:
    row = await repository.find(session, host_id)
    if row is None:
        raise NotFoundError("There is no such host.")
    host = row[0]
    expected = models.label(host, has_namesake=row[3])
    if confirm != expected:
        raise InvalidError(
            f"The typed name does not match {expected}; nothing was changed.",
            code="confirm_mismatch",
            params={"expected": expected},
            errors=[("confirm", f"type {expected}")],
        )
    now_us = runtime.clock.now_us()
    host.retired_us = now_us
    await alerts.resolve_all(session, host_id, now_us)
    await repository.forget_objects(session, host_id)
    (summary,) = await repository.recount(session, [host_id])
    summary.presence = Presence.OFFLINE.value
    outbox.add(session, kind="host", object_id=str(host_id), rev=summary.rev, host_id=host_id)
    await audit.record(
        session, now_us, actor=principal.username, action="host.retire", target=host.name
    )
    runtime.registry.evict(host_id)


async def update(
    session: AsyncSession, runtime: Runtime, principal: Principal, host_id: UUID, body: HostUpdate
) -> Host:
    row = await repository.find(session, host_id)
    if row is None:
        raise NotFoundError("There is no such host.")
    host, summary, *_ = row
    if body.labels != host.labels:
        before = " ".join(host.labels)
        await repository.relabel(session, host, body.labels)
        summary.rev += 1
        outbox.add(session, kind="host", object_id=str(host_id), rev=summary.rev, host_id=host_id)
        await audit.record(
            session,
            runtime.clock.now_us(),
            actor=principal.username,
            action="host.label",
            target=host.name,
            detail={"host_id": str(host_id), "labels": " ".join(body.labels), "before": before},
        )
    return _view(row, principal)


async def summary(session: AsyncSession, host_id: UUID) -> models.HostSummary:
    return await repository.summary(session, host_id)


async def recount_alerts(session: AsyncSession, host_id: UUID) -> None:
    """After an alert about the host itself has come or gone."""
    await session.flush()
    row = await repository.summary(session, host_id)
    await repository.recount_alerts(session, [row])
    row.rev += 1
    outbox.add(session, kind="host", object_id=str(host_id), rev=row.rev, host_id=host_id)


async def _tell(session: AsyncSession, moved: dict[UUID, int]) -> None:
    changes = [Change("host", str(host_id), rev, host_id) for host_id, rev in moved.items()]
    await outbox.add_many(session, changes)


async def set_late(session: AsyncSession, *, late: set[UUID], heard: set[UUID]) -> None:
    here = (Presence.ONLINE.value, Presence.CONNECTING.value)
    moved = await repository.move(session, late, here, Presence.LATE.value)
    back = await repository.move(session, heard, (Presence.LATE.value,), Presence.ONLINE.value)
    await _tell(session, moved | back)


async def set_offline(session: AsyncSession, now_us: int, host_ids: Collection[UUID]) -> None:
    """These hosts have been silent for too long: their data are stale from now on."""
    moved = await repository.move(session, host_ids, HERE, Presence.OFFLINE.value)
    if not moved:
        return
    rows = await repository.named(session, moved)
    await alerts.hosts_found(
        session, now_us, [(host, alerts.offline(host, row.last_seen_us)) for host, row in rows]
    )
    await session.flush()
    await repository.recount_alerts(session, [row for _, row in rows])
    await _tell(session, moved)


async def set_online(
    session: AsyncSession,
    now_us: int,
    host: models.Host,
    summary: models.HostSummary,
    desk: alerts.Desk,
    *,
    hostname: str,
    agent_version: str,
    boot_id: str,
    policy_preset: str,
    clock_offset_ms: int | None,
    reported: bool,
) -> None:
    """A new session has proved who it is; `reported`: what is stored is what it has now."""
    await repository.rename(session, host, hostname[:255] or host.name)
    summary.presence = (Presence.ONLINE if reported else Presence.CONNECTING).value
    summary.last_seen_us = now_us
    summary.connected_us = now_us
    summary.agent_version = agent_version[:64]
    summary.boot_id = boot_id[:64]
    summary.policy_preset = policy_preset[:32]
    summary.clock_offset_ms = clock_offset_ms
    alerts.host_back(desk)
    alerts.clock_seen(desk, host, clock_offset_ms)
    if desk.told:
        await session.flush()
        await repository.recount_alerts(session, [summary])
    summary.rev += 1
    outbox.add(session, kind="host", object_id=str(host.id), rev=summary.rev, host_id=host.id)


async def set_clock(
    session: AsyncSession, now_us: int, host_id: UUID, clock_offset_ms: int
) -> None:
    """How far the clock of a connected host is off now."""
    host = await repository.host(session, host_id)
    if host is None:
        return
    summary = await repository.summary(session, host_id)
    summary.clock_offset_ms = clock_offset_ms
    alerts.clock_seen(await alerts.desk_of(session, now_us, host_id), host, clock_offset_ms)
    await session.flush()
    await repository.recount_alerts(session, [summary])
    summary.rev += 1
    outbox.add(session, kind="host", object_id=str(host_id), rev=summary.rev, host_id=host_id)
