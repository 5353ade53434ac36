"""API tokens: made once, shown once, kept as a hash."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.audit import service as audit
from arraywright.auth import models, repository
from arraywright.auth.principal import Principal
from arraywright.auth.schemas import ApiToken, ApiTokenCreate, ApiTokenCreated
from arraywright.auth.views import token_view
from arraywright.hosts import repository as hosts
from arraywright.kit.paging import PageQuery
from arraywright.kit.paging_sql import Rows, fetch_page
from arraywright.kit.problems import ForbiddenError, InvalidError, NotFoundError
from arraywright.kit.roles import Role
from arraywright.kit.schema import Page
from arraywright.kit.secrets import make_secret
from arraywright.live import outbox
from arraywright.runtime import Runtime

DAY_US = 86_400_000_000


async def page(session: AsyncSession, principal: Principal, query: PageQuery) -> Page[ApiToken]:
    rows, cursor, total = await fetch_page(
        session,
        _known_to(principal),
        query,
        keys=[models.ApiToken.created_us, models.ApiToken.id],
        kinds=(int, str),
        key_of=lambda row: [row[0].created_us, str(row[0].id)],
        bind=lambda values: [values[0], UUID(values[1])],
        descending=True,
    )
    names = await _host_names(session, [row[0] for row in rows])
    items = [token_view(row[0], row[1], row[2], names) for row in rows]
    return Page(items=items, next_cursor=cursor, total=total)


def _known_to(principal: Principal) -> Rows:
    """One limited to hosts knows itself and what was made with it."""
    if principal.host_ids is not None:
        return repository.tokens(owner=principal.user_id, made_with=principal.token_id)
    everybody = principal.role is Role.ADMINISTRATOR
    return repository.tokens(owner=None if everybody else principal.user_id)


async def _host_names(session: AsyncSession, tokens: Sequence[models.ApiToken]) -> dict[UUID, str]:
    return await hosts.names(session, {UUID(each) for token in tokens for each in token.host_ids})


async def _chosen_hosts(
    session: AsyncSession, principal: Principal, body: ApiTokenCreate
) -> list[UUID]:
    """Never more than those of the token it is made with."""
    chosen = list(dict.fromkeys(body.host_ids)) or sorted(principal.host_ids or (), key=str)
    known = await hosts.names(session, body.host_ids, retired=False)
    unknown = [
        (f"/host_ids/{number}", "there is no such host")
        for number, host_id in enumerate(body.host_ids)
        if host_id not in known
    ]
    if unknown:
        raise InvalidError("There is no such host.", code="unknown_object", errors=unknown)
    return chosen


def _end(runtime: Runtime, principal: Principal, body: ApiTokenCreate, now_us: int) -> int | None:
    """When the token ends: never after the one it is made with."""
    wanted = None if body.expires_in_days is None else now_us + body.expires_in_days * DAY_US
    if principal.token_id is not None and principal.expires_us is not None:
        return min(wanted or principal.expires_us, principal.expires_us)
    if wanted is None and not runtime.settings.tokens_without_end:
        raise InvalidError(
            "API tokens must expire here. Choose a number of days.",
            code="token_needs_end",
            errors=[("/expires_in_days", "must be a number of days")],
        )
    return wanted


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
    expires_us = _end(runtime, principal, body, now_us)
    host_ids = await _chosen_hosts(session, principal, body)
    secret = make_secret("awt")
    row = models.ApiToken(
        id=uuid4(),
        user_id=principal.user_id,
        name=body.name,
        prefix=secret.prefix,
        digest=secret.digest,
        role=body.role.value,
        created_us=now_us,
        read_only=body.read_only,
        host_ids=[str(host_id) for host_id in host_ids],
        parent_id=principal.token_id,
        expires_us=expires_us,
    )
    session.add(row)
    await audit.record(
        session,
        now_us,
        actor=principal.username,
        action="api_token.create",
        target=row.prefix,
        detail={
            "name": body.name,
            "role": body.role.value,
            "read_only": str(body.read_only).lower(),
            "hosts": ", ".join(map(str, host_ids)) or "all",
        },
    )
    outbox.add(session, kind="api_token", object_id=str(row.id), rev=now_us)
    await session.flush()
    found = await repository.token_with_owner(session, row.id)
    assert found is not None
    view = token_view(row, found[1], found[2], await _host_names(session, [row]))
    return ApiTokenCreated(**view.model_dump(), token=secret.text)


async def revoke(
    session: AsyncSession, runtime: Runtime, principal: Principal, token_id: UUID
) -> None:
    found = await repository.one_of(session, _known_to(principal), token_id)
    if found is None:
        raise NotFoundError("There is no such token.")
    token, owner, _ = found
    await session.delete(token)
    runtime.hub.end(reason="logout", token_id=token_id)
    now_us = runtime.clock.now_us()
    outbox.add(session, kind="api_token", object_id=str(token_id), rev=now_us)
    await audit.record(
        session,
        now_us,
        actor=principal.username,
        action="api_token.revoke",
        target=token.prefix,
        detail={"owner": owner},
    )
