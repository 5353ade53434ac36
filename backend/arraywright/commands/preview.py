"""Previews: the host's own planner answers, nothing is stored."""

from uuid import UUID

from arraywright.commands.intents import wish_arguments
from arraywright.commands.queries import ask
from arraywright.commands.references import References
from arraywright.kit.ids import object_id
from arraywright.link.protocol import PreviewAnswer
from arraywright.runtime import Runtime
from arraywright.storage.requests import PreviewResult, VirtualDrivePreview


async def virtual_drive(runtime: Runtime, body: VirtualDrivePreview) -> PreviewResult:
    async with runtime.database.read() as session:
        references = await References.of(session, "controller", body.controller_id)
        arguments = await wish_arguments(body, references)
    host_id: UUID = references.target.host_id
    plan = await ask(runtime, references, "preview_vd_create", arguments, PreviewAnswer)
    wasted = [
        {"drive_id": object_id(host_id, "drive", item.drive), "bytes": item.bytes}
        for item in plan.wasted
    ]
    return PreviewResult.model_validate({**plan.model_dump(), "wasted": wasted})
