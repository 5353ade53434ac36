"""Questions a connected host answers by itself; nothing is stored."""

from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import UUID

from pydantic import ValidationError

from arraywright.auth.principal import Principal
from arraywright.commands.references import References
from arraywright.kit.problems import HostOfflineError, HostTimeoutError, InvalidError
from arraywright.link.protocol import (
    BadBlocksAnswer,
    ForeignAnswer,
    LatencyAnswer,
    UndoAnswer,
    Wire,
)
from arraywright.runtime import Runtime
from arraywright.storage.blocked import offline_reason
from arraywright.storage.figures import BadBlocks, Latency
from arraywright.storage.foreign import ForeignConfigurations
from arraywright.storage.undo import SavedConfigurations

T = TypeVar("T", bound=Wire)


def offline_problem(last_seen_us: int | None) -> HostOfflineError:
    why = offline_reason(last_seen_us)
    return HostOfflineError(why.text, params=why.params)


async def ask(
    runtime: Runtime,
    references: References,
    name: str,
    arguments: Mapping[str, Any],
    answer_type: type[T],
) -> T:
    """The answer of the host the references belong to; what it refuses is a problem."""
    peer = runtime.registry.peer(references.target.host_id)
    if peer is None:
        raise offline_problem(references.last_seen_us)
    answer = await peer.query(name, arguments)
    if not answer.ok or answer.data is None:
        reason = answer.reason
        raise InvalidError(reason.text, code=reason.code, params=reason.params)
    try:
        return answer_type.model_validate(answer.data)
    except ValidationError as error:
        raise HostTimeoutError(
            "The host's answer could not be understood.", code="host_answer_bad", status=502
        ) from error


async def _ask_about(
    runtime: Runtime,
    principal: Principal,
    kind: str,
    object_id: UUID,
    name: str,
    answer_type: type[T],
    more: Mapping[str, Any],
) -> T:
    async with runtime.database.read(principal.host_ids) as session:
        references = await References.of(session, kind, object_id)
    arguments = {"kind": kind, "key": references.target_key, **more}
    return await ask(runtime, references, name, arguments, answer_type)


async def latency(runtime: Runtime, principal: Principal, kind: str, object_id: UUID) -> Latency:
    answer = await _ask_about(runtime, principal, kind, object_id, "latency", LatencyAnswer, {})
    return Latency.of(answer)


async def bad_blocks(
    runtime: Runtime, principal: Principal, kind: str, object_id: UUID, after_lba: int | None
) -> BadBlocks:
    more = {} if after_lba is None else {"after_lba": after_lba}
    answer = await _ask_about(
        runtime, principal, kind, object_id, "bad_blocks", BadBlocksAnswer, more
    )
    return BadBlocks.of(answer)


async def undo(runtime: Runtime, principal: Principal, controller_id: UUID) -> SavedConfigurations:
    async with runtime.database.read(principal.host_ids) as session:
        references = await References.of(session, "controller", controller_id)
    arguments = {"controller": references.target_key}
    answer = await ask(runtime, references, "undo", arguments, UndoAnswer)
    return SavedConfigurations.of(references.target.host_id, answer)


async def foreign(
    runtime: Runtime, principal: Principal, controller_id: UUID
) -> ForeignConfigurations:
    async with runtime.database.read(principal.host_ids) as session:
        references = await References.of(session, "controller", controller_id)
    arguments = {"controller": references.target_key}
    answer = await ask(runtime, references, "foreign", arguments, ForeignAnswer)
    return ForeignConfigurations.of(references.target.host_id, answer)
