"""What becomes of a hello whose signature is good: a welcome, or a refusal that changes nothing."""

import logging
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts import engine as alerts
from arraywright.alerts import findings
from arraywright.alerts.schemas import ServerRule
from arraywright.audit import service as audit
from arraywright.commands import recovery
from arraywright.hosts import repository as host_rows
from arraywright.hosts import service as hosts
from arraywright.hosts.models import Host
from arraywright.link import history, identity, lives
from arraywright.link.batch import Arriving, Batch
from arraywright.link.identity import Machine, Origin
from arraywright.link.models import SyncCursor
from arraywright.link.protocol import REASONS, HelloFrame
from arraywright.link.registry import Peer
from arraywright.runtime import Runtime

logger = logging.getLogger(__name__)
US = 1_000_000
CONTESTED_HOLD_S = 600.0
"""Once a second machine was seen, it takes the host's place only after so long an absence."""
CONTESTED_RETRY_S = 600
IN_USE = "identity_in_use"
IN_USE_TEXT = REASONS[IN_USE]


class RefusedError(Exception):
    """The hello is not accepted; says which nack to send."""

    def __init__(self, reason: str, detail: str, retry_s: int | None = None) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.retry_s = retry_s


@dataclass(frozen=True, slots=True)
class Admitted:
    fence: int
    """Of the session; what an older one still brings is refused."""
    agent_fence: str | None
    acked_rev: int
    acked_event_seq: int
    clock_offset_ms: int | None


@dataclass(frozen=True, slots=True)
class _Arrival:
    session: AsyncSession
    runtime: Runtime
    hello: HelloFrame
    known: Arriving
    machine: Machine
    now_us: int

    @property
    def host(self) -> Host:
        return self.known.host

    @property
    def cursor(self) -> SyncCursor:
        return self.known.cursor

    @property
    def peer(self) -> Peer | None:
        return self.runtime.registry.peer(self.host.id)

    async def note(self, action: str, **detail: str) -> None:
        await audit.record(
            self.session,
            self.now_us,
            actor="agent",
            action=action,
            target=self.host.name,
            detail={"host_id": str(self.host.id), "machine": str(self.machine), **detail},
            address=self.machine.address,
        )


async def admit(
    batch: Batch, runtime: Runtime, hello: HelloFrame, known: Arriving, machine: Machine
) -> Admitted | RefusedError:
    """In the batch's transaction, which is to be committed in both cases."""
    arrival = _Arrival(batch.session, runtime, hello, known, machine, batch.now_us)
    origin = identity.origin(hello, known.cursor)
    refusal = await _refusal(arrival, origin)
    if refusal is not None:
        return refusal
    batch.greeted.add(known.host.id)
    if origin is Origin.SAME:
        await _tell_takeover(arrival)
        return await _welcome(arrival)
    await _start_over(arrival, origin)
    admitted = await _welcome(arrival)
    await hosts.recount_alerts(arrival.session, known.host.id)
    return admitted


# Refusing


async def _refusal(arrival: _Arrival, origin: Origin) -> RefusedError | None:
    peer = arrival.peer
    if peer is not None and _is_second_machine(arrival, origin, peer.machine):
        return await _refuse_second(arrival, peer.machine)
    if origin is not Origin.COPY:
        return None
    wait_s = arrival.runtime.registry.awaited_s(
        arrival.host.id, arrival.runtime.settings.disconnect_grace_s
    )
    if wait_s is None and arrival.runtime.registry.is_contested(arrival.host.id):
        wait_s = _contested_s(arrival)
    if wait_s is None:
        return None
    return _in_use(arrival, int(wait_s) + 1)


def _is_second_machine(arrival: _Arrival, origin: Origin, present: Machine) -> bool:
    if identity.has_fences(arrival.hello) and arrival.cursor.fences:
        return origin is not Origin.SAME
    return arrival.machine.is_other(present)


def _in_use(arrival: _Arrival, retry_s: int) -> RefusedError:
    if identity.has_fences(arrival.hello):
        return RefusedError(IN_USE, IN_USE_TEXT, retry_s)
    return RefusedError("overload", IN_USE_TEXT, retry_s)  # an older agent tries again soon


async def _refuse_second(arrival: _Arrival, present: Machine) -> RefusedError:
    finding = findings.host_cloned(arrival.host.name, str(present), str(arrival.machine))
    known = await alerts.is_open(arrival.session, arrival.host.id, ServerRule.HOST_CLONED)
    arrival.runtime.registry.challenged(arrival.host.id)
    await alerts.host_found(arrival.session, arrival.now_us, arrival.host, finding)
    await hosts.recount_alerts(arrival.session, arrival.host.id)
    if not known:
        await arrival.note("host.cloned", connected=str(present))
    logger.warning("host %s: %s", arrival.host.id, finding.what["text"])
    return _in_use(
        arrival, CONTESTED_RETRY_S if known else int(arrival.runtime.settings.offline_after_s) + 1
    )


def _contested_s(arrival: _Arrival) -> float | None:
    """How much longer the machine we know may stay away before another takes its place."""
    absent_s = (arrival.now_us - (arrival.known.summary.last_seen_us or 0)) / US
    return CONTESTED_HOLD_S - absent_s if absent_s < CONTESTED_HOLD_S else None


# Welcoming


async def _tell_takeover(arrival: _Arrival) -> None:
    """The machine restarted before anybody noticed that it was gone, as after a power cut."""
    peer = arrival.peer
    if peer is not None and peer.machine.boot_id != arrival.machine.boot_id:
        await arrival.note("host.takeover", before=str(peer.machine))


async def _branch(arrival: _Arrival) -> None:
    hello = arrival.hello
    await history.begin_branch(
        arrival.session, arrival.cursor, hello.event_epoch, hello.event_seq_first
    )


async def _forget_state(session: AsyncSession, now_us: int, cursor: SyncCursor) -> None:
    """Whatever full state comes is news, and its revisions are other ones."""
    cursor.state_epoch, cursor.state_rev = "", 0
    await lives.begin(session, now_us, cursor)


async def _start_over(arrival: _Arrival, origin: Origin) -> None:
    """Nothing we know of the host is built upon: a full state and the whole log are asked for."""
    cursor = arrival.cursor
    parts = identity.foreign_parts(arrival.hello, cursor) or ["arrayd"]
    await _branch(arrival)
    await _forget_state(arrival.session, arrival.now_us, cursor)
    if origin is Origin.AHEAD:
        await arrival.note("host.resynchronized", cause="this server was restored")
        return
    if identity.came_back(arrival.hello, cursor):
        before = f"boot {arrival.known.summary.boot_id}"
        finding = findings.host_cloned_in_turns(arrival.host.name, str(arrival.machine), before)
        arrival.runtime.registry.challenged(arrival.host.id)
    else:
        # Who was connected when it first called was not heard again: it was the same machine.
        await alerts.host_settled(
            arrival.session, arrival.now_us, arrival.host.id, ServerRule.HOST_CLONED
        )
        arrival.runtime.registry.settled(arrival.host.id)
        finding = findings.host_restored(arrival.host.name, parts)
    cursor.fence_replaced = cursor.fences.rpartition(";")[2].rpartition(",")[2]
    await recovery.host_restored(arrival.session, arrival.now_us, arrival.host.id)
    await alerts.host_found(arrival.session, arrival.now_us, arrival.host, finding)
    await arrival.note(finding.rule.replace("_", ".", 1), parts=", ".join(parts))


async def _welcome(arrival: _Arrival) -> Admitted:
    hello, cursor = arrival.hello, arrival.cursor
    goes_on = arrival.known.newest_seq <= cursor.event_seq
    if hello.event_epoch != cursor.event_epoch or not goes_on:
        await _branch(arrival)
    cursor.command_number = max(cursor.command_number, hello.command_number)
    acked_rev = cursor.state_rev if hello.state_epoch == cursor.state_epoch else 0
    acked_rev = acked_rev if acked_rev <= hello.state_rev else 0
    if acked_rev == 0 and cursor.state_epoch:
        await _forget_state(arrival.session, arrival.now_us, cursor)
    agent_fence = identity.issue(hello, cursor)
    offset_ms = (hello.ts - arrival.now_us) // 1000 if hello.ts is not None else None
    await hosts.set_online(
        arrival.session,
        arrival.now_us,
        arrival.host,
        arrival.known.summary,
        arrival.known.desk,
        hostname=hello.hostname,
        agent_version=hello.agent_version,
        boot_id=hello.boot_id,
        policy_preset=hello.policy_preset,
        clock_offset_ms=offset_ms,
        reported=acked_rev > 0,
    )
    wanted_after = _events_wanted_after(arrival)
    return Admitted(cursor.fence, agent_fence, acked_rev, wanted_after, offset_ms)


def _events_wanted_after(arrival: _Arrival) -> int:
    """The newest event once more, if the host still has it: it must be the one that is stored."""
    seq, hello = arrival.cursor.event_seq, arrival.hello
    kept = 0 < hello.event_seq_first <= seq <= hello.event_seq_last
    return seq - 1 if kept and identity.has_fences(hello) else seq


async def log_went_back(session: AsyncSession, now_us: int, cursor: SyncCursor) -> None:
    """In the middle of a session: the next one tells everything anew."""
    (row,) = await host_rows.named(session, [cursor.host_id])
    host, _ = row
    await history.begin_branch(session, cursor, cursor.event_epoch, 0)
    await _forget_state(session, now_us, cursor)
    await recovery.host_restored(session, now_us, host.id)
    await alerts.host_found(session, now_us, host, findings.host_restored(host.name, ["arrayd"]))
    await hosts.recount_alerts(session, host.id)
    await audit.record(
        session,
        now_us,
        actor="agent",
        action="host.restored",
        target=host.name,
        detail={"host_id": str(host.id), "parts": "arrayd"},
    )
