"""Fixtures: both databases, a real server, callers of every role, a scripted agent."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import asyncpg
import httpx
import pytest

from arraywright import bootstrap, migrations
from arraywright.auth.models import ApiToken, User
from arraywright.auth.passwords import hash_now
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.kit.roles import Role
from arraywright.kit.secrets import make_secret
from arraywright.settings import Settings
from arraywright.storage import search
from tests.support import documents, postgres, programs
from tests.support.agent import FakeAgent
from tests.support.server import Running, running

PASSWORD = "correct horse battery"
TEMPLATE = "arraywright_template"


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    """The loop that the server runs on."""
    return "asyncio", {"use_uvloop": True}


@pytest.fixture(scope="session")
def password_hash() -> str:
    return hash_now(PASSWORD)


@pytest.fixture(scope="session")
def postgres_socket() -> Iterator[Path]:
    with postgres.cluster() as directory:
        yield directory


async def _prepare(url: str) -> None:
    database = Database(url)
    await migrations.upgrade(database)
    assert await search.prepare(database) is None
    await bootstrap.server_id(database)
    await database.close()


@pytest.fixture(scope="session")
async def sqlite_template(anyio_backend: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "arraywright.sqlite"
    await _prepare(f"sqlite+aiosqlite:///{path}")
    return path


@pytest.fixture(scope="session")
async def postgres_template(anyio_backend: object, postgres_socket: Path) -> Path:
    await on_postgres(postgres_socket, f"CREATE DATABASE {TEMPLATE}")
    await _prepare(f"postgresql+asyncpg://postgres@/{TEMPLATE}?host={postgres_socket}")
    return postgres_socket


async def on_postgres(socket: Path, statement: str) -> None:
    connection = await asyncpg.connect(host=str(socket), user="postgres", database="postgres")
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture(params=["sqlite", "postgres"])
def template(request: pytest.FixtureRequest) -> tuple[str, Path]:
    return request.param, request.getfixturevalue(f"{request.param}_template")


@pytest.fixture
async def database_url(
    anyio_backend: object, template: tuple[str, Path], tmp_path: Path
) -> AsyncIterator[str]:
    """A migrated, empty database of each kind."""
    kind, place = template
    if kind == "sqlite":
        path = tmp_path / "arraywright.sqlite"
        shutil.copy(place, path)
        yield f"sqlite:///{path}"
        return
    name = f"t{uuid4().hex}"
    await on_postgres(place, f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
    yield f"postgresql://postgres@/{name}?host={place}"
    await on_postgres(place, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return Settings(
        database_url=database_url,
        state_dir=tmp_path,
        group_commit_ms=2,
        disconnect_grace_s=0.0,
        profiles_dir=programs.PROFILES,
        log_level="warning",
    )


@pytest.fixture
async def server(settings: Settings) -> AsyncIterator[Running]:
    async with running(settings) as started:
        yield started


class Callers:
    """Users of each role, with a token each."""

    def __init__(self, server: Running, password_hash: str) -> None:
        self.server = server
        self._password_hash = password_hash
        self._clients: list[httpx.AsyncClient] = []
        self._by_role: dict[Role, httpx.AsyncClient] = {}
        self.tokens: dict[Role, str] = {}

    async def create(self) -> None:
        now_us = Clock().now_us()
        async with self.server.runtime.database.write() as session:
            for role in Role:
                secret = make_secret("awt")
                user = User(
                    id=uuid4(),
                    rev=1,
                    username=role.value,
                    role=role.value,
                    password_hash=self._password_hash,
                    created_us=now_us,
                )
                session.add(user)
                await session.flush()
                session.add(
                    ApiToken(
                        id=uuid4(),
                        user_id=user.id,
                        name="test",
                        prefix=secret.prefix,
                        digest=secret.digest,
                        role=role.value,
                        created_us=now_us,
                    )
                )
                self.tokens[role] = secret.text

    def anonymous(self) -> httpx.AsyncClient:
        client = self.server.client()
        self._clients.append(client)
        return client

    def role(self, role: Role) -> httpx.AsyncClient:
        if role not in self._by_role:
            client = self.anonymous()
            client.headers["Authorization"] = f"Bearer {self.tokens[role]}"
            self._by_role[role] = client
        return self._by_role[role]

    async def logged_in(self, role: Role) -> httpx.AsyncClient:
        """By password; the client carries the cookies and the CSRF header."""
        client = self.anonymous()
        answer = await client.post(
            "/auth/login", json={"username": role.value, "password": PASSWORD}
        )
        assert answer.status_code == 200, answer.text
        client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
        return client

    async def close(self) -> None:
        for client in self._clients:
            await client.aclose()


@pytest.fixture
async def callers(server: Running, password_hash: str) -> AsyncIterator[Callers]:
    made = Callers(server, password_hash)
    await made.create()
    yield made
    await made.close()


@pytest.fixture
def viewer(callers: Callers) -> httpx.AsyncClient:
    return callers.role(Role.VIEWER)


@pytest.fixture
def operator(callers: Callers) -> httpx.AsyncClient:
    return callers.role(Role.OPERATOR)


@pytest.fixture
def administrator(callers: Callers) -> httpx.AsyncClient:
    return callers.role(Role.ADMINISTRATOR)


async def enrolled_agent(
    server: Running, administrator: httpx.AsyncClient, hostname: str
) -> FakeAgent:
    made = await administrator.post("/enrolment-tokens", json={"name": hostname})
    assert made.status_code == 201, made.text
    agent = FakeAgent(server.url, hostname)
    answer = await agent.enrol(made.json()["token"])
    assert answer.status_code == 200, answer.text
    return agent


@pytest.fixture
async def agent(server: Running, administrator: httpx.AsyncClient) -> AsyncIterator[FakeAgent]:
    """Enrolled, not yet connected."""
    made = await enrolled_agent(server, administrator, "alpha")
    yield made
    await made.close()


@pytest.fixture
async def raid5(agent: FakeAgent) -> FakeAgent:
    """Connected, with a RAID 5 over four drives."""
    await agent.connect()
    await agent.report_all(documents.raid5_host())
    return agent


@pytest.fixture
async def cached(agent: FakeAgent) -> FakeAgent:
    """Connected, with a RAID 5 behind a cache with a battery."""
    await agent.connect()
    await agent.report_all(documents.cached_host())
    return agent
