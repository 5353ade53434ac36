"""Documents of hosts as the REST API shows them: keys become ids, times become RFC 3339."""

import logging
from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from uuid import UUID

from arraywright.auth.principal import Principal
from arraywright.kit.ids import object_id
from arraywright.kit.revisions import config_rev
from arraywright.kit.schema import moment
from arraywright.link.protocol import DOCUMENTS
from arraywright.link.repair import LIMITED, UnmendableError, fitted
from arraywright.operations.schemas import Operation
from arraywright.storage import blocked
from arraywright.storage.models import ObjectState
from arraywright.storage.schemas import (
    Battery,
    Controller,
    Drive,
    DriveGroup,
    Enclosure,
    Reported,
    VirtualDrive,
)

logger = logging.getLogger(__name__)
Document = dict[str, Any]
T = TypeVar("T", bound=Reported)
Fields = frozenset[str] | None
"""The names of those that are wanted; None: all."""
Resolve = Callable[[str, str | None], UUID | None]


def _health(doc: Document | None) -> Document | None:
    return None if doc is None else {**doc, "checked_at": moment(doc["checked_at_us"])}


def _drive_patrol(doc: Document | None) -> Document | None:
    return None if doc is None else {**doc, "done_at": moment(doc["done_at_us"])}


def _drive(doc: Document, resolve: Resolve) -> Document:
    spare = doc["hot_spare"]
    groups = [resolve("drive_group", key) for key in spare["drive_groups"]] if spare else []
    return {
        "controller_id": resolve("controller", doc["controller"]),
        "enclosure_id": resolve("enclosure", doc["enclosure"]),
        "drive_group_id": resolve("drive_group", doc["drive_group"]),
        "hot_spare": {**spare, "drive_group_ids": groups} if spare else None,
        "health": _health(doc.get("health")),
        "patrol": _drive_patrol(doc.get("patrol")),
        "locate_ends_at": moment(doc.get("locate_ends_at_us")),
    }


def _drive_group(doc: Document, resolve: Resolve) -> Document:
    return {
        "controller_id": resolve("controller", doc["controller"]),
        "members": [{**m, "drive_id": resolve("drive", m["drive"])} for m in doc["members"]],
        "virtual_drive_ids": [resolve("virtual_drive", key) for key in doc["virtual_drives"]],
        "spare_ids": [resolve("drive", key) for key in doc["spares"]],
        "spare_choices": [
            {**choice, "drive_id": resolve("drive", choice["drive"])}
            for choice in doc.get("spare_choices", [])
        ],
    }


def _with_times(doc: Document | None) -> Document | None:
    if doc is None:
        return None
    times = {"started_at": moment(doc["started_at_us"]), "ended_at": moment(doc["ended_at_us"])}
    return {**doc, **times}


def _virtual_drive(doc: Document, resolve: Resolve) -> Document:
    return {
        "measurement": _with_times(doc.get("measurement")),
        "consistency_check": _with_times(doc.get("consistency_check")),
        "controller_id": resolve("controller", doc["controller"]),
        "drive_group_id": resolve("drive_group", doc["drive_group"]),
        "operation_ids": [resolve("operation", key) for key in doc["operations"]],
        "created_at": moment(doc["created_at_us"]),
    }


def _operation(doc: Document, resolve: Resolve) -> Document:
    return {
        "controller_id": resolve("controller", doc["controller"]),
        "target_id": resolve(doc["target_kind"], doc["target"]),
        "source_id": resolve("drive", doc.get("source")),
        "drive_group_id": resolve("drive_group", doc["drive_group"]),
        "started_at": moment(doc["started_at_us"]),
        "ended_at": moment(doc["ended_at_us"]),
    }


def _enclosure(doc: Document, resolve: Resolve) -> Document:
    return {"controller_id": resolve("controller", doc["controller"])}


def _cache(doc: Document | None, resolve: Resolve) -> Document | None:
    if doc is None:
        return None
    preserved = [
        {
            **item,
            "virtual_drive_key": item["virtual_drive"],
            "virtual_drive_id": resolve("virtual_drive", item["virtual_drive"]),
        }
        for item in doc["preserved"]
    ]
    return {**doc, "preserved": preserved}


def _patrol(doc: Document | None, resolve: Resolve) -> Document | None:
    if doc is None:
        return None
    return {
        **doc,
        "next_at": moment(doc["next_at_us"]),
        "last_at": moment(doc["last_at_us"]),
        "operation_id": resolve("operation", doc["operation"]),
    }


def _controller(doc: Document, resolve: Resolve) -> Document:
    return {
        "cache": _cache(doc.get("cache"), resolve),
        "patrol": _patrol(doc.get("patrol"), resolve),
    }


def _battery(doc: Document, resolve: Resolve) -> Document:
    learn = doc["learn"]
    times = (
        {"next_at": moment(learn["next_at_us"]), "last_at": moment(learn["last_at_us"])}
        if learn
        else {}
    )
    return {
        "controller_id": resolve("controller", doc["controller"]),
        "learn": {**learn, **times} if learn else None,
    }


TRANSLATORS: dict[type[Reported], tuple[str, Callable[[Document, Resolve], Document]]] = {
    Controller: ("controller", _controller),
    Enclosure: ("enclosure", _enclosure),
    Drive: ("drive", _drive),
    DriveGroup: ("drive_group", _drive_group),
    VirtualDrive: ("virtual_drive", _virtual_drive),
    Battery: ("battery", _battery),
    Operation: ("operation", _operation),
}


def kind_of(model: type[Reported]) -> str:
    return TRANSLATORS[model][0]


UNREADABLE = (KeyError, TypeError, ValueError, OverflowError, AttributeError)


def view(
    model: type[T],
    row: tuple[ObjectState, str, bool, int | None, str],
    principal: Principal,
    fields: Fields = None,
    **more: Any,
) -> T | None:
    """What is expensive is left empty where it is none of the fields that are wanted.

    None if the stored report cannot be shown even with its values limited.

    What an older version has stored was not checked as reports are now.
    """
    item = row[0]
    try:
        return _view(model, row, item.doc, principal, fields, **more)
    except UNREADABLE:
        pass
    try:
        doc, places = fitted(DOCUMENTS[item.kind], item.doc)
        return _view(model, row, {**doc, LIMITED: places}, principal, fields, **more)
    except (*UNREADABLE, UnmendableError):
        logger.exception("the report of %s %s of host %s", item.kind, item.key, item.host_id)
        return None


def views(
    model: type[T], rows: Iterable[Any], principal: Principal, fields: Fields = None
) -> list[T]:
    shown = (view(model, row, principal, fields) for row in rows)
    return [item for item in shown if item is not None]


def _view(
    model: type[T],
    row: tuple[ObjectState, str, bool, int | None, str],
    doc: Document,
    principal: Principal,
    wanted: Fields,
    **more: Any,
) -> T:
    item, host_name, online, last_seen_us, _ = row
    kind, translate = TRANSLATORS[model]

    def resolve(target_kind: str, key: str | None) -> UUID | None:
        return None if key is None else object_id(item.host_id, target_kind, key)

    fields = {
        **doc,
        **translate(doc, resolve),
        **more,
        "id": item.id,
        "host_id": item.host_id,
        "host_name": host_name,
        "key": item.key,
        "rev": item.rev,
        "config_rev": config_rev(item.life, item.config_rev),
        "online": online,
        "stale_since": None if online else moment(last_seen_us),
        "limited": doc.get(LIMITED, []),
        "blocked": {},
    }
    if wanted is None or "blocked" in wanted:
        fields["blocked"] = blocked.complete(
            kind,
            doc.get("blocked", {}),
            principal=principal,
            online=online,
            last_seen_us=last_seen_us,
        )
    return model.model_validate(fields)
