"""What alerts are made of: the findings that agents report, and those of this server itself.

An agent's documents carry its findings (agent/protocol): nothing is judged here. Alerts of the
server itself are about what only it can see: that a host is silent, or that its clock is off.
"""

from dataclasses import dataclass
from typing import Any

from arraywright.alerts.schemas import ServerRule
from arraywright.link.protocol import EventClass

Document = dict[str, Any]
SOURCES = ("host", "controller")
"""Kinds of documents that carry findings."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`source` is the key of the document that carries it; empty: this server."""

    rule: str
    severity: str
    kind: str
    key: str
    path: str
    what: Document
    cause: Document | None
    effect: Document | None
    remedy: Document | None
    source: str = ""

    def stored(self) -> Document:
        """As the alert keeps it: what is wrong, and beside that the other sentences."""
        return {
            **self.what,
            "cause": self.cause,
            "effect": self.effect,
            "remedy": self.remedy,
            "source": self.source,
        }


def reported(key: str, doc: Document) -> list[Finding] | None:
    """The findings of a document; None if its agent is too old to report any."""
    listed = doc.get("findings")
    if listed is None:
        return None
    return [
        Finding(
            rule=item["code"],
            severity=item["severity"],
            kind=item["kind"],
            key=item["key"],
            path=item["path"],
            what=item["what"],
            cause=item["cause"],
            effect=item["effect"],
            remedy=item["remedy"],
            source=key,
        )
        for item in listed
    ]


def _said(code: str, text: str, params: dict[str, str]) -> Document:
    return {"code": code, "params": params, "text": text.format_map(params)}


@dataclass(frozen=True, slots=True)
class ServerText:
    """The sentences of a rule of this server; `what` with its parameters in braces."""

    title: str
    severity: EventClass
    what: str
    effect: str
    remedy: str


SERVER_TEXTS = {
    ServerRule.HOST_OFFLINE: ServerText(
        title="Host offline",
        severity=EventClass.CRITICAL,
        what="Host {name} has not reported since {since}.",
        effect="Its arrays go on working, but what is shown here may be out of date.",
        remedy="Check that the machine runs, that arrayd and the uplink run on it, and that it "
        "reaches this server.",
    ),
    ServerRule.HOST_NEVER_CONNECTED: ServerText(
        title="Host never connected",
        severity=EventClass.WARNING,
        what="Host {name} was enrolled at {since} and has never connected.",
        effect="Its arrays are not shown, and their failures are not told here.",
        remedy="On the machine, run systemctl enable --now arraywright-uplink, then look "
        "at journalctl -u arraywright-uplink.",
    ),
    ServerRule.HOST_RESTORED: ServerText(
        title="Host restored",
        severity=EventClass.WARNING,
        what="Host {name} has come back with an earlier or a new state directory of {parts}.",
        effect="The host has reported its present state and all of its events anew. "
        "Commands that were under way may or may not have run.",
        remedy="Make sure that no other copy of the machine is used, look at the outcome "
        "of recent commands, then acknowledge this alert: that ends it.",
    ),
    ServerRule.HOST_CLONED: ServerText(
        title="Identity used twice",
        severity=EventClass.CRITICAL,
        what="Two machines use the identity of host {name}. {present} is connected; "
        "{other} is refused.",
        effect="One machine is shown and managed. The other is not shown: its arrays "
        "have no alerts here.",
        remedy="On the machine that is the copy, run arraywright-uplink enrol --force "
        "with a new token (Hosts, Add host). This alert ends then, or two hours after the "
        "copy was last seen.",
    ),
    ServerRule.HOST_NOISY: ServerText(
        title="Host reports too many events",
        severity=EventClass.WARNING,
        what="Host {name} reports more events than the limit of {rate} per second; "
        "{count} had to wait.",
        effect="What the host reports arrives late, and its oldest events are removed "
        "earlier than those of others. Other hosts are not affected.",
        remedy="Look at the newest events of the host. Retire the host if it is not one of yours.",
    ),
    ServerRule.HOST_SENT_NONSENSE: ServerText(
        title="Host reports impossible values",
        severity=EventClass.WARNING,
        what="Host {name} reported what cannot be right, {count} time(s); for example {example}.",
        effect="Impossible values are shown at their limit and marked; what could not "
        "be understood is left out. Other hosts are not affected.",
        remedy="Update the agent. If its version is current, treat the machine as "
        "compromised until you know better.",
    ),
    ServerRule.CLOCK_OFF: ServerText(
        title="Clock off",
        severity=EventClass.WARNING,
        what="The clock of host {name} is {seconds} s {direction} the clock of this server.",
        effect="Events and schedules of this host have the wrong time.",
        remedy="Set the clock of the host, and keep it right with a time service (NTP).",
    ),
}
IN_TURNS = (
    "Two machines report as host {name} in turns. {present} has connected; "
    "{other} was connected before."
)


def _of_server(
    rule: ServerRule, name: str, params: dict[str, str], what: str | None = None
) -> Finding:
    texts = SERVER_TEXTS[rule]
    code = f"alert_{rule.value}"
    return Finding(
        rule=rule.value,
        severity=texts.severity.value,
        kind="host",
        key=name[:64],
        path=name,
        what=_said(code, what or texts.what, {"name": name, **params}),
        cause=None,
        effect=_said(f"{code}_effect", texts.effect, {}),
        remedy=_said(f"{code}_remedy", texts.remedy, {}),
    )


def host_offline(name: str, since: str) -> Finding:
    return _of_server(ServerRule.HOST_OFFLINE, name, {"since": since})


def host_never_connected(name: str, since: str) -> Finding:
    return _of_server(ServerRule.HOST_NEVER_CONNECTED, name, {"since": since})


def host_cloned(name: str, present: str, other: str) -> Finding:
    return _of_server(ServerRule.HOST_CLONED, name, {"present": present, "other": other})


def host_cloned_in_turns(name: str, present: str, other: str) -> Finding:
    params = {"present": present, "other": other}
    return _of_server(ServerRule.HOST_CLONED, name, params, IN_TURNS)


def host_restored(name: str, parts: list[str]) -> Finding:
    """`parts` are the programs whose state directory is not the one this server knows."""
    return _of_server(ServerRule.HOST_RESTORED, name, {"parts": " and ".join(parts)})


def host_noisy(name: str, count: int, rate: int) -> Finding:
    params = {"count": str(count), "rate": str(rate)}
    return _of_server(ServerRule.HOST_NOISY, name, params)


def host_sent_nonsense(name: str, count: int, example: str) -> Finding:
    params = {"count": str(count), "example": example}
    return _of_server(ServerRule.HOST_SENT_NONSENSE, name, params)


def clock_off(name: str, offset_ms: int) -> Finding:
    direction = "ahead of" if offset_ms > 0 else "behind"
    seconds = str(round(abs(offset_ms) / 1000))
    return _of_server(ServerRule.CLOCK_OFF, name, {"seconds": seconds, "direction": direction})
