"""Ids of the REST API as keys of one host."""

from typing import Any, Self
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.kit.problems import InvalidError, NotFoundError
from arraywright.storage import repository
from arraywright.storage.models import ObjectState


class References:
    """Resolves against the host of the object a request is about."""

    def __init__(self, session: AsyncSession, row: Any) -> None:
        self._session = session
        self.target: ObjectState = row[0]
        self.host_name: str = row[1]
        self.online: bool = row[2]
        self.last_seen_us: int | None = row[3]

    @classmethod
    async def of(cls, session: AsyncSession, kind: str, target_id: UUID) -> Self:
        row = await repository.find(session, kind, target_id)
        if row is None:
            raise NotFoundError(f"There is no such {kind.replace('_', ' ')}.")
        return cls(session, row)

    @property
    def target_key(self) -> str:
        return self.target.key

    @property
    def shown_name(self) -> str:
        """What people call the object: its name, or else its place."""
        doc = self.target.doc
        return str(doc.get("name") or doc.get("path") or self.target.key)

    async def key(self, kind: str, object_id: UUID, pointer: str) -> str:
        row = await repository.find(self._session, kind, object_id)
        name = kind.replace("_", " ")
        if row is None:
            raise InvalidError(
                f"There is no such {name}.",
                code="unknown_object",
                params={"kind": kind, "key": str(object_id)},
                errors=[(pointer, f"there is no such {name}")],
            )
        if row[0].host_id != self.target.host_id:
            raise InvalidError(
                f"The {name} {row[0].key} belongs to another host.",
                code="other_host",
                params={"kind": kind, "key": row[0].key},
                errors=[(pointer, "belongs to another host")],
            )
        return str(row[0].key)

    async def keys(self, kind: str, ids: list[UUID], pointer: str) -> list[str]:
        return [await self.key(kind, item, f"{pointer}/{n}") for n, item in enumerate(ids)]
