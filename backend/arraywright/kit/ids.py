"""Ids of reported objects follow from host, kind and key, so they survive a lost database."""

from functools import lru_cache
from uuid import UUID, uuid5

KNOWN = 20_000
"""Enough for what many hosts tell at a time: drives name the same controller and enclosure."""


@lru_cache(KNOWN)
def object_id(host_id: UUID, kind: str, key: str) -> UUID:
    return host_id if kind == "host" else uuid5(host_id, f"{kind}:{key}")
