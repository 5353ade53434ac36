"""Login, logout and the change of one's own password."""

import secrets
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import service as audit
from arraywright.auth import models, repository
from arraywright.auth.passwords import hash_password, verify_password
from arraywright.auth.principal import Principal
from arraywright.auth.schemas import LoginRequest, PasswordChange, Session
from arraywright.auth.views import user_view
from arraywright.kit.problems import ForbiddenError, UnauthenticatedError
from arraywright.kit.roles import Role
from arraywright.kit.schema import moment
from arraywright.kit.secrets import make_secret
from arraywright.runtime import Runtime

HOUR_US = 3_600_000_000


async def log_in(
    runtime: Runtime, body: LoginRequest, *, address: str, fetch_site: str | None
) -> tuple[str, Session]:
    """The secret for the cookie, and the session. Every failure looks the same."""
    if fetch_site == "cross-site":
        raise ForbiddenError("Log in from the console itself.", code="cross_site")
    runtime.limiter.check(name=body.username, address=address)
    async with runtime.database.read() as session:
        user = await repository.user_by_name(session, body.username)
    matches = await verify_password(user.password_hash if user else None, body.password)
    if user is None or user.disabled or not matches:
        await _refused(runtime, body.username, "auth.login", address)
        raise UnauthenticatedError("User name or password is wrong.", code="login_failed")
    runtime.limiter.succeeded(name=body.username, address=address)
    now_us = runtime.clock.now_us()
    secret = make_secret("aws")
    row = models.UiSession(
        id=uuid4(),
        user_id=user.id,
        digest=secret.digest,
        csrf_token=secrets.token_urlsafe(24),
        created_us=now_us,
        expires_us=now_us + runtime.settings.session_hours * HOUR_US,
    )
    async with runtime.database.write() as session:
        present = await repository.user_by_id(session, user.id)
        if present is None or present.password_hash != user.password_hash:
            raise UnauthenticatedError("User name or password is wrong.", code="login_failed")
        present.last_login_us = now_us
        session.add(row)
        await audit.record(
            session, now_us, actor=present.username, action="auth.login", address=address
        )
        administrators = await repository.count_administrators(session)
    principal = Principal(present.id, present.username, Role(present.role), session_id=row.id)
    return secret.text, Session(
        user=user_view(present, principal, administrators),
        csrf_token=row.csrf_token,
        expires_at=moment(row.expires_us),
    )


async def _refused(runtime: Runtime, username: str, action: str, address: str) -> None:
    runtime.limiter.failed(name=username, address=address)
    async with runtime.database.write() as session:
        await audit.record(
            session,
            runtime.clock.now_us(),
            actor=username,
            action=action,
            outcome="refused",
            address=address,
        )


async def log_out(session: AsyncSession, runtime: Runtime, principal: Principal) -> None:
    if principal.session_id is None:
        raise ForbiddenError(
            "An API token has no session to end; revoke the token instead.", code="no_session"
        )
    await repository.end_session(session, principal.session_id)
    await audit.record(
        session, runtime.clock.now_us(), actor=principal.username, action="auth.logout"
    )
    runtime.hub.end(reason="logout", session_id=principal.session_id)


async def describe(session: AsyncSession, principal: Principal) -> Session:
    user = await repository.user_by_id(session, principal.user_id)
    if user is None:
        raise UnauthenticatedError("Log in first.")
    return Session(
        user=user_view(user, principal, await repository.count_administrators(session)),
        csrf_token=principal.csrf_token,
        expires_at=moment(principal.expires_us),
    )


async def change_password(
    runtime: Runtime, principal: Principal, body: PasswordChange, *, address: str
) -> None:
    runtime.limiter.check(name=principal.username, address=address)
    async with runtime.database.read() as session:
        user = await repository.user_by_id(session, principal.user_id)
    if user is None or not await verify_password(user.password_hash, body.old_password):
        await _refused(runtime, principal.username, "auth.password", address)
        raise ForbiddenError("The old password is wrong.", code="password_wrong")
    stored = await hash_password(body.new_password)
    async with runtime.database.write() as session:
        user = await repository.user_by_id(session, principal.user_id)
        if user is None:
            raise UnauthenticatedError("Log in first.")
        user.password_hash = stored
        user.rev += 1
        await repository.end_sessions(session, user.id, keep=principal.session_id)
        await audit.record(
            session, runtime.clock.now_us(), actor=user.username, action="auth.password"
        )
    runtime.hub.end(reason="logout", user_id=user.id, keep_session_id=principal.session_id)
