"""Every rule by which alerts are raised: the agents' findings and this server's own."""

from arraywright.alerts.findings import SERVER_TEXTS
from arraywright.alerts.schemas import AlertRule
from arraywright.link.protocol import FINDING_TITLES, REASONS

REGISTRY: dict[str, AlertRule] = {
    code: AlertRule(
        name=code,
        title=title,
        what=REASONS[f"finding_{code}"],
        consequence=REASONS[f"effect_{code}"],
        next_step=REASONS[f"remedy_{code}"],
    )
    for code, title in FINDING_TITLES.items()
} | {
    rule.value: AlertRule(
        name=rule.value,
        title=texts.title,
        what=texts.what,
        consequence=texts.effect,
        next_step=texts.remedy,
    )
    for rule, texts in SERVER_TEXTS.items()
}


def title(rule: str) -> str:
    """A rule of a newer agent is called by its code."""
    known = REGISTRY.get(rule)
    return known.title if known else rule.replace("_", " ").capitalize()
