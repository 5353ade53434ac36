"""Serves the built console: hashed files for ever, the index with a fresh nonce each time.

The build packs what can be packed (`x.js.br`, `x.js.gz`); a file that it did not pack is packed
here, once.
"""

import gzip
import mimetypes
import secrets
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request, Response

from arraywright.kit.problems import NotFoundError
from arraywright.kit.web import root_path

NONCE_PLACEHOLDER = "__CSP_NONCE__"
ROOT_PLACEHOLDER = "__ROOT_PATH__"
ENCODINGS = {"br": ".br", "gzip": ".gz"}
"""Of those that a browser takes, the first."""
COMPRESSED = ("text/", "application/javascript", "application/json", "image/svg+xml")
FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    packed: dict[str, bytes]
    media_type: str
    version: int


def content_security_policy(nonce: str) -> str:
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' 'nonce-{nonce}'",
            f"style-src 'self' 'nonce-{nonce}'",
            "img-src 'self' data:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def _packed(path: Path, content: bytes) -> dict[str, bytes]:
    found = {}
    for encoding, suffix in ENCODINGS.items():
        beside = path.with_name(path.name + suffix)
        if beside.is_file():
            found[encoding] = beside.read_bytes()
    if not found:
        found["gzip"] = gzip.compress(content, 9, mtime=0)
    return found


def _accepted(header: str) -> set[str]:
    """The encodings that a browser takes; what it takes with q=0 it does not."""
    words = set()
    for part in header.split(","):
        name, _, parameter = part.partition(";")
        if parameter.replace(" ", "").rstrip("0").rstrip(".") != "q=":
            words.add(name.strip().lower())
    return words


class Ui:
    """Files are read once and kept, packed too; a changed file is read again."""

    def __init__(self, directory: Path) -> None:
        self._root = directory.resolve()
        self._files: dict[Path, _File] = {}

    def _find(self, path: str) -> Path | None:
        candidate = (self._root / path).resolve()
        inside = candidate.is_relative_to(self._root)
        return candidate if inside and candidate.is_file() else None

    def _load(self, path: Path) -> _File:
        version = path.stat().st_mtime_ns
        known = self._files.get(path)
        if known is None or known.version != version:
            content = path.read_bytes()
            media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            if media_type == "text/javascript":
                media_type = "application/javascript"
            packable = media_type.startswith(COMPRESSED) and len(content) > 512
            packed = _packed(path, content) if packable else {}
            known = self._files[path] = _File(content, packed, media_type, version)
        return known

    def index(self, root: str) -> Response:
        """Its references are relative to the root, whatever address of the console it is at."""
        nonce = secrets.token_urlsafe(16)
        path = self._find("index.html")
        if path is None:
            raise NotFoundError("The console has not been built.", code="ui_missing")
        text = self._load(path).content.decode()
        text = text.replace(NONCE_PLACEHOLDER, nonce).replace(ROOT_PLACEHOLDER, root)
        text = text.replace('="./', f'="{root}/')
        headers = {
            "Content-Security-Policy": content_security_policy(nonce),
            "Cache-Control": "no-cache",
        }
        return Response(text, media_type="text/html; charset=utf-8", headers=headers)

    def serve(self, path: str, request: Request) -> Response:
        """A file, or the index for any address of the console."""
        found = self._find(path) if path and path != "index.html" else None
        if found is None:
            if path.startswith("assets/"):
                raise NotFoundError("There is no such file.")
            return self.index(root_path(request))
        file = self._load(found)
        hashed = path.startswith("assets/")
        headers = {
            "Cache-Control": FOR_EVER if hashed else "no-cache",
            "ETag": f'"{file.version:x}"',
            "Vary": "Accept-Encoding",
        }
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        content = file.content
        accepted = _accepted(request.headers.get("accept-encoding", ""))
        for encoding, packed in file.packed.items():
            if encoding in accepted:
                headers["Content-Encoding"] = encoding
                content = packed
                break
        return Response(content, media_type=file.media_type, headers=headers)


def make_router(directory: Path) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    ui = Ui(directory)

    @router.get("/{path:path}", name="ui")
    def get_ui(path: str, request: Request) -> Response:
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404)  # or 405: the application knows the routes
        return ui.serve(path, request)

    return router
