"""From text to a checked frame."""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from arraywright.link.protocol import (
    DOCUMENTS,
    AnswerFrame,
    CmdAckFrame,
    EventFrame,
    HeartbeatFrame,
    HelloFrame,
    ProgressFrame,
    ResultFrame,
    StateFrame,
    Wire,
)

MAXIMUM_BYTES = 256 * 1024
DEEPEST = 32
INCOMING: dict[str, type[Wire]] = {
    "hello": HelloFrame,
    "state": StateFrame,
    "event": EventFrame,
    "heartbeat": HeartbeatFrame,
    "cmd_ack": CmdAckFrame,
    "progress": ProgressFrame,
    "result": ResultFrame,
    "answer": AnswerFrame,
}

Frame = (
    HelloFrame
    | StateFrame
    | EventFrame
    | HeartbeatFrame
    | CmdAckFrame
    | ProgressFrame
    | ResultFrame
    | AnswerFrame
)

_HEAD: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


class BadFrameError(Exception):
    """Not a frame of the protocol."""


class UnsupportedFrameError(Exception):
    """A frame of a kind or version that we do not know."""


def _first_error(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = "/".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def parse_frame(text: str) -> Frame:
    if len(text) > MAXIMUM_BYTES or len(text.encode()) > MAXIMUM_BYTES:
        raise BadFrameError(f"a frame has at most {MAXIMUM_BYTES} bytes")
    try:
        head = _HEAD.validate_json(text)
    except ValidationError as error:
        raise BadFrameError(_first_error(error)) from error
    kind = head.get("t")
    if not isinstance(kind, str):
        raise BadFrameError("t: a frame names its kind")
    model = INCOMING.get(kind)
    if model is None or head.get("v") != 1:
        raise UnsupportedFrameError(f"frame {kind!r} of version {head.get('v')!r}"[:100])
    try:
        frame = model.model_validate_json(text)
        if isinstance(frame, StateFrame):
            _check_state(frame)
    except ValidationError as error:
        raise BadFrameError(f"{kind}: {_first_error(error)}") from error
    return frame  # type: ignore[return-value]  # INCOMING holds the members of Frame


def _check_state(frame: StateFrame) -> None:
    """Documents of the kinds we know are complete; kinds we do not know are kept as they are."""
    for item in frame.objects:
        document = DOCUMENTS.get(item.kind)
        if document is not None:
            try:
                document.model_validate(item.doc)
            except ValidationError as error:
                where = f"state: {item.kind} {item.key}"
                raise BadFrameError(f"{where}: {_first_error(error)}") from error
        if item.rev > frame.to_rev:
            raise BadFrameError(f"state: {item.kind} {item.key} is newer than to_rev")
