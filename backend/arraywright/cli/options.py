"""Settings as options: one option for each field of `Settings`, with its description as help."""

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

import click
from pydantic import ValidationError

from arraywright.kit.failure import StartError
from arraywright.settings import Settings

DATABASE = tuple(name for name in Settings.model_fields if name.startswith("database_"))
PLACE = ("state_dir", *DATABASE)
Command = Callable[..., Any]


def _option(name: str) -> Callable[[Command], Command]:
    field = Settings.model_fields[name]
    flag = f"--{name.replace('_', '-')}"
    told = field.description or ""
    text = f"{told[:1].upper()}{told[1:]}."
    if field.annotation is bool:
        return click.option(f"{flag}/--no-{flag[2:]}", name, default=None, help=text)
    if field.default not in (None, ""):
        text += f"  [default: {field.default}]"
    return click.option(flag, name, metavar="VALUE", help=text)


def settings_from(given: Mapping[str, Any]) -> Settings:
    """Options count before the environment, and that counts before the settings file."""
    in_file: Mapping[str, str] = click.get_current_context().obj
    options = {name: value for name, value in given.items() if value is not None}
    try:
        settings = Settings(**{**in_file, **options})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise StartError(f"Setting {where}: {first['msg']}.") from error
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("alembic").setLevel(logging.WARNING)
    return settings


def with_given(names: Iterable[str] = PLACE) -> Callable[[Command], Command]:
    """Adds the options and calls the command with what was `given` of them."""
    wanted = tuple(names)

    def decorate(command: Command) -> Command:
        @wraps(command)
        def called(**arguments: Any) -> Any:
            given = {name: arguments.pop(name) for name in wanted}
            return command(given=given, **arguments)

        made: Command = called
        for name in reversed(wanted):
            made = _option(name)(made)
        return made

    return decorate


def with_settings(names: Iterable[str] = PLACE) -> Callable[[Command], Command]:
    """Adds the options and calls the command with `settings` made from them."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def called(*, given: Mapping[str, Any], **arguments: Any) -> Any:
            return command(settings=settings_from(given), **arguments)

        return with_given(names)(called)

    return decorate


def as_json(command: Command) -> Command:
    return click.option("--json", "json_", is_flag=True, help="Print JSON, for scripts.")(command)


def examples(*lines: str) -> str:
    """The end of a help page; each line is a command to paste."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
