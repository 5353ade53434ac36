"""Lists and counts without a look at the documents"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

PLACE = ["kind", "host_name", "sort", "id", "search"]
# Longer texts do not fit the index of PostgreSQL.
_SHORTEN = "UPDATE object_state SET search = substr(search, 1, 250) WHERE length(search) > 250"
_NAME = (
    "UPDATE object_state SET host_name = "
    "(SELECT host.name FROM host WHERE host.id = object_state.host_id)"
)
_COUNT = (
    "INSERT INTO host_tally (host_id, kind, state, count, size_bytes) "
    "SELECT host_id, kind, coalesce(state, ''), count(*), "
    "sum(CASE WHEN size_bytes > 9007199254740992 THEN 9007199254740992 ELSE size_bytes END) "
    "FROM object_state WHERE NOT deleted AND kind IN ('drive', 'virtual_drive', 'operation') "
    "GROUP BY host_id, kind, coalesce(state, '')"
)


def upgrade() -> None:
    with op.batch_alter_table("object_state") as table:
        table.add_column(
            sa.Column("host_name", sa.String(length=255), nullable=False, server_default="")
        )
    op.execute(_NAME)
    op.execute(_SHORTEN)
    op.create_index(
        "ix_object_state_place",
        "object_state",
        PLACE,
        sqlite_where=sa.text("deleted IS 0"),
        postgresql_where=sa.text("deleted IS false"),
    )
    op.create_index("ix_host_retired_us", "host", ["retired_us"])
    op.create_table(
        "host_tally",
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=32), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["host_id"], ["host.id"], name=op.f("fk_host_tally_host_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("host_id", "kind", "state", name=op.f("pk_host_tally")),
    )
    op.create_index("ix_host_tally_kind", "host_tally", ["kind", "state", "count", "size_bytes"])
    op.execute(_COUNT)


def downgrade() -> None:
    op.drop_table("host_tally")
    op.drop_index("ix_host_retired_us", "host")
    op.drop_index("ix_object_state_place", "object_state")
    with op.batch_alter_table("object_state") as table:
        table.drop_column("host_name")
