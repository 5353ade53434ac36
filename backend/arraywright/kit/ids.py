"""Ids of reported objects follow from host, kind and key, so they survive a lost database."""

from uuid import UUID, uuid5


def object_id(host_id: UUID, kind: str, key: str) -> UUID:
    return host_id if kind == "host" else uuid5(host_id, f"{kind}:{key}")
