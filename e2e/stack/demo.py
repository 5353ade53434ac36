"""`make run`: the backend on an embedded database and the demo hosts, until Ctrl-C."""

from __future__ import annotations

import argparse
import getpass
import signal
import socket
import sys
import time
from pathlib import Path
from types import FrameType

from agents import MIB, HostPlan
from processes import StackError
from stack import ROOT, Stack

PLANS = [HostPlan("alpha", battery="lsi-ibbu01", cache_bytes=64 * MIB),
         HostPlan("beta", battery="lsi-bbu03", cache_bytes=64 * MIB),
         # Sixteen SSDs on two controllers, for one stripe over both.
         HostPlan("gamma", controllers=2, drive_profile="intel-x25-e", drive_bytes=0)]


class Interrupted(Exception):
    """Somebody pressed Ctrl-C or asked us to end."""


def interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise Interrupted


def port_is_taken(address: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.strip("[]"), port))
        except OSError:
            return True
    return False


def shown_path(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def welcome(stack: Stack) -> str:
    backend = stack.backend
    alpha = stack.hosts["alpha"]
    password = backend.password_file.read_text().strip()
    lines = [
        "",
        f"  Arraywright runs:   {backend.url}",
        f"  Login:              admin / {password}",
        f"                      (kept in {shown_path(backend.password_file)})",
    ]
    if backend.with_tls:
        lines += ["  The certificate was made for this demo; your browser will ask about it."]
    else:
        lines += [
            "",
            "  No browser on this machine? On yours:",
            f"      ssh -L {backend.port}:127.0.0.1:{backend.port} "
            f"{getpass.getuser()}@{socket.gethostname()}",
            f"  To listen elsewhere (then with TLS):  LISTEN=0.0.0.0:{backend.port} make run",
        ]
    lines += [
        "",
        "  Try first: open host alpha, create a RAID 5 virtual drive over four drives, add a hot",
        "  spare, then open a member drive and choose Try a failure > Pull.",
        "  Host gamma has two controllers: one button there builds a stripe over both.",
        "",
        "  The same from here:",
        f"      export ARRAYWRIGHT_SOCKET={alpha.control_socket}",
        f"      {shown_path(alpha.arrayctl)} /c0 show",
        "",
        "  Ctrl-C stops everything; the next make run goes on where you were;",
        "  make demo-reset starts over.",
        "",
    ]
    return "\n".join(lines)


def parse_listen(text: str) -> tuple[str, int]:
    address, _, port = text.rpartition(":")
    if not address or not port.isdigit() or not 1 <= int(port) <= 65535:
        sys.exit(f"LISTEN must be ADDRESS:PORT, such as 127.0.0.1:8080, not {text}")
    return address, int(port)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listen", default="127.0.0.1:8080")
    parser.add_argument("--folder", type=Path, default=ROOT / ".run/demo")
    options = parser.parse_args()
    address, port = parse_listen(options.listen)
    if port_is_taken(address, port):
        sys.exit(f"{address}:{port} is taken. Is the demo running already? Otherwise choose "
                 f"another port: LISTEN={address}:{port + 1} make run")
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    stack = Stack(options.folder, PLANS, address, port, demo=True, build=ROOT / ".run/build/demo")
    try:
        print("== starting the backend and three hosts", flush=True)
        stack.start()
        print(welcome(stack), flush=True)
        while True:
            time.sleep(1)
            stack.check()
    except Interrupted:
        print("\nStopping …", flush=True)
    except StackError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        stack.stop()
    print("Everything has stopped.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
