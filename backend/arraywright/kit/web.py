"""Small questions about a request: who calls, how, and by which name."""

import re
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from arraywright.settings import ROOT_PATH, Settings

ROOT = "arraywright.root"
"""Where `middleware.RootPath` keeps the sub-path of a request."""
Network = IPv4Network | IPv6Network
_NAME = re.compile(r"[A-Za-z0-9._-]{1,253}|\[[0-9a-fA-F:.]{2,45}\]")


@lru_cache(maxsize=8)
def networks(text: str) -> tuple[Network, ...]:
    """Addresses and networks, separated by commas or spaces."""
    return tuple(ip_network(part, strict=False) for part in re.split(r"[,\s]+", text) if part)


def _is_trusted(address: str, trusted: tuple[Network, ...]) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return any(found in network for network in trusted)


def _bare(address: str) -> str:
    """Without port, brackets and quotes."""
    text = address.strip().strip('"')
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


def _forwarded(request: HTTPConnection, field: str) -> list[str]:
    """Values of a field of `Forwarded`, the nearest proxy's last."""
    elements = ",".join(request.headers.getlist("forwarded")).split(",")
    found = []
    for element in elements:
        for pair in element.split(";"):
            name, _, value = pair.strip().partition("=")
            if name.lower() == field and value:
                found.append(_bare(value) if field == "for" else value.strip('"'))
    return found


def _header_list(request: HTTPConnection, name: str) -> list[str]:
    return [part.strip() for part in ",".join(request.headers.getlist(name)).split(",") if part]


def _peer(request: HTTPConnection) -> str:
    return request.client.host if request.client else ""


def is_behind_proxy(request: HTTPConnection, settings: Settings) -> bool:
    """Whether the caller's words about whom it speaks for are believed."""
    return _is_trusted(_peer(request), networks(settings.trusted_proxies))


def client_address(request: HTTPConnection, settings: Settings) -> str:
    """The nearest address that is not one of our proxies: what lies beyond it may be made up."""
    trusted = networks(settings.trusted_proxies)
    address = _peer(request)
    said = [_bare(part) for part in _header_list(request, "x-forwarded-for")]
    for before in reversed(said or _forwarded(request, "for")):
        if not _is_trusted(address, trusted):
            break
        try:
            address = str(ip_address(before))
        except ValueError:
            break
    return address


def is_https(request: HTTPConnection, settings: Settings) -> bool:
    if request.url.scheme == "https" or settings.public_url.startswith("https://"):
        return True
    if not is_behind_proxy(request, settings):
        return False
    said = _header_list(request, "x-forwarded-proto") or _forwarded(request, "proto")
    return bool(said) and said[-1].lower() == "https"


def configured_root(settings: Settings) -> str:
    """The sub-path that the administrator has named; "" if none."""
    if settings.root_path:
        return settings.root_path
    path = urlsplit(settings.public_url).path.rstrip("/")
    return path if ROOT_PATH.fullmatch(path) else ""


def forwarded_root(request: HTTPConnection, settings: Settings) -> str:
    """The sub-path that a proxy of ours has named; anybody else's word is ignored."""
    if not is_behind_proxy(request, settings):
        return ""
    path = request.headers.get("x-forwarded-prefix", "").strip().rstrip("/")
    return path if ROOT_PATH.fullmatch(path) else ""


def root_path(request: HTTPConnection) -> str:
    """ "" or "/…": what the caller sees in front of every address of ours."""
    return str(request.scope.get(ROOT, ""))


def base_url(request: HTTPConnection, settings: Settings) -> str:
    """How the caller reaches us, without a trailing slash.

    A Host header says whatever its sender wants, and the line that enrols a machine is made of
    it: only names that are configured, and addresses, are repeated.
    """
    if settings.public_url:
        return settings.public_url.rstrip("/")
    scheme = "https" if is_https(request, settings) else "http"
    host = request.headers.get("host", "")
    name, _, port = host.rpartition(":") if re.search(r":\d{1,5}$", host) else (host, "", "")
    if not (_NAME.fullmatch(name) and _is_ours(name, request, settings)):
        server = request.scope.get("server") or ("localhost", settings.port)
        name, port = str(server[0]), str(server[1])
        name = f"[{name}]" if ":" in name else name
    origin = f"{scheme}://{name}:{port}" if port else f"{scheme}://{name}"
    return origin + root_path(request)


def _is_ours(name: str, request: HTTPConnection, settings: Settings) -> bool:
    server = request.scope.get("server") or ("", 0)
    if name.strip("[]") == server[0]:
        return True
    if name.lower() == "localhost":
        return settings.is_loopback or _is_trusted(str(server[0]), networks("127.0.0.0/8 ::1"))
    return name.lower() in {part.lower() for part in re.split(r"[,\s]+", settings.allowed_hosts)}
