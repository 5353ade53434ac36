"""Predictions over HTTP. They change nothing: whoever may look may ask."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from arraywright.dependencies import RuntimeDep, Viewer
from arraywright.kit.problems import problems
from arraywright.lab import choice, service
from arraywright.lab.requests import ChoicePrediction, ChoiceRequest
from arraywright.lab.schemas import LabCatalogue, RunState, Scenario, Simulation

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
    async with runtime.database.read() as session:
        situation = await choice.Situation.of(session, principal, body)
    return await choice.predict(runtime.lab, situation, body)


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
    body: Scenario, runtime: RuntimeDep, _principal: Viewer, response: Response
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
