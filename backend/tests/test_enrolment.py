"""Enrolment: one token, one machine."""

import asyncio
import base64

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from arraywright.kit.roles import Role
from arraywright.settings import Settings
from tests.conftest import Callers
from tests.support.agent import FakeAgent, public_key_text
from tests.support.clock import HandClock
from tests.support.server import Running, running
from tests.test_auth import code

pytestmark = pytest.mark.anyio


async def test_token_is_shown_once_with_the_line_to_run(
    server: Running, administrator: httpx.AsyncClient
) -> None:
    made = (await administrator.post("/enrolment-tokens", json={"name": "rack 4"})).json()
    assert made["token"] in made["install_line"]
    assert server.url in made["install_line"]
    assert made["usable"] is True
    listed = (await administrator.get("/enrolment-tokens")).json()
    assert listed["items"][0]["name"] == "rack 4"
    assert made["token"] not in str(listed)


async def test_token_is_good_for_one_machine(
    server: Running, administrator: httpx.AsyncClient
) -> None:
    made = (await administrator.post("/enrolment-tokens", json={})).json()
    machines = [FakeAgent(server.url, f"host{number}") for number in range(4)]
    answers = await asyncio.gather(*(machine.enrol(made["token"]) for machine in machines))
    assert sorted(answer.status_code for answer in answers) == [200, 403, 403, 403]
    assert {code(a) for a in answers if a.status_code == 403} == {(403, "token_used")}
    assert (await administrator.get("/hosts")).json()["total"] == 1
    winner = next(m for m in machines if m.agent_id)
    token = (await administrator.get("/enrolment-tokens")).json()["items"][0]
    assert (token["usable"], token["host_id"]) == (False, winner.agent_id)
    host = (await administrator.get("/hosts")).json()["items"][0]
    assert (host["name"], host["online"]) == (winner.hostname, False)


async def test_wrong_revoked_and_expired_tokens(settings: Settings, password_hash: str) -> None:
    clock = HandClock()
    async with running(settings, clock) as server:
        callers = Callers(server, password_hash)
        await callers.create()
        administrator = callers.role(Role.ADMINISTRATOR)
        agent = FakeAgent(server.url)
        assert code(await agent.enrol("awe_nonsense")) == (403, "token_invalid")
        made = (await administrator.post("/enrolment-tokens", json={})).json()
        await administrator.delete(f"/enrolment-tokens/{made['id']}")
        assert code(await agent.enrol(made["token"])) == (403, "token_revoked")
        brief = {"expires_in_minutes": 1}
        made = (await administrator.post("/enrolment-tokens", json=brief)).json()
        clock.offset_s = 61
        assert code(await agent.enrol(made["token"])) == (403, "token_expired")
        assert (await administrator.get("/hosts")).json()["total"] == 0
        refused = await administrator.get("/audit", params={"action": "host.enrol"})
        codes = [entry["detail"]["code"] for entry in refused.json()["items"]]
        assert codes == ["token_expired", "token_revoked", "token_invalid"]
        await callers.close()


async def test_only_p256_keys(server: Running, administrator: httpx.AsyncClient) -> None:
    made = (await administrator.post("/enrolment-tokens", json={})).json()
    other_curve = public_key_text(ec.generate_private_key(ec.SECP384R1()))
    other_kind = base64.b64encode(
        rsa.generate_private_key(65537, 2048)
        .public_key()
        .public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    ).decode()
    body = {
        "token": made["token"],
        "hostname": "alpha",
        "machine_id_hash": "a" * 64,
        "agent_version": "0.1.0",
    }
    async with server.client() as client:
        for key in (other_curve, other_kind, "", "AAAA", "ä"):
            answer = await client.post("/agents/enrol", json={**body, "public_key": key})
            assert code(answer) == (422, "public_key_invalid")
        good = public_key_text(ec.generate_private_key(ec.SECP256R1()))
        for change in ({"machine_id_hash": "x"}, {"hostname": 7}, {"token": None}):
            answer = await client.post("/agents/enrol", json={**body, "public_key": good, **change})
            assert answer.status_code == 422
    assert (await administrator.get("/enrolment-tokens")).json()["items"][0]["usable"] is True


async def test_guessing_is_slowed_down(settings: Settings, password_hash: str) -> None:
    quiet = settings.model_copy(update={"login_attempts": 3})
    async with running(quiet) as server:
        agent = FakeAgent(server.url)
        for _ in range(3):
            assert (await agent.enrol("awe_guess")).status_code == 403
        assert (await agent.enrol("awe_guess")).status_code == 429
