"""Questions about commands."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import and_, delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.commands.filters import CommandFilter
from arraywright.commands.models import Command, Idempotency
from arraywright.commands.schemas import CommandState
from arraywright.hosts.models import Host, shown_name
from arraywright.kit.paging_sql import Rows
from arraywright.link.models import SyncCursor

OPEN_STATES = ("queued", "offered", "accepted", "running")
WAITING_STATES = ("queued", "offered")
BATCH = 500


async def by_id(session: AsyncSession, command_id: UUID) -> Command | None:
    return await session.get(Command, command_id)


def commands() -> Rows:
    """Rows of (command, host name)."""
    return select(Command, shown_name()).join(Host, Host.id == Command.host_id)


def filtered(query: CommandFilter) -> Rows:
    statement = commands()
    if query.host_id is not None:
        statement = statement.where(Command.host_id == query.host_id)
    if query.target_id is not None:
        statement = statement.where(Command.target_id == query.target_id)
    if query.state:
        statement = statement.where(Command.state.in_([word.value for word in query.state]))
    if query.finished is not None:
        running = Command.state.in_(OPEN_STATES)
        statement = statement.where(~running if query.finished else running)
    return statement


async def find(session: AsyncSession, command_id: UUID) -> Any | None:
    return (await session.execute(commands().where(Command.id == command_id))).one_or_none()


async def next_number(session: AsyncSession, host_id: UUID) -> int:
    """The next number of this host's commands, taken in the caller's transaction."""
    done = await session.execute(
        update(SyncCursor)
        .where(SyncCursor.host_id == host_id)
        .values(command_number=SyncCursor.command_number + 1)
        .returning(SyncCursor.command_number)
        .execution_options(synchronize_session=False)
    )
    return int(done.scalar_one())


async def life(session: AsyncSession, host_id: UUID) -> str:
    """The present life of a host's revisions."""
    found = await session.execute(select(SyncCursor.life).where(SyncCursor.host_id == host_id))
    return found.scalar_one()


async def idempotency(session: AsyncSession, actor_id: UUID, key: str) -> Idempotency | None:
    return await session.get(Idempotency, (actor_id, key))


async def queued(session: AsyncSession) -> list[Command]:
    found = await session.execute(
        select(Command)
        .where(Command.state == CommandState.QUEUED.value)
        .order_by(Command.host_id, Command.number)
        .limit(BATCH)
    )
    return list(found.scalars())


async def overdue(session: AsyncSession, before_us: Mapping[str, int]) -> dict[UUID, str]:
    """States of open commands whose time is over by the rule of their state.

    A retired host answers nothing any more.
    """
    late = or_(
        Host.retired_us.is_not(None),
        *(
            and_(Command.state == state, Command.not_after_us <= at_us)
            for state, at_us in before_us.items()
        ),
    )
    found = await session.execute(
        select(Command.id, Command.state)
        .join(Host, Host.id == Command.host_id)
        .where(Command.state.in_(OPEN_STATES), late)
        .order_by(Command.host_id, Command.number)
        .limit(BATCH)
    )
    return {row[0]: row[1] for row in found}


async def waiting_for(session: AsyncSession, host_ids: Collection[UUID]) -> list[Command]:
    """What these hosts have perhaps not heard of, in order."""
    found = await session.execute(
        select(Command)
        .where(Command.host_id.in_(host_ids), Command.state.in_(WAITING_STATES))
        .order_by(Command.host_id, Command.number)
    )
    return list(found.scalars())


async def purge(session: AsyncSession, now_us: int) -> None:
    await session.execute(delete(Idempotency).where(Idempotency.expires_us < now_us))
