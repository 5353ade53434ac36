"""Lists are sorted by more than the place"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

NAME = "ix_object_state_place"
BEFORE = ["kind", "host_name", "sort", "id", "state", "search"]
COLUMNS = [*BEFORE[:-1], "size_bytes", "level", "failures_left", "title", "serial", "search"]
WIDTH = 64


def _index(columns: list[str]) -> None:
    op.create_index(
        NAME,
        "object_state",
        columns,
        sqlite_where=sa.text("deleted IS 0"),
        postgresql_where=sa.text("deleted IS false"),
    )


def _text(name: str) -> str:
    """A field of the document."""
    if op.get_bind().dialect.name == "sqlite":
        return f"json_extract(doc, '$.{name}')"
    return f"doc ->> '{name}'"


def upgrade() -> None:
    op.drop_index(NAME, "object_state")
    for name in ("title", "serial"):
        column = sa.Column(name, sa.String(length=WIDTH), nullable=False, server_default="")
        op.add_column("object_state", column)
    title = f"coalesce(nullif({_text('name')}, ''), {_text('model')}, '')"
    op.execute(
        f"UPDATE object_state SET title = substr(lower({title}), 1, {WIDTH}), "  # noqa: S608
        f"serial = substr(lower(coalesce({_text('serial')}, '')), 1, {WIDTH})"
    )
    _index(COLUMNS)


def downgrade() -> None:
    op.drop_index(NAME, "object_state")
    # Not by a new table: that would be without the triggers of the old one.
    for name in ("title", "serial"):
        op.execute(f"ALTER TABLE object_state DROP COLUMN {name}")
    _index(BEFORE)
