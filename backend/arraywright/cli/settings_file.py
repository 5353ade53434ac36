"""Settings in a file, as the unit of the server reads them."""

import os
from pathlib import Path

from arraywright.kit.failure import StartError

PREFIX = "ARRAYWRIGHT_"
DEFAULT_FILE = Path("/etc/arraywright/backend.env")


def read_settings_file(given: str | None) -> dict[str, str]:
    """The settings in the file, without those that the environment has. An empty name: no file."""
    if given == "":
        return {}
    path = Path(given) if given else DEFAULT_FILE
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        if given:
            raise StartError(
                f"The settings file {path} cannot be read: {error.strerror}."
            ) from error
        return {}
    found: dict[str, str] = {}
    for line in lines:
        name, separator, value = line.strip().partition("=")
        if separator and name.startswith(PREFIX) and name not in os.environ:
            found[name.removeprefix(PREFIX).lower()] = value.strip().strip("'\"")
    return {name: value for name, value in found.items() if value}
