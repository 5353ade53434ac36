"""Login, logout and the change of one's own password."""

import secrets
from dataclasses import dataclass
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import service as audit
from arraywright.auth import models, repository
from arraywright.auth.devices import known_device, make_device
from arraywright.auth.limiter import Counter, login_counters
from arraywright.auth.passwords import hash_password, verify_password
from arraywright.auth.principal import Principal
from arraywright.auth.schemas import LoginRequest, PasswordChange, Session
from arraywright.auth.strength import check_password
from arraywright.auth.views import user_view
from arraywright.kit.problems import ForbiddenError, UnauthenticatedError
from arraywright.kit.roles import Role
from arraywright.kit.schema import moment
from arraywright.kit.secrets import make_secret
from arraywright.runtime import Runtime

HOUR_US = 3_600_000_000


@dataclass(frozen=True, slots=True)
class Caller:
    """Whom an attempt is counted for."""

    address: str
    is_own_address: bool
    """Known to be the caller's, not that of a proxy for many."""
    device: str | None
    """The device cookie, if there is one."""
    fetch_site: str | None = None


@dataclass(frozen=True, slots=True)
class LoggedIn:
    secret: str
    device: str
    session: Session


async def log_in(runtime: Runtime, body: LoginRequest, caller: Caller) -> LoggedIn:
    """Every failure looks the same."""
    if caller.fetch_site == "cross-site":
        raise ForbiddenError("Log in from the console itself.", code="cross_site")
    async with runtime.database.read() as session:
        user = await repository.user_by_name(session, body.username)
    device = known_device(runtime.device_key, user, caller.device)
    counters = login_counters(
        body.username, caller.address, device=device, real=caller.is_own_address
    )
    runtime.limiter.check(counters)
    matches = await verify_password(
        user.password_hash if user else None, body.password, is_known=device is not None
    )
    if user is None or user.disabled or not matches:
        await _refused(runtime, counters, body.username, "auth.login", caller.address)
        raise UnauthenticatedError("User name or password is wrong.", code="login_failed")
    runtime.limiter.succeeded(counters)
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
            session, now_us, actor=present.username, action="auth.login", address=caller.address
        )
        administrators = await repository.count_administrators(session)
    principal = Principal(present.id, present.username, Role(present.role), session_id=row.id)
    return LoggedIn(
        secret=secret.text,
        device=make_device(runtime.device_key, present),
        session=Session(
            user=user_view(present, principal, administrators),
            csrf_token=row.csrf_token,
            expires_at=moment(row.expires_us),
            live_position=runtime.hub.position,
        ),
    )


async def _refused(
    runtime: Runtime, counters: list[Counter], username: str, action: str, address: str
) -> None:
    runtime.limiter.failed(counters)
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


async def describe(session: AsyncSession, runtime: Runtime, principal: Principal) -> Session:
    user = await repository.user_by_id(session, principal.user_id)
    if user is None:
        raise UnauthenticatedError("Log in first.")
    return Session(
        user=user_view(user, principal, await repository.count_administrators(session)),
        csrf_token=principal.csrf_token,
        expires_at=moment(principal.expires_us),
        live_position=runtime.hub.position,
    )


async def change_password(
    runtime: Runtime, principal: Principal, body: PasswordChange, *, address: str
) -> None:
    counters = [Counter(f"password {principal.session_id or principal.token_id}")]
    runtime.limiter.check(counters)
    async with runtime.database.read() as session:
        user = await repository.user_by_id(session, principal.user_id)
    if user is None or not await verify_password(user.password_hash, body.old_password):
        await _refused(runtime, counters, principal.username, "auth.password", address)
        raise ForbiddenError(
            "The old password is wrong.",
            code="password_wrong",
            errors=[("/old_password", "is wrong")],
        )
    check_password(body.new_password, user.username, "/new_password")
    stored = await hash_password(body.new_password)
    async with runtime.database.write() as session:
        user = await repository.user_by_id(session, principal.user_id)
        if user is None:
            raise UnauthenticatedError("Log in first.")
        user.password_hash = stored
        user.rev += 1
        await repository.end_sessions(session, user.id, keep=principal.session_id)
        await repository.end_tokens(session, user.id, keep=principal.token_id)
        await audit.record(
            session, runtime.clock.now_us(), actor=user.username, action="auth.password"
        )
    runtime.hub.end(reason="logout", user_id=user.id, keep_session_id=principal.session_id)
