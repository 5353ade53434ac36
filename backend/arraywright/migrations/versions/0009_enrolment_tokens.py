"""Enrollment tokens for many hosts, labels of hosts"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"


def _labels() -> sa.Column[object]:
    document = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
    return sa.Column("labels", document, nullable=False, server_default=sa.text("'[]'"))


def upgrade() -> None:
    with op.batch_alter_table("enrol_token") as table:
        table.add_column(sa.Column("max_uses", sa.BigInteger(), nullable=True))
        table.add_column(
            sa.Column("uses", sa.BigInteger(), nullable=False, server_default=sa.text("0"))
        )
        table.add_column(_labels())
    op.execute("UPDATE enrol_token SET max_uses = 1")
    op.execute("UPDATE enrol_token SET uses = 1 WHERE used_us IS NOT NULL")
    with op.batch_alter_table("host") as table:
        table.add_column(sa.Column("enrol_token_id", sa.Uuid(), nullable=True))
        table.add_column(_labels())
    op.create_index("ix_host_enrol_token_id", "host", ["enrol_token_id"])
    op.execute(
        "UPDATE host SET enrol_token_id = (SELECT t.id FROM enrol_token t "
        "WHERE t.host_id = host.id ORDER BY t.created_us LIMIT 1)"
    )


def downgrade() -> None:
    op.drop_index("ix_host_enrol_token_id", table_name="host")
    with op.batch_alter_table("host") as table:
        table.drop_column("labels")
        table.drop_column("enrol_token_id")
    with op.batch_alter_table("enrol_token") as table:
        table.drop_column("labels")
        table.drop_column("uses")
        table.drop_column("max_uses")
