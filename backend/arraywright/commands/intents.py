"""What callers want, in terms of the agent's commands.

An intent names the object it is about and how its arguments follow from the request; ids are
turned into the host's keys when the intent is resolved. RAID rules are the host's business.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from arraywright.commands.references import References
from arraywright.kit.problems import InvalidError
from arraywright.kit.schema import ApiInput, microseconds
from arraywright.link.protocol import REASONS
from arraywright.storage.requests import (
    ALL,
    BatteryUpdate,
    ClearForeign,
    ConsistencyCheck,
    ControllerUpdate,
    CopybackRequest,
    DiscardCache,
    EraseAction,
    EraseDrive,
    ImportForeign,
    InjectBatteryFault,
    InjectFault,
    LocateDrive,
    MakeDriveGood,
    MakeHotSpare,
    Measure,
    ReplaceMember,
    RestoreUndo,
    StripeCreate,
    StripeDelete,
    TaskRequest,
    VirtualDriveCreate,
    VirtualDriveDelete,
    VirtualDriveExpand,
    VirtualDriveInitialize,
    VirtualDrivePreview,
    VirtualDriveUpdate,
)

Arguments = dict[str, Any]
Build = Callable[[References], Awaitable[Arguments]]
Identity = Callable[[dict[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Intent:
    op: str
    target_kind: str
    target_id: UUID
    body: ApiInput | None
    build: Build
    confirm: str | None = None
    identity: Identity | None = None  # what has to be typed, from the document; None: nothing
    if_match_needed: bool = False


def _name(doc: dict[str, Any]) -> str:
    return str(doc["name"])


def _serial(doc: dict[str, Any]) -> str:
    return str(doc["serial"])


def _given(body: ApiInput, *without: str) -> Arguments:
    """The fields the caller set, as the agent names them."""
    chosen = body.model_dump(mode="json", exclude_unset=True, exclude_none=True)
    return {name: value for name, value in chosen.items() if name not in without}


def _simple(op: str, kind: str, target_id: UUID, body: ApiInput | None) -> Intent:
    """Arguments are the target's key and the body's fields."""

    async def build(references: References) -> Arguments:
        given = _given(body) if body is not None else {}
        return {kind: references.target_key, **given}

    return Intent(op=op, target_kind=kind, target_id=target_id, body=body, build=build)


def _wanted_size(body: VirtualDrivePreview | VirtualDriveExpand) -> Arguments:
    """An agent takes all there is when it is told no size."""
    return {} if body.size_bytes == ALL else {"size_bytes": body.size_bytes}


async def wish_arguments(body: VirtualDrivePreview, references: References) -> Arguments:
    ids = ("controller_id", "drive_ids", "drive_group_id", "spare_ids", "size_bytes")
    arguments = {
        "controller": references.target_key,
        **_given(body, *ids),
        **_wanted_size(body),
    }
    if body.drive_ids:
        arguments["drives"] = await references.keys("drive", body.drive_ids, "/drive_ids")
    if body.drive_group_id is not None:
        arguments["drive_group"] = await references.key(
            "drive_group", body.drive_group_id, "/drive_group_id"
        )
    if body.spare_ids:
        arguments["spares"] = await references.keys("drive", body.spare_ids, "/spare_ids")
    return arguments


def create_virtual_drive(body: VirtualDriveCreate) -> Intent:
    async def build(references: References) -> Arguments:
        return await wish_arguments(body, references)

    return Intent("vd_create", "controller", body.controller_id, body, build)


def update_virtual_drive(virtual_drive_id: UUID, body: VirtualDriveUpdate) -> Intent:
    return _simple("vd_set", "virtual_drive", virtual_drive_id, body)


def delete_virtual_drive(virtual_drive_id: UUID, body: VirtualDriveDelete) -> Intent:
    async def build(references: References) -> Arguments:
        force = {"force": True} if body.force else {}
        return {"virtual_drive": references.target_key, **force}

    return Intent(
        "vd_delete",
        "virtual_drive",
        virtual_drive_id,
        body,
        build,
        confirm=body.confirm,
        identity=_name,
        if_match_needed=True,
    )


def initialize(virtual_drive_id: UUID, body: VirtualDriveInitialize) -> Intent:
    async def build(references: References) -> Arguments:
        unless = {"unless_content": True} if body.unless_content else {}
        return {"virtual_drive": references.target_key, **unless}

    return Intent(
        "vd_init",
        "virtual_drive",
        virtual_drive_id,
        body,
        build,
        confirm=body.confirm,
        identity=_name,
        if_match_needed=True,
    )


def steer_bgi(virtual_drive_id: UUID, body: TaskRequest) -> Intent:
    return _simple("bgi", "virtual_drive", virtual_drive_id, body)


def check_consistency(virtual_drive_id: UUID, body: ConsistencyCheck) -> Intent:
    async def build(references: References) -> Arguments:
        arguments = {"virtual_drive": references.target_key, "action": body.action}
        return {**arguments, "correct": True} if body.correct else arguments

    return Intent(
        "consistency_check",
        "virtual_drive",
        virtual_drive_id,
        body,
        build,
        confirm=body.confirm,
        identity=_name if body.correct else None,
        if_match_needed=body.correct,
    )


def expand(virtual_drive_id: UUID, body: VirtualDriveExpand) -> Intent:
    async def build(references: References) -> Arguments:
        return {"virtual_drive": references.target_key, **_wanted_size(body)}

    return Intent("vd_expand", "virtual_drive", virtual_drive_id, body, build)


def measure(virtual_drive_id: UUID, body: Measure) -> Intent:
    async def build(references: References) -> Arguments:
        return {"virtual_drive": references.target_key, **_given(body, "confirm")}

    return Intent(
        "vd_measure",
        "virtual_drive",
        virtual_drive_id,
        body,
        build,
        confirm=body.confirm,
        identity=_name if body.overwrites else None,
        if_match_needed=body.overwrites,
    )


def clear_doubt(virtual_drive_id: UUID) -> Intent:
    return _simple("doubt_clear", "virtual_drive", virtual_drive_id, None)


def create_stripe(virtual_drive_id: UUID, body: StripeCreate) -> Intent:
    async def build(references: References) -> Arguments:
        others = await references.keys(
            "virtual_drive", body.virtual_drive_ids, "/virtual_drive_ids"
        )
        return {
            "virtual_drives": [references.target_key, *others],
            **_given(body, "virtual_drive_ids", "confirm"),
        }

    return Intent(
        "stripe_create",
        "virtual_drive",
        virtual_drive_id,
        body,
        build,
        confirm=body.confirm,
        identity=_name if body.force else None,
    )


def delete_stripe(virtual_drive_id: UUID, body: StripeDelete) -> Intent:
    def stripe(doc: dict[str, Any]) -> dict[str, Any]:
        found = doc.get("stripe")
        if found is None:
            params = {"kind": "stripe", "key": str(doc["name"])}
            raise InvalidError(
                REASONS["unknown_object"].format_map(params), code="unknown_object", params=params
            )
        return dict(found)

    async def build(references: References) -> Arguments:
        force = {"force": True} if body.force else {}
        return {"stripe": stripe(references.target.doc)["key"], **force}

    return Intent(
        "stripe_delete",
        "virtual_drive",
        virtual_drive_id,
        body,
        build,
        confirm=body.confirm,
        identity=lambda doc: str(stripe(doc)["name"]),
        if_match_needed=True,
    )


def update_controller(controller_id: UUID, body: ControllerUpdate) -> Intent:
    async def build(references: References) -> Arguments:
        arguments = {"controller": references.target_key, **_given(body, "patrol_next_at")}
        if body.patrol_next_at is not None:
            arguments["patrol_next_at_us"] = microseconds(body.patrol_next_at)
        return arguments

    return Intent("controller_set", "controller", controller_id, body, build)


def steer_patrol_read(controller_id: UUID, body: TaskRequest) -> Intent:
    return _simple("patrol_read", "controller", controller_id, body)


def make_hot_spare(drive_id: UUID, body: MakeHotSpare) -> Intent:
    async def build(references: References) -> Arguments:
        arguments = {"drive": references.target_key, **_given(body, "drive_group_ids")}
        if body.drive_group_ids:
            arguments["drive_groups"] = await references.keys(
                "drive_group", body.drive_group_ids, "/drive_group_ids"
            )
        return arguments

    return Intent("spare_add", "drive", drive_id, body, build)


def remove_hot_spare(drive_id: UUID) -> Intent:
    return _simple("spare_remove", "drive", drive_id, None)


def steer_rebuild(drive_id: UUID, body: TaskRequest) -> Intent:
    return _simple("rebuild", "drive", drive_id, body)


def steer_copyback(drive_id: UUID, body: CopybackRequest) -> Intent:
    async def build(references: References) -> Arguments:
        arguments: Arguments = {"drive": references.target_key, "action": body.action.value}
        if body.target_drive_id is not None:
            arguments["target"] = await references.key(
                "drive", body.target_drive_id, "/target_drive_id"
            )
        return arguments

    return Intent("copyback", "drive", drive_id, body, build)


def erase_drive(drive_id: UUID, body: EraseDrive) -> Intent:
    async def build(references: References) -> Arguments:
        return {"drive": references.target_key, **_given(body, "confirm")}

    starts = body.action == EraseAction.START
    return Intent(
        "drive_erase",
        "drive",
        drive_id,
        body,
        build,
        confirm=body.confirm if starts else None,
        identity=_serial if starts else None,
        if_match_needed=starts,
    )


def spin_down(drive_id: UUID) -> Intent:
    return _simple("drive_spindown", "drive", drive_id, None)


def spin_up(drive_id: UUID) -> Intent:
    return _simple("drive_spinup", "drive", drive_id, None)


def locate_drive(drive_id: UUID, body: LocateDrive) -> Intent:
    return _simple("drive_locate", "drive", drive_id, body)


def take_offline(drive_id: UUID) -> Intent:
    return _simple("drive_offline", "drive", drive_id, None)


def set_online(drive_id: UUID) -> Intent:
    return _simple("drive_online", "drive", drive_id, None)


def set_missing(drive_id: UUID) -> Intent:
    return _simple("drive_missing", "drive", drive_id, None)


def leave_to_host(drive_id: UUID) -> Intent:
    return _simple("drive_jbod", "drive", drive_id, None)


def make_good(drive_id: UUID, body: MakeDriveGood) -> Intent:
    async def build(references: References) -> Arguments:
        arguments: Arguments = {"drive": references.target_key}
        if body.force:
            arguments |= {"force": True, "serial": body.confirm or ""}
        return arguments

    return Intent(
        "drive_good",
        "drive",
        drive_id,
        body,
        build,
        confirm=body.confirm,
        identity=_serial if body.force else None,
        if_match_needed=True,
    )


def replace_member(drive_id: UUID, body: ReplaceMember) -> Intent:
    async def build(references: References) -> Arguments:
        group = await references.key("drive_group", body.drive_group_id, "/drive_group_id")
        return {
            "drive": references.target_key,
            "drive_group": group,
            **_given(body, "drive_group_id"),
        }

    return Intent("drive_replace", "drive", drive_id, body, build)


def inject_fault(drive_id: UUID, body: InjectFault) -> Intent:
    return _simple("fault_inject", "drive", drive_id, body)


def start_learn(battery_id: UUID) -> Intent:
    return _simple("battery_learn", "battery", battery_id, None)


def update_battery(battery_id: UUID, body: BatteryUpdate) -> Intent:
    async def build(references: References) -> Arguments:
        arguments = {"battery": references.target_key, **_given(body, "next_learn_at")}
        if body.next_learn_at is not None:
            arguments["next_learn_at_us"] = microseconds(body.next_learn_at)
        return arguments

    return Intent("battery_set", "battery", battery_id, body, build)


def inject_battery_fault(battery_id: UUID, body: InjectBatteryFault) -> Intent:
    return _simple("battery_fault", "battery", battery_id, body)


def discard_cache(controller_id: UUID, body: DiscardCache) -> Intent:
    key = body.virtual_drive_key

    def identity(doc: dict[str, Any]) -> str:
        preserved = (doc.get("cache") or {}).get("preserved", [])
        for item in preserved:
            if item["virtual_drive"] == key:
                return str(item["name"])
        params = {"virtual_drive": key}
        raise InvalidError(
            REASONS["cache_no_preserved"].format_map(params),
            code="cache_no_preserved",
            params=params,
            errors=[("/virtual_drive_key", "has no preserved cache")],
        )

    async def build(references: References) -> Arguments:
        return {"controller": references.target_key, "virtual_drive": key}

    return Intent(
        "cache_discard",
        "controller",
        controller_id,
        body,
        build,
        confirm=body.confirm,
        identity=identity,
        if_match_needed=True,
    )


def import_foreign(controller_id: UUID, body: ImportForeign) -> Intent:
    return _simple("foreign_import", "controller", controller_id, body)


def clear_foreign(controller_id: UUID, body: ClearForeign) -> Intent:
    async def build(references: References) -> Arguments:
        return {"controller": references.target_key, **_given(body, "confirm")}

    return Intent(
        "foreign_clear",
        "controller",
        controller_id,
        body,
        build,
        confirm=body.confirm,
        identity=lambda _doc: body.confirm,  # the sets are the host's: it compares
    )


def restore_undo(controller_id: UUID, body: RestoreUndo) -> Intent:
    return _simple("undo_restore", "controller", controller_id, body)


def flush_cache(kind: str, target_id: UUID) -> Intent:
    async def build(references: References) -> Arguments:
        return {"kind": kind, "key": references.target_key}

    return Intent("cache_flush", kind, target_id, None, build)


def reset_counters(kind: str, target_id: UUID) -> Intent:
    async def build(references: References) -> Arguments:
        return {"kind": kind, "key": references.target_key}

    return Intent("counters_reset", kind, target_id, None, build)
