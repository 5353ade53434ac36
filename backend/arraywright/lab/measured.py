"""What arraysim predicts of a virtual drive that is there, for loads that are measured on it."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.auth.principal import Principal
from arraywright.kit.problems import InvalidError
from arraywright.lab import choice, service
from arraywright.lab.program import LabFailedError
from arraywright.lab.requests import LoadPrediction, MeasuredPrediction, MeasuredRequest
from arraywright.lab.runs import Lab
from arraywright.lab.schemas import (
    DRIVES_MAX,
    Block,
    Catalogue,
    Pattern,
    Scenario,
    ScenarioArray,
    ScenarioController,
    ScenarioDrives,
    ScenarioLimits,
    Workload,
)
from arraywright.link.protocol import DriveState, DriveWriteCache
from arraywright.storage import service as storage
from arraywright.storage.requests import Load
from arraywright.storage.schemas import Controller, Drive, DriveGroup, VirtualDrive

OPERATIONS = 20_000
CACHE_MAX_BYTES = 16 * 1024**3


@dataclass
class Built:
    """The virtual drive and what it is made of."""

    controller: Controller
    virtual_drive: VirtualDrive
    group: DriveGroup
    drives: list[Drive]

    @classmethod
    async def of(
        cls, session: AsyncSession, principal: Principal, body: MeasuredRequest
    ) -> "Built":
        found = await storage.get(session, principal, VirtualDrive, body.virtual_drive_id)
        group = await storage.get(session, principal, DriveGroup, found.drive_group_id)
        controller = await storage.get(session, principal, Controller, found.controller_id)
        ids = [member.drive_id for member in group.members if member.drive_id is not None]
        drives = [await storage.get(session, principal, Drive, each) for each in ids]
        if not drives or len(group.members) > DRIVES_MAX:
            raise InvalidError(
                f"arraysim has no arrays of {len(group.members)} drives like these.",
                code="lab_unlike",
                params={"drives": str(len(group.members))},
            )
        return cls(controller, found, group, drives)

    @property
    def failed(self) -> list[int]:
        """Members that do not answer, by their places."""
        per_span = self.group.drives_per_span
        return [
            member.span * per_span + member.row
            for member in self.group.members
            if member.drive_id is None or member.state != DriveState.ONLINE
        ]


def _workload(load: Load, number: int, size_bytes: int) -> Workload:
    return Workload(
        name=f"load-{number}",
        pattern=Pattern(load.pattern.value),
        mixes=[[Block(bytes=each.bytes, percent=each.percent) for each in load.blocks]],
        write_percents=[load.write_percent],
        workers=[load.workers],
        depths=[load.depth],
        # As much of the platters as the virtual drive has.
        zone_bytes=min(load.zone_bytes or size_bytes, size_bytes),
        start_bytes=load.start_bytes,
        file_bytes=load.file_bytes,
    )


def _scenario(built: Built, body: MeasuredRequest, known: Catalogue, profile: str) -> Scenario:
    profiles = {model.name for model in known.controllers}
    virtual_drive, cache = built.virtual_drive, built.controller.cache
    capacity = min(drive.size_bytes for drive in built.drives)
    return Scenario(
        controller=ScenarioController(
            profile=built.controller.profile
            if built.controller.profile in profiles
            else choice.NATIVE,
            cache_bytes=min(cache.size_bytes, CACHE_MAX_BYTES) if cache is not None else 0,
        ),
        drives=ScenarioDrives(
            profile=profile,
            count=len(built.group.members),
            capacity_bytes=min(max(capacity, choice.CAPACITY_MIN_BYTES), choice.CAPACITY_MAX_BYTES),
            write_cache=all(drive.write_cache != DriveWriteCache.OFF for drive in built.drives),
            failed=built.failed,
        ),
        array=ScenarioArray.model_validate(
            {
                "level": virtual_drive.level,
                "spans": virtual_drive.span_count,
                "strip_bytes": virtual_drive.strip_bytes,
                "write_policy": virtual_drive.write_policy.effective,
                "read_policy": virtual_drive.read_policy.effective,
                "io_policy": virtual_drive.io_policy,
            }
        ),
        workloads=[
            _workload(load, number, virtual_drive.size_bytes)
            for number, load in enumerate(body.loads)
        ],
        limits=ScenarioLimits(operations=OPERATIONS, warmup_operations=0, seconds=body.seconds),
    )


async def predict(lab: Lab, built: Built, body: MeasuredRequest) -> MeasuredPrediction:
    version, known = await lab.catalogue()
    drive = choice.stand_in(built.drives, known, None)
    scenario = _scenario(built, body, known, drive.profile)
    run = await lab.start(service.encode(scenario), points=0, short=True)
    await run.ended.wait()
    if run.problem is not None:
        raise run.problem
    if not run.answer:
        raise LabFailedError("The prediction was canceled.", code="lab_cancelled", status=503)
    array = service.decode(run).arrays[0]
    return MeasuredPrediction(
        version=version,
        drive=drive,
        refused=array.refused,
        loads=[
            LoadPrediction(operations_per_s=point.operations_per_s, bytes_per_s=point.bytes_per_s)
            for point in array.points
        ],
    )
