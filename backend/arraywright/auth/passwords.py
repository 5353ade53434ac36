"""Argon2id, off the event loop."""

import asyncio
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# 19 MiB and two passes: the lower OWASP setting, ~25 ms on a small machine.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_PARALLEL = asyncio.Semaphore(2)
# Whoever has logged in before does not queue behind strangers who try passwords.
_FOR_KNOWN = asyncio.Semaphore(1)


def hash_now(password: str) -> str:
    return _HASHER.hash(password)


async def hash_password(password: str) -> str:
    async with _PARALLEL:
        return await asyncio.to_thread(_HASHER.hash, password)


def _verify(stored: str, password: str) -> bool:
    try:
        return _HASHER.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False


async def verify_password(stored: str | None, password: str, *, is_known: bool = True) -> bool:
    """False for an unknown user too, after the same work."""
    async with _FOR_KNOWN if is_known else _PARALLEL:
        matches = await asyncio.to_thread(_verify, stored or _decoy(), password)
    return matches and stored is not None


_decoys: list[str] = []


def _decoy() -> str:
    if not _decoys:
        _decoys.append(_HASHER.hash(secrets.token_urlsafe(16)))
    return _decoys[0]
