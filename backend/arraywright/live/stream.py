"""One server-sent event stream."""

from collections.abc import AsyncIterator
from uuid import UUID

from pydantic import BaseModel

from arraywright.auth.principal import Principal
from arraywright.kit.problems import NotFoundError
from arraywright.kit.waiting import happened
from arraywright.live.hub import Subscription
from arraywright.live.schemas import (
    LiveChange,
    LiveEnd,
    LiveItem,
    LiveKind,
    LiveReady,
    LiveReset,
    LiveTopics,
)
from arraywright.runtime import Runtime

BATCH_S = 0.25
KEEP_ALIVE_S = 15.0
KINDS = frozenset(kind.value for kind in LiveKind)


def set_topics(
    runtime: Runtime, principal: Principal, stream_id: UUID, body: LiveTopics
) -> LiveTopics:
    subscription = runtime.hub.find(stream_id)
    if (
        subscription is None
        or subscription.principal.user_id != principal.user_id
        or subscription.principal.host_ids != principal.host_ids
    ):
        raise NotFoundError("There is no such stream of yours.")
    subscription.topics = frozenset(body.topics)
    return body


def _event(name: str, data: BaseModel, event_id: str | None = None) -> str:
    head = f"id: {event_id}\n" if event_id else ""
    return f"{head}event: {name}\ndata: {data.model_dump_json()}\n\n"


def _seconds_left(runtime: Runtime, subscription: Subscription) -> float:
    expires_us = subscription.principal.expires_us
    if expires_us is None:
        return KEEP_ALIVE_S
    return (expires_us - runtime.clock.now_us()) / 1e6


async def render(
    runtime: Runtime, principal: Principal, last_event_id: str | None
) -> AsyncIterator[str]:
    """The stream's text; ends with an `end` event when its credentials or the server end.

    It listens from its first line on: one that is never read leaves nothing behind.
    """
    hub = runtime.hub
    subscription = hub.subscribe(principal, last_event_id)
    try:
        ready = LiveReady(stream=subscription.id, topics=sorted(subscription.topics))
        yield "retry: 2000\n" + _event("ready", ready, hub.event_id(subscription.delivered))
        while True:
            if hub.closing.is_set():
                subscription.end("shutdown")
            if subscription.end_reason is None and _seconds_left(runtime, subscription) <= 0:
                subscription.end("expired")
            if subscription.end_reason is not None:
                yield _event("end", LiveEnd.model_validate({"reason": subscription.end_reason}))
                return
            if subscription.needs_reset:
                subscription.needs_reset = False
                subscription.take()
                yield _event("reset", LiveReset(), hub.event_id(subscription.position))
            elif subscription.pending:
                position = subscription.position
                items = [
                    LiveItem(kind=LiveKind(kind), id=object_id, rev=rev)
                    for kind, object_id, rev in subscription.take()
                    if kind in KINDS
                ]
                if items:
                    yield _event("change", LiveChange(changes=items), hub.event_id(position))
                # Let what follows gather, but do not sleep through the end.
                await happened(subscription.ended, BATCH_S)
                continue
            if not await _news(runtime, subscription):
                yield ": still here\n\n"
    finally:
        hub.unsubscribe(subscription)


async def _news(runtime: Runtime, subscription: Subscription) -> bool:
    timeout = max(0.0, min(KEEP_ALIVE_S, _seconds_left(runtime, subscription)))
    return await happened(subscription.news, timeout)
