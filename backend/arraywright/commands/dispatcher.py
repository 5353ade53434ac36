"""Brings commands to their hosts.

A command is marked as offered before it is sent, and sent again when its host connects anew
until the host has acknowledged it; the host's journal makes repeats harmless. One that was
never offered expires here; one that may have arrived is for the host to tell about.
"""

import logging
from typing import Any
from uuid import UUID

from arraywright.audit import service as audit
from arraywright.commands import repository
from arraywright.commands.models import Command
from arraywright.commands.schemas import CommandState
from arraywright.kit.database import Database
from arraywright.kit.waiting import happened
from arraywright.link.protocol import REASONS
from arraywright.live import outbox
from arraywright.runtime import Runtime

logger = logging.getLogger(__name__)
POLL_S = 1.0


def frame_of(command: Command) -> dict[str, Any]:
    return {
        "t": "command",
        "command_id": str(command.id),
        "number": command.number,
        "op": command.op,
        "args": command.args,
        "confirm": command.confirm,
        "preconditions": command.preconditions,
        "actor": {"name": command.actor, "role": command.actor_role, "via": command.via},
        "not_after_us": command.not_after_us,
    }


class CommandDispatcher:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._database: Database = runtime.database

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

    async def dispatch(self) -> None:
        await self._resend()
        async with self._database.read() as session:
            queued = await repository.queued(session)
        now_us = self._runtime.clock.now_us()
        expired = [command.id for command in queued if command.not_after_us <= now_us]
        ready = [
            command.id
            for command in queued
            if command.not_after_us > now_us
            and self._runtime.registry.peer(command.host_id) is not None
        ]
        if expired or ready:
            await self._move(expired, ready, now_us)

    async def _move(self, expired: list[UUID], ready: list[UUID], now_us: int) -> None:
        offered: list[Command] = []
        async with self._database.write() as session:
            for command_id in [*expired, *ready]:
                command = await repository.by_id(session, command_id)
                if command is None or command.state != CommandState.QUEUED.value:
                    continue
                command.rev += 1
                if command_id in expired:
                    command.state = CommandState.EXPIRED.value
                    command.ended_us = now_us
                    command.reason = {
                        "code": "expired",
                        "params": {},
                        "text": REASONS["expired"],
                    }
                    await audit.record(
                        session,
                        now_us,
                        actor=command.actor,
                        action=command.op,
                        target=f"{command.target_kind} {command.target_key}",
                        outcome="expired",
                        detail={"command_id": str(command.id)},
                    )
                else:
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
        self._runtime.outbox.wake()
        self._send(offered)

    async def _resend(self) -> None:
        """Hosts that have just connected hear again what they may have missed."""
        registry = self._runtime.registry
        while registry.resend:
            host_id = registry.resend.pop()
            async with self._database.read() as session:
                waiting = await repository.waiting_for(session, host_id)
            self._send([c for c in waiting if c.state == CommandState.OFFERED.value])

    def _send(self, commands: list[Command]) -> None:
        registry = self._runtime.registry
        for command in commands:
            peer = registry.peer(command.host_id)
            # One that has just connected gets them in the order of their numbers: _resend.
            if peer is not None and command.host_id not in registry.resend:
                peer.send(frame_of(command))
