"""The table of checks, in the order in which a person would look."""

from collections.abc import Callable, Iterator

from arraywright.backup.service import place_of
from arraywright.doctor import data, network, place
from arraywright.doctor.finding import Finding
from arraywright.settings import Settings

CHECKS: tuple[Callable[[Settings], Iterator[Finding]], ...] = (
    place.state_dir_unwritable,
    place.disk_full,
    network.exposed_without_tls,
    network.tls_unreadable,
    network.tls_mismatch,
    network.tls_expired,
    network.tls_name,
    place.port_taken,
    place.server_not_running,
    network.public_url_loopback,
    network.proxy_not_trusted,
    place.database_exposed,
    place.database_foreign_owner,
    place.console_missing,
    place.arraysim_missing,
    place.backup_tools_missing,
)
OF_THE_DATABASE = (
    "database_unreachable",
    "database_newer",
    "migration_pending",
    *data.SESSION_CHECKS,
)
CODES = ("settings_invalid", *(check.__name__ for check in CHECKS), *OF_THE_DATABASE)


def settings_invalid(reason: str) -> Finding:
    return Finding(
        code="settings_invalid",
        found=reason,
        consequence="The server does not start.",
        next_step="sudoedit /etc/arraywright/backend.env",
    )


async def examine(settings: Settings) -> list[Finding]:
    found = [finding for check in CHECKS for finding in check(settings)]
    _, file = place_of(settings)
    if file is not None and not file.exists():
        found.append(data.no_database(file))
        return found
    return [*found, *[finding async for finding in data.findings(settings)]]
