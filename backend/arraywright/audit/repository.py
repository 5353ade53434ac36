"""The audit trail's rows."""

from collections.abc import AsyncIterator

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit.filters import AuditFilter
from arraywright.audit.models import AuditEntry
from arraywright.kit.paging_sql import Rows
from arraywright.kit.schema import microseconds

AT_A_TIME = 1000
CHAIN_LOCK = 0x4157_4155  # one writer of the chain at a time on PostgreSQL


async def last(session: AsyncSession) -> AuditEntry | None:
    """The newest entry; nobody else can add one until this transaction ends."""
    if session.get_bind().dialect.name == "postgresql":
        await session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": CHAIN_LOCK})
    found = await session.execute(select(AuditEntry).order_by(AuditEntry.seq.desc()).limit(1))
    return found.scalar_one_or_none()


def entries(query: AuditFilter) -> Rows:
    statement = select(AuditEntry)
    if query.actor is not None:
        statement = statement.where(AuditEntry.actor == query.actor)
    if query.action is not None:
        statement = statement.where(AuditEntry.action == query.action)
    if query.since is not None:
        statement = statement.where(AuditEntry.at_us >= microseconds(query.since))
    if query.until is not None:
        statement = statement.where(AuditEntry.at_us < microseconds(query.until))
    return statement


async def in_order(session: AsyncSession) -> AsyncIterator[AuditEntry]:
    """Each entry, none of them kept in memory longer than it is looked at."""
    after = 0
    while True:
        found = await session.execute(
            select(AuditEntry)
            .where(AuditEntry.seq > after)
            .order_by(AuditEntry.seq)
            .limit(AT_A_TIME)
        )
        rows = list(found.scalars())
        for row in rows:
            yield row
        if len(rows) < AT_A_TIME:
            return
        after = rows[-1].seq
        session.expunge_all()
