"""run_documents.py [CHAIN…]: runs the commands of the documents, block after block (see documents.py).

The chain `demo` runs beside a backend and two agents that are started for it. The others are each run
in a Debian 12 root made by debootstrap, as root, where a systemctl of ours starts the units' programs,
because no systemd runs in such a root, and where the editor adds the drives of a first array.

    --junit FILE   one case for each block
    --ccache       gcc of the roots is looked up in this machine's ccache
    --record       keeps the result of each chain in .ci/test-documents.json
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "e2e/stack"))
from bare_root import BareError, Root, origin, say  # noqa: E402
from documents import CHAINS, ROOT, Block, DocumentError, chain_blocks  # noqa: E402

RESULT = ROOT / ".ci/test-documents.json"
# At the start: somebody may go on while the chains are run.
COMMIT = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
LOGS = ROOT / ".run/documents"
CHAIN_MINUTES = {"demo": 3, "agent": 45, "backend": 45}
# What every Debian machine has and a root of debootstrap lacks. curl: the pages' examples.
STANDARD = ["sudo", "systemd", "udev", "initramfs-tools", "python3", "ca-certificates", "git",
            "make", "curl", "procps"]

SHELL = r"""
set -o pipefail
# The pages' lines answer with what the server says; here an error of HTTP is one.
curl() { command curl --fail-with-body "$@"; }
aw_check() {
    [ "$1" = 0 ] && return
    printf '\n@@ failed with status %s: %s\n' "$1" "$2"
    exit 1
}
# aw_serves PID REQUEST…: that program serves the console's page, and ends when it is told to.
aw_serves() {
    local pid=$1 page=
    shift
    for _ in $(seq 300); do
        kill -0 "$pid" || return 1
        page=$(command curl --silent --show-error --fail "$@" 2>&1) && break
        sleep 0.2
    done
    printf '%s\n' "$page" | head -5
    kill "$pid" && wait "$pid"
    case $page in *'<div id="root">'*) ;; *) return 1 ;; esac
}
"""


def commands_of(script: str) -> Iterator[str]:
    """Whole commands: a line that the shell would read on from is taken with the next."""
    lines: list[str] = []
    for line in script.splitlines():
        lines.append(line)
        text = "\n".join(lines)
        parsed = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
        if not line.endswith("\\") and parsed.returncode == 0 and not parsed.stderr:
            if text.strip() and not text.strip().startswith("#"):
                yield text
            lines = []
    if lines:
        yield "\n".join(lines)


def chain_script(blocks: list[Block]) -> str:
    parts = [SHELL]
    for number, block in enumerate(blocks):
        parts.append(f"printf '\\n@@ begin {number}\\n'")
        for command in commands_of(block.script()):
            quoted = "'" + command.replace("'", "'\\''") + "'"
            end = f" &\naw_serves $! {block.serves}" if block.serves else ""
            parts.append(f"printf '+ %s\\n' {quoted}\n{command}{end}\naw_check $? {quoted}")
        parts.append(f"printf '\\n@@ end {number}\\n'")
    return "\n".join(parts) + "\n"


# The demo


def api(opener: urllib.request.OpenerDirector, url: str, body: Any = None, csrf: str = "") -> Any:
    request = urllib.request.Request(url, data=None if body is None else json.dumps(body).encode(),
                                     headers={"Content-Type": "application/json",
                                              **({"X-CSRF-Token": csrf} if csrf else {})})
    with opener.open(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


def wait_for(what: str, question: Any, seconds: float = 30) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := question()):
        if time.monotonic() > deadline:
            raise BareError(f"waited {seconds:g} s: {what}")
        time.sleep(0.2)
    return found


@contextmanager
def demo_variables() -> Iterator[dict[str, str]]:
    from agents import MIB, HostPlan  # noqa: PLC0415 (only this chain needs what is built)
    from processes import free_port  # noqa: PLC0415
    from stack import Stack  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp(prefix="aw-docs-"))  # paths of sockets are short
    stack = Stack(folder, [HostPlan(name, drives=4, drive_bytes=160 * MIB)
                           for name in ("alpha", "beta")], "127.0.0.1", free_port(), demo=True)
    try:
        stack.start()
        base = f"{stack.backend.url}/api/v1"
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        api(opener, f"{base}/auth/login", {
            "username": "admin", "password": stack.backend.password_file.read_text().strip()})
        csrf = api(opener, f"{base}/auth/session")["csrf_token"]
        token = api(opener, f"{base}/api-tokens", {"name": "documents", "role": "administrator"}, csrf)
        # What the page has people click.
        alpha, beta = stack.hosts["alpha"], stack.hosts["beta"]
        subprocess.run([str(alpha.arrayctl), "/c0", "add", "vd", "r5", "drives=252:0-3", "name=data"],
                       check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "ARRAYWRIGHT_SOCKET": str(alpha.control_socket)})
        def of_beta(what: str, count: int) -> list[dict[str, Any]]:
            items = api(opener, f"{base}/{what}?limit=100")["items"]
            mine = [item for item in items if item["host_name"] == beta.plan.name]
            return mine if len(mine) >= count else []

        controller = wait_for("a controller of beta", lambda: of_beta("controllers", 1))[0]
        drives = wait_for("drives of beta", lambda: of_beta("drives", 4))
        yield {"URL": stack.backend.url, "ARRAYWRIGHT_TOKEN": token["token"],
               "NBD_SOCKET": str(alpha.nbd_socket), "CONTROLLER_ID": controller["id"],
               "DRIVE_IDS": ",".join(f'"{drive["id"]}"' for drive in drives[:3])}
    finally:
        stack.stop()
        shutil.rmtree(folder, ignore_errors=True)


def run_demo(script: str, log: Path, _ccache: bool) -> None:
    with demo_variables() as variables, log.open("wb") as out:
        subprocess.run(["bash", "-c", script], cwd=ROOT, env={**os.environ, **variables},
                       stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, check=False,
                       timeout=CHAIN_MINUTES["demo"] * 60)


# The roots


def run_in_root(name: str, script: str, log: Path, ccache: bool) -> None:
    root = Root(f"documents-{name}")
    variables = {"DEBIAN_FRONTEND": "noninteractive"}
    packages = list(STANDARD)
    if ccache:
        cache = os.environ.get("CCACHE_DIR") or str(Path.home() / ".cache/ccache")
        Path(cache).mkdir(parents=True, exist_ok=True)
        root.binds = [f"{cache}:/var/cache/ccache"]
        packages.append("ccache")
        variables |= {"CCACHE_DIR": "/var/cache/ccache", "CCACHE_NOHASHDIR": "1",
                      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin"}
    say(f"{name}: making its root")
    root.make()
    root.install(*packages)
    for helper in ("systemctl", "editor", "apt"):
        target = root.path / "usr/local/bin" / helper
        shutil.copyfile(ROOT / ".ci/bare" / helper, target)
        target.chmod(0o755)
    root.clone(COMMIT)
    # Programs ask whether systemd runs; the systemctl above answers for it.
    (root.path / "run/systemd/system").mkdir(parents=True, exist_ok=True)
    (root.path / "commands.sh").write_text(script)
    say(f"{name}: running the pages' commands")
    with log.open("wb") as out:
        root.run("bash /commands.sh", limit_s=CHAIN_MINUTES[name] * 60, out=out, variables=variables)
    if not os.environ.get("AW_KEEP_ROOT"):
        root.remove()


def verdicts(blocks: list[Block], text: str) -> list[str]:
    """For each block what went wrong, or nothing."""
    found = []
    for number, block in enumerate(blocks):
        said = re.search(rf"^@@ begin {number}\n(.*?)(^@@ end {number}$|\Z)", text, flags=re.M | re.S)
        if said is None:
            found.append(f"{block.where}: was not reached")
        elif not said[2]:
            found.append(f"{block.where}: {said[1].strip()[-1500:]}")
        else:
            found.append("")
    return found


def run_chain(name: str, ccache: bool) -> tuple[list[Block], list[str], float]:
    blocks = chain_blocks(name)
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{name}.log"
    log.unlink(missing_ok=True)
    began = time.monotonic()
    trouble = ""
    if blocks:
        try:
            if name == "demo":
                run_demo(chain_script(blocks), log, ccache)
            else:
                run_in_root(name, chain_script(blocks), log, ccache)
        except Exception as error:  # every block gets its case, whatever stopped the chain
            trouble = f" ({type(error).__name__}: {error})"
    faults = verdicts(blocks, log.read_text(errors="replace") if log.exists() else "")
    faults = [fault + trouble if fault else "" for fault in faults]
    for block, fault in zip(blocks, faults, strict=True):
        print(f"not ok {fault}" if fault else f"ok {block.where}", flush=True)
    return blocks, faults, time.monotonic() - began


def record(chain: str, seconds: float, ccache: bool, count: int, faults: list[str]) -> None:
    """The last result of each chain."""
    kept = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    kept[chain] = {
        **origin(COMMIT), "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "minutes": round(seconds / 60, 1), "ccache": ccache, "blocks": count,
        "faults": [fault.splitlines()[0] for fault in faults if fault], "passed": not any(faults)}
    RESULT.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chains", nargs="*", metavar="CHAIN")
    parser.add_argument("--junit", type=Path)
    parser.add_argument("--ccache", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    names = options.chains or list(CHAINS)
    if unknown := set(names) - set(CHAINS):
        parser.error(f"no chain {', '.join(sorted(unknown))}; there are {', '.join(CHAINS)}")
    cases, all_faults = [], []
    for name in names:
        blocks, faults, seconds = run_chain(name, options.ccache)
        if options.record:
            record(name, seconds, options.ccache, len(blocks), faults)
        for block, fault in zip(blocks, faults, strict=True):
            plain = escape(re.sub(r"[^ -~\n]", "?", fault))  # XML takes no control characters
            body = f"<failure>{plain}</failure>" if fault else ""
            cases.append(f"<testcase classname='documents.{name}' name={quoteattr(block.where)} "
                         f"time='{seconds / len(blocks):.2f}'>{body}</testcase>")
        all_faults += [fault for fault in faults if fault]
    if options.junit:
        options.junit.parent.mkdir(parents=True, exist_ok=True)
        options.junit.write_text("<testsuites><testsuite name='documents'>" + "".join(cases)
                                 + "</testsuite></testsuites>\n")
    print(f"{len(cases) - len(all_faults)} passed, {len(all_faults)} failed")
    return 1 if all_faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (DocumentError, BareError) as error:
        sys.exit(f"run_documents: {error}")
