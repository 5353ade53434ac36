"""PostgreSQL on this machine asks the kernel who is there (peer authentication).

root on the command line is not the server's user, and would be refused. It connects as that user.
"""

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL


def peer_of(url: URL) -> pwd.struct_passwd | None:
    """The account to connect as; None: the present one."""
    if os.geteuid() != 0 or url.get_backend_name() != "postgresql":
        return None
    host = url.host or url.query.get("host") or "/"
    if url.password or not str(host).startswith("/") or not url.username:
        return None
    try:
        found = pwd.getpwnam(url.username)
    except KeyError:
        return None
    return found if found.pw_uid != 0 else None


@contextmanager
def acting_as(peer: pwd.struct_passwd) -> Iterator[None]:
    """For a moment; of the whole process, so only where nothing else goes on."""
    os.seteuid(peer.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)
