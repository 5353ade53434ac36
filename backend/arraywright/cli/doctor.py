"""`arraywright doctor`."""

import asyncio
import os
from collections.abc import Mapping
from typing import Any

import click

from arraywright.cli.failures import FAILED, CommandError
from arraywright.cli.options import as_json, examples, settings_from, with_given
from arraywright.cli.output import say, say_json
from arraywright.doctor import checks
from arraywright.doctor.finding import Finding
from arraywright.kit.failure import StartError
from arraywright.settings import Settings


def examine(given: Mapping[str, Any]) -> list[Finding]:
    """Also says what is wrong with settings that cannot be read."""
    try:
        settings = settings_from(given)
    except StartError as error:
        return [checks.settings_invalid(str(error))]
    _check_rights(settings)
    return asyncio.run(checks.examine(settings))


def _check_rights(settings: Settings) -> None:
    """Others see nothing of the state directory, and would be told that nothing is there."""
    try:
        owner = settings.state_dir.stat().st_uid
    except OSError:
        return
    if os.geteuid() not in (0, owner):
        raise CommandError(
            f"{settings.state_dir} belongs to another user. Run: sudo arraywright doctor"
        )


def report(findings: list[Finding]) -> str:
    if not findings:
        return f"No problems found ({len(checks.CODES)} checks)."
    count = "1 problem" if len(findings) == 1 else f"{len(findings)} problems"
    lines = [f"{count} found."]
    for each in findings:
        lines += [
            "",
            f"{each.code}: {each.found}",
            f"  Consequence: {each.consequence}",
            f"  Next step:   {each.next_step}",
        ]
    return "\n".join(lines)


@click.command(epilog=examples("arraywright doctor", "arraywright doctor --json"))
@with_given(Settings.model_fields)
@as_json
def doctor(given: Mapping[str, Any], json_: bool) -> int:
    """Looks for common faults, and says what each means and what to do next.

    It changes nothing, and works whether the server runs or not. Exit status 1: it found something.
    On a host, `arrayctl doctor` does the same for the agent.
    """
    findings = examine(given)
    if json_:
        say_json({"findings": [each.model_dump() for each in findings]})
    else:
        say(report(findings))
    return FAILED if findings else 0
