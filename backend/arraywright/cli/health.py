"""`arraywright health`; loads nothing of the server."""

import sys
import urllib.request

import click

from arraywright.cli.failures import FAILED

DEFAULT_URL = "http://127.0.0.1:8080"
PATIENCE_S = 3


@click.command()
@click.option("--url", default=DEFAULT_URL, show_default=True, help="Address of the server.")
def health(url: str) -> int:
    """Asks a running server whether it is well. Exit status 1: it is not, or does not answer."""
    try:
        address = f"{url.rstrip('/')}/api/v1/health"
        with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:  # noqa: S310
            return 0 if answer.status == 200 else FAILED
    except (OSError, ValueError) as error:
        print(f"arraywright: {url}: {error}", file=sys.stderr)
        return FAILED
