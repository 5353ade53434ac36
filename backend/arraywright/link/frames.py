"""From text to a checked frame.

A value beyond its bounds is limited, an object or event that cannot be understood is left out
or replaced, and both are noted: what else the frame carries is good. Only a frame that is none
of ours, or that cannot be placed, is refused as a whole.
"""

import contextlib
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from arraywright.link.protocol import (
    DOCUMENTS,
    REASONS,
    SEQUENCE_MAX,
    AnswerFrame,
    CmdAckFrame,
    EventFrame,
    EventRecord,
    HeartbeatFrame,
    HelloFrame,
    NackFrame,
    ObjectRecord,
    ProgressFrame,
    ResultFrame,
    StateFrame,
    Tombstone,
    Wire,
)
from arraywright.link.repair import LIMITED, UnmendableError, describe, fitted

MAXIMUM_BYTES = 256 * 1024
INCOMING: dict[str, type[Wire]] = {
    "hello": HelloFrame,
    "state": StateFrame,
    "event": EventFrame,
    "heartbeat": HeartbeatFrame,
    "cmd_ack": CmdAckFrame,
    "progress": ProgressFrame,
    "result": ResultFrame,
    "answer": AnswerFrame,
    "nack": NackFrame,
}
TOLD = (CmdAckFrame, ResultFrame, AnswerFrame)
# What no field may hold, wherever it stands: looked for once in the text of a frame.
_SUSPECT_WORDS = (b"\\u0000", b"NaN", b"Infinity")
# Numbers of many digits or a large exponent, in a text whose digits are all zeros.
_SUSPECT_NUMBERS = (b"0" * 19, b"e000", b"e+000")
_DIGITS = bytes.maketrans(b"123456789E", b"000000000e")
# Digits of a text, as in a GUID, are none of it: a number follows a colon, a comma or a bracket.
_NUMBER_FOLLOWS = b":[,"
UNREADABLE_CODE = 64001
EVENTS_PER_FRAME = 256
LARGEST_DOCUMENT = 128 * 1024
LARGEST_UNKNOWN_DOCUMENT = 16 * 1024


Frame = (
    HelloFrame
    | StateFrame
    | EventFrame
    | HeartbeatFrame
    | CmdAckFrame
    | ProgressFrame
    | ResultFrame
    | AnswerFrame
    | NackFrame
)

W = TypeVar("W", bound=Wire)
_HEAD: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


class BadFrameError(Exception):
    """Not a frame of the protocol."""


class UnsupportedFrameError(Exception):
    """A frame of a kind or version that we do not know."""


@dataclass(slots=True)
class Received:
    """A frame, and what of it could not be taken as it was."""

    frame: Frame
    size: int
    nonsense: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """Kind and key of objects whose new report cannot be understood."""


def is_suspect(data: bytes) -> bool:
    """Whether a frame may hold what no database or JSON reader takes: it is looked at closely."""
    for word in _SUSPECT_WORDS:
        if word in data:
            return True
    digits = data.translate(_DIGITS)
    for mark in _SUSPECT_NUMBERS:
        at = digits.find(mark)
        while at >= 0:
            if _is_of_a_number(data, at):
                return True
            at = digits.find(mark, at + len(mark))
    return False


def _is_of_a_number(data: bytes, at: int) -> bool:
    """Whether what stands there is, or goes on, a number that is no part of a text."""
    while at > 0 and data[at - 1] in b"0123456789.":
        at -= 1
    while at > 0 and data[at - 1] in b" \t\r\n-":
        at -= 1
    return at > 0 and data[at - 1] in _NUMBER_FOLLOWS


def parse_frame(text: str) -> Received:
    data = text.encode("utf-8", "replace")
    if len(data) > MAXIMUM_BYTES:
        raise BadFrameError(f"a frame has at most {MAXIMUM_BYTES} bytes")
    try:
        head = _HEAD.validate_json(text)
    except (ValidationError, RecursionError) as error:
        why = describe(error) if isinstance(error, ValidationError) else "nested too deep"
        raise BadFrameError(why) from error
    kind = head.get("t")
    if not isinstance(kind, str):
        raise BadFrameError("t: a frame names its kind")
    model = INCOMING.get(kind)
    if model is None or head.get("v") != 1:
        raise UnsupportedFrameError(f"frame {kind!r} of version {head.get('v')!r}"[:100])
    return _Reader(kind, model, suspect=is_suspect(data), size=len(text)).read(head)


class _Reader:
    def __init__(self, kind: str, model: type[Wire], *, suspect: bool, size: int) -> None:
        self._kind = kind
        self._model = model
        self._suspect = suspect
        self._size = size
        self._nonsense: list[str] = []
        self._left_out: list[tuple[str, str]] = []

    def read(self, head: dict[str, Any]) -> Received:
        parts: dict[str, list[Any]] = {}
        if self._model is StateFrame:
            parts["objects"] = self._objects(_taken(head, "objects"))
            parts["tombstones"] = self._tombstones(_taken(head, "tombstones"))
        elif self._model is EventFrame:
            parts["events"] = self._events(_taken(head, "events"))
        frame = self._outer({**head, **{name: [] for name in parts}})
        for name, items in parts.items():
            setattr(frame, name, items)
        if isinstance(frame, StateFrame):
            self._check_revisions(frame)
        return Received(frame, self._size, self._nonsense, self._left_out)  # type: ignore[arg-type]  # INCOMING has the members

    def _outer(self, head: dict[str, Any]) -> Wire:
        """What places a frame must be right; what it tells may be limited."""
        if self._model not in TOLD:
            try:
                return self._model.model_validate(head)
            except ValidationError as error:
                raise BadFrameError(f"{self._kind}: {describe(error)}") from error
        try:
            return self._read_as(self._model, head, self._kind)[0]
        except UnmendableError as error:
            instead = self._instead(head)
            if instead is None:
                raise BadFrameError(f"{self._kind}: {error}") from error
            self._nonsense.append(f"{self._kind}: {error}")
            return instead

    def _instead(self, head: dict[str, Any]) -> Wire | None:
        """A result ends its command even if it cannot be understood: it would come for ever."""
        if self._model is not ResultFrame:
            return None
        try:
            return ResultFrame.model_validate(
                {
                    **{name: head.get(name) for name in ("v", "t", "command_id")},
                    "state": "indeterminate",
                    "reason": {
                        "code": "report_unreadable",
                        "params": {},
                        "text": REASONS["report_unreadable"],
                    },
                    "objects": [],
                }
            )
        except ValidationError:
            return None

    def _read_as(
        self, model: type[W], document: Any, what: str
    ) -> tuple[W, dict[str, Any], list[str]]:
        """The document within its bounds, read, and the places that had to be limited."""
        if not isinstance(document, dict):
            raise UnmendableError("it is not an object")
        if not self._suspect:
            with contextlib.suppress(ValidationError):
                return model.model_validate(document), document, []
        mended, places = fitted(model, document)
        if places:
            self._nonsense.append(f"{what}: {', '.join(places)}")
        return model.model_validate(mended), mended, places

    def _objects(self, items: list[Any]) -> list[ObjectRecord]:
        found = []
        for item in items:
            try:
                found.append(self._object(item))
            except UnmendableError as error:
                self._nonsense.append(f"{_name(item)} left out: {error}")
                if isinstance(item, dict):
                    self._left_out.append((str(item.get("kind")), str(item.get("key"))))
        return found

    def _object(self, item: Any) -> ObjectRecord:
        what = _name(item)
        if isinstance(item, dict) and isinstance(item.get("doc"), dict):
            item["doc"].pop(LIMITED, None)
        try:
            record = ObjectRecord.model_validate(item)
        except ValidationError as error:
            raise UnmendableError(describe(error)) from error
        known = DOCUMENTS.get(record.kind)
        _, record.doc, places = self._read_as(known or Wire, record.doc, what)
        if places:
            record.doc[LIMITED] = places
        largest = LARGEST_UNKNOWN_DOCUMENT if known is None else LARGEST_DOCUMENT
        if self._size > largest and len(str(record.doc)) > largest:
            raise UnmendableError(f"its document has more than {largest} characters")
        return record

    def _tombstones(self, items: list[Any]) -> list[Tombstone]:
        found = []
        for item in items:
            try:
                found.append(Tombstone.model_validate(item))
            except ValidationError as error:
                self._nonsense.append(f"{_name(item)} left out: {describe(error)}")
        return found

    def _events(self, items: list[Any]) -> list[EventRecord]:
        if len(items) > EVENTS_PER_FRAME:
            raise BadFrameError(f"event: a frame has at most {EVENTS_PER_FRAME} events")
        return [self._event(item) for item in items]

    def _event(self, item: Any) -> EventRecord:
        """Numbers must have no gap: what cannot be understood is replaced in its place."""
        what = f"event {item.get('seq')!r}"[:40] if isinstance(item, dict) else "event"
        try:
            record, _, places = self._read_as(EventRecord, item, what)
        except UnmendableError as error:
            self._nonsense.append(f"{what} replaced: {error}")
            return _unreadable(item, str(error))
        record.params.pop(LIMITED, None)
        if places:
            record.params[LIMITED] = " ".join(places)[:500]
        return record

    def _check_revisions(self, frame: StateFrame) -> None:
        for item in frame.objects:
            if item.rev > frame.to_rev:
                raise BadFrameError(f"state: {item.kind} {item.key} is newer than to_rev")


def _taken(head: dict[str, Any], name: str) -> list[Any]:
    items = head.get(name)
    if not isinstance(items, list):
        raise BadFrameError(f"{head['t']}: {name} must be a list")
    return items


def _name(item: Any) -> str:
    if not isinstance(item, dict):
        return "object"
    return f"{item.get('kind')!s:.32} {item.get('key')!s:.64}".replace("\x00", "\ufffd")


def _unreadable(item: Any, why: str) -> EventRecord:
    seq = item.get("seq") if isinstance(item, dict) else None
    if type(seq) is not int or not 1 <= seq <= SEQUENCE_MAX:
        raise BadFrameError(f"event: {why}")
    return EventRecord(
        seq=seq,
        wall_us=0,
        monotonic_us=0,
        code=UNREADABLE_CODE,
        name="report_unreadable",
        class_=1,
        locale=32,
        kind="host",
        key="host",
        params={"why": why[:500], LIMITED: "wall_us"},
        text=f"The host reported an event that cannot be understood: {why[:500]}",
    )
