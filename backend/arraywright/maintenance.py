"""Forgets what has served its time."""

import logging

from arraywright.alerts import conditions
from arraywright.auth import repository as auth
from arraywright.commands import repository as commands
from arraywright.events import repository as events
from arraywright.hosts.attention import Attention
from arraywright.kit.waiting import happened
from arraywright.runtime import Runtime
from arraywright.storage import repository as storage

logger = logging.getLogger(__name__)
EVERY_S = 60.0
THIN_OUT_TURNS = 30
DAY_US = 86_400_000_000
TOMBSTONE_DAYS = 30


async def tidy(runtime: Runtime) -> None:
    now_us = runtime.clock.now_us()
    await runtime.activity.flush(runtime.database)
    async with runtime.database.write() as session:
        await auth.purge_sessions(session, now_us)
        await commands.purge(session, now_us)
        await events.purge(session, now_us - runtime.settings.event_days * DAY_US)
        await conditions.settle(session, now_us)
        await storage.purge_tombstones(session, now_us - TOMBSTONE_DAYS * DAY_US)


async def thin_out(runtime: Runtime) -> None:
    """A host that never stops talking does not fill the database."""
    most = runtime.settings.events_per_host
    async with runtime.database.read() as session:
        hosts = await events.crowded_hosts(session, most)
    for host_id in hosts:
        logger.warning("host %s has more than %d events; the oldest are removed", host_id, most)
        async with runtime.database.write() as session:
            await events.keep_newest(session, host_id, most)


async def run(runtime: Runtime) -> None:
    turns = 0
    attention = Attention(runtime)
    while not await happened(runtime.hub.closing, EVERY_S):
        turns += 1
        try:
            await attention.look()
            await tidy(runtime)
            if turns % THIN_OUT_TURNS == 0:
                await thin_out(runtime)
        except Exception:
            logger.exception("old rows could not be removed")
