"""Notices that agents fell silent, and writes down when each was heard last."""

import logging
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from arraywright.hosts import repository as hosts
from arraywright.hosts import service
from arraywright.kit.waiting import happened
from arraywright.link import repository
from arraywright.runtime import Runtime

logger = logging.getLogger(__name__)
LOOK_S = 0.5
LATE_S = 1.0
"""A look that comes later than this says that this process stood still: suspended, starved, waiting
for its database. Nobody was listened to meanwhile, so nobody was silent."""
FLUSH_S = 15.0


class Presence:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._looked_s = self._flushed_s = runtime.clock.monotonic_s()

    async def start(self) -> None:
        """Hosts that were online when the last process ended get time to come back."""
        runtime = self._runtime
        patience = runtime.settings.offline_after_s - runtime.settings.disconnect_grace_s
        async with runtime.database.read() as session:
            for host_id in await hosts.online_hosts(session):
                cursor = await repository.cursor(session, host_id)
                if cursor is not None:
                    runtime.registry.departed(host_id, cursor.fence, patience_s=max(0.0, patience))

    async def run(self) -> None:
        closing = self._runtime.hub.closing
        while not await happened(closing, LOOK_S):
            try:
                await self.look()
            except Exception:
                logger.exception("the presence of hosts could not be stored")

    async def look(self) -> None:
        runtime = self._runtime
        now_s = runtime.clock.monotonic_s()
        late_s = now_s - self._looked_s - LOOK_S
        self._looked_s = now_s
        if late_s > LATE_S:
            logger.warning("stood still for %.1f s; silence since then does not count", late_s)
            runtime.registry.forgive(late_s)
        for peer in runtime.registry.silent(runtime.settings.offline_after_s):
            peer.close("bad", "no frame for three and a half heartbeats")
        gone = runtime.registry.gone(runtime.settings.disconnect_grace_s)
        if gone or now_s - self._flushed_s >= FLUSH_S:
            self._flushed_s = now_s
            await self._flush()
        for host_id, fence in gone.items():
            await self._set_offline(host_id, fence)

    async def _flush(self) -> None:
        seen = self._runtime.registry.take_seen()
        if seen:
            async with self._runtime.database.write() as session:
                await hosts.set_last_seen(session, seen)

    async def _set_offline(self, host_id: UUID, fence: int) -> None:
        """Unless a newer session has greeted us meanwhile: its fence says so."""
        runtime = self._runtime
        try:
            async with runtime.database.write() as session:
                cursor = await repository.cursor(session, host_id)
                if cursor is not None and cursor.fence == fence:
                    await service.set_offline(session, runtime.clock.now_us(), host_id)
        except SQLAlchemyError:
            runtime.registry.departed(host_id, fence)  # look again
            raise
        runtime.outbox.wake()
