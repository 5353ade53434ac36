"""The registry of alert rules: when they hold, and what a person should know.

A rule looks at one document and says what is wrong with it, or nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arraywright.alerts.schemas import AlertRule, AlertRuleName
from arraywright.link.protocol import EventClass

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    rule: AlertRuleName
    severity: EventClass
    text: str
    params: dict[str, str]

    def reason(self) -> Document:
        return {
            "code": f"alert_{self.rule.value}",
            "params": self.params,
            "text": self.text.format_map(self.params),
        }


def _virtual_drive(doc: Document) -> list[Finding]:
    params = {
        "name": str(doc["name"]),
        "path": str(doc["path"]),
        "level": str(doc["level"]),
        "failures_left": str(doc["drive_failures_left"]),
    }
    if doc["state"] == "offline":
        text = "Virtual drive {name} ({path}) is offline."
        return [Finding(AlertRuleName.VIRTUAL_DRIVE_OFFLINE, EventClass.FATAL, text, params)]
    if doc["state"] not in ("degraded", "partially_degraded"):
        return []
    if doc["drive_failures_left"] > 0:
        text = (
            "Virtual drive {name} ({path}) has lost redundancy; "
            "it survives {failures_left} more drive failure(s)."
        )
        severity = EventClass.WARNING
    else:
        text = (
            "Virtual drive {name} ({path}) is degraded; "
            "the loss of one more drive may lose its data."
        )
        severity = EventClass.CRITICAL
    return [Finding(AlertRuleName.VIRTUAL_DRIVE_DEGRADED, severity, text, params)]


def _drive(doc: Document) -> list[Finding]:
    params = {
        "path": str(doc["path"]),
        "serial": str(doc["serial"]),
        "model": str(doc["model"]),
        "count": str(doc["predictive_failure_count"]),
        "why": str((doc["state_reason"] or {}).get("text", "")),
    }
    found = []
    if doc["state"] == "failed":
        text = "Drive {path} (serial {serial}) has failed. {why}"
        found.append(Finding(AlertRuleName.DRIVE_FAILED, EventClass.CRITICAL, text, params))
    # Once a spare has taken its place it is no longer missed.
    if doc["state"] == "missing" and doc["drive_group"] is not None:
        text = "Drive {path} (serial {serial}) is missing. {why}"
        found.append(Finding(AlertRuleName.DRIVE_MISSING, EventClass.CRITICAL, text, params))
    if doc["predictive_failure_count"] > 0 and doc["present"]:
        text = "Drive {path} (serial {serial}) expects to fail soon ({count} warnings)."
        found.append(
            Finding(AlertRuleName.DRIVE_PREDICTIVE_FAILURE, EventClass.WARNING, text, params)
        )
    return found


def _operation(doc: Document) -> list[Finding]:
    if doc["kind"] != "rebuild" or doc["state"] != "failed":
        return []
    params = {"drive": str(doc["target"]), "why": str((doc["reason"] or {}).get("text", ""))}
    text = "The rebuild of drive {drive} has failed. {why}"
    return [Finding(AlertRuleName.REBUILD_FAILED, EventClass.CRITICAL, text, params)]


_EVALUATORS: dict[str, Callable[[Document], list[Finding]]] = {
    "virtual_drive": _virtual_drive,
    "drive": _drive,
    "operation": _operation,
}
WATCHED_KINDS = frozenset({*_EVALUATORS, "drive_group"})


def evaluate(kind: str, doc: Document) -> list[Finding]:
    evaluator = _EVALUATORS.get(kind)
    return evaluator(doc) if evaluator else []


def host_offline(name: str, since: str) -> Finding:
    return Finding(
        AlertRuleName.HOST_OFFLINE,
        EventClass.CRITICAL,
        "Host {name} has not reported since {since}.",
        {"name": name, "since": since},
    )


REGISTRY: dict[AlertRuleName, AlertRule] = {
    rule.name: rule
    for rule in (
        AlertRule(
            name=AlertRuleName.VIRTUAL_DRIVE_DEGRADED,
            title="Virtual drive degraded",
            cause="One or more of its drives failed, went missing or were taken offline.",
            consequence="Data are intact, but fewer further failures can be survived; "
            "reads of the lost part are slower.",
            next_step="Let the rebuild finish. If none is running, replace the drive or "
            "add a hot spare.",
        ),
        AlertRule(
            name=AlertRuleName.VIRTUAL_DRIVE_OFFLINE,
            title="Virtual drive offline",
            cause="More drives are gone than its level can lose.",
            consequence="It cannot be read or written. What is on the remaining drives is kept.",
            next_step="Do not delete or initialise anything. Bring back the drives that were "
            "lost last; then look at the virtual drive again.",
        ),
        AlertRule(
            name=AlertRuleName.DRIVE_FAILED,
            title="Drive failed",
            cause="It failed writes, could not repair its read errors or stopped answering.",
            consequence="It is no longer used. Virtual drives on it are degraded or offline.",
            next_step="Replace the drive. Use Locate to find its bay.",
        ),
        AlertRule(
            name=AlertRuleName.DRIVE_MISSING,
            title="Drive missing",
            cause="A member of a drive group was pulled or does not answer.",
            consequence="Virtual drives on it are degraded or offline.",
            next_step="Check bay and cabling, put the drive back or replace it.",
        ),
        AlertRule(
            name=AlertRuleName.DRIVE_PREDICTIVE_FAILURE,
            title="Drive expects to fail",
            cause="The drive's own health check warns of a failure.",
            consequence="Nothing is lost yet.",
            next_step="Plan to replace it; make sure a hot spare is at hand.",
        ),
        AlertRule(
            name=AlertRuleName.REBUILD_FAILED,
            title="Rebuild failed",
            cause="The drive that was rebuilt, or one it is rebuilt from, had errors.",
            consequence="The drive group stays degraded.",
            next_step="Read the reason, replace the drive that had errors and rebuild again.",
        ),
        AlertRule(
            name=AlertRuleName.HOST_OFFLINE,
            title="Host offline",
            cause="Its agent is stopped, the machine is down or the network is cut.",
            consequence="Its arrays work on by themselves, but what is shown may be outdated.",
            next_step="Check the machine and its connection to this server.",
        ),
    )
}
