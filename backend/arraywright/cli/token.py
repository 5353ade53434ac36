"""`arraywright token`: tokens by which machines become hosts."""

from uuid import UUID

import click
from pydantic import ValidationError

from arraywright import bootstrap
from arraywright.cli.failures import CommandError
from arraywright.cli.opened import ACTOR, with_current_database
from arraywright.cli.options import as_json, examples, with_settings
from arraywright.cli.output import say, say_json, say_table, when
from arraywright.hosts import enrolment, lines
from arraywright.hosts.schemas import EnrolmentToken, EnrolmentTokenCreate
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.settings import Settings

ANY = "any"


@click.group()
def token() -> None:
    """Enrollment tokens: each adds a machine to the fleet."""


async def _all(database: Database) -> list[EnrolmentToken]:
    async with database.read() as session:
        return await enrolment.everything(session, Clock().now_us())


def _state(each: EnrolmentToken) -> str:
    if each.usable:
        return "usable"
    if each.revoked:
        return "revoked"
    return "used" if each.uses == each.max_uses else "expired"


def _uses(each: EnrolmentToken) -> str:
    return f"{each.uses} of {ANY if each.max_uses is None else each.max_uses}"


@token.command("list", epilog=examples("arraywright token list"))
@with_settings()
@as_json
def list_tokens(settings: Settings, json_: bool) -> None:
    """Lists the enrollment tokens, the newest first."""
    found = with_current_database(settings, _all)
    if json_:
        say_json(found)
        return
    rows = [
        (each.prefix, each.name, _state(each), _uses(each), when(each.expires_at)) for each in found
    ]
    say_table(("TOKEN", "NAME", "STATE", "USES", "EXPIRES"), rows)


def _url(settings: Settings) -> str:
    scheme = "https" if settings.tls_certificate else "http"
    return settings.public_url or f"{scheme}://{settings.host}:{settings.port}"


def _body(name: str, minutes: int, uses: str, labels: tuple[str, ...]) -> EnrolmentTokenCreate:
    given = {
        "name": name,
        "expires_in_minutes": minutes,
        "max_uses": None if uses == ANY else uses,
        "labels": labels,
    }
    try:
        return EnrolmentTokenCreate.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = " ".join(str(part) for part in first["loc"]) or "token"
        raise CommandError(f"Cannot make the token: {where}: {first['msg']}.") from error


@token.command(
    epilog=examples(
        "arraywright token create --name rack-12 --uses 20 --label site=north --minutes 1440",
        "arraywright token create --json | jq -r .token",
    )
)
@click.option("--name", default="", help="What the token is for.")
@click.option("--minutes", type=int, default=60, show_default=True, help="Expires after this.")
@click.option(
    "--uses", default="1", show_default=True, help=f'How many hosts may enroll with it, or "{ANY}".'
)
@click.option("--label", "labels", multiple=True, help="Label of its hosts; may be repeated.")
@with_settings()
@as_json
def create(
    settings: Settings, name: str, minutes: int, uses: str, labels: tuple[str, ...], json_: bool
) -> None:
    """Makes an enrollment token. It is shown this once only."""
    body = _body(name, minutes, uses, labels)
    url = _url(settings)

    async def work(database: Database) -> dict[str, str]:
        server_id: UUID = await bootstrap.server_id(database)
        async with database.write() as session:
            row, text = await enrolment.issue(
                session,
                Clock().now_us(),
                created_by=ACTOR,
                name=body.name,
                minutes=body.expires_in_minutes,
                max_uses=body.max_uses,
                labels=body.labels,
            )
        return {
            "id": str(row.id),
            "token": text,
            "server_id": str(server_id),
            "install_line": lines.installed(settings, url, text),
        }

    made = with_current_database(settings, work)
    if json_:
        say_json(made)
        return
    say(f"Token (valid for {minutes} minutes): {made['token']}")
    say("Run on the machine:")
    say(f"  {made['install_line']}")
    if lines.is_loopback(url):
        say(
            f"Other machines cannot reach {url}. Set ARRAYWRIGHT_PUBLIC_URL to the address of "
            "this server."
        )


def _named(tokens: list[EnrolmentToken], text: str) -> EnrolmentToken:
    found = [each for each in tokens if text in (str(each.id), each.prefix)]
    if len(found) != 1:
        raise CommandError(
            f"{len(found)} enrollment tokens are named {text}. See: arraywright token list --json"
        )
    return found[0]


@token.command(epilog=examples("arraywright token revoke awe_3f9k"))
@click.argument("token_name", metavar="TOKEN")
@with_settings()
def revoke(settings: Settings, token_name: str) -> None:
    """Ends an enrollment token. TOKEN is its id, or what `token list` shows of it."""

    async def work(database: Database) -> EnrolmentToken:
        chosen = _named(await _all(database), token_name)
        async with database.write() as session:
            await enrolment.revoke(session, Clock().now_us(), actor=ACTOR, token_id=chosen.id)
        return chosen

    chosen = with_current_database(settings, work)
    say(f"Token {chosen.prefix} is revoked; no machine can enroll with it.")
