"""Fences of hosts, branches of event logs"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    with op.batch_alter_table("sync_cursor") as table:
        table.add_column(
            sa.Column("event_branch", sa.String(length=36), nullable=False, server_default="")
        )
        table.add_column(
            sa.Column("event_known", sa.BigInteger(), nullable=False, server_default="0")
        )
        table.add_column(
            sa.Column("fences", sa.String(length=200), nullable=False, server_default="")
        )
        table.add_column(
            sa.Column("fence_replaced", sa.String(length=64), nullable=False, server_default="")
        )


def downgrade() -> None:
    with op.batch_alter_table("sync_cursor") as table:
        for column in ("fence_replaced", "fences", "event_known", "event_branch"):
            table.drop_column(column)
