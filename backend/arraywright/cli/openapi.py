"""`arraywright openapi`."""

import json

import click

from arraywright.app import create_app
from arraywright.cli.options import examples
from arraywright.cli.output import say
from arraywright.settings import Settings


@click.command(epilog=examples("arraywright openapi > openapi.json"))
def openapi() -> None:
    """Prints the OpenAPI document of the REST API."""
    say(json.dumps(create_app(Settings()).openapi(), indent=2, sort_keys=True))
