"""Login, users and API tokens over HTTP."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from arraywright.auth import login, tokens, users
from arraywright.auth.cookies import (
    DEVICE_COOKIE,
    clear_cookies,
    set_cookies,
    set_device_cookie,
)
from arraywright.auth.schemas import (
    ApiToken,
    ApiTokenCreate,
    ApiTokenCreated,
    LoginRequest,
    PasswordChange,
    Session,
    User,
    UserCreate,
    UserUpdate,
)
from arraywright.dependencies import (
    CurrentPrincipal,
    FleetAdministrator,
    ReadSession,
    RuntimeDep,
    Viewer,
    WriteSession,
)
from arraywright.kit.headers import ChangeHeadersDep, etag
from arraywright.kit.paging import PageQuery
from arraywright.kit.problems import problems
from arraywright.kit.schema import Page
from arraywright.kit.web import client_address, is_https, root_path

router = APIRouter(prefix="/auth", tags=["auth"])
users_router = APIRouter(prefix="/users", tags=["users"])
tokens_router = APIRouter(prefix="/api-tokens", tags=["api_tokens"])


@router.post("/login", responses=problems(429))
async def log_in(
    body: LoginRequest, request: Request, response: Response, runtime: RuntimeDep
) -> Session:
    """Sets the session cookie; the CSRF token comes back in the body and a readable cookie."""
    settings = runtime.settings
    caller = login.Caller(
        address=client_address(request, settings),
        is_own_address=bool(settings.trusted_proxies),
        device=request.cookies.get(DEVICE_COOKIE),
        fetch_site=request.headers.get("sec-fetch-site"),
    )
    made = await login.log_in(runtime, body, caller)
    secure = is_https(request, settings)
    root = root_path(request)
    set_cookies(response, secret=made.secret, session=made.session, secure=secure, root=root)
    set_device_cookie(response, made.device, secure=secure, root=root)
    return made.session


@router.post("/logout", status_code=204, responses=problems())
async def log_out(
    request: Request,
    response: Response,
    runtime: RuntimeDep,
    principal: CurrentPrincipal,
    session: WriteSession,
) -> None:
    """Ends the session and its live streams."""
    await login.log_out(session, runtime, principal)
    clear_cookies(response, root=root_path(request))


@router.get("/session", responses=problems())
async def get_session(runtime: RuntimeDep, principal: Viewer, session: ReadSession) -> Session:
    return await login.describe(session, runtime, principal)


@router.post("/password", status_code=204, responses=problems(429))
async def change_password(
    body: PasswordChange,
    request: Request,
    runtime: RuntimeDep,
    principal: Viewer,
) -> None:
    """Changes one's own password; ends one's other sessions and one's API tokens."""
    address = client_address(request, runtime.settings)
    await login.change_password(runtime, principal, body, address=address)


@users_router.get("", name="list", responses=problems())
async def list_users(
    principal: FleetAdministrator, session: ReadSession, query: Annotated[PageQuery, Query()]
) -> Page[User]:
    return await users.page(session, principal, query)


@users_router.post("", name="create", status_code=201, responses=problems(409))
async def create_user(
    body: UserCreate,
    response: Response,
    runtime: RuntimeDep,
    principal: FleetAdministrator,
    session: WriteSession,
) -> User:
    user = await users.create(session, runtime, principal, body)
    response.headers["Location"] = f"/api/v1/users/{user.id}"
    response.headers["ETag"] = etag(user.rev)
    return user


@users_router.get("/{user_id}", name="get", responses=problems(404))
async def get_user(
    user_id: UUID, response: Response, principal: FleetAdministrator, session: ReadSession
) -> User:
    user = await users.get(session, principal, user_id)
    response.headers["ETag"] = etag(user.rev)
    return user


@users_router.patch("/{user_id}", name="update", responses=problems(404, 409, 412))
async def update_user(
    user_id: UUID,
    body: UserUpdate,
    response: Response,
    headers: ChangeHeadersDep,
    runtime: RuntimeDep,
    principal: FleetAdministrator,
    session: WriteSession,
) -> User:
    """A new role, password or lock ends the user's sessions and live streams, and a password or
    lock the user's API tokens."""
    user = await users.update(session, runtime, principal, user_id, body, headers.if_match)
    response.headers["ETag"] = etag(user.rev)
    return user


@users_router.delete(
    "/{user_id}", name="delete", status_code=204, responses=problems(404, 409, 412)
)
async def delete_user(
    user_id: UUID,
    headers: ChangeHeadersDep,
    runtime: RuntimeDep,
    principal: FleetAdministrator,
    session: WriteSession,
) -> None:
    await users.delete(session, runtime, principal, user_id, headers.if_match)


@tokens_router.get("", name="list", responses=problems())
async def list_tokens(
    principal: Viewer, session: ReadSession, query: Annotated[PageQuery, Query()]
) -> Page[ApiToken]:
    """One's own tokens; an administrator sees everybody's."""
    return await tokens.page(session, principal, query)


@tokens_router.post("", name="create", status_code=201, responses=problems())
async def create_token(
    body: ApiTokenCreate, runtime: RuntimeDep, principal: Viewer, session: WriteSession
) -> ApiTokenCreated:
    return await tokens.create(session, runtime, principal, body)


@tokens_router.delete("/{token_id}", name="revoke", status_code=204, responses=problems(404))
async def revoke_token(
    token_id: UUID, runtime: RuntimeDep, principal: Viewer, session: WriteSession
) -> None:
    await tokens.revoke(session, runtime, principal, token_id)
