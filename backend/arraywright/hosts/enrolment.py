"""How a machine becomes a host: a token buys an identity for its public key.

A token enrolls one host, or as many as whoever made it said, until it expires or is revoked.
What a token that has leaked can do is bounded: it enrolls hosts, which report and obey; each
use is in the audit trail and in the list of tokens, and uses beyond a burst are slowed down.
"""

import base64
import binascii
from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID, uuid4

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.alerts import engine as alerts
from arraywright.alerts.schemas import ServerRule
from arraywright.audit import service as audit
from arraywright.auth.limiter import Counter
from arraywright.auth.principal import Principal
from arraywright.hosts import lines, models, repository, service
from arraywright.hosts.schemas import (
    USES_MAX,
    EnrolledHost,
    EnrolmentToken,
    EnrolmentTokenCreate,
    EnrolmentTokenCreated,
)
from arraywright.kit.paging import PageQuery
from arraywright.kit.paging_sql import fetch_page
from arraywright.kit.problems import (
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    ProblemError,
    TooManyError,
)
from arraywright.kit.schema import Page, moment
from arraywright.kit.secrets import digest_of, make_secret
from arraywright.link.models import SyncCursor
from arraywright.link.protocol import (
    EnrolRequest,
    EnrolResponse,
    EnrolStatus,
    EnrolStatusRequest,
)
from arraywright.live import outbox
from arraywright.runtime import Runtime

MINUTE_US = 60_000_000
SHOWN_HOSTS = 5


def parse_public_key(text: str) -> ec.EllipticCurvePublicKey:
    """A P-256 SubjectPublicKeyInfo in base64, or a clear refusal."""
    try:
        key = load_der_public_key(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise InvalidError(
            "public_key must be a P-256 SubjectPublicKeyInfo, DER, base64.",
            code="public_key_invalid",
            errors=[("/public_key", "not a P-256 public key")],
        )
    return key


def _view(
    row: models.EnrolToken, now_us: int, hosts: Sequence[EnrolledHost] = ()
) -> EnrolmentToken:
    return EnrolmentToken(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        created_at=moment(row.created_us),
        created_by=row.created_by,
        expires_at=moment(row.expires_us),
        uses=row.uses,
        max_uses=row.max_uses,
        labels=row.labels,
        used_at=moment(row.used_us),
        host_id=row.host_id,
        hosts=list(hosts),
        revoked=row.revoked_us is not None,
        usable=_refusal(row, now_us) is None,
    )


async def _views(
    session: AsyncSession, rows: Sequence[models.EnrolToken], now_us: int
) -> list[EnrolmentToken]:
    hosts: dict[UUID, list[EnrolledHost]] = defaultdict(list)
    ids = [row.id for row in rows]
    for found in await repository.hosts_of_tokens(session, ids, newest=SHOWN_HOSTS):
        hosts[found.enrol_token_id].append(
            EnrolledHost(
                id=found.id,
                label=found.shown,
                enrolled_at=moment(found.enrolled_us),
                retired=found.retired_us is not None,
            )
        )
    return [_view(row, now_us, hosts[row.id]) for row in rows]


async def page(session: AsyncSession, runtime: Runtime, query: PageQuery) -> Page[EnrolmentToken]:
    rows, cursor, total = await fetch_page(
        session,
        repository.tokens(),
        query,
        keys=[models.EnrolToken.created_us, models.EnrolToken.id],
        kinds=(int, str),
        key_of=lambda row: [row[0].created_us, str(row[0].id)],
        bind=lambda values: [values[0], UUID(values[1])],
        descending=True,
    )
    items = await _views(session, [row[0] for row in rows], runtime.clock.now_us())
    return Page(items=items, next_cursor=cursor, total=total)


async def everything(session: AsyncSession, now_us: int) -> list[EnrolmentToken]:
    """All tokens, the newest first; for the command line."""
    found = await session.execute(
        repository.tokens().order_by(models.EnrolToken.created_us.desc(), models.EnrolToken.id)
    )
    return await _views(session, list(found.scalars()), now_us)


async def issue(
    session: AsyncSession,
    now_us: int,
    *,
    created_by: str,
    name: str,
    minutes: int,
    max_uses: int | None = 1,
    labels: Sequence[str] = (),
) -> tuple[models.EnrolToken, str]:
    """The row and the secret; also for the command line.

    The limits are those of `EnrolmentTokenCreate`, which callers validate with.
    """
    secret = make_secret("awe")
    row = models.EnrolToken(
        id=uuid4(),
        name=name,
        prefix=secret.prefix,
        digest=secret.digest,
        created_by=created_by,
        created_us=now_us,
        expires_us=now_us + minutes * MINUTE_US,
        max_uses=max_uses,
        uses=0,
        labels=list(labels),
    )
    session.add(row)
    await audit.record(
        session,
        now_us,
        actor=created_by,
        action="enrolment_token.create",
        target=row.prefix,
        detail={
            "uses": "any" if max_uses is None else str(max_uses),
            "minutes": str(minutes),
            "labels": " ".join(labels),
        },
    )
    outbox.add(session, kind="enrolment_token", object_id=str(row.id), rev=now_us)
    return row, secret.text


async def create(
    session: AsyncSession,
    runtime: Runtime,
    principal: Principal,
    body: EnrolmentTokenCreate,
    *,
    url: str,
) -> EnrolmentTokenCreated:
    now_us = runtime.clock.now_us()
    row, text = await issue(
        session,
        now_us,
        created_by=principal.username,
        name=body.name,
        minutes=body.expires_in_minutes,
        max_uses=body.max_uses,
        labels=body.labels,
    )
    line = lines.installed(runtime.settings, url, text)
    return EnrolmentTokenCreated(**_view(row, now_us).model_dump(), token=text, install_line=line)


async def revoke(session: AsyncSession, now_us: int, *, actor: str, token_id: UUID) -> None:
    """Hosts that enrolled with it stay."""
    row = await session.get(models.EnrolToken, token_id)
    if row is None:
        raise NotFoundError("There is no such enrollment token.")
    row.revoked_us = row.revoked_us or now_us
    outbox.add(session, kind="enrolment_token", object_id=str(token_id), rev=now_us)
    await audit.record(
        session, now_us, actor=actor, action="enrolment_token.revoke", target=row.prefix
    )


async def revoke_usable(session: AsyncSession, now_us: int) -> None:
    """All that a host could still enroll with."""
    for row in await repository.unexpired_tokens(session, now_us):
        row.revoked_us = row.revoked_us or now_us


def _used_up(row: models.EnrolToken) -> ProblemError:
    if row.max_uses == 1:
        return ForbiddenError("The enrollment token has been used already.", code="token_used")
    return ForbiddenError(
        f"The enrollment token has been used up: {row.uses} hosts enrolled with it.",
        code="token_used",
    )


def _refusal(row: models.EnrolToken | None, now_us: int) -> ProblemError | None:
    if row is None:
        return ForbiddenError("The enrollment token is not known.", code="token_invalid")
    if row.revoked_us is not None:
        return ForbiddenError("The enrollment token has been revoked.", code="token_revoked")
    if row.uses >= (row.max_uses or USES_MAX):
        return _used_up(row)
    if row.expires_us <= now_us:
        return ForbiddenError("The enrollment token has expired.", code="token_expired")
    return None


def _slow_down(runtime: Runtime, token_id: UUID) -> None:
    wait_s = runtime.allowances.enrolment_delay_s(token_id)
    if wait_s > 0:
        seconds = int(wait_s) + 1
        raise TooManyError(
            f"Too many hosts enroll with this token at once. Try again in {seconds} seconds.",
            params={"seconds": str(seconds)},
            headers={"Retry-After": str(seconds)},
        )


async def enrol(runtime: Runtime, body: EnrolRequest, *, address: str) -> EnrolResponse:
    parse_public_key(body.public_key)
    now_us = runtime.clock.now_us()
    host_id = uuid4()
    counters = [Counter(f"enrol {address}")]
    async with runtime.database.read() as session:
        known = await repository.token_by_digest(session, digest_of(body.token))
    if _refusal(known, now_us) is not None:
        # A good token is never held up by bad ones from the same address.
        runtime.limiter.check(counters)
        runtime.limiter.failed(counters)
    elif known is not None:
        _slow_down(runtime, known.id)
    async with runtime.database.write() as session:
        row = await repository.token_by_digest(session, digest_of(body.token))
        refusal = _refusal(row, now_us)
        if refusal is None and await repository.host_of_key(session, body.public_key):
            refusal = ConflictError(
                "A host with this key is enrolled already. Make a new key: enrol --force.",
                code="key_known",
            )
        if refusal is None:
            assert row is not None
            if not await repository.use_token(
                session, row.id, host_id=host_id, now_us=now_us, limit=USES_MAX
            ):
                refusal = _used_up(row)
        if refusal is None:
            assert row is not None
            await _add_host(session, host_id, body, now_us, address, row)
            await _free_former(session, runtime, body, now_us)
        else:
            await audit.record(
                session,
                now_us,
                actor="agent",
                action="host.enrol",
                target=body.hostname,
                outcome="refused",
                detail={"code": refusal.code},
                address=address,
            )
    if refusal is not None:
        raise refusal
    runtime.limiter.succeeded(counters)
    return EnrolResponse(agent_id=str(host_id), server_id=str(runtime.server_id))


async def status(
    runtime: Runtime, body: EnrolStatusRequest, *, address: str, url: str
) -> EnrolStatus:
    """Whether a host has arrived, for the program that has just enrolled it.

    The token proves who asks, also when it is used up; it tells of its own hosts only.
    """
    counters = [Counter(f"enrol {address}")]
    async with runtime.database.read() as session:
        token = await repository.token_by_digest(session, digest_of(body.token))
        row = await repository.find(session, UUID(body.agent_id))
    if token is None or row is None or row[0].enrol_token_id != token.id:
        runtime.limiter.check(counters)
        runtime.limiter.failed(counters)
        raise ForbiddenError("No host enrolled with this token.", code="token_invalid")
    return EnrolStatus(presence=row[1].presence, page_url=f"{url}/hosts/{body.agent_id}")


async def _free_former(
    session: AsyncSession, runtime: Runtime, body: EnrolRequest, now_us: int
) -> None:
    """A copy that enrols anew does not use the identity of the other machine any more."""
    if body.former_agent_id is None:
        return
    former = UUID(body.former_agent_id)
    if await alerts.host_settled(session, now_us, former, ServerRule.HOST_CLONED):
        runtime.registry.settled(former)
        await service.recount_alerts(session, former)


async def _add_host(
    session: AsyncSession,
    host_id: UUID,
    body: EnrolRequest,
    now_us: int,
    address: str,
    token: models.EnrolToken,
) -> None:
    session.add(
        models.Host(
            id=host_id,
            name=body.hostname[:255] or str(host_id),
            public_key=body.public_key,
            machine_id_hash=body.machine_id_hash,
            enrolled_us=now_us,
            enrol_token_id=token.id,
            labels=token.labels,
        )
    )
    await session.flush()
    session.add(models.HostSummary(host_id=host_id, rev=1, agent_version=body.agent_version[:64]))
    session.add(SyncCursor(host_id=host_id))
    outbox.add(session, kind="host", object_id=str(host_id), rev=1, host_id=host_id)
    await audit.record(
        session,
        now_us,
        actor="agent",
        action="host.enrol",
        target=body.hostname,
        detail={"host_id": str(host_id), "token": token.prefix, "labels": " ".join(token.labels)},
        address=address,
    )
