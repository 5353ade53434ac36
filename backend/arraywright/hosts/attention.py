"""What about hosts themselves has gone on for too long, or is over."""

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts import engine as alerts
from arraywright.alerts import findings
from arraywright.alerts.schemas import ServerRule
from arraywright.hosts import repository, service
from arraywright.kit.presence import NEVER_CONNECTED_S
from arraywright.runtime import Runtime

US = 1_000_000
CLONED_QUIET_S = 2 * 3600.0
"""A copy that is refused calls every ten minutes: after so long it has gone."""
RESTORED_TOLD_S = 7 * 86_400


def _minute(at_us: int) -> str:
    return datetime.fromtimestamp(at_us / US, UTC).strftime("%Y-%m-%d %H:%M UTC")


class Attention:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._started_s = runtime.clock.monotonic_s()

    async def look(self) -> None:
        runtime = self._runtime
        now_us = runtime.clock.now_us()
        async with runtime.database.write() as session:
            changed = await self._never_connected(session, now_us)
            changed |= await alerts.settle_told(session, now_us, now_us - RESTORED_TOLD_S * US)
            changed |= await self._quiet(session, now_us)
            for host_id in changed:
                await service.recount_alerts(session, host_id)

    async def _never_connected(self, session: AsyncSession, now_us: int) -> set[UUID]:
        rows = await repository.never_connected(session, now_us - NEVER_CONNECTED_S * US)
        known = await alerts.hosts_with(session, ServerRule.HOST_NEVER_CONNECTED)
        found = [
            (host, findings.host_never_connected(host.name, _minute(host.enrolled_us)))
            for host, _ in rows
            if host.id not in known
        ]
        await alerts.hosts_found(session, now_us, found)
        return {host.id for host, _ in found}

    async def _quiet(self, session: AsyncSession, now_us: int) -> set[UUID]:
        registry = self._runtime.registry
        over = {
            host_id
            for host_id in await alerts.hosts_with(session, ServerRule.HOST_CLONED)
            if registry.quiet(host_id, CLONED_QUIET_S, self._started_s)
        }
        for host_id in over:
            await alerts.host_settled(session, now_us, host_id, ServerRule.HOST_CLONED)
            registry.settled(host_id)
        return over
