"""Settings: environment ARRAYWRIGHT_*, overridden by the command line."""

import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import URL

from arraywright.kit.presence import OFFLINE_HEARTBEATS


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="ARRAYWRIGHT_", extra="ignore")

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    state_dir: Path = Path("state")
    database_url: Annotated[
        str, Field(description="empty: SQLite in the state directory; postgresql://… otherwise")
    ] = ""
    database_host: Annotated[
        str, Field(description="PostgreSQL by its parts instead of by URL, as containers like it")
    ] = ""
    database_port: int = 5432
    database_name: str = "arraywright"
    database_user: str = "arraywright"
    database_password_file: Path | None = None
    insecure_http: Annotated[
        bool, Field(description="plain HTTP beyond this machine: all can be read and changed")
    ] = False
    ui_dir: Path | None = None
    public_url: Annotated[
        str, Field(description="how agents and browsers reach us; empty: as the caller did")
    ] = ""
    install_line: Annotated[
        str, Field(description="template of the line that enrols a machine: {url}, {token}")
    ] = (
        "sudo arraywright-uplink --config /etc/arraywright/uplink.conf "
        "enrol --url {url} --token {token}"
    )
    trusted_proxies: Annotated[
        str,
        Field(description="addresses and networks whose X-Forwarded-For and Forwarded are true"),
    ] = ""
    allowed_hosts: Annotated[
        str,
        Field(description="names by which callers may reach us, without public_url"),
    ] = ""
    tokens_without_end: Annotated[
        bool, Field(description="a session may make API tokens that do not expire")
    ] = True
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    initial_admin_password_file: Path | None = None
    session_hours: Annotated[int, Field(ge=1, le=24 * 30)] = 24
    heartbeat_s: Annotated[int, Field(ge=1, le=600)] = 15
    disconnect_grace_s: Annotated[
        float, Field(ge=0, description="a closed agent connection is offline after this")
    ] = 5.0
    command_expiry_s: Annotated[int, Field(ge=1, le=86400)] = 60
    group_commit_ms: Annotated[int, Field(ge=0, le=1000)] = 50
    login_attempts: Annotated[int, Field(ge=1)] = 5
    live_ring: Annotated[int, Field(ge=16)] = 20_000
    events_per_host: Annotated[
        int, Field(ge=1000, description="of a host that reports more, the newest are kept")
    ] = 500_000
    event_days: Annotated[int, Field(ge=1)] = 400
    metrics_every_s: Annotated[
        float, Field(gt=0, le=60, description="between two looks at batteries and caches")
    ] = 60.0
    arraysim: Annotated[
        Path | None, Field(description="the program that predicts; absent: the installed one")
    ] = None
    profiles_dir: Annotated[
        Path | None, Field(description="its profiles; absent: the installed ones")
    ] = None
    lab_jobs: Annotated[int, Field(ge=1, le=64, description="processes of one prediction")] = 2
    lab_concurrency: Annotated[int, Field(ge=1, le=16, description="predictions at a time")] = 1
    lab_memory_mib: Annotated[int, Field(ge=64, description="of each of its processes")] = 2048
    lab_prediction_timeout_s: Annotated[float, Field(gt=0, le=600)] = 15.0
    lab_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 180.0
    demo: Annotated[
        bool, Field(description="hosts of emulated drives: the console offers to build on them")
    ] = False
    log_level: str = "info"

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, text: str) -> str:
        for part in re.split(r"[,\s]+", text):
            if part:
                ip_network(part, strict=False)
        return text

    @property
    def offline_after_s(self) -> float:
        return OFFLINE_HEARTBEATS * self.heartbeat_s

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    def resolved_database_url(self) -> str:
        if self.database_host and not self.database_url:
            password = None
            if self.database_password_file is not None:
                password = self.database_password_file.read_text().strip()
            return URL.create(
                "postgresql+asyncpg",
                username=self.database_user,
                password=password,
                host=self.database_host,
                port=self.database_port,
                database=self.database_name,
            ).render_as_string(hide_password=False)
        url = self.database_url or f"sqlite:///{self.state_dir / 'arraywright.sqlite'}"
        return (
            url.replace("postgresql://", "postgresql+asyncpg://", 1)
            .replace("postgres://", "postgresql+asyncpg://", 1)
            .replace("sqlite:///", "sqlite+aiosqlite:///", 1)
        )
