"""Completes what the host says about what is possible with what only we know."""

from functools import cache
from typing import Any

from arraywright.auth.principal import Principal
from arraywright.kit.roles import Role
from arraywright.kit.schema import EPOCH, Reason, moment
from arraywright.link.protocol import REASONS

# What can be asked of an object, and who may ask; the host knows the rest.
OPERATIONS: dict[str, dict[str, Role]] = {
    "host": {"host_retire": Role.ADMINISTRATOR},
    "controller": {
        "vd_create": Role.OPERATOR,
        "controller_set": Role.OPERATOR,
        "patrol_read": Role.OPERATOR,
        "cache_discard": Role.OPERATOR,
        "cache_flush": Role.OPERATOR,
        "foreign_import": Role.OPERATOR,
        "foreign_clear": Role.OPERATOR,
        "undo_restore": Role.OPERATOR,
        "counters_reset": Role.OPERATOR,
    },
    "drive": {
        "vd_create": Role.OPERATOR,
        "spare_add": Role.OPERATOR,
        "spare_remove": Role.OPERATOR,
        "rebuild": Role.OPERATOR,
        "copyback": Role.OPERATOR,
        "drive_replace": Role.OPERATOR,
        "drive_offline": Role.OPERATOR,
        "drive_online": Role.OPERATOR,
        "drive_missing": Role.OPERATOR,
        "drive_jbod": Role.OPERATOR,
        "drive_good": Role.OPERATOR,
        "drive_erase": Role.OPERATOR,
        "drive_spindown": Role.OPERATOR,
        "drive_spinup": Role.OPERATOR,
        "drive_locate": Role.OPERATOR,
        "fault_inject": Role.OPERATOR,
        "counters_reset": Role.OPERATOR,
    },
    "drive_group": {"vd_create": Role.OPERATOR, "drive_replace": Role.OPERATOR},
    "virtual_drive": {
        "vd_set": Role.OPERATOR,
        "vd_delete": Role.OPERATOR,
        "vd_expand": Role.OPERATOR,
        "vd_init": Role.OPERATOR,
        "vd_measure": Role.OPERATOR,
        "cache_flush": Role.OPERATOR,
        "doubt_clear": Role.OPERATOR,
        "stripe_create": Role.OPERATOR,
        "stripe_delete": Role.OPERATOR,
        "bgi": Role.OPERATOR,
        "consistency_check": Role.OPERATOR,
        "counters_reset": Role.OPERATOR,
    },
    "battery": {
        "battery_learn": Role.OPERATOR,
        "battery_set": Role.OPERATOR,
        "battery_fault": Role.OPERATOR,
    },
    "operation": {
        "drive_erase": Role.OPERATOR,
        "rebuild": Role.OPERATOR,
        "copyback": Role.OPERATOR,
        "bgi": Role.OPERATOR,
        "consistency_check": Role.OPERATOR,
        "patrol_read": Role.OPERATOR,
    },
}
POSSIBLE_OFFLINE = frozenset({"host_retire"})


def reason(code: str, **params: str) -> Reason:
    return Reason(code=code, params=params, text=REASONS[code].format_map(params))


@cache
def role_needed(role: Role) -> Reason:
    return reason("role_needed", role=role.value)


def offline_reason(last_seen_us: int | None) -> Reason:
    since = moment(last_seen_us) or EPOCH
    return reason("host_offline", since=since.isoformat(timespec="seconds"))


def complete(
    kind: str,
    reported: dict[str, Any],
    *,
    principal: Principal,
    online: bool,
    last_seen_us: int | None,
) -> dict[str, Any]:
    """Role before offline before the host's own reasons.

    A command with actions is named alone, or as `rebuild_pause` if it concerns one action. What
    the host reports is checked with the object it belongs to.
    """
    known = OPERATIONS.get(kind, {})
    blocked: dict[str, Any] = dict(reported)
    if not online:
        why = offline_reason(last_seen_us)
        blocked |= dict.fromkeys({*known, *reported} - POSSIBLE_OFFLINE, why)
    for name in {*known, *reported}:
        needed = known.get(name, Role.OPERATOR)
        if not principal.role.allows(needed):
            blocked[name] = role_needed(needed)
    return dict(sorted(blocked.items()))
