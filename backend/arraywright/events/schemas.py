"""Facts: numbered by the host that reported them."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.kit.schema import ApiModel, OpenWord, Timestamp
from arraywright.link.protocol import EventClass, ObjectKind


class Event(ApiModel):
    id: Annotated[str, Field(description="opaque")]
    host_id: UUID
    host_name: Annotated[str, Field(description="its label: no other host is called so")]
    seq: Annotated[int, Field(description="the host's number")]
    at: Annotated[Timestamp, Field(description="the host's clock")]
    limited: Annotated[
        list[str],
        Field(description="fields whose reported values are impossible: the nearest is shown"),
    ]
    received_at: Timestamp
    code: int
    name: str
    event_class: OpenWord[EventClass]
    locale: int
    object_kind: OpenWord[ObjectKind]
    object_id: UUID
    object_key: str
    params: dict[str, str]
    text: str
