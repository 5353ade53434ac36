"""Presence of hosts"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    with op.batch_alter_table("host_summary") as table:
        table.add_column(
            sa.Column("presence", sa.String(length=16), nullable=False, server_default="offline")
        )
    op.execute("UPDATE host_summary SET presence = 'online' WHERE online")
    op.execute("UPDATE host_summary SET presence = 'enrolled' WHERE connected_us IS NULL")
    op.drop_index("ix_host_summary_online", table_name="host_summary")
    with op.batch_alter_table("host_summary") as table:
        table.drop_column("online")
    op.create_index("ix_host_summary_presence", "host_summary", ["presence", "last_seen_us"])


def downgrade() -> None:
    with op.batch_alter_table("host_summary") as table:
        table.add_column(
            sa.Column("online", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    op.execute("UPDATE host_summary SET online = (presence = 'online')")
    op.drop_index("ix_host_summary_presence", table_name="host_summary")
    with op.batch_alter_table("host_summary") as table:
        table.drop_column("presence")
        table.alter_column("online", server_default=None)
    op.create_index("ix_host_summary_online", "host_summary", ["online", "last_seen_us"])
