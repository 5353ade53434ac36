"""The wizard's prediction: the chosen array next to all that the controller offers."""

import re
from dataclasses import dataclass
from math import log

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.auth.principal import Principal
from arraywright.kit.problems import InvalidError
from arraywright.lab import service
from arraywright.lab.program import LabFailedError
from arraywright.lab.requests import (
    AssumedDrive,
    Bound,
    Choice,
    ChoiceFigures,
    ChoicePrediction,
    ChoiceRequest,
)
from arraywright.lab.runs import Lab
from arraywright.lab.schemas import (
    Block,
    Catalogue,
    DriveModel,
    Pattern,
    PredictedArray,
    Scenario,
    ScenarioArray,
    ScenarioController,
    ScenarioDrives,
    ScenarioSweep,
    Workload,
)
from arraywright.link.protocol import BatteryState, RaidLevel, WritePolicy
from arraywright.storage import service as storage
from arraywright.storage.schemas import Controller, Drive

KIB = 1024
# Warming up and measured: so many that the answer comes within two seconds on two processors
# (agent/tests/claims/test_prediction.py).
RANDOM_READS = (1000, 1000)
# What takes writes has to be full: the cache, and the drives' own buffers.
RANDOM_WRITES = (5000, 1000)
SEQUENTIAL = (500, 500)
# A few thousand requests fill no real cache; one of this size they do.
CACHE_BYTES = 16 * 1024 * KIB
CAPACITY_MIN_BYTES = 64 * 1024 * KIB
CAPACITY_MAX_BYTES = 16 * 1024**4
RANDOM_BYTES, RANDOM_DEPTH = 4 * KIB, 16
SEQUENTIAL_BYTES, SEQUENTIAL_DEPTH = 64 * KIB, 4
NATIVE = "native"


def _load(
    name: str,
    pattern: Pattern,
    size: int,
    depth: int,
    write_percent: int,
    counts: tuple[int, int],
) -> Workload:
    return Workload(
        name=name,
        pattern=pattern,
        mixes=[[Block(bytes=size, percent=100)]],
        write_percents=[write_percent],
        depths=[depth],
        warmup_operations=counts[0],
        operations=counts[1],
    )


def _loads() -> list[Workload]:
    """In the order of the fields of ChoiceFigures."""
    scattered = (Pattern.RANDOM, RANDOM_BYTES, RANDOM_DEPTH)
    stream = (Pattern.SEQUENTIAL, SEQUENTIAL_BYTES, SEQUENTIAL_DEPTH)
    return [
        _load("random-read", *scattered, 0, RANDOM_READS),
        _load("random-write", *scattered, 100, RANDOM_WRITES),
        _load("sequential-read", *stream, 0, SEQUENTIAL),
        _load("sequential-write", *stream, 100, SEQUENTIAL),
    ]


def _plain(model: str) -> str:
    return re.sub(r"[^a-z0-9]", "", model.lower())


def stand_in(drives: list[Drive], known: Catalogue, wanted: str | None) -> AssumedDrive:
    """The model asked for, else the drives' own, else of their kind and nearest in size."""
    smallest = min(drives, key=lambda drive: drive.size_bytes)

    def exact(model: DriveModel) -> bool:
        return all(_plain(model.model) in _plain(drive.model) for drive in drives)

    def unlikeness(model: DriveModel) -> tuple[bool, bool, bool, float, str]:
        size = abs(log(model.capacity_bytes / max(1, smallest.size_bytes)))
        other_media = model.media != smallest.media
        return (
            not exact(model),
            other_media,
            model.interface != smallest.interface,
            size,
            model.name,
        )

    if wanted is not None:
        found = [model for model in known.drives if model.name == wanted]
        if not found:
            raise InvalidError(f"There is no drive profile {wanted}.", code="lab_unknown_profile")
        best = found[0]
    else:
        best = min(known.drives, key=unlikeness)
    return AssumedDrive(
        profile=best.name,
        model=best.model,
        media=best.media,
        exact=exact(best),
        chosen=wanted is not None,
    )


@dataclass
class Situation:
    """What of the host's objects matters."""

    controller: Controller
    drives: list[Drive]

    @classmethod
    async def of(
        cls, session: AsyncSession, principal: Principal, body: ChoiceRequest
    ) -> "Situation":
        controller = await storage.get(session, principal, Controller, body.controller_id)
        drives = [await storage.get(session, principal, Drive, each) for each in body.drive_ids]
        return cls(controller, drives)

    @property
    def capacity_bytes(self) -> int:
        smallest = min(drive.size_bytes for drive in self.drives)
        return min(max(smallest, CAPACITY_MIN_BYTES), CAPACITY_MAX_BYTES)

    @property
    def cache_bytes(self) -> int:
        cache = self.controller.cache
        return cache.size_bytes if cache is not None else 0

    @property
    def battery(self) -> BatteryState:
        """A medium that keeps its content needs none."""
        cache = self.controller.cache
        if cache is not None and cache.survives_power_loss:
            return BatteryState.OPTIMAL
        words = {each.value for each in BatteryState}
        state = self.controller.battery
        return BatteryState(state) if state in words else BatteryState.MISSING

    def levels(self, known: Catalogue, wanted: RaidLevel) -> list[RaidLevel]:
        """What the controller offers and arraysim knows, and in any case what was asked for."""
        simulated = {each.level for model in known.controllers for each in model.levels}
        offered = {rule.level for rule in self.controller.levels} & simulated
        return [level for level in RaidLevel if level.value in offered or level is wanted]


def _scenario(
    situation: Situation, body: ChoiceRequest, known: Catalogue, drive: AssumedDrive
) -> Scenario:
    profiles = {model.name for model in known.controllers}
    profile = situation.controller.profile
    policies = [WritePolicy.WRITE_THROUGH]
    if situation.cache_bytes > 0:
        chosen = body.write_policy
        policies.append(chosen if chosen not in policies else WritePolicy.WRITE_BACK)
    count = len(situation.drives)
    return Scenario(
        controller=ScenarioController(
            profile=profile if profile in profiles else NATIVE,
            cache_bytes=min(situation.cache_bytes, CACHE_BYTES),
            battery=situation.battery,
        ),
        drives=ScenarioDrives(
            profile=drive.profile, count=count, capacity_bytes=situation.capacity_bytes
        ),
        array=ScenarioArray(
            level=body.level,
            spans=count // body.drives_per_span or None if body.drives_per_span else None,
            strip_bytes=body.strip_bytes or situation.controller.strip_default_bytes,
            read_policy=body.read_policy,
            io_policy=body.io_policy,
        ),
        sweep=ScenarioSweep(levels=situation.levels(known, body.level), write_policies=policies),
        workloads=_loads(),
        rebuild=True,
    )


def _figures(array: PredictedArray) -> ChoiceFigures | None:
    if array.refused is not None:
        return None
    by_load = {point.workload: point for point in array.points}
    return ChoiceFigures(
        random_read_per_s=by_load["random-read"].operations_per_s,
        random_write_per_s=by_load["random-write"].operations_per_s,
        sequential_read_bytes_per_s=by_load["sequential-read"].bytes_per_s,
        sequential_write_bytes_per_s=by_load["sequential-write"].bytes_per_s,
    )


def _choice(array: PredictedArray, body: ChoiceRequest, has_cache: bool) -> Choice:
    wanted = body.write_policy if has_cache else WritePolicy.WRITE_THROUGH
    return Choice(
        level=array.level,
        write_policy=array.write_policy,
        write_policy_reason=array.write_policy_reason,
        chosen=(array.level, array.write_policy) == (body.level, wanted),
        refused=array.refused,
        size_bytes=array.size_bytes,
        figures=_figures(array),
        survival=array.survival,
        rebuild=array.rebuild,
    )


async def predict(lab: Lab, situation: Situation, body: ChoiceRequest) -> ChoicePrediction:
    version, known = await lab.catalogue()
    drive = stand_in(situation.drives, known, body.drive_profile)
    scenario = _scenario(situation, body, known, drive)
    run = await lab.start(service.encode(scenario), points=0, short=True)
    await run.ended.wait()
    if run.problem is not None:
        raise run.problem
    if not run.answer:
        raise LabFailedError("The prediction was canceled.", code="lab_cancelled", status=503)
    arrays = service.decode(run).arrays
    has_cache = situation.cache_bytes > 0
    return ChoicePrediction(
        version=version,
        controller=scenario.controller.profile,
        drive=drive,
        capacity_bytes=situation.capacity_bytes,
        host_cache_bytes=situation.cache_bytes,
        bound=Bound(
            operations=RANDOM_READS[1],
            warmup_operations=RANDOM_READS[0],
            write_operations=RANDOM_WRITES[1],
            write_warmup_operations=RANDOM_WRITES[0],
            sequential_operations=SEQUENTIAL[1],
            sequential_warmup_operations=SEQUENTIAL[0],
            cache_bytes=scenario.controller.cache_bytes or 0,
            random_bytes=RANDOM_BYTES,
            random_depth=RANDOM_DEPTH,
            sequential_bytes=SEQUENTIAL_BYTES,
            sequential_depth=SEQUENTIAL_DEPTH,
        ),
        choices=[_choice(array, body, has_cache) for array in arrays],
    )
