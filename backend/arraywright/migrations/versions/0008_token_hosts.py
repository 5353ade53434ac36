"""API tokens limited to hosts"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    document = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
    with op.batch_alter_table("api_token") as table:
        table.add_column(
            sa.Column("host_ids", document, nullable=False, server_default=sa.text("'[]'"))
        )


def downgrade() -> None:
    # Older versions cannot limit a token to hosts: it would reach all of them.
    op.execute("DELETE FROM api_token WHERE CAST(host_ids AS VARCHAR) <> '[]'")
    with op.batch_alter_table("api_token") as table:
        table.drop_column("host_ids")
