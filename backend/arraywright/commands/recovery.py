"""Commands of a host whose journal went back: it may have run them and not know."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import service as audit
from arraywright.commands.models import Command
from arraywright.commands.schemas import CommandState
from arraywright.link.protocol import REASONS
from arraywright.live import outbox

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
        command.state = CommandState.INDETERMINATE.value
        command.reason = {"code": REASON, "params": {}, "text": REASONS[REASON]}
        command.ended_us = now_us
        command.rev += 1
        outbox.add(
            session,
            kind="command",
            object_id=str(command.id),
            rev=command.rev,
            host_id=host_id,
        )
        await audit.record(
            session,
            now_us,
            actor=command.actor,
            action=command.op,
            target=f"{command.target_kind} {command.target_key}",
            outcome=command.state,
            detail={"command_id": str(command.id), "code": REASON},
        )
