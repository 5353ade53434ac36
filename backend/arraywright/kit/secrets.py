"""Secrets that are shown once and kept as a hash."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass

PREFIX_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class Secret:
    text: str
    prefix: str
    digest: str


def make_secret(label: str) -> Secret:
    """A 256-bit secret; `label` tells at a glance what it is for."""
    text = f"{label}_{secrets.token_urlsafe(32)}"
    return Secret(text=text, prefix=text[:PREFIX_CHARACTERS], digest=digest_of(text))


def digest_of(text: str) -> str:
    """Plain SHA-256: the secrets are random, so there is nothing to slow down."""
    return hashlib.sha256(text.encode()).hexdigest()


def same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
