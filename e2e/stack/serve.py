"""The stack for the end-to-end tests, steered over standard input and output.

    serve.py --folder DIR --host NAME [--host NAME …]

Prints one JSON line when everything runs, then answers one JSON line per command line:
{"do": "stop_agent" | "kill_agent" | "start_agent" | "stop_uplink" | "start_uplink",
 "host": NAME}, {"do": "stop_backend" | "start_backend"}, {"do": "token"}, and
{"do": "plug_md_mirror", "host": NAME, "slots": [A, B], "name": …, "content": FILE, "clean": …}: a
mirror that Linux' md has made is in these slots after the next start of the agent. Ends when
standard input is closed.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from agents import MIB, Host, HostPlan
from processes import StackError, free_port
from stack import ROOT, Stack

sys.path.append(str(ROOT / "agent/tests/e2e/agent"))
from md_set import member_write  # noqa: E402


def plug_md_mirror(host: Host, command: dict[str, Any]) -> None:
    content = Path(command["content"]).read_bytes()
    for role, slot in enumerate(command["slots"]):
        path = host.folder / f"md-{slot}.img"
        member_write(path, name=command["name"], role=role, content=content,
                     data_bytes=len(content), clean=command["clean"])
        host.plug(slot, path)


def execute(stack: Stack, command: dict[str, Any]) -> dict[str, Any]:
    action = command["do"]
    if action == "stop_backend":
        stack.backend.stop()
    elif action == "start_backend":
        stack.backend.start()
    elif action == "token":
        return {"token": stack.backend.enrolment_token()}
    elif action == "plug_md_mirror":
        plug_md_mirror(stack.host(command["host"]), command)
    else:
        host = stack.host(command["host"])
        actions = {"stop_agent": host.stop_agent, "kill_agent": host.kill_agent,
                   "start_agent": host.start_agent, "stop_uplink": host.stop_uplink,
                   "start_uplink": lambda: stack.connect(host)}
        if action not in actions:
            raise StackError(f"unknown command {action}")
        actions[action]()
    return {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--host", action="append", default=[])
    parser.add_argument("--drive-mib", type=int, default=160)
    parser.add_argument("--transfer-mib", type=int, default=200)
    parser.add_argument("--cache-mib", type=int, default=0, help="0: no cache")
    parser.add_argument("--battery", default="", help="profile of an emulated battery")
    parser.add_argument("--controllers", type=int, default=1, help="of each host")
    parser.add_argument("--demo", action="store_true", help="offer the scenarios of the demo")
    options = parser.parse_args()
    plans = [HostPlan(name, drive_bytes=options.drive_mib * MIB,
                      transfer_bytes_per_s=options.transfer_mib * MIB,
                      cache_bytes=options.cache_mib * MIB, battery=options.battery,
                      controllers=options.controllers) for name in options.host]
    # Whoever ends us, the children end too.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    # Other tests may be computing beside: what is shown counts, not how soon.
    os.environ.setdefault("ARRAYWRIGHT_LAB_PREDICTION_TIMEOUT_S", "120")
    stack = Stack(options.folder, plans, "127.0.0.1", free_port(), demo=options.demo)
    try:
        stack.start()
        print(json.dumps({"url": stack.backend.url, "user": "admin",
                          "password": stack.backend.password_file.read_text().strip(),
                          "hosts": [host.describe() for host in stack.hosts.values()]}),
              flush=True)
        for line in sys.stdin:
            try:
                answer = {"ok": True, **execute(stack, json.loads(line))}
            except StackError as error:
                answer = {"ok": False, "error": str(error)}
            print(json.dumps(answer), flush=True)
    finally:
        stack.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
