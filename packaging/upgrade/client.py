"""An API client that knows only what both versions have in common."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any

from processes import wait_until

MIB = 1 << 20
# A busy machine with two cores; nothing here takes a tenth of it.
PATIENCE_S = 60.0
Object = dict[str, Any]


class Client:
    def __init__(self, url: str, password: str) -> None:
        self._url = f"{url}/api/v1"
        self._headers = {"Content-Type": "application/json"}
        answer, cookies = self._ask("POST", "/auth/login",
                                    {"username": "admin", "password": password})
        self._headers |= {"X-CSRF-Token": answer["csrf_token"], "Cookie": "; ".join(cookies)}

    def _ask(self, method: str, path: str, body: Object | None = None,
             headers: Object | None = None) -> tuple[Object, list[str]]:
        request = urllib.request.Request(
            self._url + path, method=method, headers={**self._headers, **(headers or {})},
            data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                cookies = [line.split(";")[0] for line in answer.headers.get_all("Set-Cookie", [])]
                return json.loads(answer.read() or b"{}"), cookies
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error

    def items(self, path: str) -> list[Object]:
        try:
            return list(self._ask("GET", path)[0]["items"])
        except (urllib.error.URLError, http.client.HTTPException):
            return []

    def _until(self, what: str, condition: Callable[[], bool]) -> None:
        wait_until(what, condition, PATIENCE_S)

    def virtual_drives(self) -> set[str]:
        return {str(each["name"]) for each in self.items("/virtual-drives")}

    def work(self, name: str, known: Sequence[str]) -> None:
        """The host is there with what it had; it builds one more, and tells of it."""
        self._until("the host is online", lambda: any(
            each["presence"] == "online" for each in self.items("/hosts")))
        self._until(f"virtual drives {list(known)} are seen",
                    lambda: set(known) == self.virtual_drives())
        self._until("six drives are seen", lambda: len(self.items("/drives")) == 6)
        before = {each["id"] for each in self.items("/events?limit=200")}
        drives = sorted(self.items("/drives"), key=lambda each: str(each["path"]))
        controller = self.items("/controllers")[0]
        body: Object = {"controller_id": controller["id"], "level": "raid1" if known else "raid5",
                        "name": name, "size_bytes": 16 * MIB}
        groups = self.items("/drive-groups")
        if groups:
            body |= {"drive_group_id": groups[0]["id"], "level": groups[0]["level"]}
        else:
            body |= {"drive_ids": [each["id"] for each in drives[:3]]}
        self._ask("POST", "/virtual-drives", body, {"Prefer": "wait=30"})
        self._until(f"virtual drive {name} is seen", lambda: name in self.virtual_drives())
        self._until("an event of it arrives", lambda: any(
            each["id"] not in before for each in self.items("/events?limit=200")))
