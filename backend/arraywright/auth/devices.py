"""Proof that a browser has logged in as a user before.

The cookie names the user and is signed with a key of this installation and the user's password
hash: a new password makes all devices strangers again. It gives no access to anything.
"""

import hashlib
import hmac
import secrets

from arraywright.auth.models import User

PARTS = 2


def _signature(key: str, user: User, nonce: str) -> str:
    text = f"arraywright-device-v1\n{user.id}\n{nonce}\n{user.password_hash}"
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()


def make_device(key: str, user: User) -> str:
    nonce = secrets.token_hex(16)
    return f"{nonce}.{_signature(key, user, nonce)}"


def known_device(key: str, user: User | None, cookie: str | None) -> str | None:
    """The device's name, if the cookie is good for this user."""
    parts = (cookie or "").split(".")
    if user is None or len(parts) != PARTS:
        return None
    nonce, signature = parts
    good = hmac.compare_digest(signature.encode(), _signature(key, user, nonce).encode())
    return nonce if good else None
