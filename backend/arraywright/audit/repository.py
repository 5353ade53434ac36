"""The audit trail's rows."""

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit.filters import AuditFilter
from arraywright.audit.models import AuditEntry
from arraywright.kit.paging_sql import Rows

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
    return statement


def all_in_order() -> Rows:
    return select(AuditEntry).order_by(AuditEntry.seq)
