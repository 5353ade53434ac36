"""Rows as the REST API shows them."""

from collections.abc import Mapping
from uuid import UUID

from arraywright.auth import models
from arraywright.auth.principal import Principal
from arraywright.auth.schemas import Account, ApiToken, TokenHost, User
from arraywright.kit.roles import Role
from arraywright.kit.schema import Reason, moment

OWN_ACCOUNT = "This is your own account; another administrator must do it."
LAST_ADMINISTRATOR = "This is the last administrator; make another one first."
POWERS = ("delete", "disable", "change_role")


def _blocked(row: models.User, viewer: Principal, administrators: int) -> dict[str, Reason]:
    if viewer.role is not Role.ADMINISTRATOR:
        needed = Role.ADMINISTRATOR.value
        text = f"This needs the role {needed}."
        why = Reason(code="role_needed", params={"role": needed}, text=text)
    elif row.id == viewer.user_id:
        why = Reason(code="own_account", params={}, text=OWN_ACCOUNT)
    elif row.role == Role.ADMINISTRATOR.value and not row.disabled and administrators <= 1:
        why = Reason(code="last_administrator", params={}, text=LAST_ADMINISTRATOR)
    else:
        return {}
    return dict.fromkeys(POWERS, why)


def account_view(row: models.User) -> Account:
    return Account(
        username=row.username,
        display_name=row.display_name,
        role=Role(row.role),
        disabled=row.disabled,
        created_at=moment(row.created_us),
        last_login_at=moment(row.last_login_us),
    )


def user_view(row: models.User, viewer: Principal, administrators: int) -> User:
    """`administrators` is how many there are that are not locked."""
    return User(
        **dict(account_view(row)),
        id=row.id,
        rev=row.rev,
        blocked=_blocked(row, viewer, administrators),
    )


def token_view(
    row: models.ApiToken, owner: str, parent: str | None, names: Mapping[UUID, str]
) -> ApiToken:
    """`names` are those of hosts; one that is not known any more is named by its id."""
    host_ids = [UUID(text) for text in row.host_ids]
    return ApiToken(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        role=Role(row.role),
        read_only=row.read_only,
        host_ids=host_ids,
        hosts=[TokenHost(id=each, name=names.get(each, str(each))) for each in host_ids],
        username=owner,
        made_with=parent,
        created_at=moment(row.created_us),
        expires_at=moment(row.expires_us),
        last_used_at=moment(row.last_used_us),
    )
