"""Health and version: the two routes without a login."""

from typing import Annotated, Literal

from fastapi import APIRouter, Response
from pydantic import Field
from sqlalchemy import text

from arraywright import PROTOCOL_VERSION, __version__
from arraywright.dependencies import RuntimeDep
from arraywright.kit.schema import ApiModel

router = APIRouter(tags=["system"])


class Health(ApiModel):
    status: Literal["ok", "failed"]
    database: Literal["ok", "failed"]


class Version(ApiModel):
    version: str
    protocol: Annotated[int, Field(description="version of the agent protocol")]
    server_id: str
    demo: Annotated[bool, Field(description="a demonstration: the console offers scenarios")]


@router.get("/health", name="health")
async def get_health(runtime: RuntimeDep, response: Response) -> Health:
    try:
        async with runtime.database.read() as session:
            await session.execute(text("SELECT 1"))
    except Exception:  # whatever is wrong with the database: it is not healthy
        response.status_code = 503
        return Health(status="failed", database="failed")
    return Health(status="ok", database="ok")


@router.get("/version", name="version")
async def get_version(runtime: RuntimeDep) -> Version:
    return Version(
        version=__version__,
        protocol=PROTOCOL_VERSION,
        server_id=str(runtime.server_id),
        demo=runtime.settings.demo,
    )
