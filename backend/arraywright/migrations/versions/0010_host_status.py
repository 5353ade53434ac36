"""A host's figures of health are made of findings, no longer of states"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

_BAD_DRIVES = (
    "UPDATE host_summary SET drives_failed = (SELECT count(*) FROM object_state o "
    "WHERE o.host_id = host_summary.host_id AND o.kind = 'drive' AND NOT o.deleted "
    "AND o.state IN ('failed', 'missing', 'unconfigured_bad'))"
)
_BAD_DRIVES_WITH_A_FINDING = (
    "UPDATE host_summary SET drives_failed = (SELECT count(*) FROM object_state o "
    "WHERE o.host_id = host_summary.host_id AND o.kind = 'drive' AND NOT o.deleted "
    "AND o.state IN ('failed', 'missing', 'unconfigured_bad') "
    "AND EXISTS (SELECT 1 FROM alert a WHERE a.object_id = o.id "
    "AND a.open_key IS NOT NULL AND a.severity <> 'info'))"
)
_HOSTS_WITH_A_FINDING = (
    "UPDATE host_summary SET worst_state = 'needs_attention' "
    "WHERE coalesce(worst_state, 'optimal') IN ('optimal', 'starting') AND host_id IN "
    "(SELECT a.host_id FROM alert a WHERE a.object_kind = 'host' AND a.rule NOT IN "
    "('host_offline', 'host_never_connected', 'host_restored', 'host_cloned', 'host_noisy', "
    "'host_sent_nonsense', 'clock_off') AND a.open_key IS NOT NULL AND a.severity <> 'info')"
)


def _take_worst(kind: str, states: tuple[str, ...]) -> None:
    """Of the objects of a kind; the states from good to bad."""
    op.execute("UPDATE host_summary SET worst_state = NULL")
    statement = sa.text(
        "UPDATE host_summary SET worst_state = :state WHERE host_id IN (SELECT host_id "
        "FROM object_state WHERE kind = :kind AND NOT deleted AND state = :state)"
    )
    for state in states:
        op.execute(statement.bindparams(kind=kind, state=state))


def upgrade() -> None:
    _take_worst("controller", ("optimal", "starting", "needs_attention", "degraded", "failed"))
    op.execute(_HOSTS_WITH_A_FINDING)
    op.execute(_BAD_DRIVES_WITH_A_FINDING)


def downgrade() -> None:
    _take_worst(
        "virtual_drive", ("optimal", "starting", "partially_degraded", "degraded", "offline")
    )
    op.execute(_BAD_DRIVES)
