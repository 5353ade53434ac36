"""A fresh Debian 12 in a folder, and commands in it: what a bare machine is for the tests.

Needs root and the package debootstrap. The base system is kept in .run/bare/base.tar and is made
anew when it is older than a month. Programs in the root see this machine's network and devices, but
no /dev/kvm, and die with the command that started them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "agent/tools"))
import ledgers  # noqa: E402

FOLDER = ROOT / ".run/bare"
CLONE = "/srv/arraywright"  # in the root
BASE_DAYS = 30
MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
SECURITY = os.environ.get("DEBIAN_SECURITY_MIRROR", "http://deb.debian.org/debian-security")
# How this machine reaches its registries: a bare machine would be told the same.
CONFIGURATION = ("/etc/pip.conf", "/etc/npmrc", "/etc/resolv.conf", "/etc/hosts")
PERSONAL = (".npmrc", ".config/pip/pip.conf", ".pip/pip.conf")
VARIABLES = ("PIP_", "NPM_CONFIG_", "npm_config_", "SSL_CERT_", "NODE_EXTRA_CA_CERTS",
             "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")

ENTER = r"""
set -e
root=$1; shift
mount --rbind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --rbind /sys sys
# Devices of its own: a package that changes the mode of /dev/null must not do it here.
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty fuse loop-control $(cd /dev && ls -d loop[0-9]*); do
    [ ! -e "/dev/$name" ] || cp -a "/dev/$name" dev/
done
chmod 666 dev/null
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for number in 0:stdin 1:stdout 2:stderr; do
    ln -s "/proc/self/fd/${number%%:*}" "dev/${number#*:}"
done
for pair in $BINDS; do
    mkdir -p "$root${pair#*:}"
    mount --bind "${pair%%:*}" "$root${pair#*:}"
done
exec chroot "$root" "$@"
"""


# What runs in such a root. Commits are renamed by a rebase, these are not.
PARTS = ("agent", "backend", "frontend", "e2e", "packaging", "docs", "README.md", ".ci/setup")


class BareError(Exception):
    """Text for people."""


def say(text: str) -> None:
    print(f"== {text}", flush=True)


def origin(commit: str) -> dict[str, object]:
    """For a record: the commit, and the trees of its parts."""
    return {"commit": commit, "trees": ledgers.trees_of(commit, **{part: part for part in PARTS})}


def base() -> Path:
    archive = FOLDER / "base.tar"
    if archive.exists() and time.time() - archive.stat().st_mtime < BASE_DAYS * 86400:
        return archive
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        raise BareError("A bare root is made by root, with the package debootstrap.")
    say("making a base system of Debian 12 (a minute or two, kept for later)")
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = FOLDER / "base"
    shutil.rmtree(made, ignore_errors=True)
    log = FOLDER / "debootstrap.log"
    with log.open("wb") as out:
        done = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(made), MIRROR],
                              stdout=out, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise BareError(f"debootstrap has failed; see {log}")
    (made / "etc/apt/sources.list").write_text(
        f"deb {MIRROR} bookworm main\ndeb {MIRROR} bookworm-updates main\n"
        f"deb {SECURITY} bookworm-security main\n")
    shutil.rmtree(made / "var/cache/apt/archives", ignore_errors=True)
    with tarfile.open(archive, "w") as tar:
        tar.add(made, ".")
    shutil.rmtree(made)
    return archive


class Root:
    def __init__(self, name: str = "root") -> None:
        self.path = FOLDER / name
        self.binds: list[str] = []

    def make(self) -> None:
        """Forgets what was there."""
        archive = base()
        self.remove()
        self.path.mkdir(parents=True)
        subprocess.run(["tar", "-xpf", str(archive), "-C", str(self.path)], check=True)
        for name in CONFIGURATION:
            if Path(name).exists():
                self._copy(Path(name), name)
        self._copy_certificates()
        for name in PERSONAL:
            if (Path.home() / name).exists():
                self._copy(Path.home() / name, f"/root/{name}")

    def _copy_certificates(self) -> None:
        """What this machine trusts, its proxy for one. Installing ca-certificates forgets it."""
        bundle = Path("/etc/ssl/certs/ca-certificates.crt")
        if bundle.exists():
            self._copy(bundle, str(bundle))
        for own in Path("/usr/local/share/ca-certificates").glob("**/*.crt"):
            self._copy(own, str(own))

    def _copy(self, source: Path, to: str) -> None:
        target = self.path / to.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copyfile(source, target)

    def remove(self) -> None:
        if self.path.exists():
            # Mounts are those of the commands' own namespaces, so nothing of this machine is below.
            shutil.rmtree(self.path)

    def command(self, script: str, variables: dict[str, str] | None = None) -> list[str]:
        """bash runs the script in the root, in the clone if there is one."""
        folder = CLONE if (self.path / CLONE.lstrip("/")).exists() else "/"
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        environment = {"PATH": path, "HOME": "/root", "LANG": "C.UTF-8", "TERM": "dumb",
                       **{name: value for name, value in os.environ.items()
                          if name.startswith(VARIABLES)}, **(variables or {})}
        return ["unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child",
                "--propagation", "private", "env", f"BINDS={' '.join(self.binds)}",
                "bash", "-c", ENTER, "enter", str(self.path),
                "env", "-i", *(f"{name}={value}" for name, value in environment.items()),
                "bash", "-c", f"cd {shlex.quote(folder)}; {script}"]

    def run(self, script: str, *, limit_s: float, out: IO[bytes] | None = None,
            variables: dict[str, str] | None = None) -> int:
        process = subprocess.Popen(self.command(script, variables), stdin=subprocess.DEVNULL,
                                   stdout=out or sys.stdout, stderr=subprocess.STDOUT)
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return 124
        finally:
            process.kill()
            process.wait()

    def ask(self, script: str) -> str:
        return subprocess.run(self.command(script), stdin=subprocess.DEVNULL, text=True, check=True,
                              stdout=subprocess.PIPE, timeout=120).stdout

    def install(self, *packages: str) -> None:
        log = FOLDER / "install.log"
        with log.open("wb") as out:
            status = self.run("apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install "
                              f"-y -q --no-install-recommends {' '.join(packages)}",
                              limit_s=900, out=out)
        self._copy_certificates()
        if status != 0:
            raise BareError(f"apt-get could not install {' '.join(packages)}; see {log}")

    def clone(self, commit: str = "HEAD") -> None:
        """Only what is committed, as somebody gets it who clones the repository."""
        target = self.path / CLONE.lstrip("/")
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(target)], check=True)
        subprocess.run(["git", "-C", str(target), "checkout", "-q", "-B", "main",
                        subprocess.check_output(["git", "rev-parse", commit], cwd=ROOT,
                                                text=True).strip()], check=True)
