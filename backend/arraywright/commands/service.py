"""Commands: submitted once, followed until the host has answered."""

import hashlib
import json
from typing import Any
from uuid import UUID, uuid4

from pydantic import ValidationError
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import service as audit
from arraywright.auth.principal import Principal
from arraywright.commands import models, repository
from arraywright.commands.filters import CommandFilter
from arraywright.commands.frames import frame_of
from arraywright.commands.intents import Intent
from arraywright.commands.progress import is_final
from arraywright.commands.queries import offline_problem
from arraywright.commands.references import References
from arraywright.commands.schemas import Command, CommandState, ObjectRef
from arraywright.kit.headers import ChangeHeaders, check_revision
from arraywright.kit.ids import object_id
from arraywright.kit.paging_sql import fetch_page
from arraywright.kit.problems import InvalidError, NotFoundError, StaleError
from arraywright.kit.revisions import config_rev
from arraywright.kit.roles import Role
from arraywright.kit.schema import Page, Reason, moment
from arraywright.kit.waiting import happened
from arraywright.link.protocol import COMMAND_ARGUMENTS, COMMAND_CLASSES
from arraywright.live import outbox
from arraywright.runtime import Runtime

DAY_US = 86_400_000_000
LARGEST_FRAME_BYTES = 63 * 1024


def _view(row: Any) -> Command:
    command, host_name = row
    return Command(
        id=command.id,
        host_id=command.host_id,
        host_name=host_name,
        number=command.number,
        op=command.op,
        command_class=command.command_class,
        target=ObjectRef(kind=command.target_kind, id=command.target_id, key=command.target_key),
        arguments=command.args,
        actor=command.actor,
        actor_role=Role(command.actor_role),
        via=command.via,
        state=CommandState(command.state),
        finished=is_final(command.state),
        reason=Reason.model_validate(command.reason) if command.reason else None,
        progress_percent=command.progress_percent,
        objects=[
            ObjectRef(
                kind=item["kind"],
                id=object_id(command.host_id, item["kind"], item["key"]),
                key=item["key"],
            )
            for item in command.objects
        ],
        created_at=moment(command.created_us),
        offered_at=moment(command.offered_us),
        accepted_at=moment(command.accepted_us),
        ended_at=moment(command.ended_us),
        not_after=moment(command.not_after_us),
    )


async def page(session: AsyncSession, query: CommandFilter) -> Page[Command]:
    rows, cursor, total = await fetch_page(
        session,
        repository.filtered(query),
        query,
        keys=[models.Command.created_us, models.Command.id],
        kinds=(int, str),
        key_of=lambda row: [row[0].created_us, str(row[0].id)],
        bind=lambda values: [values[0], UUID(values[1])],
        descending=True,
    )
    return Page(items=[_view(row) for row in rows], next_cursor=cursor, total=total)


async def get(session: AsyncSession, command_id: UUID) -> Command:
    row = await repository.find(session, command_id)
    if row is None:
        raise NotFoundError("There is no such command.")
    return _view(row)


def _request_hash(intent: Intent, headers: ChangeHeaders) -> str:
    body = intent.body.model_dump(mode="json") if intent.body is not None else None
    content = json.dumps([intent.op, str(intent.target_id), body, headers.if_match], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _check_confirm(intent: Intent, references: References) -> None:
    """What destroys data needs the identity typed; the host checks it again."""
    if intent.identity is None:
        return
    expected = intent.identity(references.target.doc)
    if not intent.confirm:
        raise InvalidError(
            f"Type {expected} to confirm.",
            code="confirm_needed",
            params={"expected": expected},
            errors=[("/confirm", f"type {expected}")],
        )
    if intent.confirm != expected:
        raise InvalidError(
            f"The typed name does not match {expected}; nothing was changed.",
            code="confirm_mismatch",
            params={"expected": expected},
            errors=[("/confirm", f"type {expected}")],
        )


def _check_target(
    intent: Intent, headers: ChangeHeaders, references: References, life: str
) -> None:
    """What is stored of an earlier life says nothing about what the host has now."""
    target = references.target
    what = str(target.doc.get("name") or target.doc.get("path") or target.key)
    seen = config_rev(target.life, target.config_rev)
    check_revision(headers.if_match, seen, what=what, needed=intent.if_match_needed)
    if headers.if_match is not None and target.life != life:
        raise StaleError(
            f"The host of {what} has another state than before and has not reported it yet. "
            "Look again in a moment and repeat the request.",
            params={"what": what, "expected": seen, "actual": ""},
        )
    _check_confirm(intent, references)
    if not references.online:
        raise offline_problem(references.last_seen_us)


def _check_arguments(op: str, arguments: dict[str, Any]) -> None:
    """The protocol's bounds are the last word, whatever the request's own said."""
    try:
        COMMAND_ARGUMENTS[op].model_validate(arguments)
    except ValidationError as error:
        found = [
            ("".join(f"/{part}" for part in item["loc"]), str(item["msg"]))
            for item in error.errors(include_url=False, include_input=False)
        ]
        raise InvalidError(f"{found[0][0]}: {found[0][1]}", errors=found) from error


def _check_frame(command: models.Command) -> None:
    """A host takes no larger frame; it could not even say which command it refuses."""
    size = len(json.dumps(frame_of(command), separators=(",", ":")))
    if size > LARGEST_FRAME_BYTES:
        raise InvalidError(
            f"The command has {size} bytes; a host takes at most {LARGEST_FRAME_BYTES}. "
            "Name fewer objects.",
            code="command_too_large",
            params={"bytes": str(size), "limit": str(LARGEST_FRAME_BYTES)},
        )


async def _add(
    session: AsyncSession,
    runtime: Runtime,
    principal: Principal,
    intent: Intent,
    headers: ChangeHeaders,
) -> UUID:
    references = await References.of(session, intent.target_kind, intent.target_id)
    life = await repository.life(session, references.target.host_id)
    _check_target(intent, headers, references, life)
    arguments = await intent.build(references)
    _check_arguments(intent.op, arguments)
    target = references.target
    now_us = runtime.clock.now_us()
    preconditions = (
        [{"kind": target.kind, "key": target.key, "config_rev": target.config_rev}]
        if headers.if_match is not None
        else []
    )
    command = models.Command(
        id=uuid4(),
        rev=1,
        host_id=target.host_id,
        number=await repository.next_number(session, target.host_id),
        op=intent.op,
        command_class=COMMAND_CLASSES[intent.op],
        args=arguments,
        confirm=intent.confirm if intent.identity is not None else None,
        preconditions=preconditions,
        target_kind=target.kind,
        target_key=target.key,
        target_id=target.id,
        actor_id=principal.user_id,
        actor=principal.username,
        actor_role=principal.role.value,
        via=principal.via,
        state=CommandState.QUEUED.value,
        objects=[],
        created_us=now_us,
        not_after_us=now_us + runtime.settings.command_expiry_s * 1_000_000,
    )
    _check_frame(command)
    session.add(command)
    await session.flush()
    if headers.idempotency_key is not None:
        session.add(
            models.Idempotency(
                actor_id=principal.user_id,
                key=headers.idempotency_key,
                request_hash=_request_hash(intent, headers),
                command_id=command.id,
                expires_us=now_us + DAY_US,
            )
        )
        await session.flush()
    outbox.add(session, kind="command", object_id=str(command.id), rev=1, host_id=command.host_id)
    await audit.record(
        session,
        now_us,
        actor=principal.username,
        action=intent.op,
        target=f"{target.kind} {target.key}",
        outcome="requested",
        detail={
            "command_id": str(command.id),
            "target_id": str(target.id),
            "name": references.shown_name,
            "host": references.host_name,
        },
    )
    return command.id


async def _repeated(
    runtime: Runtime, principal: Principal, intent: Intent, headers: ChangeHeaders
) -> UUID | None:
    """The command an Idempotency-Key already led to."""
    if headers.idempotency_key is None:
        return None
    async with runtime.database.read(principal.host_ids) as session:
        known = await repository.idempotency(session, principal.user_id, headers.idempotency_key)
    if known is None or known.expires_us <= runtime.clock.now_us():
        return None
    if known.request_hash != _request_hash(intent, headers):
        raise InvalidError(
            "This Idempotency-Key was used for another request.", code="idempotency_mismatch"
        )
    return known.command_id


async def submit(
    runtime: Runtime, principal: Principal, intent: Intent, headers: ChangeHeaders
) -> Command:
    command_id = await _repeated(runtime, principal, intent, headers)
    if command_id is None:
        try:
            async with runtime.database.write(principal.host_ids) as session:
                command_id = await _add(session, runtime, principal, intent, headers)
        except IntegrityError:
            # Somebody else was faster with the same Idempotency-Key.
            command_id = await _repeated(runtime, principal, intent, headers)
            if command_id is None:
                raise
        runtime.registry.wake_commands()
    return await _wait(runtime, principal, command_id, headers.wait_s)


async def _wait(
    runtime: Runtime, principal: Principal, command_id: UUID, seconds: float
) -> Command:
    """The command, finished if it did so in time."""
    until = runtime.clock.monotonic_s() + seconds
    async with runtime.waiters.listen(str(command_id)) as news:
        while True:
            news.clear()
            async with runtime.database.read(principal.host_ids) as session:
                command = await get(session, command_id)
            left = until - runtime.clock.monotonic_s()
            if command.finished or left <= 0 or runtime.hub.closing.is_set():
                return command
            await happened(news, left)
