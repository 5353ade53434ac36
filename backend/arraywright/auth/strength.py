"""Whether a password is one that nobody else would try first."""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

from arraywright.kit.problems import InvalidError

COMMON = Path(__file__).with_name("common_passwords.txt")
DIFFERENT = 5
SHORTEST_NAME = 4
PRODUCT = "arraywright"


@cache
def _common() -> frozenset[str]:
    lines = COMMON.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def _is_run(text: str) -> bool:
    """abcdefghij, 9876543210."""
    steps = {ord(b) - ord(a) for a, b in pairwise(text)}
    return steps in ({1}, {-1})


def _is_repetition(text: str) -> bool:
    return any(
        text == (text[:size] * (len(text) // size + 1))[: len(text)]
        for size in range(1, len(text) // 2 + 1)
    )


def weakness(password: str, username: str) -> str | None:
    """Why the password is too easy to guess; None if it is not."""
    folded = password.casefold()
    base = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", folded)
    if len(set(folded)) < DIFFERENT:
        return f"use at least {DIFFERENT} different characters"
    if _is_run(folded) or _is_repetition(folded):
        return "do not repeat or count"
    letters = re.sub(r"[\W\d_]", "", folded)
    for name in (username.casefold(), PRODUCT):
        stem = re.sub(r"[\W\d_]", "", name)
        if folded == name or (len(stem) >= SHORTEST_NAME and letters in (stem, stem * 2)):
            return "do not use the user name or the name of this product"
    if folded in _common() or base in _common():
        return "this is one of the most common passwords"
    return None


def check_password(password: str, username: str, pointer: str = "/password") -> None:
    why = weakness(password, username)
    if why is not None:
        raise InvalidError(
            f"The password is too easy to guess: {why}.",
            code="password_weak",
            params={"why": why},
            errors=[(pointer, f"Too easy to guess: {why}.")],
        )
