"""When a host begins to count its revisions anew."""

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.commands import recovery
from arraywright.kit.revisions import new_life
from arraywright.link.models import SyncCursor


async def begin(session: AsyncSession, now_us: int, cursor: SyncCursor) -> None:
    """Objects that are stored keep the name of the life they were reported in."""
    cursor.life = new_life()
    await recovery.life_ended(session, now_us, cursor.host_id)
