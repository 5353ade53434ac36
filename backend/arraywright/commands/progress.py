"""What hosts tell about their commands.

A state only ever moves forward: what arrives late or twice changes nothing.
"""

from typing import Any
from uuid import UUID

from arraywright.audit import service as audit
from arraywright.commands import ending, repository
from arraywright.commands.models import Command
from arraywright.commands.schemas import CommandState
from arraywright.link.batch import Batch
from arraywright.link.protocol import CmdAckFrame, ProgressFrame, ResultFrame

ORDER = {
    CommandState.QUEUED: 0,
    CommandState.OFFERED: 1,
    CommandState.ACCEPTED: 2,
    CommandState.RUNNING: 3,
}
FINAL = 9


def rank(state: str) -> int:
    """Final states, and words we do not know, are last."""
    return ORDER.get(CommandState(state), FINAL) if state in set(CommandState) else FINAL


def is_final(state: str) -> bool:
    return rank(state) == FINAL


async def _command(batch: Batch, host_id: UUID, command_id: str) -> Command | None:
    command = await repository.by_id(batch.session, UUID(command_id))
    return command if command is not None and command.host_id == host_id else None


def _known_word(state: str) -> str:
    """A final word from a newer agent is at least not a success."""
    return state if state in set(CommandState) else CommandState.INDETERMINATE.value


async def _move(batch: Batch, command: Command, state: str, reason: dict[str, Any]) -> None:
    now_us = batch.now_us
    command.state = _known_word(state)
    command.reason = reason
    command.offered_us = command.offered_us or now_us
    if rank(command.state) >= ORDER[CommandState.ACCEPTED]:
        command.accepted_us = command.accepted_us or now_us
    command.rev += 1
    if is_final(command.state):
        command.ended_us = now_us
        await audit.record(
            batch.session,
            now_us,
            actor=command.actor,
            action=command.op,
            target=f"{command.target_kind} {command.target_key}",
            outcome=command.state,
            detail={
                "command_id": str(command.id),
                "target_id": str(command.target_id),
                "code": str(reason.get("code", "")),
            },
        )
    batch.tell("command", str(command.id), command.rev, command.host_id)


async def acknowledged(batch: Batch, host_id: UUID, frame: CmdAckFrame) -> None:
    command = await _command(batch, host_id, frame.command_id)
    if command is None:
        return
    late = ending.is_presumed(command) and is_final(frame.state)
    if late or rank(frame.state) > rank(command.state):
        await _move(batch, command, frame.state, frame.reason.model_dump())


async def progressed(batch: Batch, host_id: UUID, frame: ProgressFrame) -> None:
    command = await _command(batch, host_id, frame.command_id)
    if command is None or is_final(command.state):
        return
    if (command.progress_percent or -1) >= frame.percent:
        return
    command.progress_percent = frame.percent
    command.state = CommandState.RUNNING.value
    command.accepted_us = command.accepted_us or batch.now_us
    command.rev += 1
    batch.tell("command", str(command.id), command.rev, host_id)


async def finished(batch: Batch, host_id: UUID, frame: ResultFrame) -> None:
    command = await _command(batch, host_id, frame.command_id)
    if command is None:
        # Perhaps from before a restored backup; a person should know of it.
        await audit.record(
            batch.session,
            batch.now_us,
            actor="agent",
            action="command.unknown",
            target=str(host_id),
            outcome=frame.state,
            detail={"command_id": frame.command_id},
        )
        return
    if not is_final(command.state) or ending.is_presumed(command):
        await _move(batch, command, frame.state, frame.reason.model_dump())
    if not command.objects and frame.objects:
        command.objects = [item.model_dump() for item in frame.objects]
        command.rev += 1
        batch.tell("command", str(command.id), command.rev, host_id)
