"""Figures over time"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "metric_point",
        sa.Column("object_id", sa.Uuid(), nullable=False),
        sa.Column("series", sa.String(length=32), nullable=False),
        sa.Column("step_s", sa.BigInteger(), nullable=False),
        sa.Column("at_s", sa.BigInteger(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("low", sa.Float(precision=53), nullable=False),
        sa.Column("value", sa.Float(precision=53), nullable=False),
        sa.Column("high", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(
            ["host_id"],
            ["host.id"],
            name=op.f("fk_metric_point_host_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "object_id", "series", "step_s", "at_s", name=op.f("pk_metric_point")
        ),
    )
    with op.batch_alter_table("metric_point", schema=None) as batch_op:
        batch_op.create_index("ix_metric_point_step_at", ["step_s", "at_s"], unique=False)
        batch_op.create_index(batch_op.f("ix_metric_point_host_id"), ["host_id"], unique=False)


def downgrade() -> None:
    op.drop_table("metric_point")
