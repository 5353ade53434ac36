"""Simulations of this server process: one after the other, remembered by what was asked."""

import asyncio
import hashlib
import logging
from collections import OrderedDict
from dataclasses import dataclass, field

from arraywright.kit.problems import ProblemError, TooManyError
from arraywright.lab.program import LabFailedError, Program
from arraywright.lab.schemas import Catalogue, RunState
from arraywright.settings import Settings

logger = logging.getLogger(__name__)
WAITING_MAX = 16
REMEMBERED_BYTES = 64 * 1024 * 1024
REMEMBERED_MAX = 256


@dataclass
class Run:
    id: str
    version: str
    points: int
    state: RunState = RunState.WAITING
    points_done: int = 0
    answer: bytes = b""
    problem: ProblemError | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None


class Lab:
    """Short predictions do not wait behind long simulations."""

    def __init__(self, settings: Settings) -> None:
        self.program = Program(settings)
        self.prediction_timeout_s = settings.lab_prediction_timeout_s
        self.simulation_timeout_s = settings.lab_timeout_s
        self._short = asyncio.Semaphore(settings.lab_concurrency)
        self._long = asyncio.Semaphore(settings.lab_concurrency)
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._known: tuple[object, str, Catalogue] | None = None

    async def catalogue(self) -> tuple[str, Catalogue]:
        """Version and profiles, asked once for each build of the program."""
        path = self.program.find()
        build = (path, path.stat().st_mtime_ns)
        if self._known is None or self._known[0] != build:
            version = await self.program.version()
            catalogue = Catalogue.model_validate_json(await self.program.catalogue())
            self._known = (build, version, catalogue)
        return self._known[1], self._known[2]

    def find(self, run_id: str) -> Run | None:
        return self._runs.get(run_id)

    async def start(self, scenario: bytes, points: int, *, short: bool = False) -> Run:
        """The run of this scenario: a new one, or the one that there is already."""
        version, _ = await self.catalogue()
        name = hashlib.sha256(f"{version}\n".encode() + scenario).hexdigest()
        known = self._runs.get(name)
        if known is not None and known.state not in (RunState.FAILED, RunState.CANCELLED):
            self._runs.move_to_end(name)
            return known
        if sum(not run.ended.is_set() for run in self._runs.values()) >= WAITING_MAX:
            raise TooManyError(
                "Too many predictions are waiting; try again in a moment.", code="lab_busy"
            )
        run = Run(id=name, version=version, points=points)
        self._runs[name] = run
        self._runs.move_to_end(name)
        run.task = asyncio.create_task(self._run(run, scenario, short), name=f"lab {name[:8]}")
        run.task.add_done_callback(lambda _: self._end(run))
        return run

    def _end(self, run: Run) -> None:
        """Also of a task that was cancelled before it began."""
        if run.state in (RunState.WAITING, RunState.RUNNING):
            run.state = RunState.CANCELLED
        run.task = None
        run.ended.set()
        self._forget()

    async def cancel(self, run: Run) -> None:
        if run.task is not None:
            run.task.cancel()
            await run.ended.wait()

    async def close(self) -> None:
        tasks = [run.task for run in self._runs.values() if run.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, run: Run, scenario: bytes, short: bool) -> None:
        def progress(done: int, count: int) -> None:
            run.points_done, run.points = done, count

        limit_s = self.prediction_timeout_s if short else self.simulation_timeout_s
        try:
            async with self._short if short else self._long:
                run.state = RunState.RUNNING
                run.answer = await self.program.sweep(scenario, limit_s, progress)
            run.state = RunState.COMPLETED
        except ProblemError as problem:
            run.state, run.problem = RunState.FAILED, problem
        except Exception as error:
            logger.error("a simulation failed", exc_info=error)
            run.state = RunState.FAILED
            run.problem = LabFailedError("The simulation failed; the log of the server says why.")

    def _forget(self) -> None:
        """The oldest answers, once they are too many."""
        ended = [run for run in self._runs.values() if run.ended.is_set()]
        size = sum(len(run.answer) for run in ended)
        for number, run in enumerate(ended):
            if size <= REMEMBERED_BYTES and len(ended) - number <= REMEMBERED_MAX:
                return
            size -= len(run.answer)
            del self._runs[run.id]
