"""The real session of the uplink, a C program that is spoken to in lines; see uplinktalk.c."""

import json
import subprocess
from collections import deque
from pathlib import Path
from typing import Any, Self

SERVER_ID = "13600ddc-b637-44d3-baee-08253e98019c"
Document = dict[str, Any]


class Uplink:
    """What it wants is queued in order: (letter, text)."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.wants: deque[tuple[str, str]] = deque()
        self.phase = "none"
        self.wait_us = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        with self._process:  # closes its input and output
            self._process.stdin.close()
            assert self._process.wait(10) == 0

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert "\n" not in line
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        while True:
            answer = self._process.stdout.readline().rstrip("\n")
            assert answer, "the session has died"
            letter, text = answer[0], answer[1:]
            if letter == ".":
                self.phase, _, wait_us = text.rpartition(" ")
                self.wait_us = int(wait_us)
                return
            self.wants.append((letter, text))

    def begin(self, fence: str) -> None:
        """Up to its first question to arrayd."""
        self.wants.clear()
        self._tell(f"N{fence}")
        while not self.wants:
            self._tell(f"T{self.wait_us}")

    def crash(self) -> None:
        self._tell("Q")
        self.wants.clear()

    def backend_says(self, frame: Document) -> None:
        self._tell("B" + json.dumps({"v": 1, **frame}, separators=(",", ":")))

    def backend_hangs_up(self) -> None:
        self._tell("b")

    def arrayd_says(self, document: Document) -> None:
        self._tell("A" + json.dumps({"v": 1, **document}, separators=(",", ":")))
