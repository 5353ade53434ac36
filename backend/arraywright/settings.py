"""Settings: environment ARRAYWRIGHT_*, overridden by the command line.

Each setting is also an option of `arraywright serve`; its description is the help there.
"""

import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import URL

from arraywright.kit.presence import OFFLINE_HEARTBEATS

ROOT_PATH = re.compile(r"(/(?!\.\.?(/|$))[A-Za-z0-9._~-]+)*")


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="ARRAYWRIGHT_", env_ignore_empty=True, extra="ignore"
    )

    host: Annotated[str, Field(description="address to listen on")] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, description="port to listen on")] = 8080
    state_dir: Annotated[Path, Field(description="where the embedded database lives")] = Path(
        "state"
    )
    database_url: Annotated[
        str, Field(description="empty: SQLite in the state directory; postgresql://… otherwise")
    ] = ""
    database_host: Annotated[
        str, Field(description="PostgreSQL by its parts instead of by URL, as containers like it")
    ] = ""
    database_port: Annotated[int, Field(description="port of PostgreSQL")] = 5432
    database_name: Annotated[str, Field(description="name of the database on PostgreSQL")] = (
        "arraywright"
    )
    database_user: Annotated[str, Field(description="user name on PostgreSQL")] = "arraywright"
    database_password_file: Annotated[
        Path | None, Field(description="file with the password for PostgreSQL")
    ] = None
    insecure_http: Annotated[
        bool, Field(description="plain HTTP beyond this machine: all can be read and changed")
    ] = False
    ui_dir: Annotated[Path | None, Field(description="directory of the built console")] = None
    public_url: Annotated[
        str, Field(description="how agents and browsers reach us; empty: as the caller did")
    ] = ""
    install_line: Annotated[
        str, Field(description="template of the line that enrols a machine: {url}, {token}")
    ] = (
        "sudo arraywright-uplink --config /etc/arraywright/uplink.conf "
        "enrol --url {url} --token {token}"
    )
    root_path: Annotated[
        str,
        Field(
            description="the sub-path at which a proxy shows us, as /storage; empty: that of "
            "public_url, or what a trusted proxy says in X-Forwarded-Prefix"
        ),
    ] = ""
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
    tls_certificate: Annotated[
        Path | None, Field(description="certificate chain (PEM); the server then speaks HTTPS")
    ] = None
    tls_key: Annotated[Path | None, Field(description="private key of the certificate (PEM)")] = (
        None
    )
    initial_admin_password_file: Annotated[
        Path | None,
        Field(
            description="the first administrator's password: read from this file, or made and "
            "written to it with mode 0600"
        ),
    ] = None
    session_hours: Annotated[
        int, Field(ge=1, le=24 * 30, description="a login to the console ends after this")
    ] = 24
    heartbeat_s: Annotated[
        int, Field(ge=1, le=600, description="seconds between two signs of life of an agent")
    ] = 15
    disconnect_grace_s: Annotated[
        float, Field(ge=0, description="a closed agent connection is offline after this")
    ] = 5.0
    command_expiry_s: Annotated[
        int, Field(ge=1, le=86400, description="a command that no host took by then expires")
    ] = 60
    group_commit_ms: Annotated[
        int, Field(ge=0, le=1000, description="reports of agents are committed together this often")
    ] = 50
    login_attempts: Annotated[
        int, Field(ge=1, description="failed logins in a row before callers have to wait")
    ] = 5
    live_ring: Annotated[
        int, Field(ge=16, description="changes kept for browsers that reconnect")
    ] = 20_000
    events_per_host: Annotated[
        int, Field(ge=1000, description="of a host that reports more, the newest are kept")
    ] = 500_000
    event_days: Annotated[int, Field(ge=1, description="days for which events are kept")] = 400
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
    lab_prediction_timeout_s: Annotated[
        float, Field(gt=0, le=600, description="seconds a preview of the speed may take")
    ] = 15.0
    lab_timeout_s: Annotated[
        float, Field(gt=0, le=3600, description="seconds a scenario of the lab may take")
    ] = 180.0
    demo: Annotated[
        bool, Field(description="hosts of emulated drives: the console offers to build on them")
    ] = False
    log_level: Annotated[str, Field(description="debug, info, warning or error")] = "info"

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, text: str) -> str:
        for part in re.split(r"[,\s]+", text):
            if part:
                ip_network(part, strict=False)
        return text

    @field_validator("root_path")
    @classmethod
    def _path(cls, text: str) -> str:
        path = text.rstrip("/")
        if not ROOT_PATH.fullmatch(path):
            raise ValueError("must be a path such as /storage")
        return path

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
