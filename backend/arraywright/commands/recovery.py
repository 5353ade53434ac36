"""Commands of a host whose journal went back: it may have run them and not know."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import service as audit
from arraywright.commands.ending import UNANSWERED
from arraywright.commands.models import Command
from arraywright.commands.schemas import CommandState
from arraywright.link.protocol import REASONS
from arraywright.live import outbox

UNSENT = CommandState.QUEUED
OFFERED = CommandState.OFFERED
STALE = "stale_precondition"
SENT = (CommandState.OFFERED, CommandState.ACCEPTED, CommandState.RUNNING)
REASON = "host_restored"


async def host_restored(session: AsyncSession, now_us: int, host_id: UUID) -> None:
    """What was sent is never sent again: it would run a second time."""
    found = await session.execute(
        select(Command).where(
            Command.host_id == host_id, Command.state.in_([state.value for state in SENT])
        )
    )
    for command in found.scalars():
        await _end(session, now_us, command, CommandState.INDETERMINATE, REASON)


async def server_restored(session: AsyncSession, now_us: int) -> None:
    """This server went back to a backup: a host may have got and run them since.

    They are never sent again. What their hosts say about them still counts.
    """
    found = await session.execute(
        select(Command).where(Command.state.in_([UNSENT.value, OFFERED.value]))
    )
    for command in found.scalars():
        await _end(session, now_us, command, CommandState.INDETERMINATE, UNANSWERED)


async def life_ended(session: AsyncSession, now_us: int, host_id: UUID) -> None:
    """The host counts its revisions anew: a number that was looked at means something else now."""
    found = await session.execute(
        select(Command).where(
            Command.host_id == host_id, Command.state.in_([UNSENT.value, OFFERED.value])
        )
    )
    for command in found.scalars():
        if not command.preconditions:
            continue
        if command.state == UNSENT.value:
            await _end(session, now_us, command, CommandState.REFUSED, STALE)
        else:
            # It may have arrived before: what the host says about it still counts.
            await _end(session, now_us, command, CommandState.INDETERMINATE, UNANSWERED)


async def _end(
    session: AsyncSession, now_us: int, command: Command, state: CommandState, code: str
) -> None:
    command.state = state.value
    command.reason = {"code": code, "params": {}, "text": REASONS[code]}
    command.ended_us = now_us
    command.rev += 1
    outbox.add(
        session,
        kind="command",
        object_id=str(command.id),
        rev=command.rev,
        host_id=command.host_id,
    )
    await audit.record(
        session,
        now_us,
        actor=command.actor,
        action=command.op,
        target=f"{command.target_kind} {command.target_key}",
        outcome=command.state,
        detail={"command_id": str(command.id), "target_id": str(command.target_id), "code": code},
    )
