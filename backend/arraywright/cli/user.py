"""`arraywright user`."""

import secrets
from pathlib import Path

import click
from pydantic import TypeAdapter, ValidationError

from arraywright import bootstrap
from arraywright.audit import service as audit_service
from arraywright.auth import repository, users
from arraywright.auth.schemas import Account, Username, UserUpdate
from arraywright.auth.views import account_view
from arraywright.cli.failures import CommandError
from arraywright.cli.opened import ACTOR, with_current_database
from arraywright.cli.options import as_json, examples, with_settings
from arraywright.cli.output import say, say_json, say_table, when
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.kit.roles import Role
from arraywright.settings import Settings


def _checked_name(username: str) -> str:
    try:
        return TypeAdapter(Username).validate_python(username)
    except ValidationError as error:
        raise CommandError(
            f"{username!r} is not a user name: it starts with a small letter or a digit, goes on "
            "with these, '.', '_' and '-', and has at most 32 characters."
        ) from error


def _password(file: Path | None, username: str) -> tuple[str, str]:
    """The password, and what to tell about it."""
    if file is not None:
        return bootstrap.password_from_file(file, username), f"password in {file}"
    password = secrets.token_urlsafe(18)
    return password, f"password: {password}"


password_file = click.option(
    "--password-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File with the password; if it does not exist, it is made with a random one and mode "
    "0600. Without this option, a random password is printed.",
)


@click.group()
def user() -> None:
    """Users of the console and the REST API."""


@user.command("list", epilog=examples("arraywright user list"))
@with_settings()
@as_json
def list_users(settings: Settings, json_: bool) -> None:
    """Lists the users."""

    async def work(database: Database) -> list[Account]:
        async with database.read() as session:
            return [account_view(row) for row in await repository.all_users(session)]

    found = with_current_database(settings, work)
    if json_:
        say_json(found)
        return
    rows = [
        (each.username, each.role.value, "yes" if each.disabled else "no", when(each.last_login_at))
        for each in found
    ]
    say_table(("USER", "ROLE", "DISABLED", "LAST LOGIN"), rows)


@user.command(
    epilog=examples(
        "arraywright user create ann --role operator",
        "arraywright user create ann --password-file /root/ann",
    )
)
@click.argument("username")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    default=Role.ADMINISTRATOR.value,
    show_default=True,
    help="What the user may do.",
)
@click.option("--display-name", default="", help="Name that the console shows.")
@password_file
@with_settings()
def create(
    settings: Settings, username: str, role: str, display_name: str, password_file: Path | None
) -> None:
    """Adds a user."""
    password, told = _password(password_file, _checked_name(username))

    async def work(database: Database) -> None:
        now_us = Clock().now_us()
        async with database.write() as session:
            await users.add(
                session,
                now_us,
                username=username,
                role=Role(role),
                password=password,
                name=display_name,
            )
            await audit_service.record(
                session,
                now_us,
                actor=ACTOR,
                action="user.create",
                target=username,
                detail={"role": role},
            )

    with_current_database(settings, work)
    say(f"User {username} added with the role {role}; {told}")


def _change(settings: Settings, username: str, body: UserUpdate) -> None:
    async def work(database: Database) -> None:
        async with database.write() as session:
            await users.administer(
                session, Clock().now_us(), actor=ACTOR, username=username, body=body
            )

    with_current_database(settings, work)


@user.command("reset-password", epilog=examples("arraywright user reset-password admin"))
@click.argument("username")
@password_file
@with_settings()
def reset_password(settings: Settings, username: str, password_file: Path | None) -> None:
    """Gives a user a new password. The user's sessions and API tokens end."""
    password, told = _password(password_file, username)
    _change(settings, username, UserUpdate(password=password))
    say(f"User {username} has a new password; {told}")


@user.command(epilog=examples("arraywright user disable ann"))
@click.argument("username")
@with_settings()
def disable(settings: Settings, username: str) -> None:
    """Locks a user out. The user's sessions and API tokens end."""
    _change(settings, username, UserUpdate(disabled=True))
    say(f"User {username} is disabled. To undo: arraywright user enable {username}")


@user.command(epilog=examples("arraywright user enable ann"))
@click.argument("username")
@with_settings()
def enable(settings: Settings, username: str) -> None:
    """Lets a disabled user log in again."""
    _change(settings, username, UserUpdate(disabled=False))
    say(f"User {username} may log in again.")
