"""The largest drives of a fleet are found without a look at all"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

# Whoever does not say the second half is not led here: SQLite would take it for any order.
SIZED = "size_bytes >= 0"
NAME = "ix_object_state_largest"


def upgrade() -> None:
    op.create_index(
        NAME,
        "object_state",
        ["kind", sa.text("size_bytes DESC"), "host_name", "sort", "id"],
        sqlite_where=sa.text(f"deleted IS 0 AND {SIZED}"),
        postgresql_where=sa.text(f"deleted IS false AND {SIZED}"),
    )


def downgrade() -> None:
    op.drop_index(NAME, "object_state")
