"""The end of a command as the answer of a request that waited for it."""

from arraywright.commands.schemas import Command, CommandState
from arraywright.kit.problems import ProblemError

TITLES = {
    CommandState.FAILED: "The host failed to do it",
    CommandState.REFUSED: "The host refused it",
    CommandState.EXPIRED: "The command has expired",
    CommandState.INDETERMINATE: "The outcome is unknown",
}


def _status(command: Command) -> int:
    if command.state is CommandState.INDETERMINATE:
        return 504
    is_stale = command.reason is not None and command.reason.code == "stale_precondition"
    return 412 if is_stale else 409


def check(command: Command, headers: dict[str, str]) -> None:
    """Raises what a finished command tells, unless it has succeeded."""
    if not command.finished or command.state is CommandState.SUCCEEDED:
        return
    title = TITLES.get(command.state, "It was not done")
    reason = command.reason
    raise ProblemError(
        reason.text if reason else title,
        status=_status(command),
        code=reason.code if reason else command.state.value,
        params=reason.params if reason else {},
        title=title,
        headers=headers,
        more={"command": command.model_dump(mode="json")},
    )
