"""Changes of storage over HTTP: each answers 202 with a command to follow."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Response

from arraywright.commands import intents, outcome, preview, queries, service
from arraywright.commands.filters import CommandFilter
from arraywright.commands.schemas import Command
from arraywright.dependencies import Operator, ReadSession, RuntimeDep, Viewer
from arraywright.kit.headers import ChangeHeaders, ChangeHeadersDep
from arraywright.kit.problems import PROBLEM_MEDIA_TYPE, problems
from arraywright.kit.schema import Page
from arraywright.link.protocol import Size
from arraywright.storage.figures import BadBlocks, Latency
from arraywright.storage.foreign import ForeignConfigurations
from arraywright.storage.requests import (
    BatteryUpdate,
    ClearForeign,
    ConsistencyCheck,
    ControllerUpdate,
    CopybackRequest,
    DiscardCache,
    EraseDrive,
    ImportForeign,
    InjectBatteryFault,
    InjectFault,
    LocateDrive,
    MakeDriveGood,
    MakeHotSpare,
    Measure,
    PolicyPreview,
    PolicyPreviewResult,
    PreviewResult,
    ReplaceMember,
    RestoreUndo,
    StripeCreate,
    StripeDelete,
    TaskRequest,
    VirtualDriveCreate,
    VirtualDriveDelete,
    VirtualDriveExpand,
    VirtualDriveInitialize,
    VirtualDrivePreview,
    VirtualDriveUpdate,
)
from arraywright.storage.undo import SavedConfigurations

router = APIRouter(prefix="/commands", tags=["commands"])
controllers = APIRouter(prefix="/controllers", tags=["controllers"])
drives = APIRouter(prefix="/drives", tags=["drives"])
virtual_drives = APIRouter(prefix="/virtual-drives", tags=["virtual_drives"])
batteries = APIRouter(prefix="/batteries", tags=["batteries"])

REF = "#/components/schemas/"
ENDED_BADLY = {"anyOf": [{"$ref": REF + name} for name in ("Problem", "CommandProblem")]}
ANSWERS: dict[int | str, dict[str, Any]] = {
    **problems(404, 409, 412, 428, 504),
    **{
        status: {
            "description": "Also: the command has ended within the time of `Prefer: wait`, "
            "otherwise than well",
            "content": {PROBLEM_MEDIA_TYPE: {"schema": ENDED_BADLY}},
        }
        for status in (409, 412, 504)
    },
    200: {"model": Command, "description": "succeeded within the time of `Prefer: wait`"},
    202: {"description": "Accepted; follow it at Location"},
}


class Submitter:
    """Turns an intent into a command and into its answer."""

    def __init__(
        self,
        runtime: RuntimeDep,
        principal: Operator,
        headers: ChangeHeadersDep,
        response: Response,
    ) -> None:
        self._runtime = runtime
        self._principal = principal
        self._headers: ChangeHeaders = headers
        self._response = response

    async def __call__(self, intent: intents.Intent) -> Command:
        command = await service.submit(self._runtime, self._principal, intent, self._headers)
        headers = {"Location": f"/api/v1/commands/{command.id}"}
        self._response.status_code = 202
        if self._headers.wait_s:
            headers["Preference-Applied"] = f"wait={self._headers.wait_s:.0f}"
            outcome.check(command, headers)
            self._response.status_code = 200 if command.finished else 202
        self._response.headers.update(headers)
        return command


Submit = Annotated[Submitter, Depends()]
AfterLba = Annotated[Size | None, Query(description="list from behind this block on")]


@router.get("", name="list", responses=problems())
async def list_commands(
    principal: Viewer, session: ReadSession, query: Annotated[CommandFilter, Query()]
) -> Page[Command]:
    return await service.page(session, query)


@router.get("/{command_id}", name="get", responses=problems(404))
async def get_command(command_id: UUID, principal: Viewer, session: ReadSession) -> Command:
    return await service.get(session, command_id)


@virtual_drives.post("/preview", name="preview", responses=problems(404, 409, 504))
async def preview_virtual_drive(
    body: VirtualDrivePreview, runtime: RuntimeDep, principal: Viewer
) -> PreviewResult:
    """What the host would make of this wish: capacity, tolerance, refusals. Changes nothing."""
    return await preview.virtual_drive(runtime, principal, body)


@virtual_drives.post(
    "/{virtual_drive_id}/policy-preview", name="policy-preview", responses=problems(404, 409, 504)
)
async def preview_policies(
    virtual_drive_id: UUID, body: PolicyPreview, runtime: RuntimeDep, principal: Viewer
) -> PolicyPreviewResult:
    """What these policies, or a preset, would become of it. Changes nothing."""
    return await preview.policies(runtime, principal, virtual_drive_id, body)


@virtual_drives.post("", name="create", status_code=202, responses=ANSWERS)
async def create_virtual_drive(body: VirtualDriveCreate, submit: Submit) -> Command:
    return await submit(intents.create_virtual_drive(body))


@virtual_drives.patch("/{virtual_drive_id}", name="update", status_code=202, responses=ANSWERS)
async def update_virtual_drive(
    virtual_drive_id: UUID, body: VirtualDriveUpdate, submit: Submit
) -> Command:
    return await submit(intents.update_virtual_drive(virtual_drive_id, body))


@virtual_drives.delete("/{virtual_drive_id}", name="delete", status_code=202, responses=ANSWERS)
async def delete_virtual_drive(
    virtual_drive_id: UUID,
    submit: Submit,
    body: VirtualDriveDelete | None = None,
    confirm: Annotated[
        str | None, Query(max_length=64, description="its name, typed; or in the body")
    ] = None,
    force: Annotated[bool, Query(description="also if it has open connections")] = False,
) -> Command:
    """Destroys its data. Needs If-Match and its name as `confirm`."""
    wish = body or VirtualDriveDelete(confirm=confirm or "", force=force)
    return await submit(intents.delete_virtual_drive(virtual_drive_id, wish))


@virtual_drives.post(
    "/{virtual_drive_id}/actions/initialize",
    name="initialize",
    status_code=202,
    responses=ANSWERS,
)
async def initialize(
    virtual_drive_id: UUID, body: VirtualDriveInitialize, submit: Submit
) -> Command:
    """Writes zeros over its first and last 8 MiB, so that nothing is recognized on it any more.

    Needs If-Match and its name as `confirm`. Refused while anybody uses it.
    """
    return await submit(intents.initialize(virtual_drive_id, body))


@virtual_drives.post(
    "/{virtual_drive_id}/actions/bgi", name="bgi", status_code=202, responses=ANSWERS
)
async def steer_bgi(virtual_drive_id: UUID, body: TaskRequest, submit: Submit) -> Command:
    """Background initialization or resynchronization: start, stop, pause, resume."""
    return await submit(intents.steer_bgi(virtual_drive_id, body))


@virtual_drives.post(
    "/{virtual_drive_id}/actions/consistency-check",
    name="consistency_check",
    status_code=202,
    responses=ANSWERS,
)
async def check_consistency(
    virtual_drive_id: UUID, body: ConsistencyCheck, submit: Submit
) -> Command:
    """Compares its redundancy with its data, while it is in use: start, stop, pause, resume.

    What does not agree is told of; only what one drive alone explains is corrected. With `correct`
    the rest is made to agree with the data, which needs If-Match and its name as `confirm`.
    """
    return await submit(intents.check_consistency(virtual_drive_id, body))


@virtual_drives.post(
    "/{virtual_drive_id}/actions/expand", name="expand", status_code=202, responses=ANSWERS
)
async def expand(virtual_drive_id: UUID, submit: Submit, body: VirtualDriveExpand) -> Command:
    """Gives it the free space of its drive group directly behind it.

    Its data and its users stay; who is connected sees the new size when it connects again. The
    new space reads as what was there before, and is initialized in the background. It is never
    made smaller again.
    """
    return await submit(intents.expand(virtual_drive_id, body))


@virtual_drives.post(
    "/{virtual_drive_id}/actions/clear-doubt",
    name="clear_doubt",
    status_code=202,
    responses=ANSWERS,
)
async def clear_doubt(virtual_drive_id: UUID, submit: Submit) -> Command:
    """Ends the finding of data in doubt since an unclean stop: they have been checked.

    No data change.
    """
    return await submit(intents.clear_doubt(virtual_drive_id))


@virtual_drives.post(
    "/{virtual_drive_id}/actions/measure", name="measure", status_code=202, responses=ANSWERS
)
async def measure(virtual_drive_id: UUID, body: Measure, submit: Submit) -> Command:
    """Runs loads on it, or ends that; nobody may use it, and it is not exported meanwhile.

    A load that writes overwrites its content: then If-Match and its name as `confirm` are needed.
    Progress and figures are in the virtual drive's `measurement`.
    """
    return await submit(intents.measure(virtual_drive_id, body))


@virtual_drives.post(
    "/{virtual_drive_id}/actions/create-stripe",
    name="create_stripe",
    status_code=202,
    responses=ANSWERS,
)
async def create_stripe(virtual_drive_id: UUID, body: StripeCreate, submit: Submit) -> Command:
    """Stripes over this virtual drive, the first, and others; it is exported instead of them."""
    return await submit(intents.create_stripe(virtual_drive_id, body))


@virtual_drives.post(
    "/{virtual_drive_id}/actions/delete-stripe",
    name="delete_stripe",
    status_code=202,
    responses=ANSWERS,
)
async def delete_stripe(virtual_drive_id: UUID, body: StripeDelete, submit: Submit) -> Command:
    """Dissolves the stripe it is a member of. Needs If-Match and the stripe's name as `confirm`."""
    return await submit(intents.delete_stripe(virtual_drive_id, body))


@controllers.get("/{controller_id}/foreign", name="foreign", responses=problems(404, 409, 504))
async def get_foreign(
    controller_id: UUID, runtime: RuntimeDep, principal: Viewer
) -> ForeignConfigurations:
    """Sets of drives that belong to somebody else; the host is asked."""
    return await queries.foreign(runtime, principal, controller_id)


@controllers.get("/{controller_id}/undo", name="undo", responses=problems(404, 409, 504))
async def get_undo(
    controller_id: UUID, runtime: RuntimeDep, principal: Viewer
) -> SavedConfigurations:
    """What was deleted and whether it can be restored; the host is asked."""
    return await queries.undo(runtime, principal, controller_id)


@controllers.patch("/{controller_id}", name="update", status_code=202, responses=ANSWERS)
async def update_controller(controller_id: UUID, body: ControllerUpdate, submit: Submit) -> Command:
    return await submit(intents.update_controller(controller_id, body))


@controllers.post(
    "/{controller_id}/actions/patrol-read", name="patrol_read", status_code=202, responses=ANSWERS
)
async def steer_patrol_read(controller_id: UUID, body: TaskRequest, submit: Submit) -> Command:
    """Patrol read of its drives: start, stop, pause, resume."""
    return await submit(intents.steer_patrol_read(controller_id, body))


@drives.post(
    "/{drive_id}/actions/make-hot-spare", name="make_hot_spare", status_code=202, responses=ANSWERS
)
async def make_hot_spare(drive_id: UUID, body: MakeHotSpare, submit: Submit) -> Command:
    return await submit(intents.make_hot_spare(drive_id, body))


@drives.post(
    "/{drive_id}/actions/remove-hot-spare",
    name="remove_hot_spare",
    status_code=202,
    responses=ANSWERS,
)
async def remove_hot_spare(drive_id: UUID, submit: Submit) -> Command:
    return await submit(intents.remove_hot_spare(drive_id))


@drives.post("/{drive_id}/actions/rebuild", name="rebuild", status_code=202, responses=ANSWERS)
async def steer_rebuild(drive_id: UUID, body: TaskRequest, submit: Submit) -> Command:
    """Rebuild of a member: start, stop, pause, resume."""
    return await submit(intents.steer_rebuild(drive_id, body))


@drives.post("/{drive_id}/actions/copyback", name="copyback", status_code=202, responses=ANSWERS)
async def steer_copyback(drive_id: UUID, body: CopybackRequest, submit: Submit) -> Command:
    """Fills another drive from this member, which stays in use; then it takes the place."""
    return await submit(intents.steer_copyback(drive_id, body))


@drives.post("/{drive_id}/actions/erase", name="erase", status_code=202, responses=ANSWERS)
async def erase_drive(drive_id: UUID, body: EraseDrive, submit: Submit) -> Command:
    """Overwrites all of a drive that nobody uses, or stops that: it is erased in part then."""
    return await submit(intents.erase_drive(drive_id, body))


@drives.post("/{drive_id}/actions/spin-down", name="spin_down", status_code=202, responses=ANSWERS)
async def spin_down(drive_id: UUID, submit: Submit) -> Command:
    """Stops the motor of an unconfigured drive or a hot spare."""
    return await submit(intents.spin_down(drive_id))


@drives.post("/{drive_id}/actions/spin-up", name="spin_up", status_code=202, responses=ANSWERS)
async def spin_up(drive_id: UUID, submit: Submit) -> Command:
    return await submit(intents.spin_up(drive_id))


@drives.post("/{drive_id}/actions/locate", name="locate", status_code=202, responses=ANSWERS)
async def locate_drive(drive_id: UUID, body: LocateDrive, submit: Submit) -> Command:
    return await submit(intents.locate_drive(drive_id, body))


@drives.post("/{drive_id}/actions/missing", name="missing", status_code=202, responses=ANSWERS)
async def set_missing(drive_id: UUID, submit: Submit) -> Command:
    """Gives up an offline or failed member: its place is kept, the drive is free or bad."""
    return await submit(intents.set_missing(drive_id))


@drives.post("/{drive_id}/actions/jbod", name="jbod", status_code=202, responses=ANSWERS)
async def leave_to_host(drive_id: UUID, submit: Submit) -> Command:
    """Leaves an unused drive to the host's operating system as it is."""
    return await submit(intents.leave_to_host(drive_id))


@drives.post("/{drive_id}/actions/offline", name="offline", status_code=202, responses=ANSWERS)
async def take_offline(drive_id: UUID, submit: Submit) -> Command:
    """Takes an online member offline; the host refuses if it holds a last copy."""
    return await submit(intents.take_offline(drive_id))


@drives.post("/{drive_id}/actions/online", name="online", status_code=202, responses=ANSWERS)
async def set_online(drive_id: UUID, submit: Submit) -> Command:
    """Trusts a drive again with which its drive group went offline."""
    return await submit(intents.set_online(drive_id))


@drives.post("/{drive_id}/actions/good", name="make_good", status_code=202, responses=ANSWERS)
async def make_good(drive_id: UUID, body: MakeDriveGood, submit: Submit) -> Command:
    """Makes a bad or foreign drive good. Needs If-Match; with force its serial, too."""
    return await submit(intents.make_good(drive_id, body))


@drives.post("/{drive_id}/actions/replace", name="replace", status_code=202, responses=ANSWERS)
async def replace_member(drive_id: UUID, body: ReplaceMember, submit: Submit) -> Command:
    """Puts this drive in the place of a missing or failed member and rebuilds it."""
    return await submit(intents.replace_member(drive_id, body))


@drives.post("/{drive_id}/actions/fault", name="fault", status_code=202, responses=ANSWERS)
async def inject_fault(drive_id: UUID, body: InjectFault, submit: Submit) -> Command:
    """Tries a failure; only on emulated drives."""
    return await submit(intents.inject_fault(drive_id, body))


@controllers.post(
    "/{controller_id}/actions/discard-preserved-cache",
    name="discard_cache",
    status_code=202,
    responses=ANSWERS,
)
async def discard_cache(controller_id: UUID, body: DiscardCache, submit: Submit) -> Command:
    """Loses acknowledged writes. Needs If-Match and the virtual drive's name as `confirm`."""
    return await submit(intents.discard_cache(controller_id, body))


@controllers.post(
    "/{controller_id}/actions/import-foreign",
    name="import_foreign",
    status_code=202,
    responses=ANSWERS,
)
async def import_foreign(controller_id: UUID, body: ImportForeign, submit: Submit) -> Command:
    """Takes over one of the foreign sets. Drives of it that are not in sync stay as they are."""
    return await submit(intents.import_foreign(controller_id, body))


@controllers.post(
    "/{controller_id}/actions/clear-foreign",
    name="clear_foreign",
    status_code=202,
    responses=ANSWERS,
)
async def clear_foreign(controller_id: UUID, body: ClearForeign, submit: Submit) -> Command:
    """Takes the metadata off the drives of a foreign set. Needs the set's name as `confirm`."""
    return await submit(intents.clear_foreign(controller_id, body))


@controllers.post(
    "/{controller_id}/actions/restore-undo",
    name="restore_undo",
    status_code=202,
    responses=ANSWERS,
)
async def restore_undo(controller_id: UUID, body: RestoreUndo, submit: Submit) -> Command:
    """Brings back what was deleted, all of it or nothing, while its drives are untouched."""
    return await submit(intents.restore_undo(controller_id, body))


@batteries.patch("/{battery_id}", name="update", status_code=202, responses=ANSWERS)
async def update_battery(battery_id: UUID, body: BatteryUpdate, submit: Submit) -> Command:
    return await submit(intents.update_battery(battery_id, body))


@batteries.post("/{battery_id}/actions/learn", name="learn", status_code=202, responses=ANSWERS)
async def start_learn(battery_id: UUID, submit: Submit) -> Command:
    """Starts a learn cycle; unless it is transparent, write-back is suspended until it ends."""
    return await submit(intents.start_learn(battery_id))


@batteries.post("/{battery_id}/actions/fault", name="fault", status_code=202, responses=ANSWERS)
async def inject_battery_fault(
    battery_id: UUID, body: InjectBatteryFault, submit: Submit
) -> Command:
    """Tries a failure; only on emulated batteries."""
    return await submit(intents.inject_battery_fault(battery_id, body))


def _figures(router: APIRouter, kind: str) -> None:
    """Latencies and bad blocks of drives and of virtual drives."""
    parameter = f"{kind}_id"
    Id = Annotated[UUID, Path(alias=parameter)]  # noqa: N806 (a type)

    @router.get(f"/{{{parameter}}}/latency", name="latency", responses=problems(404, 409, 504))
    async def get_latency(object_id: Id, runtime: RuntimeDep, principal: Viewer) -> Latency:
        """How long its reads, writes and flushes took; the host is asked."""
        return await queries.latency(runtime, principal, kind, object_id)

    @router.get(
        f"/{{{parameter}}}/bad-blocks", name="bad_blocks", responses=problems(404, 409, 504)
    )
    async def get_bad_blocks(
        object_id: Id, runtime: RuntimeDep, principal: Viewer, after_lba: AfterLba = None
    ) -> BadBlocks:
        """Its bad-block table; the host is asked."""
        return await queries.bad_blocks(runtime, principal, kind, object_id, after_lba)


def _counters(router: APIRouter, kind: str) -> None:
    parameter = f"{kind}_id"
    Id = Annotated[UUID, Path(alias=parameter)]  # noqa: N806 (a type)

    @router.post(
        f"/{{{parameter}}}/actions/reset-counters",
        name="reset_counters",
        status_code=202,
        responses=ANSWERS,
    )
    async def reset_counters(object_id: Id, submit: Submit) -> Command:
        """Forgets latencies, hit rates and what adaptive read-ahead has learned."""
        return await submit(intents.reset_counters(kind, object_id))


def _flushes(router: APIRouter, kind: str) -> None:
    parameter = f"{kind}_id"
    Id = Annotated[UUID, Path(alias=parameter)]  # noqa: N806 (a type)

    @router.post(
        f"/{{{parameter}}}/actions/flush-cache",
        name="flush_cache",
        status_code=202,
        responses=ANSWERS,
    )
    async def flush_cache(object_id: Id, submit: Submit) -> Command:
        """Begins to write everything cached to the drives, and makes them flush it.

        `cache_flush` of the virtual drives tells when that is over.
        """
        return await submit(intents.flush_cache(kind, object_id))


_flushes(controllers, "controller")
_flushes(virtual_drives, "virtual_drive")
_figures(drives, "drive")
_figures(virtual_drives, "virtual_drive")
for _router, _kind in (
    (controllers, "controller"),
    (drives, "drive"),
    (virtual_drives, "virtual_drive"),
):
    _counters(_router, _kind)
