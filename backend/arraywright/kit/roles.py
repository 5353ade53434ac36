"""The three roles; each may do what the one before it may."""

from enum import StrEnum


class Role(StrEnum):
    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMINISTRATOR = "administrator"

    @property
    def rank(self) -> int:
        return _RANKS[self]

    def allows(self, needed: "Role") -> bool:
        return self.rank >= needed.rank


_RANKS = {role: rank for rank, role in enumerate(Role)}
