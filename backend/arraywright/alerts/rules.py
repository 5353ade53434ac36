"""When alert rules hold: each looks at one document and says what is wrong with it, or nothing.

What a person should know about a rule stands in `explanations`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arraywright.alerts.schemas import AlertRuleName
from arraywright.link.protocol import EventClass

Document = dict[str, Any]
# Write-back although a power failure would lose what is cached.
UNPROTECTED = ("write_policy_forced", "write_policy_until_restart")


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
    return [*_redundancy(doc), *_write_policy(doc), *_lost_writes(doc)]


def _text(reason: Document | None) -> str:
    return str((reason or {}).get("text", ""))


def _write_policy(doc: Document) -> list[Finding]:
    """Without any cache there is nothing to lower: that is told where the policy is chosen."""
    policy = doc["write_policy"]
    code = policy["reason"]["code"]
    params = {
        "name": str(doc["name"]),
        "path": str(doc["path"]),
        "requested": str(policy["requested"]).replace("_", " "),
        "effective": str(policy["effective"]).replace("_", " "),
        "why": _text(policy["reason"]),
    }
    if code in UNPROTECTED:
        text = "Virtual drive {name} ({path}) caches writes unprotected. {why}"
        return [Finding(AlertRuleName.WRITE_BACK_UNPROTECTED, EventClass.WARNING, text, params)]
    if policy["requested"] == policy["effective"] or policy["effective"] != "write_through":
        return []
    if code == "no_cache_memory":
        return []
    text = "Virtual drive {name} ({path}) works with {effective} instead of {requested}. {why}"
    return [Finding(AlertRuleName.WRITE_POLICY_LOWERED, EventClass.WARNING, text, params)]


def _lost_writes(doc: Document) -> list[Finding]:
    lost = doc.get("lost_writes")
    if not lost:
        return []
    params = {"name": str(doc["name"]), "path": str(doc["path"]), "why": _text(lost)}
    text = "Virtual drive {name} ({path}) has lost acknowledged writes. {why}"
    return [Finding(AlertRuleName.WRITES_LOST, EventClass.FATAL, text, params)]


def _redundancy(doc: Document) -> list[Finding]:
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


def _battery(doc: Document) -> list[Finding]:
    state = doc["state"]
    params = {
        "path": str(doc["path"]),
        "model": str(doc["model"]),
        "source": str(doc["source"]),
        "state": str(state).replace("_", " "),
        "why": _text(doc["state_reason"]),
    }
    found = []
    if doc["kind"] == "ups" and state == "discharging":
        text = "The host of battery {path} runs on its UPS ({source})."
        found.append(Finding(AlertRuleName.UPS_ON_BATTERY, EventClass.CRITICAL, text, params))
    elif state == "failed":
        text = "Battery {path} ({model}) has failed. {why}"
        found.append(Finding(AlertRuleName.BATTERY_FAILED, EventClass.CRITICAL, text, params))
    elif state == "missing":
        text = "Battery {path} ({model}) is missing. {why}"
        found.append(Finding(AlertRuleName.BATTERY_MISSING, EventClass.CRITICAL, text, params))
    elif state not in ("optimal", "learning"):
        text = "Battery {path} ({model}) is not ready: {state}. {why}"
        found.append(Finding(AlertRuleName.BATTERY_NOT_READY, EventClass.WARNING, text, params))
    learn = doc["learn"]
    if learn is not None and learn["state"] != "idle":
        found.append(_learn(learn, params))
    return found


def _learn(learn: Document, params: dict[str, str]) -> Finding:
    """Announced and under way: expected, so that nobody takes it for a failure."""
    text = {
        "announced": "Battery {path} ({model}) begins a learn cycle soon.",
        "due": "A learn cycle of battery {path} ({model}) is due; start it by hand.",
        "pending": "A learn cycle of battery {path} ({model}) begins when it is charged.",
    }.get(learn["state"], "A learn cycle of battery {path} ({model}) is under way.")
    severity = EventClass.WARNING if learn["state"] == "due" else EventClass.INFO
    return Finding(AlertRuleName.BATTERY_LEARN, severity, text, params)


def _controller(doc: Document) -> list[Finding]:
    cache = doc.get("cache")
    if cache is None:
        return []
    found = []
    preserved = cache["preserved"]
    if preserved:
        params = {
            "path": str(doc["path"]),
            "names": ", ".join(str(item["name"]) for item in preserved),
            "why": _text(preserved[0]["reason"]),
        }
        text = "Cached writes of {names} wait on controller {path}. {why}"
        found.append(Finding(AlertRuleName.CACHE_PRESERVED, EventClass.CRITICAL, text, params))
    if cache["state"] in ("suspended", "failed", "missing"):
        params = {
            "path": str(doc["path"]),
            "state": str(cache["state"]),
            "why": _text(cache["state_reason"]),
        }
        text = "The cache of controller {path} is {state}. {why}"
        found.append(Finding(AlertRuleName.CACHE_FAILED, EventClass.CRITICAL, text, params))
    return found


_EVALUATORS: dict[str, Callable[[Document], list[Finding]]] = {
    "virtual_drive": _virtual_drive,
    "drive": _drive,
    "operation": _operation,
    "battery": _battery,
    "controller": _controller,
}
WATCHED_KINDS = frozenset({*_EVALUATORS, "drive_group"})


def evaluate(kind: str, doc: Document) -> list[Finding]:
    evaluator = _EVALUATORS.get(kind)
    return evaluator(doc) if evaluator else []


def host_noisy(name: str, count: int, rate: int) -> Finding:
    return Finding(
        AlertRuleName.HOST_NOISY,
        EventClass.WARNING,
        "Host {name} reports more events than the limit of {rate} per second; {count} had to wait.",
        {"name": name, "count": str(count), "rate": str(rate)},
    )


def host_sent_nonsense(name: str, count: int, example: str) -> Finding:
    return Finding(
        AlertRuleName.HOST_SENT_NONSENSE,
        EventClass.WARNING,
        "Host {name} reported what cannot be right, {count} time(s); for example {example}.",
        {"name": name, "count": str(count), "example": example},
    )


def host_offline(name: str, since: str) -> Finding:
    return Finding(
        AlertRuleName.HOST_OFFLINE,
        EventClass.CRITICAL,
        "Host {name} has not reported since {since}.",
        {"name": name, "since": since},
    )


def host_cloned(name: str, present: str, other: str) -> Finding:
    return Finding(
        AlertRuleName.HOST_CLONED,
        EventClass.CRITICAL,
        "Two machines use the identity of host {name}. {present} is connected; {other} is refused.",
        {"name": name, "present": present, "other": other},
    )


def host_cloned_in_turns(name: str, present: str, other: str) -> Finding:
    return Finding(
        AlertRuleName.HOST_CLONED,
        EventClass.CRITICAL,
        "Two machines report as host {name} in turns. {present} has connected; "
        "{other} was connected before.",
        {"name": name, "present": present, "other": other},
    )


def host_restored(name: str, parts: list[str]) -> Finding:
    """`parts` are the programs whose state directory is not the one this server knows."""
    return Finding(
        AlertRuleName.HOST_RESTORED,
        EventClass.WARNING,
        "Host {name} has come back with an earlier or a new state directory of {parts}.",
        {"name": name, "parts": " and ".join(parts)},
    )
