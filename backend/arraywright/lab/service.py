"""Simulations: what is asked becomes a scenario, what arraysim says an answer."""

import json

from pydantic import ValidationError

from arraywright.kit.problems import InvalidError, NotFoundError
from arraywright.lab.program import LabFailedError
from arraywright.lab.runs import Lab, Run
from arraywright.lab.schemas import (
    OPERATIONS_MAX,
    POINTS_MAX,
    AnyScenario,
    Catalogue,
    GroupsScenario,
    LabCatalogue,
    Prediction,
    RunState,
    Scenario,
    ScenarioLimits,
    Simulation,
    Workload,
)
from arraywright.link.protocol import WritePolicy


async def catalogue(lab: Lab) -> LabCatalogue:
    version, known = await lab.catalogue()
    return LabCatalogue(version=version, **dict(known))


def _points(workload: Workload, known: Catalogue) -> int:
    """How many combinations of its steps there are; a step not given is the profile's."""
    profile = next((each for each in known.workloads if each.name == workload.profile), None)
    count = 1
    for step in ("mixes", "write_percents", "workers", "depths"):
        given = getattr(workload, step) or (getattr(profile, step) if profile else None)
        count *= len(given or (None,))
    return count


def _operations(workload: Workload, limits: ScenarioLimits, fill: int) -> int:
    """Of each point, at most; `fill` are those that may be needed to fill a cache."""
    warmup = workload.warmup_operations
    return max(workload.operations or limits.operations, fill) + max(
        limits.warmup_operations if warmup is None else warmup, fill
    )


def _fills(scenario: Scenario) -> list[int]:
    """One for each write policy: only what is written back fills a cache."""
    return [
        0 if policy == WritePolicy.WRITE_THROUGH else scenario.limits.fill_operations
        for policy in scenario.sweep.write_policies or [scenario.array.write_policy]
    ]


def _checked_points(scenario: AnyScenario, known: Catalogue) -> int:
    """How many there will be to wait for."""
    if isinstance(scenario, GroupsScenario):
        # All of them are one point, each alone is one: at their largest far below the limits.
        return 1 + (len(scenario.groups) if scenario.alone else 0)
    arrays = scenario.sweep.arrays()
    points = arrays * sum(_points(workload, known) for workload in scenario.workloads)
    fills = _fills(scenario)
    operations = (arrays // len(fills)) * sum(
        _points(workload, known) * _operations(workload, scenario.limits, fill)
        for workload in scenario.workloads
        for fill in fills
    )
    if points > POINTS_MAX:
        raise InvalidError(
            f"That is {points} points; at most {POINTS_MAX} are simulated at once.",
            code="lab_too_many_points",
            params={"points": str(points), "max": str(POINTS_MAX)},
        )
    if operations > OPERATIONS_MAX:
        raise InvalidError(
            f"That is {operations} operations; at most {OPERATIONS_MAX} are simulated at once.",
            code="lab_too_many_operations",
            params={"operations": str(operations), "max": str(OPERATIONS_MAX)},
        )
    return points + (arrays if scenario.rebuild else 0)


def encode(scenario: AnyScenario) -> bytes:
    """Of arrays always a sweep, so that what a model refuses is part of the answer."""
    document = scenario.model_dump(mode="json", exclude_none=True)
    return json.dumps({"name": "lab", **document}, sort_keys=True).encode()


def decode(run: Run) -> Prediction:
    try:
        return Prediction.model_validate_json(run.answer)
    except ValidationError as error:
        raise LabFailedError("arraysim answered what we do not understand.", status=502) from error


def _shown(run: Run) -> Simulation:
    done = run.state is RunState.COMPLETED
    return Simulation(
        id=run.id,
        version=run.version,
        state=run.state,
        points=run.points,
        points_done=run.points_done,
        problem=run.problem.detail if run.problem else None,
        prediction=decode(run) if done else None,
    )


async def simulate(lab: Lab, scenario: AnyScenario) -> Simulation:
    _, known = await lab.catalogue()
    return _shown(await lab.start(encode(scenario), _checked_points(scenario, known)))


def _known(lab: Lab, run_id: str) -> Run:
    run = lab.find(run_id)
    if run is None:
        raise NotFoundError("There is no such simulation, or it has been forgotten: ask again.")
    return run


def get(lab: Lab, run_id: str) -> Simulation:
    return _shown(_known(lab, run_id))


async def cancel(lab: Lab, run_id: str) -> Simulation:
    run = _known(lab, run_id)
    await lab.cancel(run)
    return _shown(run)
