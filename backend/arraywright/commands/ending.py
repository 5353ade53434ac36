"""Every command ends, whether its host answers or not.

One that was never offered expires. One that may have reached its host ends as indeterminate
when nothing has been heard about it; if the host tells its outcome after all, that counts.
"""

from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import service as audit
from arraywright.commands import repository
from arraywright.commands.models import Command
from arraywright.commands.schemas import CommandState
from arraywright.link.protocol import REASONS
from arraywright.live import outbox

SECOND_US = 1_000_000
ANSWER_US = 30 * SECOND_US
"""How long after its time a host may still say that it has taken a command."""
OUTCOME_US = 24 * 3600 * SECOND_US
"""How long after its time a command that was taken may go without an outcome."""
UNANSWERED = "command_unanswered"


def is_presumed(command: Command) -> bool:
    """We ended it without having heard: what the host says later is better."""
    return (command.reason or {}).get("code") == UNANSWERED


def _reason(code: str) -> dict[str, Any]:
    return {"code": code, "params": {}, "text": REASONS[code]}


async def end(session: AsyncSession, now_us: int, command: Command) -> None:
    """Ends an open command as far as it is known to have come."""
    never_sent = command.state == CommandState.QUEUED.value
    state = CommandState.EXPIRED if never_sent else CommandState.INDETERMINATE
    command.state = state.value
    command.reason = _reason("expired" if never_sent else UNANSWERED)
    command.ended_us = now_us
    command.rev += 1
    await audit.record(
        session,
        now_us,
        actor=command.actor,
        action=command.op,
        target=f"{command.target_kind} {command.target_key}",
        outcome=command.state,
        detail={"command_id": str(command.id), "target_id": str(command.target_id)},
    )
    outbox.add(
        session,
        kind="command",
        object_id=str(command.id),
        rev=command.rev,
        host_id=command.host_id,
    )


async def overdue(session: AsyncSession, now_us: int) -> dict[UUID, str]:
    """States of commands whose time is over: not sent, not answered, or without an outcome."""
    return await repository.overdue(
        session,
        {
            CommandState.QUEUED.value: now_us,
            CommandState.OFFERED.value: now_us - ANSWER_US,
            CommandState.ACCEPTED.value: now_us - OUTCOME_US,
            CommandState.RUNNING.value: now_us - OUTCOME_US,
        },
    )
