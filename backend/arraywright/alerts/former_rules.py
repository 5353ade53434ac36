"""Findings of agents of the former version, which report none: made here of their documents.

Only what costs data or redundancy, so that an agent that has not been updated yet is not silent.
Delete this with the version of the protocol that it is for.
"""

from collections.abc import Callable, Iterator
from typing import Any

from arraywright.alerts.findings import Finding
from arraywright.link.protocol import REASONS, EventClass, FindingCode

Document = dict[str, Any]
DEGRADED = ("degraded", "partially_degraded")


def _virtual_drive(doc: Document) -> Iterator[tuple[FindingCode, EventClass, str]]:
    name = f'Virtual drive "{doc["name"]}"'
    if doc["state"] == "offline":
        yield FindingCode.VIRTUAL_DRIVE_OFFLINE, EventClass.FATAL, f"{name} is offline."
    elif doc["state"] in DEGRADED and doc["drive_failures_left"] == 0:
        yield FindingCode.VIRTUAL_DRIVE_DEGRADED, EventClass.CRITICAL, f"{name} is degraded."
    elif doc["state"] in DEGRADED:
        text = f"{name} is partially degraded."
        yield FindingCode.VIRTUAL_DRIVE_PARTIALLY_DEGRADED, EventClass.WARNING, text
    if doc.get("lost_writes"):
        yield FindingCode.WRITES_LOST, EventClass.FATAL, f"{name} has lost acknowledged writes."


def _drive(doc: Document) -> Iterator[tuple[FindingCode, EventClass, str]]:
    name = f"Drive {doc['path']} (serial {doc['serial']})"
    if doc["state"] == "failed":
        yield FindingCode.DRIVE_FAILED, EventClass.CRITICAL, f"{name} failed."
    if doc["state"] == "missing" and doc["drive_group"] is not None:
        yield FindingCode.DRIVE_MISSING, EventClass.CRITICAL, f"{name} is missing."
    if doc["predictive_failure_count"] > 0 and doc["present"]:
        text = f"{name} predicts that it will fail."
        yield FindingCode.DRIVE_PREDICTIVE_FAILURE, EventClass.WARNING, text


def _battery(doc: Document) -> Iterator[tuple[FindingCode, EventClass, str]]:
    name = f"Battery {doc['path']}"
    if doc["kind"] == "ups" and doc["state"] == "discharging":
        text = f"The host runs on its UPS ({doc['source']})."
        yield FindingCode.UPS_ON_BATTERY, EventClass.CRITICAL, text
    elif doc["state"] == "failed":
        yield FindingCode.BATTERY_FAILED, EventClass.CRITICAL, f"{name} failed."
    elif doc["state"] == "missing":
        yield FindingCode.BATTERY_MISSING, EventClass.CRITICAL, f"{name} is missing."


def _controller(doc: Document) -> Iterator[tuple[FindingCode, EventClass, str]]:
    cache = doc.get("cache")
    if cache and cache["preserved"]:
        text = f"Acknowledged writes wait for their drives on controller {doc['path']}."
        yield FindingCode.CACHE_PRESERVED, EventClass.CRITICAL, text


_RULES: dict[str, Callable[[Document], Iterator[tuple[FindingCode, EventClass, str]]]] = {
    "virtual_drive": _virtual_drive,
    "drive": _drive,
    "battery": _battery,
    "controller": _controller,
}
WATCHED_KINDS = frozenset(_RULES)


def _general(code: str) -> Document | None:
    """The sentence of a finding, unless it needs parameters that only the agent knows."""
    text = REASONS[code]
    return None if "{" in text else {"code": code, "params": {}, "text": text}


def evaluate(kind: str, key: str, doc: Document) -> list[Finding]:
    return [
        Finding(
            rule=rule.value,
            severity=severity.value,
            kind=kind,
            key=key,
            path=str(doc.get("path", key)),
            what={"code": f"former_{rule.value}", "params": {}, "text": text},
            cause=doc.get("state_reason") or doc.get("lost_writes"),
            effect=_general(f"effect_{rule.value}"),
            remedy=_general(f"remedy_{rule.value}"),
            source=f"{kind}/{key}",
        )
        for rule, severity, text in _RULES[kind](doc)
    ]
