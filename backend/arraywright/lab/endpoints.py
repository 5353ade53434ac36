"""Predictions over HTTP. They change nothing: whoever may look may ask, and save what is asked."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from arraywright.dependencies import ReadSession, RuntimeDep, Viewer, WriteSession
from arraywright.kit.paging import PageQuery
from arraywright.kit.problems import problems
from arraywright.kit.schema import Page
from arraywright.lab import choice, measured, scenarios, service
from arraywright.lab.requests import (
    ChoicePrediction,
    ChoiceRequest,
    MeasuredPrediction,
    MeasuredRequest,
)
from arraywright.lab.schemas import (
    AnyScenario,
    LabCatalogue,
    RunState,
    SavedScenario,
    SavedScenarioCreate,
    Simulation,
)

router = APIRouter(prefix="/lab", tags=["lab"])

SimulationId = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")]


@router.get("/catalogue", name="catalogue", responses=problems(503))
async def get_catalogue(runtime: RuntimeDep, _principal: Viewer) -> LabCatalogue:
    """Models of controllers and drives, and the reviews' workloads; the version of arraysim."""
    return await service.catalogue(runtime.lab)


@router.post("/choices", name="predict", responses=problems(404, 429, 503, 504))
async def predict_choice(
    body: ChoiceRequest, runtime: RuntimeDep, principal: Viewer
) -> ChoicePrediction:
    """Speed, rebuild and survival of a wish, next to the controller's other levels."""
    async with runtime.database.read(principal.host_ids) as session:
        situation = await choice.Situation.of(session, principal, body)
    return await choice.predict(runtime.lab, situation, body)


@router.post("/measured", name="predict_measured", responses=problems(404, 429, 503, 504))
async def predict_measured(
    body: MeasuredRequest, runtime: RuntimeDep, principal: Viewer
) -> MeasuredPrediction:
    """What the loads that are measured on a virtual drive ought to give."""
    async with runtime.database.read(principal.host_ids) as session:
        built = await measured.Built.of(session, principal, body)
    return await measured.predict(runtime.lab, built, body)


@router.post(
    "/simulations",
    name="simulate",
    status_code=202,
    responses={
        **problems(429, 503),
        200: {"model": Simulation, "description": "the same was asked before"},
    },
)
async def create_simulation(
    body: AnyScenario, runtime: RuntimeDep, _principal: Viewer, response: Response
) -> Simulation:
    """Follow it at Location. The same scenario is answered once and remembered."""
    simulation = await service.simulate(runtime.lab, body)
    response.headers["Location"] = f"/api/v1/lab/simulations/{simulation.id}"
    if simulation.state is RunState.COMPLETED:
        response.status_code = 200
    return simulation


@router.get("/simulations/{simulation_id}", name="get_simulation", responses=problems(404))
async def get_simulation(
    simulation_id: SimulationId, runtime: RuntimeDep, _principal: Viewer
) -> Simulation:
    return service.get(runtime.lab, simulation_id)


@router.post("/simulations/{simulation_id}/cancel", name="cancel", responses=problems(404))
async def cancel_simulation(
    simulation_id: SimulationId, runtime: RuntimeDep, _principal: Viewer
) -> Simulation:
    """Ends it; whoever else follows it sees that too, and may ask again."""
    return await service.cancel(runtime.lab, simulation_id)


@router.get("/scenarios", name="list_saved", responses=problems())
async def list_saved(
    principal: Viewer, session: ReadSession, query: Annotated[PageQuery, Query()]
) -> Page[SavedScenario]:
    """One's own, the newest first."""
    return await scenarios.page(session, principal, query)


@router.post("/scenarios", name="save", status_code=201, responses=problems(409))
async def save_scenario(
    body: SavedScenarioCreate,
    response: Response,
    runtime: RuntimeDep,
    principal: Viewer,
    session: WriteSession,
) -> SavedScenario:
    saved = await scenarios.save(session, runtime, principal, body)
    response.headers["Location"] = f"/api/v1/lab/scenarios/{saved.id}"
    return saved


@router.get("/scenarios/{scenario_id}", name="get_saved", responses=problems(404))
async def get_saved(scenario_id: UUID, principal: Viewer, session: ReadSession) -> SavedScenario:
    return await scenarios.get(session, principal, scenario_id)


@router.delete(
    "/scenarios/{scenario_id}", name="delete_saved", status_code=204, responses=problems(404)
)
async def delete_saved(
    scenario_id: UUID, runtime: RuntimeDep, principal: Viewer, session: WriteSession
) -> None:
    await scenarios.delete(session, runtime, principal, scenario_id)
