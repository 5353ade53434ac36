"""Saved scenarios of the lab"""

import sqlalchemy as sa
from alembic import op

from arraywright.kit.database import Document

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "saved_scenario",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("scenario", Document, nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_saved_scenario_user_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_scenario")),
        sa.UniqueConstraint("user_id", "name", name=op.f("uq_saved_scenario_user_id_name")),
    )


def downgrade() -> None:
    op.drop_table("saved_scenario")
