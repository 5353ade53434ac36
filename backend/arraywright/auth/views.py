"""Rows as the REST API shows them."""

from arraywright.auth import models
from arraywright.auth.principal import Principal
from arraywright.auth.schemas import ApiToken, User
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


def user_view(row: models.User, viewer: Principal, administrators: int) -> User:
    """`administrators` is how many there are that are not locked."""
    return User(
        id=row.id,
        rev=row.rev,
        username=row.username,
        display_name=row.display_name,
        role=Role(row.role),
        disabled=row.disabled,
        created_at=moment(row.created_us),
        last_login_at=moment(row.last_login_us),
        blocked=_blocked(row, viewer, administrators),
    )


def token_view(row: models.ApiToken, owner: str, parent: str | None) -> ApiToken:
    return ApiToken(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        role=Role(row.role),
        read_only=row.read_only,
        username=owner,
        made_with=parent,
        created_at=moment(row.created_us),
        expires_at=moment(row.expires_us),
        last_used_at=moment(row.last_used_us),
    )
