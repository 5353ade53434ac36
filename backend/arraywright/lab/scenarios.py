"""Saved scenarios: everybody has their own."""

from uuid import UUID, uuid4

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import service as audit
from arraywright.auth.principal import Principal
from arraywright.kit.paging import PageQuery
from arraywright.kit.paging_sql import fetch_page
from arraywright.kit.problems import ConflictError, InvalidError, NotFoundError
from arraywright.kit.schema import Page, moment
from arraywright.lab import models, repository
from arraywright.lab.schemas import SavedScenario, SavedScenarioCreate
from arraywright.live import outbox
from arraywright.runtime import Runtime

SAVED_MAX = 200


def _view(row: models.SavedScenario) -> SavedScenario:
    return SavedScenario.model_validate(
        {
            "id": row.id,
            "name": row.name,
            "scenario": row.scenario,
            "created_at": moment(row.created_us),
        }
    )


async def page(
    session: AsyncSession, principal: Principal, query: PageQuery
) -> Page[SavedScenario]:
    rows, cursor, total = await fetch_page(
        session,
        repository.saved(principal.user_id),
        query,
        keys=[models.SavedScenario.created_us, models.SavedScenario.id],
        kinds=(int, str),
        key_of=lambda row: [row[0].created_us, str(row[0].id)],
        bind=lambda values: [values[0], UUID(values[1])],
        descending=True,
    )
    return Page(items=[_view(row[0]) for row in rows], next_cursor=cursor, total=total)


async def _find(
    session: AsyncSession, principal: Principal, scenario_id: UUID
) -> models.SavedScenario:
    found = await repository.saved_by_id(session, principal.user_id, scenario_id)
    if found is None:
        raise NotFoundError("You have no such saved scenario.")
    return found


async def get(session: AsyncSession, principal: Principal, scenario_id: UUID) -> SavedScenario:
    return _view(await _find(session, principal, scenario_id))


async def save(
    session: AsyncSession, runtime: Runtime, principal: Principal, body: SavedScenarioCreate
) -> SavedScenario:
    if await repository.count_saved(session, principal.user_id) >= SAVED_MAX:
        raise InvalidError(
            f"You have saved {SAVED_MAX} scenarios; delete one first.",
            code="lab_too_many_saved",
            params={"max": str(SAVED_MAX)},
        )
    now_us = runtime.clock.now_us()
    row = models.SavedScenario(
        id=uuid4(),
        user_id=principal.user_id,
        name=body.name,
        scenario=body.scenario.model_dump(mode="json", exclude_none=True),
        created_us=now_us,
    )
    session.add(row)
    try:
        await session.flush()
    except IntegrityError as error:
        raise ConflictError(
            f"You have saved a scenario named {body.name} already: take another name.",
            code="name_taken",
            params={"name": body.name},
        ) from error
    await audit.record(
        session, now_us, actor=principal.username, action="lab_scenario.save", target=row.name
    )
    outbox.add(session, kind="saved_scenario", object_id=str(row.id), rev=now_us)
    return _view(row)


async def delete(
    session: AsyncSession, runtime: Runtime, principal: Principal, scenario_id: UUID
) -> None:
    row = await _find(session, principal, scenario_id)
    await session.delete(row)
    now_us = runtime.clock.now_us()
    outbox.add(session, kind="saved_scenario", object_id=str(scenario_id), rev=now_us)
    await audit.record(
        session,
        now_us,
        actor=principal.username,
        action="lab_scenario.delete",
        target=row.name,
    )
