"""First schema"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

DOCUMENT = sa.JSON(none_as_null=True).with_variant(
    postgresql.JSONB(none_as_null=True), "postgresql"
)
SEQUENCE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at_us", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("target", sa.String(length=255), nullable=False),
        sa.Column("outcome", sa.String(length=32), nullable=False),
        sa.Column("detail", DOCUMENT, nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_audit")),
    )
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_action"), ["action"], unique=False)
        batch_op.create_index(batch_op.f("ix_audit_actor"), ["actor"], unique=False)

    op.create_table(
        "enrol_token",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("prefix", sa.String(length=16), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.Column("expires_us", sa.BigInteger(), nullable=False),
        sa.Column("used_us", sa.BigInteger(), nullable=True),
        sa.Column("host_id", sa.Uuid(), nullable=True),
        sa.Column("revoked_us", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_enrol_token")),
        sa.UniqueConstraint("digest", name=op.f("uq_enrol_token_digest")),
    )
    with op.batch_alter_table("enrol_token", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_enrol_token_created_us"), ["created_us"], unique=False)

    op.create_table(
        "host",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("public_key", sa.String(length=512), nullable=False),
        sa.Column("machine_id_hash", sa.String(length=64), nullable=False),
        sa.Column("enrolled_us", sa.BigInteger(), nullable=False),
        sa.Column("retired_us", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host")),
    )
    with op.batch_alter_table("host", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_host_name"), ["name"], unique=False)

    op.create_table(
        "installation",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("value", sa.String(length=255), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_installation")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", SEQUENCE, autoincrement=True, nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("object_id", sa.String(length=64), nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_table(
        "user_account",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("username", sa.String(length=32), nullable=False),
        sa.Column("display_name", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.Column("last_login_us", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_account")),
        sa.UniqueConstraint("username", name=op.f("uq_user_account_username")),
    )
    op.create_table(
        "alert",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("open_key", sa.String(length=128), nullable=True),
        sa.Column("rule", sa.String(length=64), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("object_kind", sa.String(length=32), nullable=False),
        sa.Column("object_key", sa.String(length=64), nullable=False),
        sa.Column("object_id", sa.Uuid(), nullable=False),
        sa.Column("object_path", sa.String(length=255), nullable=False),
        sa.Column("group_id", sa.Uuid(), nullable=True),
        sa.Column("reason", DOCUMENT, nullable=False),
        sa.Column("opened_us", sa.BigInteger(), nullable=False),
        sa.Column("changed_us", sa.BigInteger(), nullable=False),
        sa.Column("acknowledged_us", sa.BigInteger(), nullable=True),
        sa.Column("acknowledged_by", sa.String(length=64), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("resolved_us", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_alert_host_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert")),
        sa.UniqueConstraint("open_key", name=op.f("uq_alert_open_key")),
    )
    with op.batch_alter_table("alert", schema=None) as batch_op:
        batch_op.create_index("ix_alert_host_id_state", ["host_id", "state"], unique=False)
        batch_op.create_index(batch_op.f("ix_alert_object_id"), ["object_id"], unique=False)
        batch_op.create_index("ix_alert_opened_us_id", ["opened_us", "id"], unique=False)

    op.create_table(
        "api_token",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("prefix", sa.String(length=16), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.Column("expires_us", sa.BigInteger(), nullable=True),
        sa.Column("last_used_us", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_api_token_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_token")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_token_digest")),
    )
    with op.batch_alter_table("api_token", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_api_token_created_us"), ["created_us"], unique=False)
        batch_op.create_index(batch_op.f("ix_api_token_user_id"), ["user_id"], unique=False)

    op.create_table(
        "command",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("op", sa.String(length=64), nullable=False),
        sa.Column("command_class", sa.String(length=1), nullable=False),
        sa.Column("args", DOCUMENT, nullable=False),
        sa.Column("confirm", sa.String(length=255), nullable=True),
        sa.Column("preconditions", DOCUMENT, nullable=False),
        sa.Column("target_kind", sa.String(length=32), nullable=False),
        sa.Column("target_key", sa.String(length=64), nullable=False),
        sa.Column("target_id", sa.Uuid(), nullable=False),
        sa.Column("actor_id", sa.Uuid(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("actor_role", sa.String(length=16), nullable=False),
        sa.Column("via", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", DOCUMENT, nullable=True),
        sa.Column("progress_percent", sa.BigInteger(), nullable=True),
        sa.Column("objects", DOCUMENT, nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.Column("not_after_us", sa.BigInteger(), nullable=False),
        sa.Column("offered_us", sa.BigInteger(), nullable=True),
        sa.Column("accepted_us", sa.BigInteger(), nullable=True),
        sa.Column("ended_us", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_command_host_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_command")),
        sa.UniqueConstraint("host_id", "number", name=op.f("uq_command_host_id_number")),
    )
    with op.batch_alter_table("command", schema=None) as batch_op:
        batch_op.create_index("ix_command_created_us_id", ["created_us", "id"], unique=False)
        batch_op.create_index("ix_command_state_host", ["state", "host_id", "number"], unique=False)
        batch_op.create_index(batch_op.f("ix_command_target_id"), ["target_id"], unique=False)

    op.create_table(
        "event",
        sa.Column("id", SEQUENCE, autoincrement=True, nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("epoch", sa.String(length=36), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("wall_us", sa.BigInteger(), nullable=False),
        sa.Column("received_us", sa.BigInteger(), nullable=False),
        sa.Column("code", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("class_value", sa.BigInteger(), nullable=False),
        sa.Column("locale", sa.BigInteger(), nullable=False),
        sa.Column("object_kind", sa.String(length=32), nullable=False),
        sa.Column("object_key", sa.String(length=128), nullable=False),
        sa.Column("object_id", sa.Uuid(), nullable=False),
        sa.Column("params", DOCUMENT, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["host_id"], ["host.id"], name=op.f("fk_event_host_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint("host_id", "epoch", "seq", name=op.f("uq_event_host_id_epoch_seq")),
    )
    with op.batch_alter_table("event", schema=None) as batch_op:
        batch_op.create_index("ix_event_host_id_id", ["host_id", "id"], unique=False)
        batch_op.create_index("ix_event_object_id_id", ["object_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_event_received_us"), ["received_us"], unique=False)

    op.create_table(
        "host_summary",
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("online", sa.Boolean(), nullable=False),
        sa.Column("last_seen_us", sa.BigInteger(), nullable=True),
        sa.Column("connected_us", sa.BigInteger(), nullable=True),
        sa.Column("clock_offset_ms", sa.BigInteger(), nullable=True),
        sa.Column("agent_version", sa.String(length=64), nullable=False),
        sa.Column("boot_id", sa.String(length=64), nullable=False),
        sa.Column("policy_preset", sa.String(length=32), nullable=False),
        sa.Column("worst_state", sa.String(length=32), nullable=True),
        sa.Column("controllers", sa.BigInteger(), nullable=False),
        sa.Column("drives", sa.BigInteger(), nullable=False),
        sa.Column("drives_unconfigured", sa.BigInteger(), nullable=False),
        sa.Column("drives_failed", sa.BigInteger(), nullable=False),
        sa.Column("hot_spares", sa.BigInteger(), nullable=False),
        sa.Column("drive_groups", sa.BigInteger(), nullable=False),
        sa.Column("virtual_drives", sa.BigInteger(), nullable=False),
        sa.Column("virtual_drives_degraded", sa.BigInteger(), nullable=False),
        sa.Column("virtual_drives_offline", sa.BigInteger(), nullable=False),
        sa.Column("drive_failures_left", sa.BigInteger(), nullable=True),
        sa.Column("operations_running", sa.BigInteger(), nullable=False),
        sa.Column("raw_bytes", sa.BigInteger(), nullable=False),
        sa.Column("usable_bytes", sa.BigInteger(), nullable=False),
        sa.Column("open_alerts", sa.BigInteger(), nullable=False),
        sa.Column("worst_alert", sa.String(length=16), nullable=True),
        sa.ForeignKeyConstraint(
            ["host_id"], ["host.id"], name=op.f("fk_host_summary_host_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("host_id", name=op.f("pk_host_summary")),
    )
    with op.batch_alter_table("host_summary", schema=None) as batch_op:
        batch_op.create_index("ix_host_summary_online", ["online", "last_seen_us"], unique=False)

    op.create_table(
        "object_state",
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("config_rev", sa.BigInteger(), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("changed_us", sa.BigInteger(), nullable=False),
        sa.Column("doc", DOCUMENT, nullable=False),
        sa.Column("state", sa.String(length=32), nullable=True),
        sa.Column("level", sa.String(length=16), nullable=True),
        sa.Column("word", sa.String(length=32), nullable=True),
        sa.Column("controller_id", sa.Uuid(), nullable=True),
        sa.Column("enclosure_id", sa.Uuid(), nullable=True),
        sa.Column("drive_group_id", sa.Uuid(), nullable=True),
        sa.Column("target_id", sa.Uuid(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("failures_left", sa.BigInteger(), nullable=True),
        sa.Column("sort", sa.String(length=128), nullable=False),
        sa.Column("search", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["host_id"], ["host.id"], name=op.f("fk_object_state_host_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("host_id", "kind", "key", name=op.f("pk_object_state")),
    )
    with op.batch_alter_table("object_state", schema=None) as batch_op:
        batch_op.create_index(
            "ix_object_state_host_kind", ["host_id", "kind", "sort"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_object_state_id"), ["id"], unique=False)
        batch_op.create_index(
            "ix_object_state_kind_group", ["kind", "drive_group_id"], unique=False
        )
        batch_op.create_index("ix_object_state_kind_state", ["kind", "state"], unique=False)

    op.create_table(
        "sync_cursor",
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("state_epoch", sa.String(length=36), nullable=False),
        sa.Column("state_rev", sa.BigInteger(), nullable=False),
        sa.Column("event_epoch", sa.String(length=36), nullable=False),
        sa.Column("event_seq", sa.BigInteger(), nullable=False),
        sa.Column("command_number", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["host_id"], ["host.id"], name=op.f("fk_sync_cursor_host_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("host_id", name=op.f("pk_sync_cursor")),
    )
    op.create_table(
        "ui_session",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("csrf_token", sa.String(length=64), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.Column("expires_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user_account.id"], name=op.f("fk_ui_session_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ui_session")),
        sa.UniqueConstraint("digest", name=op.f("uq_ui_session_digest")),
    )
    with op.batch_alter_table("ui_session", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_ui_session_expires_us"), ["expires_us"], unique=False)
        batch_op.create_index(batch_op.f("ix_ui_session_user_id"), ["user_id"], unique=False)

    op.create_table(
        "idempotency",
        sa.Column("actor_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("request_hash", sa.String(length=64), nullable=False),
        sa.Column("command_id", sa.Uuid(), nullable=False),
        sa.Column("expires_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["command_id"],
            ["command.id"],
            name=op.f("fk_idempotency_command_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("actor_id", "key", name=op.f("pk_idempotency")),
    )
    with op.batch_alter_table("idempotency", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_idempotency_expires_us"), ["expires_us"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("idempotency", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_idempotency_expires_us"))

    op.drop_table("idempotency")
    with op.batch_alter_table("ui_session", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_ui_session_user_id"))
        batch_op.drop_index(batch_op.f("ix_ui_session_expires_us"))

    op.drop_table("ui_session")
    op.drop_table("sync_cursor")
    with op.batch_alter_table("object_state", schema=None) as batch_op:
        batch_op.drop_index("ix_object_state_kind_state")
        batch_op.drop_index("ix_object_state_kind_group")
        batch_op.drop_index(batch_op.f("ix_object_state_id"))
        batch_op.drop_index("ix_object_state_host_kind")

    op.drop_table("object_state")
    with op.batch_alter_table("host_summary", schema=None) as batch_op:
        batch_op.drop_index("ix_host_summary_online")

    op.drop_table("host_summary")
    with op.batch_alter_table("event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_event_received_us"))
        batch_op.drop_index("ix_event_object_id_id")
        batch_op.drop_index("ix_event_host_id_id")

    op.drop_table("event")
    with op.batch_alter_table("command", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_command_target_id"))
        batch_op.drop_index("ix_command_state_host")
        batch_op.drop_index("ix_command_created_us_id")

    op.drop_table("command")
    with op.batch_alter_table("api_token", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_api_token_user_id"))
        batch_op.drop_index(batch_op.f("ix_api_token_created_us"))

    op.drop_table("api_token")
    with op.batch_alter_table("alert", schema=None) as batch_op:
        batch_op.drop_index("ix_alert_opened_us_id")
        batch_op.drop_index(batch_op.f("ix_alert_object_id"))
        batch_op.drop_index("ix_alert_host_id_state")

    op.drop_table("alert")
    op.drop_table("user_account")
    op.drop_table("outbox")
    op.drop_table("installation")
    with op.batch_alter_table("host", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_host_name"))

    op.drop_table("host")
    with op.batch_alter_table("enrol_token", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_enrol_token_created_us"))

    op.drop_table("enrol_token")
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_actor"))
        batch_op.drop_index(batch_op.f("ix_audit_action"))

    op.drop_table("audit")
