"""The backend of the stack: `arraywright serve` on an embedded database."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from processes import Child, StackError, wait_until

PROFILES = Path(__file__).resolve().parents[2] / "agent" / "profiles"
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")


class Backend:
    def __init__(self, folder: Path, program: Path, ui: Path, build: Path, address: str,
                 port: int, demo: bool) -> None:
        self.folder = folder
        self.address = address
        self.port = port
        self._demo = demo
        self._program = program
        self._ui = ui
        self._arraysim = build / "src/lab/arraysim"
        self._child: Child | None = None
        self._certificate = folder / "certificate.pem"
        self._key = folder / "certificate.key"

    @property
    def with_tls(self) -> bool:
        return self.address not in LOOPBACK

    @property
    def url(self) -> str:
        shown = "127.0.0.1" if self.address in ("0.0.0.0", "::", "[::]") else self.address
        return f"{'https' if self.with_tls else 'http'}://{shown}:{self.port}"

    @property
    def certificate(self) -> Path | None:
        return self._certificate if self.with_tls else None

    @property
    def password_file(self) -> Path:
        return self.folder / "admin-password"

    def _env(self) -> dict[str, str]:
        return {**os.environ, "ARRAYWRIGHT_STATE_DIR": str(self.folder),
                "ARRAYWRIGHT_DEMO": str(self._demo).lower(),
                "ARRAYWRIGHT_ENV_FILE": ""}  # settings of an installed backend are not ours

    def _make_certificate(self) -> None:
        if self._certificate.exists():
            return
        alternatives = "DNS:localhost,IP:127.0.0.1"
        if self.address not in ("0.0.0.0", "::", "[::]"):
            kind = "IP" if self.address.replace(".", "").isdigit() else "DNS"
            alternatives += f",{kind}:{self.address}"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "365", "-subj",
                        "/CN=Arraywright demo", "-addext", f"subjectAltName={alternatives}",
                        "-keyout", str(self._key), "-out", str(self._certificate)],
                       check=True, capture_output=True)
        self._key.chmod(0o600)

    def start(self) -> None:
        self.launch()
        self.wait_ready()

    def launch(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        command = [str(self._program), "serve", "--host", self.address.strip("[]"),
                   "--port", str(self.port), "--state-dir", str(self.folder),
                   "--ui-dir", str(self._ui), "--heartbeat-s", "5",
                   "--install-line", "sudo arraywright-uplink --config /etc/arraywright/uplink.conf "
                   "enrol --url {url} --token {token}",
                   "--initial-admin-password-file", str(self.password_file),
                   "--arraysim", str(self._arraysim), "--profiles-dir", str(PROFILES)]
        if self.with_tls:
            self._make_certificate()
            command += ["--tls-certificate", str(self._certificate), "--tls-key", str(self._key)]
        self._child = Child("the backend", command, self.folder / "backend.log", self._env())

    def wait_ready(self) -> None:
        wait_until("the backend answers", self._answers, 60, self._child)

    def _answers(self) -> bool:
        context = None
        if self.with_tls:
            context = ssl.create_default_context(cafile=str(self._certificate))
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/health", timeout=2,
                                        context=context) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def enrolment_token(self) -> str:
        done = subprocess.run([str(self._program), "token", "create", "--json"], check=False,
                              text=True, env=self._env(), capture_output=True)
        if done.returncode != 0:
            raise StackError(f"no enrolment token: {done.stderr}")
        return str(json.loads(done.stdout)["token"])

    def stop(self) -> None:
        if self._child is not None:
            self._child.stop()
            self._child = None

    def check(self) -> None:
        if self._child is not None and not self._child.is_running():
            raise StackError(f"the backend has ended:\n{self._child.log_tail()}")
