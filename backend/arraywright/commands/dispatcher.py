"""Brings commands to their hosts.

A command is marked as offered before it is sent, and sent again when its host connects anew
until the host has acknowledged it or its time is over; the host's journal makes repeats
harmless.
"""

import logging
from itertools import islice
from uuid import UUID

from arraywright.commands import ending, repository
from arraywright.commands.frames import frame_of
from arraywright.commands.models import Command
from arraywright.commands.progress import is_final
from arraywright.commands.schemas import CommandState
from arraywright.kit.database import Database
from arraywright.kit.waiting import happened
from arraywright.live import outbox
from arraywright.runtime import Runtime

logger = logging.getLogger(__name__)
POLL_S = 1.0
PAUSE_S = 0.05
"""When many hosts come at once, each of them is news."""
BATCH = 500


class CommandDispatcher:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._database: Database = runtime.database
        self._looked_s = -POLL_S

    async def run(self) -> None:
        news = self._runtime.registry.command_news
        closing = self._runtime.hub.closing
        while not closing.is_set():
            await happened(news, POLL_S)
            news.clear()
            try:
                await self.dispatch()
            except Exception:
                logger.exception("commands could not be dispatched")
                await happened(closing, POLL_S)
            await happened(closing, PAUSE_S)

    async def dispatch(self) -> None:
        """Hosts that have just connected are asked for alone: after a restart there is a group of
        them every moment. All others are looked at for a new command, and from time to time."""
        clock = self._runtime.clock
        await self._resend()
        now_s, now_us = clock.monotonic_s(), clock.now_us()
        if not self._runtime.registry.take_commands() and now_s - self._looked_s < POLL_S:
            return
        self._looked_s = now_s
        async with self._database.read() as session:
            queued = await repository.queued(session)
            expired = await ending.overdue(session, now_us)
        ready = self._ready(queued, now_us)
        if expired or ready:
            await self._move(expired, ready, now_us)

    def _ready(self, commands: list[Command], now_us: int) -> list[UUID]:
        """Those that were not offered yet, to hosts that are connected."""
        return [
            command.id
            for command in commands
            if command.state == CommandState.QUEUED.value
            and command.not_after_us > now_us
            and self._runtime.registry.peer(command.host_id) is not None
        ]

    async def _move(self, expired: dict[UUID, str], ready: list[UUID], now_us: int) -> None:
        offered: list[Command] = []
        async with self._database.write() as session:
            for command_id in [*expired, *ready]:
                command = await repository.by_id(session, command_id)
                if command is None or is_final(command.state):
                    continue
                if command.state == expired.get(command_id):
                    await ending.end(session, now_us, command)
                    continue
                if command.state != CommandState.QUEUED.value:
                    continue
                command.rev += 1
                command.state = CommandState.OFFERED.value
                command.offered_us = now_us
                offered.append(command)
                outbox.add(
                    session,
                    kind="command",
                    object_id=str(command.id),
                    rev=command.rev,
                    host_id=command.host_id,
                )
        self._send(offered)

    async def _resend(self) -> None:
        """Hosts that have just connected hear again what they may have missed."""
        registry = self._runtime.registry
        while registry.resend:
            connected = set(islice(registry.resend, BATCH))
            registry.resend -= connected
            async with self._database.read() as session:
                waiting = await repository.waiting_for(session, connected)
            now_us = self._runtime.clock.now_us()
            self._send(
                [
                    command
                    for command in waiting
                    if command.state == CommandState.OFFERED.value and command.not_after_us > now_us
                ]
            )
            ready = self._ready(waiting, now_us)
            if ready:
                await self._move({}, ready, now_us)

    def _send(self, commands: list[Command]) -> None:
        registry = self._runtime.registry
        for command in commands:
            peer = registry.peer(command.host_id)
            # One that has just connected gets them in the order of their numbers: _resend.
            if peer is not None and command.host_id not in registry.resend:
                peer.send(frame_of(command))
