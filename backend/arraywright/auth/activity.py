"""Remembers which API tokens were used; a worker writes it down now and then."""

from uuid import UUID

from arraywright.auth import repository
from arraywright.auth.principal import Principal
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database


class Activity:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._used: dict[UUID, int] = {}

    def seen(self, principal: Principal) -> None:
        if principal.token_id is not None:
            self._used[principal.token_id] = self._clock.now_us()

    async def flush(self, database: Database) -> None:
        used, self._used = self._used, {}
        if not used:
            return
        async with database.write() as session:
            for token_id, at_us in used.items():
                await repository.token_used(session, token_id, at_us)
