"""`arraywright support-bundle`."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from arraywright.cli.doctor import examine
from arraywright.cli.options import examples, settings_from, with_given
from arraywright.cli.output import say
from arraywright.doctor import bundle
from arraywright.settings import Settings


@click.command(
    "support-bundle",
    epilog=examples(
        "arraywright support-bundle",
        "arraywright support-bundle /tmp/support.tar.gz --log /var/log/nginx/error.log",
    ),
)
@click.argument("path", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--log", "logs", multiple=True, type=click.Path(path_type=Path), help="Another log to add."
)
@with_given(Settings.model_fields)
def support_bundle(given: Mapping[str, Any], path: Path | None, logs: tuple[Path, ...]) -> None:
    """Collects what a support engineer needs, in one tar.gz.

    Versions, settings, what `doctor` found, the newest events, alerts, commands and audit entries,
    and the log. Passwords, tokens, keys and cookies are removed. Names of hosts and users and
    addresses are not: look before you send it.
    """
    path = path or Path(f"arraywright-support-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.tar.gz")
    settings = settings_from(given)
    contents = asyncio.run(bundle.members(settings, examine(given), logs))
    bundle.write(path, contents)
    say(f"{path}: {len(contents)} files. Look at it before you send it: tar -tzf {path}")
