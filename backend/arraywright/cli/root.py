"""The program itself: its verbs, and how it ends.

Exit status 0: done, or all well. 1: it failed, or a check found something. 2: wrong usage.
"""

import importlib
from collections.abc import Sequence

import click

from arraywright import __version__
from arraywright.cli.failures import explained
from arraywright.cli.settings_file import DEFAULT_FILE, read_settings_file

# Verb -> module and its command. A module is loaded when its verb is needed: `health` runs every
# few seconds in a container and must not load the whole server.
VERBS = {
    "serve": "arraywright.cli.serve:serve",
    "migrate": "arraywright.cli.migrate:migrate",
    "setup": "arraywright.cli.setup:setup",
    "user": "arraywright.cli.user:user",
    "token": "arraywright.cli.token:token",
    "backup": "arraywright.cli.backup:backup",
    "restore": "arraywright.cli.backup:restore",
    "doctor": "arraywright.cli.doctor:doctor",
    "support-bundle": "arraywright.cli.support_bundle:support_bundle",
    "audit": "arraywright.cli.audit:audit",
    "health": "arraywright.cli.health:health",
    "openapi": "arraywright.cli.openapi:openapi",
    "completion": "arraywright.cli.completion:completion",
}


class Verbs(click.Group):
    """Loads a verb when it is asked for; lists them in the order of `VERBS`."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = VERBS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every setting is an option of `arraywright serve` and a variable ARRAYWRIGHT_… of the "
    "environment. The manual: arraywright(8).",
)
@click.version_option(__version__, prog_name="arraywright")
@click.option(
    "--env-file",
    metavar="FILE",
    envvar="ARRAYWRIGHT_ENV_FILE",
    help=f"Settings as lines NAME=value, as systemd reads them.  [default: {DEFAULT_FILE} if it "
    "exists]",
)
@click.pass_context
def root(ctx: click.Context, env_file: str | None) -> None:
    """Runs and looks after the backend of Arraywright."""
    ctx.obj = read_settings_file(env_file)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = None if argv is None else list(argv)
    with explained() as ended:
        status = root.main(arguments, prog_name="arraywright", standalone_mode=False)
        ended.status = status if isinstance(status, int) else 0
    return ended.status
