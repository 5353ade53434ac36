"""Questions about saved scenarios; each is of its owner only."""

from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.kit.paging_sql import Rows
from arraywright.lab.models import SavedScenario


def saved(user_id: UUID) -> Rows:
    return select(SavedScenario).where(SavedScenario.user_id == user_id)


async def saved_by_id(
    session: AsyncSession, user_id: UUID, scenario_id: UUID
) -> SavedScenario | None:
    found = await session.execute(
        select(SavedScenario).where(
            SavedScenario.user_id == user_id, SavedScenario.id == scenario_id
        )
    )
    return found.scalar_one_or_none()


async def count_saved(session: AsyncSession, user_id: UUID) -> int:
    found = await session.execute(
        select(func.count()).select_from(SavedScenario).where(SavedScenario.user_id == user_id)
    )
    return found.scalar_one()
