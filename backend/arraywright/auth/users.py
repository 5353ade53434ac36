"""Users: only administrators come here."""

from uuid import UUID, uuid4

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import service as audit
from arraywright.auth import models, repository
from arraywright.auth.passwords import hash_password
from arraywright.auth.principal import Principal
from arraywright.auth.schemas import User, UserCreate, UserUpdate
from arraywright.auth.strength import check_password
from arraywright.auth.views import LAST_ADMINISTRATOR, OWN_ACCOUNT, user_view
from arraywright.kit.headers import check_revision
from arraywright.kit.paging import PageQuery
from arraywright.kit.paging_sql import fetch_page
from arraywright.kit.problems import ConflictError, ForbiddenError, NotFoundError
from arraywright.kit.roles import Role
from arraywright.kit.schema import Page
from arraywright.live import outbox
from arraywright.runtime import Runtime

POWERFUL = frozenset({"role", "disabled", "password"})
"""Sessions end when one of them changes."""


async def _show(session: AsyncSession, principal: Principal, row: models.User) -> User:
    await session.flush()
    return user_view(row, principal, await repository.count_administrators(session))


async def page(session: AsyncSession, principal: Principal, query: PageQuery) -> Page[User]:
    rows, cursor, total = await fetch_page(
        session,
        repository.users(),
        query,
        keys=[models.User.username],
        kinds=(str,),
        key_of=lambda row: [row[0].username],
    )
    count = await repository.count_administrators(session)
    items = [user_view(row[0], principal, count) for row in rows]
    return Page(items=items, next_cursor=cursor, total=total)


async def _user(session: AsyncSession, user_id: UUID) -> models.User:
    user = await repository.user_by_id(session, user_id)
    if user is None:
        raise NotFoundError("There is no such user.")
    return user


async def get(session: AsyncSession, principal: Principal, user_id: UUID) -> User:
    return await _show(session, principal, await _user(session, user_id))


async def add(
    session: AsyncSession, now_us: int, *, username: str, role: Role, password: str, name: str = ""
) -> models.User:
    """Also for the first administrator, who is made before anybody can log in."""
    row = models.User(
        id=uuid4(),
        rev=1,
        username=username,
        display_name=name,
        role=role.value,
        password_hash=await hash_password(password),
        disabled=False,
        created_us=now_us,
    )
    session.add(row)
    try:
        await session.flush()
    except IntegrityError as error:
        raise ConflictError(
            f"The user name {username} is taken.", code="name_taken", params={"name": username}
        ) from error
    return row


async def create(
    session: AsyncSession, runtime: Runtime, principal: Principal, body: UserCreate
) -> User:
    _needs_lasting_access(principal)
    check_password(body.password, body.username)
    now_us = runtime.clock.now_us()
    row = await add(
        session,
        now_us,
        username=body.username,
        role=body.role,
        password=body.password,
        name=body.display_name,
    )
    await audit.record(
        session,
        now_us,
        actor=principal.username,
        action="user.create",
        target=body.username,
        detail={"role": body.role.value},
    )
    outbox.add(session, kind="user", object_id=str(row.id), rev=row.rev)
    return await _show(session, principal, row)


def _needs_lasting_access(principal: Principal) -> None:
    """Access that ends must not make access that does not."""
    if principal.token_id is not None and principal.expires_us is not None:
        raise ForbiddenError(
            "An API token that expires cannot make or change users. Log in to do that.",
            code="token_expires",
        )


async def _keep_an_administrator(session: AsyncSession, user: models.User) -> None:
    if user.role != Role.ADMINISTRATOR.value or user.disabled:
        return
    if await repository.other_administrators(session, user.id) == 0:
        raise ConflictError(
            LAST_ADMINISTRATOR,
            code="last_administrator",
        )


def _not_oneself(principal: Principal, user: models.User) -> None:
    if user.id == principal.user_id:
        raise ConflictError(OWN_ACCOUNT, code="own_account")


async def _change(user: models.User, body: UserUpdate) -> list[str]:
    """Names of what is different now."""
    changed = []
    if body.display_name is not None:
        user.display_name = body.display_name
        changed.append("display_name")
    if body.role is not None and body.role.value != user.role:
        user.role = body.role.value
        changed.append("role")
    if body.disabled is not None and body.disabled != user.disabled:
        user.disabled = body.disabled
        changed.append("disabled")
    if body.password is not None:
        user.password_hash = await hash_password(body.password)
        changed.append("password")
    user.rev += 1
    return changed


async def _end_access(
    session: AsyncSession, user: models.User, changed: list[str], *, keep: UUID | None = None
) -> None:
    """Ends sessions, and also tokens except `keep` if they must not outlive the change."""
    await repository.end_sessions(session, user.id)
    if user.disabled or "password" in changed:
        await repository.end_tokens(session, user.id, keep=keep)


async def _record_update(
    session: AsyncSession, now_us: int, *, actor: str, user: models.User, changed: list[str]
) -> None:
    await audit.record(
        session,
        now_us,
        actor=actor,
        action="user.update",
        target=user.username,
        detail={"changed": " ".join(changed), "role": user.role},
    )
    outbox.add(session, kind="user", object_id=str(user.id), rev=user.rev)


async def administer(
    session: AsyncSession, now_us: int, *, actor: str, username: str, body: UserUpdate
) -> models.User:
    """For the command line, whose caller is nobody's account."""
    user = await repository.user_by_name(session, username)
    if user is None:
        raise NotFoundError(f"There is no user {username}.")
    if body.password is not None:
        check_password(body.password, user.username)
    if body.disabled is True or body.role not in (None, Role.ADMINISTRATOR):
        await _keep_an_administrator(session, user)
    changed = await _change(user, body)
    if POWERFUL & set(changed):
        await _end_access(session, user, changed)
    await _record_update(session, now_us, actor=actor, user=user, changed=changed)
    return user


async def update(
    session: AsyncSession,
    runtime: Runtime,
    principal: Principal,
    user_id: UUID,
    body: UserUpdate,
    if_match: str | None,
) -> User:
    _needs_lasting_access(principal)
    user = await _user(session, user_id)
    check_revision(if_match, user.rev, what=f"User {user.username}")
    if body.password is not None:
        check_password(body.password, user.username)
    loses_power = body.disabled is True or body.role not in (None, Role.ADMINISTRATOR)
    if loses_power:
        _not_oneself(principal, user)
        await _keep_an_administrator(session, user)
    changed = await _change(user, body)
    if POWERFUL & set(changed):
        keep = principal.token_id if principal.user_id == user.id else None
        await _end_access(session, user, changed, keep=keep)
        runtime.hub.end(reason="role_changed", user_id=user.id)
    await _record_update(
        session, runtime.clock.now_us(), actor=principal.username, user=user, changed=changed
    )
    return await _show(session, principal, user)


async def delete(
    session: AsyncSession,
    runtime: Runtime,
    principal: Principal,
    user_id: UUID,
    if_match: str | None,
) -> None:
    user = await _user(session, user_id)
    check_revision(if_match, user.rev, what=f"User {user.username}")
    _not_oneself(principal, user)
    await _keep_an_administrator(session, user)
    await session.delete(user)
    runtime.hub.end(reason="logout", user_id=user.id)
    await audit.record(
        session,
        runtime.clock.now_us(),
        actor=principal.username,
        action="user.delete",
        target=user.username,
    )
    outbox.add(session, kind="user", object_id=str(user.id), rev=user.rev + 1)
