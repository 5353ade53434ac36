"""Previews: the host's own planner answers, nothing is stored."""

from uuid import UUID

from arraywright.auth.principal import Principal
from arraywright.commands.intents import wish_arguments
from arraywright.commands.queries import ask
from arraywright.commands.references import References
from arraywright.kit.ids import object_id
from arraywright.link.protocol import PolicyAnswer, PreviewAnswer
from arraywright.runtime import Runtime
from arraywright.storage.requests import (
    PolicyPreview,
    PolicyPreviewResult,
    PreviewResult,
    VirtualDrivePreview,
)


async def virtual_drive(
    runtime: Runtime, principal: Principal, body: VirtualDrivePreview
) -> PreviewResult:
    async with runtime.database.read(principal.host_ids) as session:
        references = await References.of(session, "controller", body.controller_id)
        arguments = await wish_arguments(body, references)
    host_id: UUID = references.target.host_id
    plan = await ask(runtime, references, "preview_vd_create", arguments, PreviewAnswer)
    wasted = [
        {"drive_id": object_id(host_id, "drive", item.drive), "bytes": item.bytes}
        for item in plan.wasted
    ]
    # An agent of an earlier version weighs no risks.
    told = {**plan.model_dump(), "wasted": wasted, "risks": plan.risks or []}
    return PreviewResult.model_validate(told)


async def policies(
    runtime: Runtime, principal: Principal, virtual_drive_id: UUID, body: PolicyPreview
) -> PolicyPreviewResult:
    async with runtime.database.read(principal.host_ids) as session:
        references = await References.of(session, "virtual_drive", virtual_drive_id)
    given = body.model_dump(mode="json", exclude_none=True)
    arguments = {"virtual_drive": references.target_key, **given}
    answer = await ask(runtime, references, "preview_vd_set", arguments, PolicyAnswer)
    return PolicyPreviewResult.model_validate(answer.model_dump())
