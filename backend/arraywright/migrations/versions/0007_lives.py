"""Revisions that are never used twice"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    for name in ("sync_cursor", "object_state"):
        with op.batch_alter_table(name) as table:
            table.add_column(
                sa.Column("life", sa.String(length=8), nullable=False, server_default="0")
            )


def downgrade() -> None:
    for name in ("sync_cursor", "object_state"):
        with op.batch_alter_table(name) as table:
            table.drop_column("life")
