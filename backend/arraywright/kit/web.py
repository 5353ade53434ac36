"""Small questions about a request."""

from fastapi import Request
from starlette.requests import HTTPConnection

from arraywright.settings import Settings


def client_address(request: HTTPConnection) -> str:
    return request.client.host if request.client else ""


def is_https(request: Request, settings: Settings) -> bool:
    return request.url.scheme == "https" or settings.public_url.startswith("https://")


def base_url(request: Request, settings: Settings) -> str:
    """How the caller reaches us, without a trailing slash."""
    return (settings.public_url or str(request.base_url)).rstrip("/")
