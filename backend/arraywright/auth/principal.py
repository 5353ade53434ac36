"""Who is calling."""

from dataclasses import dataclass
from uuid import UUID

from arraywright.kit.roles import Role


@dataclass(frozen=True, slots=True)
class Principal:
    user_id: UUID
    username: str
    role: Role
    session_id: UUID | None = None
    token_id: UUID | None = None
    csrf_token: str | None = None
    expires_us: int | None = None
    read_only: bool = False
    host_ids: frozenset[UUID] | None = None
    """The only hosts it may know of; None: all."""

    @property
    def via(self) -> str:
        """How the request came: from the console or by REST."""
        return "console" if self.session_id else "rest"
