"""Scope and origin of API tokens"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    with op.batch_alter_table("api_token") as table:
        table.add_column(
            sa.Column("read_only", sa.Boolean(), nullable=False, server_default=sa.false())
        )
        table.add_column(sa.Column("parent_id", sa.Uuid(), nullable=True))
        table.create_foreign_key(
            op.f("fk_api_token_parent_id"),
            "api_token",
            ["parent_id"],
            ["id"],
            ondelete="CASCADE",
        )
        table.create_index(op.f("ix_api_token_parent_id"), ["parent_id"])


def downgrade() -> None:
    # Older versions cannot limit a token to reading, nor end it with the one it was made with.
    op.execute("DELETE FROM api_token WHERE read_only OR parent_id IS NOT NULL")
    with op.batch_alter_table("api_token") as table:
        table.drop_index(op.f("ix_api_token_parent_id"))
        table.drop_constraint(op.f("fk_api_token_parent_id"), type_="foreignkey")
        table.drop_column("parent_id")
        table.drop_column("read_only")
