"""Previews: the host's own planner answers, nothing is stored."""

from uuid import UUID

from pydantic import ValidationError

from arraywright.commands.intents import wish_arguments
from arraywright.commands.references import References
from arraywright.kit.ids import object_id
from arraywright.kit.problems import HostOfflineError, HostTimeoutError, InvalidError
from arraywright.link.protocol import PreviewAnswer
from arraywright.runtime import Runtime
from arraywright.storage.blocked import offline_reason
from arraywright.storage.requests import PreviewResult, VirtualDrivePreview


def offline_problem(last_seen_us: int | None) -> HostOfflineError:
    why = offline_reason(last_seen_us)
    return HostOfflineError(why.text, params=why.params)


async def virtual_drive(runtime: Runtime, body: VirtualDrivePreview) -> PreviewResult:
    async with runtime.database.read() as session:
        references = await References.of(session, "controller", body.controller_id)
        arguments = await wish_arguments(body, references)
    host_id: UUID = references.target.host_id
    peer = runtime.registry.peer(host_id)
    if peer is None:
        raise offline_problem(references.last_seen_us)
    answer = await peer.query("preview_vd_create", arguments)
    if not answer.ok or answer.data is None:
        reason = answer.reason
        raise InvalidError(reason.text, code=reason.code, params=reason.params)
    try:
        plan = PreviewAnswer.model_validate(answer.data)
    except ValidationError as error:
        raise HostTimeoutError(
            "The host's answer could not be understood.", code="host_answer_bad", status=502
        ) from error
    wasted = [
        {"drive_id": object_id(host_id, "drive", item.drive), "bytes": item.bytes}
        for item in plan.wasted
    ]
    return PreviewResult.model_validate({**plan.model_dump(), "wasted": wasted})
