"""What goes wrong is told in one sentence on standard error, with an exit status."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click

from arraywright.kit.failure import StartError

FAILED = 1
INTERRUPTED = 130


class CommandError(Exception):
    """A command cannot do what was asked; the text says why and what to do."""


@dataclass
class Ended:
    status: int = 0


def _text(error: Exception) -> str | None:
    """The sentence for a failure that users can meet; None for a fault of ours."""
    # Loaded here: a command that does not fail does not need the database's library.
    from sqlalchemy.exc import SQLAlchemyError

    from arraywright.kit.problems import ProblemError

    if isinstance(error, CommandError | StartError | ProblemError):
        return str(error)
    if isinstance(error, SQLAlchemyError | OSError):
        return f"the database cannot be used: {error}"
    return None


@contextmanager
def explained() -> Iterator[Ended]:
    ended = Ended()
    try:
        yield ended
    except click.ClickException as error:
        error.show()
        ended.status = error.exit_code
    except click.exceptions.Exit as error:
        ended.status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        ended.status = INTERRUPTED
    except Exception as error:
        text = _text(error)
        if text is None:
            raise
        print(f"arraywright: {text}", file=sys.stderr)
        ended.status = FAILED
