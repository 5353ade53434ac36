"""The lines with which a machine becomes a host, one for each way to have the agent there."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from arraywright.hosts.schemas import EnrolmentLine, EnrolmentLines, LineForm
from arraywright.kit.problems import InvalidError
from arraywright.settings import Settings

PLACEHOLDER = "TOKEN"
# Nothing in it means anything to a shell.
_URL = re.compile(
    r"https?://([A-Za-z0-9._-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(:\d{1,5})?(/[A-Za-z0-9._~-]+)*/?"
)


def checked(url: str) -> str:
    """An address that hosts can be told, without a slash at the end."""
    if len(url) > 300 or not _URL.fullmatch(url):
        raise InvalidError(
            "The address must be http:// or https://, a name or an IP address, and maybe a port "
            "and a path.",
            errors=[("url", "not an address of a server")],
        )
    return url.rstrip("/")


def is_loopback(url: str) -> bool:
    name = urlsplit(url).hostname or ""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def installed(settings: Settings, url: str, token: str) -> str:
    """For a machine that has the agent."""
    line = settings.install_line.format(url=url, token=token)
    plain = url.startswith("http://") and not is_loopback(url)
    return f"{line} --insecure" if plain and "--insecure" not in line else line


def every(settings: Settings, url: str) -> EnrolmentLines:
    line = installed(settings, url, PLACEHOLDER)
    container = (
        "docker run --detach --name arraywright-agent --cap-drop ALL --cap-add IPC_LOCK "
        "--security-opt no-new-privileges:true --security-opt seccomp=agent/dist/seccomp.json "
        "--volume arraywright-agent:/var/lib/arraywright "
        f"--env ARRAYWRIGHT_URL={url} --env ARRAYWRIGHT_TOKEN={PLACEHOLDER} arraywright-agent"
    )
    package = f"sudo apt install ./arraywright-agent_*.deb && {line}"
    return EnrolmentLines(
        url=url,
        loopback=is_loopback(url),
        lines=[
            EnrolmentLine(form=LineForm.PACKAGE, line=package),
            EnrolmentLine(form=LineForm.INSTALLED, line=line),
            EnrolmentLine(form=LineForm.CONTAINER, line=container),
        ],
    )
