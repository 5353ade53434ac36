"""API tokens: made once, shown once, kept as a hash."""

from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import service as audit
from arraywright.auth import models, repository
from arraywright.auth.principal import Principal
from arraywright.auth.schemas import ApiToken, ApiTokenCreate, ApiTokenCreated
from arraywright.auth.views import token_view
from arraywright.kit.paging import PageQuery
from arraywright.kit.paging_sql import fetch_page
from arraywright.kit.problems import ForbiddenError, NotFoundError
from arraywright.kit.roles import Role
from arraywright.kit.schema import Page
from arraywright.kit.secrets import make_secret
from arraywright.runtime import Runtime

DAY_US = 86_400_000_000


async def page(session: AsyncSession, principal: Principal, query: PageQuery) -> Page[ApiToken]:
    everybody = principal.role is Role.ADMINISTRATOR
    rows, cursor, total = await fetch_page(
        session,
        repository.tokens(owner=None if everybody else principal.user_id),
        query,
        keys=[models.ApiToken.created_us, models.ApiToken.id],
        kinds=(int, str),
        key_of=lambda row: [row[0].created_us, str(row[0].id)],
        bind=lambda values: [values[0], UUID(values[1])],
        descending=True,
    )
    return Page(items=[token_view(row[0], row[1]) for row in rows], next_cursor=cursor, total=total)


async def create(
    session: AsyncSession, runtime: Runtime, principal: Principal, body: ApiTokenCreate
) -> ApiTokenCreated:
    if not principal.role.allows(body.role):
        raise ForbiddenError(
            f"A token cannot have more power than you: this needs the role {body.role.value}.",
            code="role_needed",
            params={"role": body.role.value},
        )
    now_us = runtime.clock.now_us()
    secret = make_secret("awt")
    row = models.ApiToken(
        id=uuid4(),
        user_id=principal.user_id,
        name=body.name,
        prefix=secret.prefix,
        digest=secret.digest,
        role=body.role.value,
        created_us=now_us,
        expires_us=now_us + body.expires_in_days * DAY_US if body.expires_in_days else None,
    )
    session.add(row)
    await audit.record(
        session,
        now_us,
        actor=principal.username,
        action="api_token.create",
        target=row.prefix,
        detail={"name": body.name, "role": body.role.value},
    )
    view = token_view(row, principal.username)
    return ApiTokenCreated(**view.model_dump(), token=secret.text)


async def revoke(
    session: AsyncSession, runtime: Runtime, principal: Principal, token_id: UUID
) -> None:
    found = await repository.token_with_owner(session, token_id)
    mine = found is not None and found[0].user_id == principal.user_id
    if found is None or not (mine or principal.role is Role.ADMINISTRATOR):
        raise NotFoundError("There is no such token.")
    token, owner = found
    await session.delete(token)
    runtime.hub.end(reason="logout", token_id=token_id)
    await audit.record(
        session,
        runtime.clock.now_us(),
        actor=principal.username,
        action="api_token.revoke",
        target=token.prefix,
        detail={"owner": owner},
    )
