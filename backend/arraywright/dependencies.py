"""What endpoints ask for: a session, the caller, the running parts."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends
from fastapi.requests import HTTPConnection
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.auth import service as auth_service
from arraywright.auth.principal import Principal
from arraywright.kit.problems import ForbiddenError
from arraywright.kit.roles import Role
from arraywright.runtime import Runtime


async def get_runtime(connection: HTTPConnection) -> Runtime:
    """Not an ordinary function: FastAPI calls those in threads."""
    runtime = connection.app.state.runtime
    assert isinstance(runtime, Runtime)
    return runtime


RuntimeDep = Annotated[Runtime, Depends(get_runtime)]


async def get_principal(connection: HTTPConnection, runtime: RuntimeDep) -> Principal:
    """The caller, by API token or session cookie; unsafe cookie requests prove their origin."""
    async with runtime.database.read() as session:
        principal = await auth_service.authenticate(
            session,
            now_us=runtime.clock.now_us(),
            method=connection.scope["method"],
            headers=connection.headers,
            cookies=connection.cookies,
        )
    runtime.activity.seen(principal)
    return principal


CurrentPrincipal = Annotated[Principal, Depends(get_principal)]


async def get_read_session(
    runtime: RuntimeDep, principal: CurrentPrincipal
) -> AsyncIterator[AsyncSession]:
    """Sees what the caller may reach."""
    async with runtime.database.read(principal.host_ids) as session:
        yield session


ReadSession = Annotated[AsyncSession, Depends(get_read_session, scope="function")]


class Needs:
    """The role a route needs; read by the test that walks every route.

    `everywhere`: it concerns more than single hosts, so a token limited to hosts is refused.
    """

    def __init__(self, role: Role, *, everywhere: bool = False) -> None:
        self.role = role
        self.everywhere = everywhere

    def __call__(self, principal: CurrentPrincipal) -> Principal:
        if not principal.role.allows(self.role):
            raise ForbiddenError(
                f"This needs the role {self.role.value}.",
                code="role_needed",
                params={"role": self.role.value},
            )
        if self.everywhere and principal.host_ids is not None:
            raise ForbiddenError(
                "This API token is limited to some hosts, and this concerns all of them.",
                code="token_limited",
            )
        return principal


Viewer = Annotated[Principal, Depends(Needs(Role.VIEWER))]
Operator = Annotated[Principal, Depends(Needs(Role.OPERATOR))]
Administrator = Annotated[Principal, Depends(Needs(Role.ADMINISTRATOR))]
FleetAdministrator = Annotated[Principal, Depends(Needs(Role.ADMINISTRATOR, everywhere=True))]


async def get_write_session(
    runtime: RuntimeDep, principal: CurrentPrincipal
) -> AsyncIterator[AsyncSession]:
    """Committed when the endpoint has returned, before the answer leaves.

    For a logged-in caller only: nobody else can make us take the write lock.
    """
    async with runtime.database.write(principal.host_ids) as session:
        yield session


WriteSession = Annotated[AsyncSession, Depends(get_write_session, scope="function")]
