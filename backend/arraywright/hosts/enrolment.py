"""How a machine becomes a host: a one-time token buys an identity for its public key."""

import base64
import binascii
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
from arraywright.hosts import models, repository, service
from arraywright.hosts.schemas import (
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
)
from arraywright.kit.schema import Page, moment
from arraywright.kit.secrets import digest_of, make_secret
from arraywright.link.models import SyncCursor
from arraywright.link.protocol import EnrolRequest, EnrolResponse
from arraywright.live import outbox
from arraywright.runtime import Runtime

MINUTE_US = 60_000_000


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


def _view(row: models.EnrolToken, now_us: int) -> EnrolmentToken:
    unused = row.used_us is None and row.revoked_us is None
    return EnrolmentToken(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        created_at=moment(row.created_us),
        created_by=row.created_by,
        expires_at=moment(row.expires_us),
        used_at=moment(row.used_us),
        host_id=row.host_id,
        revoked=row.revoked_us is not None,
        usable=unused and row.expires_us > now_us,
    )


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
    now_us = runtime.clock.now_us()
    return Page(items=[_view(row[0], now_us) for row in rows], next_cursor=cursor, total=total)


async def issue(
    session: AsyncSession, now_us: int, *, created_by: str, name: str, minutes: int
) -> tuple[models.EnrolToken, str]:
    """The row and the secret; also for the command line."""
    secret = make_secret("awe")
    row = models.EnrolToken(
        id=uuid4(),
        name=name,
        prefix=secret.prefix,
        digest=secret.digest,
        created_by=created_by,
        created_us=now_us,
        expires_us=now_us + minutes * MINUTE_US,
    )
    session.add(row)
    await audit.record(
        session, now_us, actor=created_by, action="enrolment_token.create", target=row.prefix
    )
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
    )
    line = runtime.settings.install_line.format(url=url, token=text)
    return EnrolmentTokenCreated(**_view(row, now_us).model_dump(), token=text, install_line=line)


async def revoke(
    session: AsyncSession, runtime: Runtime, principal: Principal, token_id: UUID
) -> None:
    row = await session.get(models.EnrolToken, token_id)
    if row is None:
        raise NotFoundError("There is no such enrolment token.")
    now_us = runtime.clock.now_us()
    row.revoked_us = row.revoked_us or now_us
    await audit.record(
        session,
        now_us,
        actor=principal.username,
        action="enrolment_token.revoke",
        target=row.prefix,
    )


def _refusal(row: models.EnrolToken | None, now_us: int) -> ProblemError | None:
    if row is None:
        return ForbiddenError("The enrolment token is not known.", code="token_invalid")
    if row.revoked_us is not None:
        return ForbiddenError("The enrolment token has been revoked.", code="token_revoked")
    if row.used_us is not None:
        return ForbiddenError("The enrolment token has been used already.", code="token_used")
    if row.expires_us <= now_us:
        return ForbiddenError("The enrolment token has expired.", code="token_expired")
    return None


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
            if not await repository.burn_token(session, row.id, host_id=host_id, now_us=now_us):
                refusal = ForbiddenError(
                    "The enrolment token has been used already.", code="token_used"
                )
        if refusal is None:
            await _add_host(session, host_id, body, now_us, address)
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
    runtime.outbox.wake()
    return EnrolResponse(agent_id=str(host_id), server_id=str(runtime.server_id))


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
    session: AsyncSession, host_id: UUID, body: EnrolRequest, now_us: int, address: str
) -> None:
    session.add(
        models.Host(
            id=host_id,
            name=body.hostname[:255] or str(host_id),
            public_key=body.public_key,
            machine_id_hash=body.machine_id_hash,
            enrolled_us=now_us,
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
        detail={"host_id": str(host_id)},
        address=address,
    )
