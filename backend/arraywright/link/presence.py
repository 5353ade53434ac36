"""Notices that agents fell silent, and writes down when each was heard last.

Two loops. The one that watches does nothing else, so it is late only when this process stood
still. The other stores what was noticed, in few statements whatever the number of hosts; while
the database is slow, the watching goes on.
"""

import asyncio
import logging
from uuid import UUID

from arraywright.hosts import repository as hosts
from arraywright.hosts import service
from arraywright.kit.presence import LATE_HEARTBEATS
from arraywright.kit.waiting import happened
from arraywright.link import repository
from arraywright.runtime import Runtime

logger = logging.getLogger(__name__)
LOOK_S = 0.5
LATE_S = 1.0
"""A look that comes later than this says that this process stood still: suspended or starved.
Nobody was listened to meanwhile, so nobody was silent."""
FLUSH_S = 15.0


class Presence:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._looked_s = self._flushed_s = runtime.clock.monotonic_s()
        self._gone: dict[UUID, int] = {}
        self._told_late: set[UUID] = set()

    async def start(self) -> None:
        """Hosts that were online when the last process ended get time to come back."""
        runtime = self._runtime
        patience = runtime.settings.offline_after_s - runtime.settings.disconnect_grace_s
        async with runtime.database.read() as session:
            expected = await hosts.hosts_here(session)
            fences = await repository.fences(session, expected)
        for host_id, fence in fences.items():
            runtime.registry.departed(host_id, fence, patience_s=max(0.0, patience))

    async def run(self) -> None:
        await asyncio.gather(self._watch(), self._keep())

    async def _watch(self) -> None:
        while not await happened(self._runtime.hub.closing, LOOK_S):
            self.note()

    async def _keep(self) -> None:
        while not await happened(self._runtime.hub.closing, LOOK_S):
            try:
                await self.store()
            except Exception:
                logger.exception("the presence of hosts could not be stored")

    async def look(self) -> None:
        self.note()
        await self.store()

    def note(self) -> None:
        """By the link's clock alone."""
        runtime = self._runtime
        now_s = runtime.clock.monotonic_s()
        stood_s = now_s - self._looked_s - LOOK_S
        self._looked_s = now_s
        if stood_s > LATE_S:
            logger.warning("stood still for %.1f s; silence since then does not count", stood_s)
            runtime.registry.forgive(stood_s)
        for peer in runtime.registry.silent(runtime.settings.offline_after_s):
            peer.close("bad", "no frame for three and a half heartbeats")
        self._gone |= runtime.registry.gone(runtime.settings.disconnect_grace_s)

    async def store(self) -> None:
        runtime = self._runtime
        now_s = runtime.clock.monotonic_s()
        if self._gone:
            await self._set_offline()
        late = runtime.registry.late(LATE_HEARTBEATS * runtime.settings.heartbeat_s)
        if late != self._told_late:
            await self._set_late(late)
        if now_s - self._flushed_s >= FLUSH_S:
            self._flushed_s = now_s
            await self._flush()

    async def _flush(self) -> None:
        seen = self._runtime.registry.take_seen()
        if seen:
            async with self._runtime.database.write() as session:
                await hosts.set_last_seen(session, seen)

    async def _set_late(self, late: set[UUID]) -> None:
        async with self._runtime.database.write() as session:
            await service.set_late(session, late=late, heard=self._told_late - late)
        self._told_late = late

    async def _set_offline(self) -> None:
        """But for those that a newer session has greeted meanwhile: its fence says so."""
        gone, self._gone = self._gone, {}
        runtime = self._runtime
        seen = runtime.registry.take_seen()
        try:
            async with runtime.database.write() as session:
                # Cursors before summaries, as everybody locks them.
                fences = await repository.fences(session, gone)
                await hosts.set_last_seen(session, seen)
                left = [host_id for host_id, fence in gone.items() if fences.get(host_id) == fence]
                await service.set_offline(session, runtime.clock.now_us(), left)
        except Exception:
            self._gone = gone | self._gone  # look again
            raise
        self._told_late -= set(left)
