"""Who is calling: API token or session cookie, with proof of origin for unsafe requests."""

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.auth import repository
from arraywright.auth.cookies import CSRF_HEADER, SESSION_COOKIE
from arraywright.auth.principal import Principal
from arraywright.kit.problems import ForbiddenError, UnauthenticatedError
from arraywright.kit.roles import Role
from arraywright.kit.secrets import digest_of, same

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


async def authenticate(
    session: AsyncSession,
    *,
    now_us: int,
    method: str,
    headers: Mapping[str, str],
    cookies: Mapping[str, str],
) -> Principal:
    authorization = headers.get("authorization")
    if authorization is not None:
        return await _by_token(session, authorization, now_us, method)
    principal = await _by_cookie(session, cookies.get(SESSION_COOKIE), now_us)
    if method not in SAFE_METHODS:
        assert principal.csrf_token is not None
        if not same(headers.get(CSRF_HEADER, ""), principal.csrf_token):
            raise ForbiddenError(
                "The request does not prove that it comes from the console: "
                "send the CSRF token in X-CSRF-Token.",
                code="csrf_failed",
            )
    return principal


async def _by_token(
    session: AsyncSession, authorization: str, now_us: int, method: str
) -> Principal:
    scheme, _, secret = authorization.partition(" ")
    found = None
    if scheme.lower() == "bearer" and secret:
        found = await repository.token_by_digest(session, digest_of(secret.strip()))
    if found is None:
        raise _unauthenticated("The API token is not known.", code="token_invalid")
    token, user = found
    if token.expires_us is not None and token.expires_us <= now_us:
        raise _unauthenticated("The API token has expired.", code="token_expired")
    if user.disabled:
        raise _unauthenticated("The owner of the API token is locked.", code="user_disabled")
    lesser = min(Role(token.role), Role(user.role), key=lambda role: role.rank)
    principal = Principal(
        user_id=user.id,
        username=user.username,
        role=lesser,
        token_id=token.id,
        expires_us=token.expires_us,
        read_only=token.read_only,
        host_ids=frozenset(map(UUID, token.host_ids)) if token.host_ids else None,
    )
    if token.read_only and method not in SAFE_METHODS:
        raise ForbiddenError("This API token may only read.", code="token_read_only")
    return principal


async def _by_cookie(session: AsyncSession, secret: str | None, now_us: int) -> Principal:
    found = await repository.session_by_digest(session, digest_of(secret)) if secret else None
    if found is None:
        raise _unauthenticated("Log in first.", code="unauthenticated")
    ui_session, user = found
    if ui_session.expires_us <= now_us or user.disabled:
        raise _unauthenticated("The session has ended. Log in again.", code="session_ended")
    return Principal(
        user_id=user.id,
        username=user.username,
        role=Role(user.role),
        session_id=ui_session.id,
        csrf_token=ui_session.csrf_token,
        expires_us=ui_session.expires_us,
    )


def _unauthenticated(detail: str, *, code: str) -> UnauthenticatedError:
    return UnauthenticatedError(detail, code=code, headers={"WWW-Authenticate": "Bearer"})
