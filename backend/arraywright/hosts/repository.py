"""Questions about hosts."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    String,
    and_,
    bindparam,
    case,
    cast,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts.models import Alert
from arraywright.alerts.schemas import ServerRule
from arraywright.hosts.filters import HostFilter
from arraywright.hosts.models import EnrolToken, Host, HostSummary, HostTally, namesake, shown_name
from arraywright.kit.paging_sql import Rows, Sorting
from arraywright.kit.presence import HERE, Presence
from arraywright.link.models import SyncCursor
from arraywright.link.protocol import ControllerStatus, EventClass
from arraywright.storage.models import ObjectState
from arraywright.storage.projection import (
    ACTIVE_OPERATIONS,
    DEGRADED_STATES,
    FAILED_DRIVES,
    SPARES,
    placed,
)

CHUNK = 500
WORST_STATES = (
    ControllerStatus.OPTIMAL.value,
    ControllerStatus.STARTING.value,
    ControllerStatus.NEEDS_ATTENTION.value,
    ControllerStatus.DEGRADED.value,
    ControllerStatus.FAILED.value,
)
CALM_STATES = (None, *WORST_STATES[:2])
# The text of a list of labels has more than this between and around them.
_OF_LABELS = re.compile("[A-Za-z0-9._:/=-]+")
SEVERITIES = ("debug", "progress", "info", "warning", "critical", "fatal")


NOT_REDUNDANT = 99
"""Behind all that say how many failures they survive."""
SORTS: dict[str, tuple[Any, type]] = {
    "presence": (HostSummary.presence, str),
    "last_seen": (func.coalesce(HostSummary.last_seen_us, 0), int),
    "worst_state": (
        case(
            {word: rank for rank, word in enumerate(WORST_STATES)},
            value=HostSummary.worst_state,
            else_=-1,
        ),
        int,
    ),
    "agent_version": (HostSummary.agent_version, str),
    "drives": (HostSummary.drives, int),
    "virtual_drives": (HostSummary.virtual_drives, int),
    "raw_bytes": (HostSummary.raw_bytes, int),
    "usable_bytes": (HostSummary.usable_bytes, int),
    "operations_running": (HostSummary.operations_running, int),
    "open_alerts": (HostSummary.open_alerts, int),
    "drive_failures_left": (func.coalesce(HostSummary.drive_failures_left, NOT_REDUNDANT), int),
}
TALLIED = ("drive", "virtual_drive", "operation")
LARGEST_SUM = 2**62
"""What a column of a sum holds, with room to spare."""
_HALF = 2**32


def _size_sums(size: Any) -> tuple[Any, Any]:
    """The sum of sizes in two halves: of many large ones it is more than 64 bits hold."""
    return (
        func.coalesce(func.sum(size // _HALF), 0),
        func.coalesce(func.sum(size % _HALF), 0),
    )


def _size_sum(high: Any, low: Any) -> int:
    return int(high) * _HALF + int(low)


def hosts() -> Rows:
    """Rows of (host, summary, the host's own document or None, whether another has its name)."""
    return (
        select(Host, HostSummary, ObjectState, namesake())
        .join(HostSummary, HostSummary.host_id == Host.id)
        .outerjoin(
            ObjectState,
            and_(
                ObjectState.host_id == Host.id,
                ObjectState.kind == "host",
                ObjectState.deleted.is_(False),
            ),
        )
        .where(Host.retired_us.is_(None))
    )


def _called(words: str) -> ColumnElement[bool]:
    """Part of the name, or of a label."""
    name = func.lower(Host.name).contains(words.lower(), autoescape=True)
    if not _OF_LABELS.fullmatch(words):
        return name
    labels = func.lower(cast(Host.labels, String))
    return or_(name, labels.contains(words.lower(), autoescape=True))


def sorting(query: HostFilter) -> Sorting | None:
    if query.sort == "-name":
        return Sorting(query.sort, Host.name, str, descending=True)
    return Sorting.of(query.sort, SORTS)


def filtered(query: HostFilter) -> Rows:
    """What a page is made of: (id, name, what it is sorted by)."""
    statement: Rows = select(Host.id, Host.name).where(Host.retired_us.is_(None))
    if query.q:
        statement = statement.where(_called(query.q))
    order = sorting(query)
    if order is not None:
        statement = statement.add_columns(order.column)
    asked = (query.online, query.worst_state, query.alerts, order)
    if query.presence or any(value is not None for value in asked):
        statement = statement.join(HostSummary, HostSummary.host_id == Host.id)
    if query.presence:
        words = [word.value for word in query.presence]
        statement = statement.where(HostSummary.presence.in_(words))
    if query.online is not None:
        statement = statement.where(HostSummary.online.is_(query.online))
    if query.worst_state is not None:
        statement = statement.where(HostSummary.worst_state == query.worst_state.value)
    for wanted in query.label:
        # Labels hold no quotes and no backslashes: the text of the list is searched.
        quoted = json.dumps(wanted)
        statement = statement.where(cast(Host.labels, String).contains(quoted, autoescape=True))
    if query.enrolment_token_id is not None:
        statement = statement.where(Host.enrol_token_id == query.enrolment_token_id)
    if query.alerts is not None:
        has_alerts = HostSummary.open_alerts > 0
        statement = statement.where(has_alerts if query.alerts else ~has_alerts)
    return statement


async def rows_of(session: AsyncSession, ids: list[UUID]) -> list[Any]:
    """In the order of the ids."""
    found = await session.execute(hosts().where(Host.id.in_(ids)))
    rows = {row[0].id: row for row in found}
    return [rows[host_id] for host_id in ids if host_id in rows]


async def find(session: AsyncSession, host_id: UUID) -> Any | None:
    return (await session.execute(hosts().where(Host.id == host_id))).one_or_none()


async def host(session: AsyncSession, host_id: UUID) -> Host | None:
    found = await session.execute(select(Host).where(Host.id == host_id, Host.retired_us.is_(None)))
    return found.scalar_one_or_none()


async def summary(session: AsyncSession, host_id: UUID) -> HostSummary:
    return (
        await session.execute(select(HostSummary).where(HostSummary.host_id == host_id))
    ).scalar_one()


@dataclass(frozen=True, slots=True)
class _Line:
    """How many objects of a kind and state a host has."""

    kind: str
    state: str | None
    count: int
    size_bytes: int
    failures_left: int | None


def _apply_counts(row: HostSummary, lines: list[_Line]) -> None:
    """Counts what there is. Whether it is well, the findings say: see `_apply_findings`."""

    def count(kind: str, states: tuple[str, ...] | None = None) -> int:
        wanted = [n for n in lines if n.kind == kind and (states is None or n.state in states)]
        return sum(line.count for line in wanted)

    def size(kind: str) -> int:
        return min(LARGEST_SUM, sum(line.size_bytes for line in lines if line.kind == kind))

    row.controllers = count("controller")
    row.drives = count("drive")
    row.drives_unconfigured = count("drive", ("unconfigured_good",))
    row.hot_spares = count("drive", SPARES)
    row.drive_groups = count("drive_group")
    row.virtual_drives = count("virtual_drive")
    row.virtual_drives_degraded = count("virtual_drive", DEGRADED_STATES)
    row.virtual_drives_offline = count("virtual_drive", ("offline",))
    row.operations_running = count("operation", ACTIVE_OPERATIONS)
    row.raw_bytes = size("drive")
    row.usable_bytes = size("virtual_drive")
    left = [line.failures_left for line in lines if line.failures_left is not None]
    row.drive_failures_left = min(left, default=None)
    states = [n.state for n in lines if n.kind == "controller" and n.state in WORST_STATES]
    row.worst_state = max(states, key=WORST_STATES.index, default=None)


# An alert that is not resolved is a finding that is there. What only informs is no fault.
_FAULT = and_(Alert.open_key.is_not(None), Alert.severity != EventClass.INFO.value)


async def _apply_findings(session: AsyncSession, rows: Collection[HostSummary]) -> None:
    """A drive has failed if a finding says so; a host's own findings need attention as well."""
    host_ids = [row.host_id for row in rows]
    found = await session.execute(
        select(ObjectState.host_id, func.count())
        .where(
            ObjectState.host_id.in_(host_ids),
            ObjectState.kind == "drive",
            ObjectState.state.in_(FAILED_DRIVES),
            ObjectState.deleted.is_(False),
            exists().where(Alert.object_id == ObjectState.id, _FAULT),
        )
        .group_by(ObjectState.host_id)
    )
    failed = {host_id: int(count) for host_id, count in found}
    found = await session.execute(
        select(Alert.host_id).where(
            Alert.host_id.in_(host_ids),
            Alert.object_kind == "host",
            Alert.rule.not_in([rule.value for rule in ServerRule]),
            _FAULT,
        )
    )
    troubled = set(found.scalars())
    for row in rows:
        row.drives_failed = failed.get(row.host_id, 0)
        if row.host_id in troubled and row.worst_state in CALM_STATES:
            row.worst_state = ControllerStatus.NEEDS_ATTENTION.value


async def _keep_tallies(
    session: AsyncSession, host_ids: Collection[UUID], lines: dict[UUID, list[_Line]]
) -> None:
    found = await session.execute(select(HostTally).where(HostTally.host_id.in_(host_ids)))
    stored = {(row.host_id, row.kind, row.state): row for row in found.scalars()}
    for host_id in host_ids:
        for line in lines[host_id]:
            if line.kind not in TALLIED:
                continue
            size = min(LARGEST_SUM, line.size_bytes)
            row = stored.pop((host_id, line.kind, line.state or ""), None)
            if row is None:
                row = HostTally(host_id=host_id, kind=line.kind, state=line.state or "")
                session.add(row)
            row.count, row.size_bytes = line.count, size
    for row in stored.values():
        await session.delete(row)


async def recount(session: AsyncSession, host_ids: Collection[UUID]) -> list[HostSummary]:
    """Brings the figures of hosts up to date with their objects and alerts."""
    found = await session.execute(select(HostSummary).where(HostSummary.host_id.in_(host_ids)))
    rows = list(found.scalars())
    counts = await session.execute(
        select(
            ObjectState.host_id,
            ObjectState.kind,
            ObjectState.state,
            func.count(),
            *_size_sums(ObjectState.size_bytes),
            func.min(ObjectState.failures_left),
        )
        .where(ObjectState.host_id.in_(host_ids), ObjectState.deleted.is_(False))
        .group_by(ObjectState.host_id, ObjectState.kind, ObjectState.state)
    )
    lines: dict[UUID, list[_Line]] = defaultdict(list)
    for host_id, kind, state, count, high, low, left in counts:
        size = _size_sum(high, low)
        lines[host_id].append(_Line(kind, state, int(count), size, left))
    for row in rows:
        _apply_counts(row, lines[row.host_id])
        row.rev += 1
    await _keep_tallies(session, host_ids, lines)
    await _apply_findings(session, rows)
    await recount_alerts(session, rows)
    return rows


async def recount_alerts(session: AsyncSession, rows: Collection[HostSummary]) -> None:
    host_ids = [row.host_id for row in rows]
    found = await session.execute(
        select(Alert.host_id, Alert.severity, func.count())
        .where(Alert.host_id.in_(host_ids), Alert.open_key.is_not(None))
        .group_by(Alert.host_id, Alert.severity)
    )
    severities: dict[UUID, dict[str, int]] = defaultdict(dict)
    for host_id, severity, count in found:
        severities[host_id][severity] = int(count)
    for row in rows:
        row.open_alerts = sum(severities[row.host_id].values())
        known = [severity for severity in severities[row.host_id] if severity in SEVERITIES]
        row.worst_alert = max(known, key=SEVERITIES.index, default=None)


async def forget_objects(session: AsyncSession, host_id: UUID) -> None:
    """A retired host keeps its history only."""
    await session.execute(delete(ObjectState).where(ObjectState.host_id == host_id))
    await session.execute(delete(SyncCursor).where(SyncCursor.host_id == host_id))


async def hosts_here(session: AsyncSession) -> list[UUID]:
    found = await session.execute(
        select(HostSummary.host_id)
        .join(Host, Host.id == HostSummary.host_id)
        .where(HostSummary.presence.in_(HERE), Host.retired_us.is_(None))
    )
    return list(found.scalars())


async def set_last_seen(session: AsyncSession, seen: dict[UUID, int]) -> None:
    """One statement; those that were retired meanwhile are left out."""
    if not seen:
        return
    statement = (
        update(HostSummary)
        .where(HostSummary.host_id == bindparam("seen_host"))
        .values(last_seen_us=bindparam("seen_us"))
    )
    connection = await session.connection()
    rows = [{"seen_host": host_id, "seen_us": seen[host_id]} for host_id in sorted(seen, key=str)]
    await connection.execute(statement, rows)


async def move(
    session: AsyncSession, host_ids: Collection[UUID], origin: Collection[str], goal: str
) -> dict[UUID, int]:
    """Changes the presence of those that have one of these; returns their new revisions."""
    moved: dict[UUID, int] = {}
    every = sorted(host_ids, key=str)
    for first in range(0, len(every), CHUNK):
        chosen = HostSummary.host_id.in_(every[first : first + CHUNK])
        ordered = select(HostSummary.host_id).where(chosen).order_by(HostSummary.host_id)
        await session.execute(ordered.with_for_update())  # always in the same order
        done = await session.execute(
            update(HostSummary)
            .where(chosen, HostSummary.presence.in_(origin))
            .values(presence=goal, rev=HostSummary.rev + 1)
            .returning(HostSummary.host_id, HostSummary.rev)
            .execution_options(synchronize_session=False)
        )
        moved |= {row.host_id: row.rev for row in done}
    return moved


async def named(session: AsyncSession, host_ids: Collection[UUID]) -> list[Any]:
    """Rows of (host, summary)."""
    rows: list[Any] = []
    every = sorted(host_ids, key=str)
    for first in range(0, len(every), CHUNK):
        found = await session.execute(
            select(Host, HostSummary)
            .join(HostSummary, HostSummary.host_id == Host.id)
            .where(Host.id.in_(every[first : first + CHUNK]))
            .execution_options(populate_existing=True)
        )
        rows += found.all()
    return rows


async def names(
    session: AsyncSession, host_ids: Collection[UUID], *, retired: bool = True
) -> dict[UUID, str]:
    found: dict[UUID, str] = {}
    every = sorted(host_ids, key=str)
    for first in range(0, len(every), CHUNK):
        statement = select(Host.id, shown_name()).where(Host.id.in_(every[first : first + CHUNK]))
        if not retired:
            statement = statement.where(Host.retired_us.is_(None))
        found |= {row[0]: row[1] for row in await session.execute(statement)}
    return found


async def rename(session: AsyncSession, host: Host, name: str) -> None:
    """Beside its objects too."""
    if name != host.name:
        host.name = name
        await _place_objects(session, host)


async def relabel(session: AsyncSession, host: Host, labels: list[str]) -> None:
    """Beside its objects too. Its reports are written with the labels they find: they wait."""
    await session.execute(
        select(SyncCursor.host_id).where(SyncCursor.host_id == host.id).with_for_update()
    )
    host.labels = labels
    await _place_objects(session, host)


async def _place_objects(session: AsyncSession, host: Host) -> None:
    found = await session.execute(
        select(ObjectState.kind, ObjectState.key, ObjectState.search).where(
            ObjectState.host_id == host.id
        )
    )
    rows = [
        {"of_kind": kind, "of_key": key, **placed(search, host.name, host.labels)}
        for kind, key, search in found
    ]
    if not rows:
        return
    statement = (
        update(ObjectState)
        .where(
            ObjectState.host_id == host.id,
            ObjectState.kind == bindparam("of_kind"),
            ObjectState.key == bindparam("of_key"),
        )
        .values(host_name=bindparam("host_name"), search=bindparam("search"))
    )
    connection = await session.connection()
    await connection.execute(statement, rows)


async def own_names(
    session: AsyncSession, host_ids: Collection[UUID]
) -> dict[UUID, tuple[str, list[str]]]:
    """The names of these hosts, and their labels."""
    found = await session.execute(
        select(Host.id, Host.name, Host.labels).where(Host.id.in_(host_ids))
    )
    return {host_id: (name, labels) for host_id, name, labels in found}


async def never_connected(session: AsyncSession, before_us: int) -> list[Any]:
    """Rows of (host, summary): enrolled before, and never seen."""
    found = await session.execute(
        select(Host, HostSummary)
        .join(HostSummary, HostSummary.host_id == Host.id)
        .where(
            HostSummary.presence == Presence.ENROLLED.value,
            Host.enrolled_us < before_us,
            Host.retired_us.is_(None),
        )
    )
    return list(found.all())


async def host_of_key(session: AsyncSession, public_key: str) -> Host | None:
    found = await session.execute(
        select(Host).where(Host.public_key == public_key, Host.retired_us.is_(None)).limit(1)
    )
    return found.scalar_one_or_none()


async def state_counts(session: AsyncSession, kind: str) -> list[tuple[str, int, int]]:
    """(state, number, bytes) over the fleet."""
    found = await session.execute(
        select(HostTally.state, func.sum(HostTally.count), *_size_sums(HostTally.size_bytes))
        .where(HostTally.kind == kind)
        .group_by(HostTally.state)
        .order_by(HostTally.state)
    )
    return [(state, int(count), _size_sum(high, low)) for state, count, high, low in found.all()]


async def silent_names(session: AsyncSession) -> list[str]:
    """Hosts that were connected before and are not heard any more."""
    silent = [Presence.LATE.value, Presence.OFFLINE.value]
    found = await session.execute(
        select(shown_name())
        .join(HostSummary, HostSummary.host_id == Host.id)
        .where(HostSummary.presence.in_(silent), Host.retired_us.is_(None))
        .order_by(Host.name)
    )
    return list(found.scalars())


async def presence_counts(session: AsyncSession) -> dict[str, int]:
    """Of all, less those that are retired: few, and found by an index."""
    counted = select(HostSummary.presence, func.count()).group_by(HostSummary.presence)
    retired = counted.where(
        HostSummary.host_id.in_(select(Host.id).where(Host.retired_us.is_not(None)))
    )
    counts: Counter[str] = Counter()
    for presence, count in await session.execute(counted):
        counts[presence] += count
    for presence, count in await session.execute(retired):
        counts[presence] -= count
    return {presence: count for presence, count in counts.items() if count > 0}


async def least_failures_left(session: AsyncSession) -> int | None:
    """A retired host has none."""
    found = await session.execute(select(func.min(HostSummary.drive_failures_left)))
    return found.scalar_one()


async def alert_counts(session: AsyncSession) -> list[tuple[str, int]]:
    found = await session.execute(
        select(Alert.severity, func.count())
        .where(Alert.open_key.is_not(None))
        .group_by(Alert.severity)
    )
    counts = [(severity, int(count)) for severity, count in found.all()]
    return sorted(counts, key=lambda item: SEVERITIES.index(item[0]), reverse=True)


def tokens() -> Rows:
    return select(EnrolToken)


async def unexpired_tokens(session: AsyncSession, now_us: int) -> list[EnrolToken]:
    found = await session.execute(select(EnrolToken).where(EnrolToken.expires_us > now_us))
    return list(found.scalars())


async def token_by_digest(session: AsyncSession, digest: str) -> EnrolToken | None:
    found = await session.execute(select(EnrolToken).where(EnrolToken.digest == digest))
    return found.scalar_one_or_none()


async def use_token(
    session: AsyncSession, token_id: UUID, *, host_id: UUID, now_us: int, limit: int
) -> bool:
    """True for as many callers as the token has uses."""
    done = await session.execute(
        update(EnrolToken)
        .where(
            EnrolToken.id == token_id,
            EnrolToken.uses < func.coalesce(EnrolToken.max_uses, limit),
        )
        .values(uses=EnrolToken.uses + 1, used_us=now_us, host_id=host_id)
        .returning(EnrolToken.id)
        .execution_options(synchronize_session=False)
    )
    return done.one_or_none() is not None


async def hosts_of_tokens(
    session: AsyncSession, token_ids: Collection[UUID], *, newest: int
) -> list[Any]:
    """Rows of (token's id, id, shown name, enrolled, retired), the newest few of each token."""
    rank = func.row_number().over(
        partition_by=Host.enrol_token_id, order_by=[Host.enrolled_us.desc(), Host.id]
    )
    ranked = (
        select(
            Host.enrol_token_id,
            Host.id,
            shown_name().label("shown"),
            Host.enrolled_us,
            Host.retired_us,
            rank.label("rank"),
        )
        .where(Host.enrol_token_id.in_(token_ids))
        .subquery()
    )
    found = await session.execute(
        select(ranked).where(ranked.c.rank <= newest).order_by(ranked.c.rank)
    )
    return list(found.all())
