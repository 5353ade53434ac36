"""Schema changes, run on SQLite and PostgreSQL alike."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from arraywright.kit.database import Database


def configuration() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config


def _upgrade(connection: Connection) -> None:
    config = configuration()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


async def upgrade(database: Database) -> None:
    """Brings the schema up to date, in one transaction."""
    async with database.engine.execution_options(immediate=True).begin() as connection:
        await connection.run_sync(_upgrade)
