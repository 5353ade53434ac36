"""Alerts about how a host behaves. They end when it has behaved for a while."""

from collections.abc import Callable
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts import engine, findings, repository
from arraywright.alerts.schemas import ServerRule
from arraywright.hosts import repository as hosts

HOUR_US = 3_600_000_000
QUIET_US = {
    ServerRule.HOST_NOISY: HOUR_US,
    ServerRule.HOST_SENT_NONSENSE: 24 * HOUR_US,
}


async def tell(
    session: AsyncSession, now_us: int, host_id: UUID, find: Callable[[str], findings.Finding]
) -> None:
    """Opens the alert or says that the condition still holds; `find` is told the host's name."""
    host = await hosts.host(session, host_id)
    if host is not None:
        await engine.host_condition(session, now_us, host, find(host.name))


async def settle(session: AsyncSession, now_us: int) -> None:
    """Resolves what has not come again."""
    for rule, quiet_us in QUIET_US.items():
        for alert in await repository.open_of_rule(session, rule.value, now_us - quiet_us):
            engine.resolve(session, now_us, alert)
            await session.flush()
            summary = await hosts.summary(session, alert.host_id)
            await hosts.recount_alerts(session, [summary])
