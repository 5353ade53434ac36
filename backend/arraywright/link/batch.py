"""One transaction's worth of what agents report.

State. A cursor's `state_rev` says that every change up to it is stored, so an object is news
exactly if its revision is above it. A full state replaces everything and is applied in one go,
whatever number of frames it came in.

Events. The cursor holds the highest number up to which all are stored; what is not above it is
a repeat, what leaves a hole is not taken and will be sent again.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts import conditions, findings
from arraywright.alerts import engine as alerts
from arraywright.alerts.engine import Changed
from arraywright.hosts import repository as hosts
from arraywright.hosts.models import Host, HostSummary
from arraywright.kit.ids import object_id
from arraywright.kit.presence import Presence
from arraywright.link import history, lives, repository
from arraywright.link.allowances import TOMBSTONES, Allowance, Held
from arraywright.link.models import SyncCursor
from arraywright.link.protocol import (
    DOCUMENTS,
    EventFrame,
    EventRecord,
    ObjectRecord,
    Tombstone,
)
from arraywright.link.repair import LIMITED
from arraywright.live import outbox
from arraywright.live.hub import Change
from arraywright.storage.projection import placed, project

EVENTS_LOST_CODE = 64000


class FencedError(Exception):
    """A newer session of the same agent exists."""


class WentBackError(Exception):
    """The host's history is not the one that is stored: everything is needed anew."""


class ResyncError(Exception):
    """The frame does not follow on what is stored: a full state is needed."""


Condition = Callable[[str], findings.Finding]


@dataclass(frozen=True, slots=True)
class Arriving:
    """What a hello is judged by."""

    host: Host
    summary: HostSummary
    cursor: SyncCursor
    desk: alerts.Desk
    newest_seq: int
    """Of the events that are stored under the name of its log."""


class Batch:
    def __init__(self, session: AsyncSession, now_us: int, reporting: set[UUID]) -> None:
        """`reporting`: hosts that are known to report findings; it lives longer than a batch."""
        self.session = session
        self._reporting = reporting
        self.now_us = now_us
        self._cursors: dict[UUID, SyncCursor] = {}
        self._changed: dict[UUID, dict[tuple[str, str], Changed]] = {}
        self._rows: dict[tuple[UUID, str, str], dict[str, Any]] = {}
        self._full: dict[UUID, tuple[int, set[tuple[str, str]]]] = {}
        """Hosts that have told their whole state since objects were stored last: whatever is not
        to be stored now, nor among these, is gone by this revision."""
        self._reported: set[UUID] = set()
        self._arriving: dict[UUID, Arriving] = {}
        self.greeted: set[UUID] = set()
        """Hosts that have said hello in this batch."""
        self._counted: set[UUID] = set()
        """Hosts whose figures may have moved."""
        self.events: list[dict[str, Any]] = []
        self._news: dict[tuple[str, str], Change] = {}
        self._conditions: list[tuple[UUID, Condition]] = []

    async def load(self, host_ids: Collection[UUID]) -> None:
        """Locks the cursors of these hosts, always in the same order."""
        self._cursors |= await repository.cursors(self.session, host_ids)

    async def expect(self, host_ids: Collection[UUID]) -> None:
        """Loads what the hellos of these hosts, loaded before, ask for."""
        if not host_ids:
            return
        rows = await hosts.named(self.session, host_ids)
        desks = await alerts.desks(self.session, self.now_us, host_ids)
        cursors = [row for host_id, row in self._cursors.items() if host_id in host_ids]
        newest = await history.newest(self.session, cursors)
        for host, summary in rows:
            cursor = self._cursors.get(host.id)
            if cursor is not None and host.retired_us is None:
                self._arriving[host.id] = Arriving(
                    host, summary, cursor, desks[host.id], newest[host.id]
                )

    def arriving(self, host_id: UUID) -> Arriving | None:
        """None if the host is not enrolled, or retired."""
        return self._arriving.get(host_id)

    def cursor(self, host_id: UUID, fence: int) -> SyncCursor:
        """The host's cursor, for the session that holds the present fence only."""
        found = self._cursors.get(host_id)
        if found is None or found.fence != fence:
            raise FencedError
        return found

    def tell(self, kind: str, object_id: str, rev: int, host_id: UUID) -> None:
        known = self._news.get((kind, object_id))
        if known is None or known.rev < rev:
            self._news[kind, object_id] = Change(kind, object_id, rev, host_id)

    def behaves(
        self,
        cursor: SyncCursor,
        *,
        noisy: int = 0,
        rate: int = 0,
        nonsense: int = 0,
        example: str = "",
    ) -> None:
        """The host brings too much, or what cannot be right: an alert says so."""

        def find(name: str) -> findings.Finding:
            if noisy > 0:
                return findings.host_noisy(name, noisy, rate)
            return findings.host_sent_nonsense(name, nonsense, example[:200])

        self._conditions.append((cursor.host_id, find))

    # State

    async def within_limits(
        self, host_id: UUID, objects: Sequence[ObjectRecord], allowance: Allowance
    ) -> Sequence[ObjectRecord]:
        """Without those that would make the host's objects too many.

        Every object counts as a new one until the bound is reached; only then are they counted.
        """
        unknown = sum(item.kind not in DOCUMENTS for item in objects)
        held = allowance.held
        if held is None or not held.has_room(len(objects) - unknown, unknown):
            await self._flush_objects()
            here, strange, dead = await repository.count_objects(self.session, host_id, DOCUMENTS)
            if dead > TOMBSTONES:
                await repository.forget_tombstones(self.session, host_id, dead - TOMBSTONES // 2)
            held = allowance.held = Held(here, strange)
        if not held.has_room(len(objects) - unknown, unknown):
            present = await repository.live_objects(self.session, [host_id])
            objects = held.choose(objects, {(kind, key) for _, kind, key in present})
            unknown = sum(item.kind not in DOCUMENTS for item in objects)
        held.objects += len(objects) - unknown
        held.unknown += unknown
        return objects

    async def apply_delta(
        self,
        cursor: SyncCursor,
        *,
        epoch: str,
        base_rev: int,
        to_rev: int,
        objects: Sequence[ObjectRecord],
        tombstones: Sequence[Tombstone],
    ) -> int:
        """Returns the revision to acknowledge."""
        if epoch != cursor.state_epoch or base_rev > cursor.state_rev:
            raise ResyncError
        known = cursor.state_rev
        for item in objects:
            if item.rev > known:
                self._put(cursor, item)
        for stone in tombstones:
            if stone.rev > known:
                await self._bury(cursor.host_id, stone.kind, stone.key, stone.rev)
        cursor.state_rev = max(known, to_rev)
        return cursor.state_rev

    async def apply_full(
        self,
        cursor: SyncCursor,
        *,
        epoch: str,
        to_rev: int,
        objects: Iterable[ObjectRecord],
        kept: Collection[tuple[str, str]] = (),
    ) -> int:
        """Returns the revision to acknowledge. `kept` were named, but not understood."""
        if epoch == cursor.state_epoch and to_rev < cursor.state_rev:
            return cursor.state_rev  # an old copy, overtaken by what is stored
        if any(host_id == cursor.host_id for host_id, _, _ in self._rows):
            await self._flush_objects()
        if cursor.state_epoch not in ("", epoch):
            await lives.begin(self.session, self.now_us, cursor)
        for item in objects:
            self._put(cursor, item)
        self._full[cursor.host_id] = (to_rev, set(kept))
        await self.keep_older(cursor.host_id, kept, to_rev)
        cursor.state_epoch = epoch
        cursor.state_rev = to_rev
        self._counted.add(cursor.host_id)
        self._reported.add(cursor.host_id)
        return to_rev

    async def keep_older(self, host_id: UUID, names: Collection[tuple[str, str]], rev: int) -> None:
        """The newest report of these cannot be understood: what is known is marked as older."""
        if not names:
            return
        await self._flush_objects()
        for item in await repository.objects_named(self.session, host_id, names):
            item.doc = {**item.doc, LIMITED: ["report"]}
            item.rev = max(item.rev, rev)
            self.tell(item.kind, str(item.id), item.rev, host_id)
        await self.session.flush()  # a newer report of the same object may follow in this batch

    def _put(self, cursor: SyncCursor, item: ObjectRecord) -> None:
        host_id, life = cursor.host_id, cursor.life
        self._rows[host_id, item.kind, item.key] = {
            "host_id": host_id,
            "kind": item.kind,
            "key": item.key,
            "rev": item.rev,
            "config_rev": item.config_rev,
            "life": life,
            "deleted": False,
            "changed_us": self.now_us,
            "doc": item.doc,
            **project(host_id, item.kind, item.key, item.doc),
        }
        self._note(host_id, item.kind, item.key, item.doc, item.rev)

    async def _bury(self, host_id: UUID, kind: str, key: str, rev: int) -> None:
        await self._flush_objects()
        await self._bury_stored(host_id, kind, key, rev)

    async def _bury_missing(self) -> None:
        """What full states do not name."""
        full, self._full = self._full, {}
        for host_id, kind, key in sorted(await repository.live_objects(self.session, full)):
            to_rev, kept = full[host_id]
            if (host_id, kind, key) not in self._rows and (kind, key) not in kept:
                await self._bury_stored(host_id, kind, key, to_rev)

    async def _bury_stored(self, host_id: UUID, kind: str, key: str, rev: int) -> None:
        if await repository.bury(self.session, host_id, kind, key, rev=rev, now_us=self.now_us):
            self._note(host_id, kind, key, None, rev)
            self._counted.add(host_id)

    def _note(
        self, host_id: UUID, kind: str, key: str, doc: dict[str, Any] | None, rev: int
    ) -> None:
        self._changed.setdefault(host_id, {})[kind, key] = Changed(kind, key, doc)
        if kind == "host":
            self._reporting.discard(host_id)
            self._counted.add(host_id)
        self.tell(kind, str(object_id(host_id, kind, key)), rev, host_id)

    async def _flush_objects(self) -> None:
        """Most changes are of the document alone: then the figures of the host stay."""
        await self._bury_missing()
        rows, self._rows = self._rows, {}
        stored = await repository.projections(self.session, rows)
        moved = {
            name: row
            for name, row in rows.items()
            if stored.get(name) != tuple(row[column] for column in repository.PROJECTED)
        }
        affected = {host_id for host_id, _, _ in moved}
        self._counted |= affected
        if affected:
            names = await hosts.own_names(self.session, affected)
            for row in moved.values():
                row |= placed(row["search"], *names[row["host_id"]])
        await repository.upsert_objects(self.session, list(moved.values()))
        await repository.replace_documents(
            self.session, [row for name, row in rows.items() if name not in moved]
        )

    # Events

    def apply_events(
        self, cursor: SyncCursor, frame: EventFrame, repeats: frozenset[int] = frozenset()
    ) -> int:
        """Returns the highest number up to which all events are stored; repeats are already."""
        for event in frame.events:
            if event.seq <= cursor.event_seq:
                continue
            if event.seq > cursor.event_seq + 1:
                told = event.seq == frame.first_seq and bool(frame.gap)
                if not told:
                    break
                self._add_gap(cursor, event)
            if event.seq not in repeats:
                self._add_event(cursor, event)
            cursor.event_seq = event.seq
        self.tell("event", str(cursor.host_id), cursor.event_seq, cursor.host_id)
        return cursor.event_seq

    def _add_event(self, cursor: SyncCursor, event: EventRecord) -> None:
        self.events.append(
            {
                "host_id": cursor.host_id,
                "epoch": history.stored_under(cursor),
                "seq": event.seq,
                "wall_us": event.wall_us,
                "received_us": self.now_us,
                "code": event.code,
                "name": event.name[:64],
                "class_value": event.class_,
                "locale": event.locale,
                "object_kind": event.kind[:32],
                "object_key": event.key[:128],
                "object_id": object_id(cursor.host_id, event.kind, event.key),
                "params": event.params,
                "text": event.text,
            }
        )

    def _add_gap(self, cursor: SyncCursor, event: EventRecord) -> None:
        """The host had to drop events: say so where they would have been."""
        lost = event.seq - cursor.event_seq - 1
        self._add_event(
            cursor,
            EventRecord(
                seq=event.seq - 1,
                wall_us=event.wall_us,
                monotonic_us=event.monotonic_us,
                code=EVENTS_LOST_CODE,
                name="events_lost",
                class_=1,
                locale=event.locale,
                kind="host",
                key="host",
                params={"count": str(lost)},
                text=f"{lost} events were lost on the host before they could be sent",
            ),
        )

    # End

    async def finish(self) -> None:
        await self._flush_objects()
        await repository.insert_events(self.session, self.events)
        for host_id, find in self._conditions:
            await conditions.tell(self.session, self.now_us, host_id, find)
            self._counted.add(host_id)
        changes = {host_id: items.values() for host_id, items in self._changed.items()}
        self._counted |= await alerts.objects_changed(
            self.session, self.now_us, changes, self._reporting
        )
        if self._counted:
            await self.session.flush()
            for summary in await hosts.recount(self.session, list(self._counted)):
                connecting = summary.presence == Presence.CONNECTING.value
                if connecting and summary.host_id in self._reported:
                    summary.presence = Presence.ONLINE.value
                self.tell("host", str(summary.host_id), summary.rev, summary.host_id)
        await outbox.add_many(self.session, list(self._news.values()))
