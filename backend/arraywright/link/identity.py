"""Whether a host that says hello is the one we know, or a copy of it.

Identity keys can be copied: with a backup, a cloned machine, a snapshot. So each welcome carries
a fence, a word that nobody can guess. The agent makes it durable in both of its state directories
before it sends anything; we keep what a host that lost no write can hold:

    "a,b;c"   a and b were presented at the last hello, c was given then and may be stored by now
    "c"       a heartbeat of that session has said that c is stored in both directories

A directory that has none yet shows an empty one, which is kept like any other: ";c" after the
first contact. So a host that dies before it has stored c is the same one when it comes again.

(1) A hello whose two fences are kept here goes on with the history we know. If several
    connections can say that, the newest wins.
(2) Any other hello comes from a copy. It is refused while the host is connected or expected
    back, and nothing about the host changes.
(3) If the host has gone, the copy becomes the host: whatever it presented is kept, all of its
    state and events are taken anew, and the fence of the one before becomes foreign.

So at any time one machine holds the present fence. An agent without fences is judged by its
event log and its boot id.
"""

import re
import secrets
from dataclasses import dataclass
from enum import StrEnum

from arraywright.link.models import SyncCursor
from arraywright.link.protocol import HelloFrame

CAPABILITY = "fence"
_FENCE = re.compile(r"[0-9]{1,18}-[0-9a-f]{32}")


class Origin(StrEnum):
    SAME = "same"
    COPY = "copy"
    # Its fence is newer than any of ours: this server's database went back, not the host.
    AHEAD = "ahead"


@dataclass(frozen=True, slots=True)
class Machine:
    """What tells one machine that uses an identity from another, for people to read."""

    hostname: str
    address: str
    boot_id: str
    event_epoch: str

    def is_other(self, that: "Machine") -> bool:
        return (self.boot_id, self.event_epoch) != (that.boot_id, that.event_epoch)

    def __str__(self) -> str:
        return f"{self.hostname} at {self.address or 'an unknown address'} (boot {self.boot_id})"


def _number(fence: str) -> int:
    return int(fence.partition("-")[0]) if _FENCE.fullmatch(fence) else 0


def _kept(cursor: SyncCursor) -> set[str]:
    return set(re.split("[,;]", cursor.fences)) if cursor.fences else set()


def has_fences(hello: HelloFrame) -> bool:
    return CAPABILITY in hello.capabilities


def events_went_back(hello: HelloFrame, cursor: SyncCursor) -> bool:
    # An agent without fences may not know its newest number yet and says 0.
    told = hello.event_seq_last > 0 or has_fences(hello)
    same_log = hello.event_epoch == cursor.event_epoch
    return told and same_log and hello.event_seq_last < cursor.event_seq


def foreign_parts(hello: HelloFrame, cursor: SyncCursor) -> list[str]:
    """The state directories whose fence the host we know cannot hold."""
    kept = _kept(cursor)
    if not kept or not has_fences(hello):
        return []
    parts = (("uplink", hello.link_fence), ("arrayd", hello.state_fence))
    return [name for name, fence in parts if (fence or "") not in kept]


def origin(hello: HelloFrame, cursor: SyncCursor) -> Origin:
    parts = foreign_parts(hello, cursor)
    if not parts:
        return Origin.COPY if events_went_back(hello, cursor) else Origin.SAME
    shown = {"uplink": hello.link_fence or "", "arrayd": hello.state_fence or ""}
    if all(_number(shown[part]) > cursor.fence for part in parts):
        return Origin.AHEAD
    return Origin.COPY


def came_back(hello: HelloFrame, cursor: SyncCursor) -> bool:
    """It holds the fences of the host that a copy has replaced: both of them exist."""
    return cursor.fence_replaced != "" and {hello.link_fence, hello.state_fence} == {
        cursor.fence_replaced
    }


def issue(hello: HelloFrame, cursor: SyncCursor) -> str | None:
    """The fence for this welcome; None for an agent that cannot keep one."""
    shown = [hello.link_fence or "", hello.state_fence or ""]
    cursor.fence = max(cursor.fence, *map(_number, shown)) + 1
    if not has_fences(hello):
        cursor.fences = cursor.fences.replace(";", ",")
        return None
    fence = f"{cursor.fence}-{secrets.token_hex(16)}"
    known = [each for each in shown if each == "" or _number(each)]
    cursor.fences = ",".join(dict.fromkeys(known)) + ";" + fence
    return fence


def confirm(cursor: SyncCursor, fence: str) -> None:
    """The agent has stored the fence of the present session."""
    if cursor.fences.rpartition(";")[2] == fence:
        cursor.fences = fence
