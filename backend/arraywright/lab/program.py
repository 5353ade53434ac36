"""arraysim as a subprocess: bounded in time, memory and output; no shell, no environment."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

from arraywright.kit.problems import ProblemError
from arraywright.settings import Settings

OUTPUT_MAX_BYTES = 64 * 1024 * 1024
COMPLAINT_MAX_BYTES = 4096
QUICK_S = 10.0
PROGRESS = re.compile(rb"^arraysim: (\d+) of (\d+) points$")

Progress = Callable[[int, int], None]


class LabUnavailableError(ProblemError):
    status = 503
    code = "lab_unavailable"


class LabFailedError(ProblemError):
    """arraysim ended with a sentence of its own, or had to be ended."""

    status = 422
    code = "lab_refused"


class Program:
    def __init__(self, settings: Settings) -> None:
        self._path = settings.arraysim
        self._profiles = settings.profiles_dir
        self._jobs = settings.lab_jobs
        self._memory_mib = settings.lab_memory_mib

    def find(self) -> Path:
        found = shutil.which(self._path or "arraysim")
        if found is None:
            where = f"at {self._path}" if self._path else "among the installed programs"
            raise LabUnavailableError(
                f"There is no program arraysim {where}, so nothing can be predicted. "
                "Install the agent's package on the server, or say where it is "
                "(--arraysim, ARRAYWRIGHT_ARRAYSIM)."
            )
        return Path(found)

    def _profile_options(self) -> list[str]:
        return ["--profiles", str(self._profiles.absolute())] if self._profiles else []

    async def version(self) -> str:
        answer = await self._execute(["--version"], b"", QUICK_S, None)
        return answer.decode().removeprefix("arraysim").strip()

    async def catalogue(self) -> bytes:
        return await self._execute(["profiles", *self._profile_options()], b"", QUICK_S, None)

    async def sweep(self, scenario: bytes, timeout_s: float, progress: Progress | None) -> bytes:
        options = [
            "sweep",
            "--progress",
            f"--jobs={self._jobs}",
            f"--memory={self._memory_mib}",
            f"--cpu-seconds={int(timeout_s) + 1}",
            *self._profile_options(),
            "-",
        ]
        return await self._execute(options, scenario, timeout_s, progress)

    async def _execute(
        self, options: list[str], given: bytes, timeout_s: float, progress: Progress | None
    ) -> bytes:
        path = self.find()
        try:
            process = await asyncio.create_subprocess_exec(
                path,
                *options,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={"LC_ALL": "C"},
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise LabUnavailableError(f"{path} cannot be run: {error.strerror}.") from error
        try:
            async with asyncio.timeout(timeout_s):
                return await _talk(process, given, progress)
        except TimeoutError as error:
            raise LabFailedError(
                f"The prediction took longer than {timeout_s:.0f} s; ask for fewer points.",
                code="lab_too_slow",
                status=504,
            ) from error
        finally:
            await _end(process)


async def _talk(
    process: asyncio.subprocess.Process, given: bytes, progress: Progress | None
) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    complaints = asyncio.create_task(_listen(process.stderr, progress))
    try:
        # It may have ended without reading; then uvloop refuses to write at all.
        if not process.stdin.is_closing():
            with contextlib.suppress(ConnectionError):
                process.stdin.write(given)
                await process.stdin.drain()
            process.stdin.close()
        answer = bytearray()
        while piece := await process.stdout.read(1 << 16):
            answer += piece
            if len(answer) > OUTPUT_MAX_BYTES:
                raise LabFailedError("The answer is too long; ask for fewer points.")
        complaint = await complaints
        status = await process.wait()
        # That it ended without reading is nobody's unhandled error later on.
        with contextlib.suppress(ConnectionError):
            await process.stdin.wait_closed()
        if status != 0:
            raise LabFailedError(complaint or "arraysim has ended without an answer.")
        return bytes(answer)
    finally:
        complaints.cancel()
        await asyncio.wait([complaints])  # before anybody else reads there


async def _listen(stream: asyncio.StreamReader, progress: Progress | None) -> str:
    """Progress as it comes; what it says else is returned."""
    complaint = b""
    async for line in stream:
        found = PROGRESS.match(line.rstrip())
        if found is None:
            complaint = (complaint + line)[:COMPLAINT_MAX_BYTES]
        elif progress is not None:
            progress(int(found[1]), int(found[2]))
    text = complaint.decode(errors="replace").strip()
    return text.removeprefix("arraysim: ").removeprefix("-: ")


async def _end(process: asyncio.subprocess.Process) -> None:
    """With the processes that run its points. What they have written is read to its end: asyncio
    looks away from a pipe whose reader lags behind, and does not notice that it was closed."""
    assert process.stdout is not None
    assert process.stderr is not None
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    await asyncio.gather(_discard(process.stdout), _discard(process.stderr))
    await process.wait()


async def _discard(stream: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        while await stream.read(1 << 16):
            pass
