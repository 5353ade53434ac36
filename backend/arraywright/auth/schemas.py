"""Login, users and API tokens."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from arraywright.kit.roles import Role
from arraywright.kit.schema import ApiInput, ApiModel, Reason, Timestamp

Username = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,31}$")]
Password = Annotated[str, StringConstraints(min_length=10, max_length=256)]
DisplayName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)]
TokenName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64)]


class LoginRequest(ApiInput):
    username: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    password: Annotated[str, StringConstraints(min_length=1, max_length=256)]


class PasswordChange(ApiInput):
    old_password: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    new_password: Password


class Account(ApiModel):
    username: str
    display_name: str
    role: Role
    disabled: bool
    created_at: Timestamp
    last_login_at: Timestamp | None


class User(Account):
    id: UUID
    rev: int
    blocked: Annotated[
        dict[str, Reason],
        Field(description="delete, disable, change_role -> why you cannot do it now"),
    ]


class Session(ApiModel):
    """Who is logged in; send `csrf_token` back as X-CSRF-Token with every unsafe request."""

    user: User
    csrf_token: Annotated[
        str | None, Field(description="null when the request was made with an API token")
    ]
    expires_at: Timestamp | None
    live_position: Annotated[
        str,
        Field(
            description="a live stream opened with it as `after` misses no change of what is "
            "fetched after this answer"
        ),
    ]


class UserCreate(ApiInput):
    username: Username
    display_name: DisplayName = ""
    role: Role
    password: Password


class UserUpdate(ApiInput):
    display_name: DisplayName | None = None
    role: Role | None = None
    password: Password | None = None
    disabled: bool | None = None


class TokenHost(ApiModel):
    """A host that a token is limited to."""

    id: UUID
    name: str


class ApiToken(ApiModel):
    id: UUID
    name: str
    prefix: Annotated[str, Field(description="first characters, to tell tokens apart")]
    role: Role
    read_only: Annotated[bool, Field(description="refused whatever is not a GET")]
    host_ids: Annotated[
        list[UUID], Field(description="reaches nothing of any other host; empty: all hosts")
    ]
    hosts: Annotated[list[TokenHost], Field(description="the names of these hosts")]
    username: Annotated[str, Field(description="its owner; with the owner's account it ends")]
    made_with: Annotated[
        str | None, Field(description="prefix of the token it was made with, and ends with")
    ]
    created_at: Timestamp
    expires_at: Timestamp | None
    last_used_at: Timestamp | None


class ApiTokenCreate(ApiInput):
    name: TokenName
    role: Annotated[Role, Field(description="at most the role of its owner")]
    read_only: Annotated[bool, Field(description="no requests but GET")] = False
    host_ids: Annotated[
        list[UUID],
        Field(
            max_length=1000,
            description="the only hosts it may reach; empty: all that its maker may reach",
        ),
    ] = []
    expires_in_days: Annotated[
        int | None,
        Field(
            ge=1,
            le=3650,
            description="null: no end, for sessions only; by a token at most what is left of it",
        ),
    ] = 90


class ApiTokenCreated(ApiToken):
    token: Annotated[str, Field(description="shown this once only")]
