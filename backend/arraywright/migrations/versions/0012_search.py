"""Parts of names and numbers are found by an index

PostgreSQL's index needs an extension that not every account may make: see `storage.search`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

KINDS = ("controller", "enclosure", "drive", "drive_group", "virtual_drive", "battery")
ENTRIES = 40
"""Bits of an entry's number; above them is the number of its kind."""
GROUP = "ix_object_state_kind_group"
LISTS = {
    GROUP: ["kind", "drive_group_id"],
    "ix_object_state_kind_state": ["kind", "state", "host_name", "sort", "id"],
    "ix_object_state_place": ["kind", "host_name", "sort", "id", "state", "search"],
}
LIVE = ("deleted IS 0", "deleted IS false")
IN_A_GROUP = ("drive_group_id IS NOT NULL", "drive_group_id IS NOT NULL")
OWN_CHARACTERS = 225
HOST_CHARACTERS = 125

_OF_KIND = "(CASE {row}.kind " + " ".join(
    f"WHEN '{kind}' THEN {number << ENTRIES}" for number, kind in enumerate(KINDS, 1)
)
_BASE = _OF_KIND.format(row="new") + " END)"
_SEARCHED = ", ".join(f"'{kind}'" for kind in KINDS)
_ADD = f"""
    INSERT INTO object_search (id, object_id)
    SELECT 1 + coalesce((SELECT id FROM object_search
                         WHERE id > {_BASE} AND id < {_BASE} + {1 << ENTRIES}
                         ORDER BY id DESC LIMIT 1), {_BASE}), new.id
    WHERE new.deleted IS 0;
    INSERT INTO object_match (rowid, text)
    SELECT id, new.search FROM object_search WHERE object_id = new.id AND new.deleted IS 0;
"""  # noqa: S608 (our own words)
_REMOVE = """
    INSERT INTO object_match (object_match, rowid, text)
    SELECT 'delete', id, old.search FROM object_search WHERE object_id = old.id;
    DELETE FROM object_search WHERE object_id = old.id;
"""
TRIGGERS = {
    "object_search_insert": f"""
        AFTER INSERT ON object_state WHEN new.kind IN ({_SEARCHED})
        BEGIN {_ADD} END""",
    "object_search_update": f"""
        AFTER UPDATE OF search, deleted ON object_state WHEN new.kind IN ({_SEARCHED})
        AND (old.search IS NOT new.search OR old.deleted IS NOT new.deleted)
        BEGIN {_REMOVE} {_ADD} END""",
    "object_search_delete": f"""
        AFTER DELETE ON object_state WHEN old.kind IN ({_SEARCHED})
        BEGIN {_REMOVE} END""",
}


def _index(name: str, columns: list[str], where: tuple[str, str]) -> None:
    op.create_index(
        name,
        "object_state",
        columns,
        sqlite_where=sa.text(where[0]),
        postgresql_where=sa.text(where[1]),
    )


def _with_hosts(connection: sa.Connection) -> None:
    """The text that is searched says whose an object is."""
    host = sa.table(
        "host",
        sa.column("id", sa.Uuid()),
        sa.column("name", sa.String()),
        sa.column("labels", sa.JSON()),
    )
    state = sa.table(
        "object_state", sa.column("host_id", sa.Uuid()), sa.column("search", sa.Text())
    )
    add = (
        sa.update(state)
        .where(state.c.host_id == sa.bindparam("of_host"))
        .values(
            search=sa.func.substr(state.c.search, 1, OWN_CHARACTERS, type_=sa.Text())
            + sa.bindparam("words", type_=sa.Text())
        )
    )
    for host_id, name, labels in connection.execute(sa.select(host)).all():
        words = " ".join((name, *labels)).lower()[:HOST_CHARACTERS]
        connection.execute(add, {"of_host": host_id, "words": f"\n{words}"})


def upgrade() -> None:
    connection = op.get_bind()
    op.drop_index("ix_host_retired_us", "host")
    op.create_index("ix_host_place", "host", ["retired_us", "name", "id"])
    for name in LISTS:
        op.drop_index(name, "object_state")
    _with_hosts(connection)
    for name, columns in LISTS.items():
        _index(name, columns, LIVE if name != GROUP else IN_A_GROUP)
    if connection.dialect.name != "sqlite":
        return
    op.execute(
        "CREATE TABLE object_search (id INTEGER NOT NULL PRIMARY KEY, "
        "object_id CHAR(32) NOT NULL UNIQUE)"
    )
    op.execute(
        "CREATE VIRTUAL TABLE object_match USING "
        "fts5(text, content = '', columnsize = 0, tokenize = 'trigram')"
    )
    base = _OF_KIND.format(row="object_state") + " END)"
    op.execute(
        f"INSERT INTO object_search (id, object_id) "  # noqa: S608 (our own words)
        f"SELECT {base} + row_number() OVER (PARTITION BY kind), id FROM object_state "
        f"WHERE deleted IS 0 AND kind IN ({_SEARCHED})"
    )
    op.execute(
        "INSERT INTO object_match (rowid, text) SELECT s.id, o.search "
        "FROM object_search AS s JOIN object_state AS o ON o.id = s.object_id ORDER BY s.id"
    )
    for name, body in TRIGGERS.items():
        op.execute(f"CREATE TRIGGER {name} {body}")


def downgrade() -> None:
    connection = op.get_bind()
    op.drop_index("ix_host_place", "host")
    op.create_index("ix_host_retired_us", "host", ["retired_us"])
    for name in LISTS:
        op.drop_index(name, "object_state")
    if connection.dialect.name == "sqlite":
        for name in TRIGGERS:
            op.execute(f"DROP TRIGGER {name}")
        op.execute("DROP TABLE object_match")
        op.execute("DROP TABLE object_search")
        op.execute(
            "UPDATE object_state SET search = substr(search, 1, instr(search, char(10)) - 1) "
            "WHERE instr(search, char(10)) > 0"
        )
    else:
        op.execute("DROP INDEX IF EXISTS ix_object_state_search")
        op.execute("UPDATE object_state SET search = split_part(search, chr(10), 1)")
    op.create_index(GROUP, "object_state", ["kind", "drive_group_id"])
    op.create_index("ix_object_state_kind_state", "object_state", ["kind", "state"])
    _index("ix_object_state_place", ["kind", "host_name", "sort", "id", "search"], LIVE)
