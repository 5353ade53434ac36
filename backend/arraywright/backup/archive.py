"""The file of a backup: a compressed tar with the manifest first, then the database."""

import hashlib
import io
import os
import tarfile
import zlib
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from arraywright.backup.manifest import FORMAT, Manifest
from arraywright.kit.failure import StartError

MANIFEST = "manifest.json"
MANIFEST_BYTES = 64 * 1024
CHUNK = 1 << 20
SPEED = 3
"""Compression: a little worse, several times as fast."""
PRIVATE = 0o600
UNREADABLE = (OSError, EOFError, tarfile.TarError, zlib.error, ValidationError, ValueError)


def digest_of(file: IO[bytes]) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    while chunk := file.read(CHUNK):
        size += len(chunk)
        digest.update(chunk)
    return size, digest.hexdigest()


def _private(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.mode, info.uid, info.gid, info.uname, info.gname = PRIVATE, 0, 0, "", ""
    return info


def write(path: Path, manifest: Manifest, database: Path) -> None:
    """Appears under its name when it is complete and durable; readable by its owner only."""
    partial = path.with_name(f".{path.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=SPEED) as archive:
                text = manifest.model_dump_json(indent=2).encode()
                info = tarfile.TarInfo(MANIFEST)
                info.size, info.mtime = len(text), int(manifest.made_at.timestamp())
                archive.addfile(_private(info), io.BytesIO(text))
                archive.add(database, manifest.member, filter=_private)
            file.flush()
            os.fsync(file.fileno())
        check(partial)
        os.link(partial, path)  # fails if there is one already
    finally:
        partial.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _manifest(archive: tarfile.TarFile) -> Manifest:
    first = archive.next()
    if first is None or first.name != MANIFEST or first.size > MANIFEST_BYTES:
        raise ValueError("it has no manifest")
    file = archive.extractfile(first)
    assert file is not None
    manifest = Manifest.model_validate_json(file.read())
    if manifest.format > FORMAT:
        raise ValueError("a newer version of Arraywright made it")
    return manifest


def _read(path: Path, into: Path | None) -> Manifest:
    with tarfile.open(path, "r:gz") as archive:
        manifest = _manifest(archive)
        member = archive.next()
        if member is None or member.name != manifest.member or not member.isreg():
            raise ValueError("the database is missing")
        source = archive.extractfile(member)
        assert source is not None
        found = digest_of(source) if into is None else _copy(source, into)
        if found != (manifest.size_bytes, manifest.sha256):
            raise ValueError("the checksum of the database is wrong")
    return manifest


def _copy(source: IO[bytes], into: Path) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    descriptor = os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    with os.fdopen(descriptor, "wb") as file:
        while chunk := source.read(CHUNK):
            size += len(chunk)
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return size, digest.hexdigest()


def check(path: Path, into: Path | None = None) -> Manifest:
    """Reads all of it, and takes the database out to `into` if given."""
    try:
        return _read(path, into)
    except UNREADABLE as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StartError(f"{path} is not a backup that can be restored: {reason}.") from error
