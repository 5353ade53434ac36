"""Files that root makes for the server's own user."""

import os
from pathlib import Path


def give_to_owner(path: Path) -> None:
    """What root makes on the command line, the owner of the directory must be able to use."""
    if os.geteuid() == 0:
        folder = path.parent.stat()
        os.chown(path, folder.st_uid, folder.st_gid)
