"""Adds to the audit trail and proves that nothing was taken from it.

Each hash covers the entry and the hash before it, so a changed or missing row shows.
"""

import hashlib
import json
from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import models, repository
from arraywright.audit.filters import AuditFilter
from arraywright.audit.schemas import AuditEntry, AuditVerification
from arraywright.kit.paging_sql import fetch_page
from arraywright.kit.schema import Page, moment

START = "0" * 64


def _hash(previous: str, row: models.AuditEntry) -> str:
    content = json.dumps(
        [
            previous,
            row.seq,
            row.at_us,
            row.actor,
            row.action,
            row.target,
            row.outcome,
            row.detail,
            row.address,
        ],
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(content.encode()).hexdigest()


async def record(
    session: AsyncSession,
    now_us: int,
    *,
    actor: str,
    action: str,
    target: str = "",
    outcome: str = "done",
    detail: Mapping[str, str] | None = None,
    address: str = "",
) -> None:
    """Part of the transaction that does what it tells."""
    previous = await repository.last(session)
    row = models.AuditEntry(
        seq=previous.seq + 1 if previous else 1,
        at_us=now_us,
        actor=actor[:64],
        action=action,
        target=target[:255],
        outcome=outcome,
        detail=dict(detail or {}),
        address=address[:64],
    )
    row.hash = _hash(previous.hash if previous else START, row)
    session.add(row)
    await session.flush()


async def verify(session: AsyncSession) -> AuditVerification:
    """Looks at every entry, a few at a time."""
    count, previous = 0, START
    async for row in repository.in_order(session):
        if row.seq != count + 1 or row.hash != _hash(previous, row):
            return AuditVerification(
                intact=False,
                entries=count,
                first_broken=count + 1,
                last_hash=previous if count else "",
            )
        count, previous = count + 1, row.hash
    return AuditVerification(
        intact=True, entries=count, first_broken=None, last_hash=previous if count else ""
    )


async def page(session: AsyncSession, query: AuditFilter) -> Page[AuditEntry]:
    rows, cursor, total = await fetch_page(
        session,
        repository.entries(query),
        query,
        keys=[models.AuditEntry.seq],
        kinds=(int,),
        key_of=lambda row: [row[0].seq],
        descending=True,
    )
    return Page(items=[_view(row[0]) for row in rows], next_cursor=cursor, total=total)


def _view(row: models.AuditEntry) -> AuditEntry:
    return AuditEntry(
        seq=row.seq,
        at=moment(row.at_us),
        actor=row.actor,
        action=row.action,
        target=row.target,
        outcome=row.outcome,
        detail=row.detail,
        address=row.address,
        hash=row.hash,
    )
