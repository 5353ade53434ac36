"""Questions about users, sessions and tokens."""

from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from arraywright.auth.models import ApiToken, UiSession, User
from arraywright.kit.paging_sql import Rows
from arraywright.kit.roles import Role


async def user_by_id(session: AsyncSession, user_id: UUID) -> User | None:
    return await session.get(User, user_id)


async def user_by_name(session: AsyncSession, username: str) -> User | None:
    found = await session.execute(select(User).where(User.username == username.lower()))
    return found.scalar_one_or_none()


async def all_users(session: AsyncSession) -> list[User]:
    return list((await session.execute(select(User).order_by(User.username))).scalars())


async def count_users(session: AsyncSession) -> int:
    return (await session.execute(select(func.count()).select_from(User))).scalar_one()


async def count_administrators(session: AsyncSession) -> int:
    found = await session.execute(
        select(func.count())
        .select_from(User)
        .where(User.role == Role.ADMINISTRATOR.value, User.disabled.is_(False))
    )
    return found.scalar_one()


async def other_administrators(session: AsyncSession, user_id: UUID) -> int:
    """Enabled administrators besides this one; locks them, so that two cannot leave at once."""
    rows = await session.execute(
        select(User.id)
        .where(
            User.role == Role.ADMINISTRATOR.value,
            User.disabled.is_(False),
            User.id != user_id,
        )
        .with_for_update()
    )
    return len(rows.all())


async def session_by_digest(session: AsyncSession, digest: str) -> tuple[UiSession, User] | None:
    found = await session.execute(
        select(UiSession, User)
        .join(User, User.id == UiSession.user_id)
        .where(UiSession.digest == digest)
    )
    row = found.one_or_none()
    return (row[0], row[1]) if row else None


async def token_by_digest(session: AsyncSession, digest: str) -> tuple[ApiToken, User] | None:
    found = await session.execute(
        select(ApiToken, User)
        .join(User, User.id == ApiToken.user_id)
        .where(ApiToken.digest == digest)
    )
    row = found.one_or_none()
    return (row[0], row[1]) if row else None


async def end_sessions(session: AsyncSession, user_id: UUID, *, keep: UUID | None = None) -> None:
    statement = delete(UiSession).where(UiSession.user_id == user_id)
    if keep is not None:
        statement = statement.where(UiSession.id != keep)
    await session.execute(statement)


async def end_every_session(session: AsyncSession) -> None:
    await session.execute(delete(UiSession))


async def end_session(session: AsyncSession, session_id: UUID) -> None:
    await session.execute(delete(UiSession).where(UiSession.id == session_id))


async def purge_sessions(session: AsyncSession, now_us: int) -> None:
    await session.execute(delete(UiSession).where(UiSession.expires_us < now_us))


def users() -> Rows:
    return select(User)


def tokens(*, owner: UUID | None = None, made_with: UUID | None = None) -> Rows:
    """Rows of (token, its owner, prefix of the token it was made with).

    `made_with`: this token itself, and those that were made with it.
    """
    parent = aliased(ApiToken)
    statement = (
        select(ApiToken, User.username, parent.prefix)
        .join(User, User.id == ApiToken.user_id)
        .outerjoin(parent, parent.id == ApiToken.parent_id)
    )
    if made_with is not None:
        statement = statement.where(or_(ApiToken.id == made_with, ApiToken.parent_id == made_with))
    return statement if owner is None else statement.where(ApiToken.user_id == owner)


async def one_of(session: AsyncSession, tokens: Rows, token_id: UUID) -> Any | None:
    return (await session.execute(tokens.where(ApiToken.id == token_id))).one_or_none()


async def token_with_owner(
    session: AsyncSession, token_id: UUID
) -> tuple[ApiToken, str, str | None] | None:
    found = await session.execute(tokens().where(ApiToken.id == token_id))
    row = found.one_or_none()
    return (row[0], row[1], row[2]) if row else None


async def end_tokens(session: AsyncSession, user_id: UUID, *, keep: UUID | None = None) -> int:
    """How many there were."""
    statement = delete(ApiToken).where(ApiToken.user_id == user_id)
    if keep is not None:
        statement = statement.where(ApiToken.id != keep)
    ended = await session.execute(statement.returning(ApiToken.id))
    return len(ended.all())


async def token_used(session: AsyncSession, token_id: UUID, at_us: int) -> None:
    await session.execute(
        update(ApiToken).where(ApiToken.id == token_id).values(last_used_us=at_us)
    )
