"""`arraywright serve`."""

import click

from arraywright import server
from arraywright.cli.options import examples, with_settings
from arraywright.settings import Settings


@click.command(
    epilog=examples(
        "arraywright serve --state-dir /var/lib/arraywright-backend",
        "arraywright serve --host 0.0.0.0 --tls-certificate cert.pem --tls-key key.pem",
    )
)
@with_settings(Settings.model_fields)
def serve(settings: Settings) -> int:
    """Runs the server: REST, the agents' link and the console.

    It sets up an empty database, updates an older one, and makes the user "admin" if there is no
    user. Each option is also a variable ARRAYWRIGHT_… of the environment.
    """
    return server.serve(settings)
