"""Enrolment: what a token is good for, and for whom."""

import asyncio
import base64
import re
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from arraywright.kit.roles import Role
from arraywright.link import allowances
from arraywright.settings import Settings
from tests.conftest import Callers
from tests.support.agent import FakeAgent, public_key_text
from tests.support.clock import HandClock
from tests.support.server import Running, running
from tests.test_auth import code

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).resolve().parents[2]


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


async def test_token_for_many_hosts(server: Running, administrator: httpx.AsyncClient) -> None:
    body = {"max_uses": 3, "labels": ["site=berlin", "rack-4", "rack-4"]}
    made = (await administrator.post("/enrolment-tokens", json=body)).json()
    assert (made["uses"], made["max_uses"]) == (0, 3)
    machines = [FakeAgent(server.url, f"host{number}") for number in range(5)]
    answers = await asyncio.gather(*(machine.enrol(made["token"]) for machine in machines))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 403, 403]
    assert {code(a) for a in answers if a.status_code == 403} == {(403, "token_used")}
    enrolled = {machine.hostname for machine in machines if machine.agent_id}
    token = (await administrator.get("/enrolment-tokens")).json()["items"][0]
    assert (token["uses"], token["usable"]) == (3, False)
    assert {host["label"] for host in token["hosts"]} == enrolled
    hosts = (await administrator.get("/hosts")).json()["items"]
    assert {tuple(host["labels"]) for host in hosts} == {("rack-4", "site=berlin")}
    audit = await administrator.get("/audit", params={"action": "host.enrol"})
    done = [entry["detail"] for entry in audit.json()["items"] if entry["outcome"] == "done"]
    assert {detail["token"] for detail in done} == {made["prefix"]}


async def test_hosts_are_found_by_token_and_label(
    server: Running, administrator: httpx.AsyncClient
) -> None:
    for name, labels in (("alpha", ["site=a", "ssd"]), ("beta", ["site=a"]), ("gamma", [])):
        made = await administrator.post("/enrolment-tokens", json={"labels": labels})
        assert (await FakeAgent(server.url, name).enrol(made.json()["token"])).is_success

    async def names(**params: object) -> list[str]:
        found = await administrator.get("/hosts", params=params)  # type: ignore[arg-type]
        return [host["name"] for host in found.json()["items"]]

    assert await names(label="site=a") == ["alpha", "beta"]
    assert await names(label=["site=a", "ssd"]) == ["alpha"]
    assert await names(label="site") == []
    assert await names(label='%"') == []
    assert await names(enrolment_token_id=made.json()["id"]) == ["gamma"]


async def test_token_without_a_number_of_uses_is_bounded(
    server: Running, administrator: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = {"max_uses": None, "expires_in_minutes": 1441}
    assert code(await administrator.post("/enrolment-tokens", json=endless)) == (
        422,
        "invalid_argument",
    )
    day = {"max_uses": None, "expires_in_minutes": 1440}
    made = (await administrator.post("/enrolment-tokens", json=day)).json()
    monkeypatch.setattr(allowances, "ENROLMENTS_BURST", 3)
    # On a busy machine four enrolments take longer than one becomes free again in.
    monkeypatch.setattr(allowances, "ENROLMENTS_PER_S", 0.01)
    answers = [await FakeAgent(server.url).enrol(made["token"]) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert int(answers[-1].headers["Retry-After"]) >= 1
    await administrator.delete(f"/enrolment-tokens/{made['id']}")
    assert code(await FakeAgent(server.url).enrol(made["token"])) == (403, "token_revoked")
    assert (await administrator.get("/hosts")).json()["total"] == 3


@pytest.mark.parametrize("label", ["", "a b", "-a", 'a"', "a" * 64, "ä"])
async def test_labels_are_words(administrator: httpx.AsyncClient, label: str) -> None:
    answer = await administrator.post("/enrolment-tokens", json={"labels": [label]})
    assert answer.status_code == 422


async def test_whether_a_host_has_arrived(
    server: Running, administrator: httpx.AsyncClient
) -> None:
    made = (await administrator.post("/enrolment-tokens", json={})).json()
    other = (await administrator.post("/enrolment-tokens", json={})).json()
    agent = FakeAgent(server.url)
    await agent.enrol(made["token"])
    async with server.client() as client:

        async def asked(token: str) -> httpx.Response:
            body = {"token": token, "agent_id": agent.agent_id}
            return await client.post("/agents/enrol/status", json=body)

        answer = (await asked(made["token"])).json()
        assert answer == {
            "presence": "enrolled",
            "page_url": f"{server.url}/hosts/{agent.agent_id}",
        }
        for token in (other["token"], "awe_guess"):
            assert code(await asked(token)) == (403, "token_invalid")
        await agent.connect()
        assert (await asked(made["token"])).json()["presence"] in ("connecting", "online")
        await agent.close()


async def test_lines_for_an_address(server: Running, administrator: httpx.AsyncClient) -> None:
    async def asked(url: str) -> httpx.Response:
        return await administrator.get("/enrolment-tokens/lines", params={"url": url})

    own = (await administrator.get("/enrolment-tokens/lines")).json()
    assert (own["url"], own["loopback"]) == (server.url, True)
    assert [each["form"] for each in own["lines"]] == ["package", "installed", "container"]
    named = (await asked("https://fleet.example:8443/storage/")).json()
    assert named["loopback"] is False
    for each in named["lines"]:
        assert "https://fleet.example:8443/storage" in each["line"]
        assert "TOKEN" in each["line"]
        assert "--insecure" not in each["line"]
    container = named["lines"][2]["line"]
    start = (ROOT / "agent/dist/container/start").read_text()
    for variable in re.findall(r"--env (\w+)=", container):
        assert re.search(rf"\$\{{?{variable}\b", start), variable
    assert (ROOT / re.findall(r"seccomp=(\S+)", container)[0]).is_file()
    page = (ROOT / "frontend/src/locales/en/hosts.ts").read_text()
    assert f"--tag {container.split()[-1]} ." in page
    plain = (await asked("http://10.0.0.7:8080")).json()["lines"]
    assert plain[1]["line"].endswith("--token TOKEN --insecure")
    for nonsense in ("fleet.example", "ftp://x", "https://x/$(id)", "https://x y", "https://x;id"):
        assert (await asked(nonsense)).status_code == 422
