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
