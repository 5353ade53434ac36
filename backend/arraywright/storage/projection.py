"""The columns beside a document: what lists filter, sort and search by."""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from arraywright.kit.ids import object_id

ACTIVE_OPERATIONS = ("running", "paused", "waiting")
DEGRADED_STATES = ("degraded", "partially_degraded")
FAILED_DRIVES = ("failed", "missing", "unconfigured_bad")
SPARES = ("hot_spare", "dedicated_hot_spare")
WORD_KINDS = ("operation", "battery")
NEWEST_FIRST = 10**17
LARGEST_SIZE = 2**62
OWN_BYTES = 900
HOST_BYTES = 500
"""Both fit an index of PostgreSQL beside the other columns."""
HOST_BEGINS = "\n"
"""In the text that is searched: what follows is about the host."""
SEARCHED = ("name", "path", "serial", "model", "wwn", "device", "hostname", "source")


_DIGITS = re.compile(r"\d+")


def natural(text: str) -> str:
    """`/c0/e252/s10` sorts after `/c0/e252/s3`."""
    return _DIGITS.sub(lambda match: match.group().zfill(6), text)[:128]


def _shortened(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore")


def _searched(doc: dict[str, Any]) -> str:
    text = " ".join(str(doc[name]) for name in SEARCHED if doc.get(name)).lower()
    return _shortened(text.replace(HOST_BEGINS, " "), OWN_BYTES)


def _word(value: Any) -> str:
    return str(value or "").lower()[:64]


def own_words(search: str) -> str:
    """Of the text that is searched: what the object itself is called."""
    return search.partition(HOST_BEGINS)[0]


def placed(search: str, name: str, labels: Sequence[str]) -> dict[str, str]:
    """The columns that say which host an object belongs to; it is found by that too."""
    host = _shortened(" ".join((name, *labels)).lower(), HOST_BYTES)
    return {"host_name": name, "search": f"{own_words(search)}{HOST_BEGINS}{host}"}


def _failures_left(kind: str, doc: dict[str, Any]) -> int | None:
    """Of redundant virtual drives only; none if it is offline, not known yet if it is starting."""
    if kind != "virtual_drive" or doc["level"] == "raid0" or doc["state"] == "starting":
        return None
    return 0 if doc["state"] == "offline" else int(doc["drive_failures_left"])


def project(host_id: UUID, kind: str, key: str, doc: dict[str, Any]) -> dict[str, Any]:
    """Values of the projected columns; the document has been validated."""

    def reference(target_kind: str, field: str) -> UUID | None:
        value = doc.get(field)
        return object_id(host_id, target_kind, value) if isinstance(value, str) else None

    state = doc.get("status") if kind == "controller" else doc.get("state")
    started = doc.get("started_at_us") if kind == "operation" else None
    sort = (
        f"{max(0, NEWEST_FIRST - started):018d}"
        if started is not None
        else str(doc.get("path", key))
    )
    target = None
    if kind == "operation":
        target = object_id(host_id, str(doc["target_kind"]), str(doc["target"]))
    size = doc.get("size_bytes", 0)
    level = doc.get("level")
    word = doc.get("kind") if kind in WORD_KINDS else None
    return {
        "id": object_id(host_id, kind, key),
        "state": state[:32] if isinstance(state, str) else None,
        "level": level[:16] if isinstance(level, str) else None,
        "word": word[:32] if isinstance(word, str) else None,
        "controller_id": reference("controller", "controller"),
        "enclosure_id": reference("enclosure", "enclosure"),
        "drive_group_id": reference("drive_group", "drive_group"),
        "target_id": target,
        "size_bytes": min(size, LARGEST_SIZE) if type(size) is int and size > 0 else 0,
        "failures_left": _failures_left(kind, doc),
        "sort": sort if started is not None else natural(sort),
        "search": _searched(doc),
        "title": _word(doc.get("name") or doc.get("model")),
        "serial": _word(doc.get("serial")),
    }
