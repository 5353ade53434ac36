"""The manual page arraywright(8), made from the command line itself."""

import sys
from collections.abc import Iterator

import click

from arraywright.cli.options import PLACE
from arraywright.cli.root import VERBS, root

HEAD = r""".\" Made by arraywright.cli.man_page (make generate); do not edit.
.TH ARRAYWRIGHT 8 "" "Arraywright" "System administration"
.SH NAME
arraywright \- run and look after the backend of Arraywright
.SH SYNOPSIS
.B arraywright
.RB [ \-\-env\-file
.IR FILE ]
.I COMMAND
.RI [ OPTIONS ]
.SH DESCRIPTION
The backend of Arraywright takes in what the agents of a fleet report, serves the console and the
REST API, and carries commands to the agents.
.B arraywright
runs it and looks after its database, users and enrollment tokens.
.PP
Run it on the machine of the backend, as root or as the backend's user. It needs no password: who
can open the database may change it. The audit trail records changes with the actor "command line".
"""
TAIL = r""".SH FILES
.TP
.I /etc/arraywright/backend.env
Settings, one ARRAYWRIGHT_NAME=value a line. An option overrides the environment, and the
environment overrides this file.
.TP
.I /var/lib/arraywright-backend
State directory of the installed backend, with the embedded database
.IR arraywright.sqlite .
.SH ENVIRONMENT
Each option of
.B serve
is also a variable:
.B \-\-public\-url
is
.BR ARRAYWRIGHT_PUBLIC_URL .
.TP
.B ARRAYWRIGHT_ENV_FILE
The same as
.BR \-\-env\-file .
Empty: no settings file.
.SH EXIT STATUS
.TP
.B 0
Done, or all is well.
.TP
.B 1
The command failed, or a check found something.
.TP
.B 2
Wrong usage.
.SH SEE ALSO
.BR arraywright\-uplink (8),
.BR arrayctl (8),
.BR arrayd (8),
.BR arraysim (1)
"""


def _text(text: str) -> str:
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("…", "...")
    return "\n".join(
        rf"\&{line}" if line[:1] in (".", "'") else line for line in escaped.split("\n")
    )


def _paragraphs(text: str) -> Iterator[str]:
    for index, part in enumerate(text.split("\n\n")):
        if index:
            yield ".PP"
        yield _text(" ".join(part.split()))


def _option(option: click.Parameter, ctx: click.Context) -> Iterator[str]:
    record = option.get_help_record(ctx)
    if record is None or isinstance(option, click.Argument):
        return
    flags, text = record
    yield ".TP"
    yield f".B {_text(flags)}"
    yield _text(" ".join(text.split()))


def _examples(command: click.Command) -> Iterator[str]:
    lines = (command.epilog or "").split("\n")
    if "\b" not in lines:
        return
    yield ".PP"
    yield ".EX"
    yield from (_text(line) for line in lines if line.startswith("  "))
    yield ".EE"


def _section(path: str, command: click.Command) -> Iterator[str]:
    ctx = click.Context(command, info_name=path)
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from _section(f"{path} {name}", inner)
        return
    usage = " ".join(command.collect_usage_pieces(ctx))
    yield f".SS {_text(f'{path} {usage}')}"
    yield from _paragraphs(command.help or "")
    places = [each for each in command.params if each.name in PLACE and path != "serve"]
    for option in command.params:
        if option not in places:
            yield from _option(option, ctx)
    if places:
        yield ".PP"
        yield r"It also takes the options of \fBserve\fR for the database: \fB\-\-state\-dir\fR and"
        yield r"\fB\-\-database\-*\fR."
    yield from _examples(command)


def page() -> str:
    ctx = click.Context(root, info_name="arraywright", **root.context_settings)
    lines = [".SH OPTIONS"]
    for option in root.get_params(ctx):
        lines += _option(option, ctx)
    lines.append(".SH COMMANDS")
    for verb in VERBS:
        command = root.get_command(ctx, verb)
        assert command is not None
        lines += _section(verb, command)
    return HEAD + "\n".join(lines) + "\n" + TAIL


if __name__ == "__main__":
    sys.stdout.write(page())
