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


def get_runtime(connection: HTTPConnection) -> Runtime:
    runtime = connection.app.state.runtime
    assert isinstance(runtime, Runtime)
    return runtime


RuntimeDep = Annotated[Runtime, Depends(get_runtime)]


async def get_read_session(runtime: RuntimeDep) -> AsyncIterator[AsyncSession]:
    async with runtime.database.read() as session:
        yield session


ReadSession = Annotated[AsyncSession, Depends(get_read_session, scope="function")]


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


class Needs:
    """The role a route needs; read by the test that walks every route."""

    def __init__(self, role: Role) -> None:
        self.role = role

    def __call__(self, principal: CurrentPrincipal) -> Principal:
        if not principal.role.allows(self.role):
            raise ForbiddenError(
                f"This needs the role {self.role.value}.",
                code="role_needed",
                params={"role": self.role.value},
            )
        return principal


Viewer = Annotated[Principal, Depends(Needs(Role.VIEWER))]
Operator = Annotated[Principal, Depends(Needs(Role.OPERATOR))]
Administrator = Annotated[Principal, Depends(Needs(Role.ADMINISTRATOR))]


async def get_write_session(
    runtime: RuntimeDep, principal: CurrentPrincipal
) -> AsyncIterator[AsyncSession]:
    """Committed when the endpoint has returned, before the answer leaves.

    For a logged-in caller only: nobody else can make us take the write lock.
    """
    assert principal is not None
    async with runtime.database.write() as session:
        yield session
    runtime.outbox.wake()


WriteSession = Annotated[AsyncSession, Depends(get_write_session, scope="function")]
