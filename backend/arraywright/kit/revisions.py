"""Revisions that are never used twice.

A host counts the revisions of its configuration. A host whose state directory was restored, or
that begins a new one, counts the same numbers again for other configurations. Therefore the link
names each run of numbers by a random word, the life. It begins a new life whenever a host may
count again, and callers see `<life>-<number>`.
"""

import secrets


def new_life() -> str:
    return secrets.token_hex(4)


def config_rev(life: str, number: int) -> str:
    return f"{life}-{number}"


NO_REPORT = config_rev("0", 0)
"""Of a host that has never reported."""
