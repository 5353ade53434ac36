"""Commands as hosts get them."""

from typing import Any

from arraywright.commands.models import Command


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
