"""Looks at the connected hosts in regular turns, and makes old figures coarser.

A replica samples the hosts that are connected to it. Everything is idempotent: a turn that is
repeated, or two replicas that roll up the same hours, change nothing.
"""

import logging
from collections.abc import Collection
from itertools import pairwise
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.kit.waiting import happened
from arraywright.metrics import repository
from arraywright.metrics.series import TIERS, bucket, samples
from arraywright.runtime import Runtime

logger = logging.getLogger(__name__)


async def sample(session: AsyncSession, now_s: int, host_ids: Collection[UUID]) -> None:
    """Takes the present figures of these hosts into the finest tier."""
    step_s = TIERS[0].step_s
    rows = [
        {
            "object_id": item.id,
            "series": name,
            "step_s": step_s,
            "at_s": bucket(now_s, step_s),
            "host_id": item.host_id,
            "low": value,
            "value": value,
            "high": value,
        }
        for item in await repository.watched(session, host_ids)
        for name, value in samples(item.kind, item.doc).items()
    ]
    await repository.put_samples(session, sorted(rows, key=lambda row: str(row["object_id"])))


async def condense(session: AsyncSession, now_s: int, done_s: int) -> None:
    """Rolls up the buckets that ended after `done_s`, and forgets what has served its time.

    What a coarse bucket is made of is forgotten all at once: it can never be made anew from
    a part of it.
    """
    for fine, coarse in pairwise(TIERS):
        from_s, until_s = bucket(done_s, coarse.step_s), bucket(now_s, coarse.step_s)
        if from_s >= until_s:
            continue
        await repository.roll_up(
            session, fine_s=fine.step_s, coarse_s=coarse.step_s, from_s=from_s, until_s=until_s
        )
        before_s = bucket(now_s - fine.keep_s, coarse.step_s)
        await repository.purge(session, step_s=fine.step_s, before_s=before_s)
    last = TIERS[-1]
    await repository.purge(session, step_s=last.step_s, before_s=now_s - last.keep_s)


class Sampler:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._done_s = 0  # up to here everything has been rolled up by us

    async def turn(self) -> None:
        now_s = self._runtime.clock.now_us() // 1_000_000
        async with self._runtime.database.write() as session:
            await sample(session, now_s, self._runtime.registry.connected())
            await condense(session, now_s, self._done_s)
        self._done_s = now_s

    async def run(self) -> None:
        every_s = self._runtime.settings.metrics_every_s
        while not await happened(self._runtime.hub.closing, every_s):
            try:
                await self.turn()
            except Exception:
                logger.exception("the figures could not be sampled")
