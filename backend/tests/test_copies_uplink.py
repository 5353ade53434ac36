"""The same histories of copies, told by the real session of the uplink.

arrayd is a model here as well: it keeps what it keeps and answers what the session asks. What
is asked, sent, sent again and given up is decided by the C code of agent/src/uplink.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

import pytest

from arraywright.link import admission
from arraywright.link.identity import Machine
from arraywright.link.presence import Presence
from arraywright.link.protocol import HelloFrame
from arraywright.runtime import Runtime
from tests.support import documents, programs
from tests.support.uplink import SERVER_ID, Uplink
from tests.test_copies import WITH_COPIES, Agent, Session, World, runtime

__all__ = ["runtime"]
pytestmark = pytest.mark.anyio
HISTORIES = 1000
BATCHES = 20
STEPS = 5
FIRST_SEED = 100_000


class LinkSession(Session):
    """Sends away as the real one does: it says why before it hangs up."""

    def nack(self, reason: str, detail: str, _retry_s: int | None = None) -> None:
        self.inbox.append({"t": "nack", "reason": reason, "detail": detail})

    def close(self, nack: str | None, detail: str = "") -> None:
        if nack is not None:
            self.nack(nack, detail)
        self.closed = True


class RealAgent(Agent):
    def __init__(self, world: "RealWorld", name: str, boot: str, uplink: Uplink) -> None:
        super().__init__(world, name, boot)
        self.uplink = uplink
        self._told_rev = 0

    def hang_up(self) -> None:
        super().hang_up()
        self.uplink.crash()

    def vanish(self) -> None:
        super().vanish()
        self.uplink.crash()

    # arrayd's side of the control socket

    def _state(self, since: int) -> dict[str, Any]:
        run = self.run
        assert run is not None
        full = since == 0 or since > run.rev or since < run.floor
        self._told_rev = run.rev
        return {
            "epoch": self.state.state_epoch,
            "base_rev": 0 if full else since,
            "to_rev": run.rev,
            "full": full,
            "objects": [
                documents.item("drive", key, rev, documents.drive(0, model=self.hardware[key]))
                for key, rev in run.objects.items()
                if full or rev > since
            ],
            "tombstones": []
            if full
            else [
                {"kind": "drive", "key": key, "rev": rev}
                for key, rev in run.graves.items()
                if rev > since
            ],
        }

    def _events(self, after: int, limit: int) -> dict[str, Any]:
        told = self.state.events[after : after + limit]
        return {
            "epoch": self.state.event_epoch,
            "last_seq": len(self.state.events),
            "events": [
                documents.event(after + 1 + index, wall_us=wall_us, text=text)
                for index, (wall_us, text) in enumerate(told)
            ],
        }

    def _answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        match method:
            case "hello":
                hello = self.hello().model_dump()
                names = (
                    *("agent_version", "hostname", "boot_id", "policy_preset", "state_epoch"),
                    *("state_rev", "event_epoch", "event_seq_first", "event_seq_last"),
                    "command_number",
                )
                return {name: hello[name] for name in names} | {
                    "online": True,
                    "fence": self.state.fence,
                }
            case "link.join":
                self.state.fence = params["fence"]
                return {}
            case "state.subscribe" | "state.get":
                return self._state(params["since_rev"])
            case "events.read":
                return self._events(params["after_seq"], min(3, params["limit"]))
            case "command.list":
                return {"commands": []}
            case "events.subscribe" | "link.report":
                return {}
        raise AssertionError(method)

    def _serve(self, text: str) -> str:
        request = json.loads(text)
        answer = self._answer(request["method"], request["params"])
        self.uplink.arrayd_says({"id": request["id"], "result": answer})
        return str(request["method"])

    # The backend's side of the link

    async def connect(self, dies: str = "") -> float | None:
        self.hang_up()
        self.uplink.begin(self.link.fence)
        while self.uplink.wants:
            letter, text = self.uplink.wants.popleft()
            method = ""
            if letter == "A":
                if dies == "before" and json.loads(text)["method"] == "link.join":
                    self.die()
                    return None
                method = self._serve(text)
            elif letter == "D":
                self._challenge()
            elif letter == "K":
                self.link.fence = text
                if dies == "after":
                    self.die()
                    return None
            elif json.loads(text)["t"] == "hello":
                refused = await self._greet(json.loads(text))
                if refused is not None:
                    return refused
            else:
                await self._send(text)
                return None  # the fence is confirmed; the rest waits for its turn
            if dies == "between" and method == "link.join":
                # arrayd has stored it; what the session made of the answer is lost.
                self.die()
                return None
        raise AssertionError(f"{self.world.story()}: the session is {self.uplink.phase}")

    def _challenge(self) -> None:
        self.uplink.backend_says(
            {
                "t": "challenge",
                "nonce": "0" * 64,
                "server_id": SERVER_ID,
                "server_time_us": self.world.clock.now_us(),
            }
        )

    async def _greet(self, frame: dict[str, Any]) -> float | None:
        hello = HelloFrame.model_validate(frame)
        assert (hello.link_fence, hello.state_fence) == (self.link.fence, self.state.fence)
        machine = Machine("h", "192.0.2.1", hello.boot_id, hello.event_epoch)
        admitted = await self.world.admit(hello, machine)
        if isinstance(admitted, admission.RefusedError):
            return self._refuse(admitted)
        session = LinkSession(self.world, machine)
        session.fence = admitted.fence
        self.session = session
        self.world.runtime.registry.register(session)
        self.uplink.backend_says(
            {
                "t": "welcome",
                "session_id": str(uuid4()),
                "acked_rev": admitted.acked_rev,
                "acked_event_seq": admitted.acked_event_seq,
                "heartbeat_s": 15,
                "reconnect_window_s": 5,
                "fence": admitted.agent_fence,
            }
        )
        return None

    def _refuse(self, refusal: admission.RefusedError) -> float:
        retry_s = refusal.retry_s or 1
        self.uplink.backend_says(
            {
                "t": "nack",
                "reason": refusal.reason,
                "detail": refusal.detail,
                "retry_s": retry_s,
            }
        )
        asked = []
        while self.uplink.wants:
            letter, text = self.uplink.wants.popleft()
            assert letter == "A", text
            asked.append(self._serve(text))
        # It tells arrayd, and does not come again before it may.
        assert asked == ["link.report"], self.world.story()
        assert self.uplink.wait_us >= retry_s * 1_000_000, self.world.story()
        self.uplink.crash()
        return float(retry_s)

    async def _send(self, text: str) -> None:
        """Delivers a frame, and what the backend answers."""
        session = self.session
        assert session is not None
        frame = json.loads(text)
        del frame["v"]
        await session.take(frame)
        inbox, session.inbox = session.inbox, []
        for answer in inbox:
            self.world.note_ack(self, answer)
            self.uplink.backend_says(dict(answer))
        if session.closed:
            self.hang_up()

    def _notify(self) -> None:
        """arrayd tells who has subscribed."""
        assert self.run is not None
        self.uplink.arrayd_says(
            {"method": "events", "params": {"last_seq": len(self.state.events)}}
        )
        if self._told_rev and self.run.rev > self._told_rev:
            self.uplink.arrayd_says({"method": "state", "params": self._state(self._told_rev)})

    async def sync(self, frames: int = 10_000) -> bool:
        session = self.session
        assert session is not None
        if session.closed:
            self.hang_up()
            return False
        self._notify()
        while self.uplink.wants:
            letter, text = self.uplink.wants.popleft()
            if letter == "A":
                self._serve(text)
                continue
            assert letter == "B", (letter, text)
            if frames == 0:
                self.uplink.wants.appendleft((letter, text))
                return False
            frames -= 1
            await self._send(text)
            if self.session is None:
                return False
        assert self.uplink.phase == "connected", self.uplink.phase
        return True


class RealWorld(World):
    def __init__(
        self, runtime: Runtime, presence: Presence, seed: int, uplinks: list[Uplink]
    ) -> None:
        self._uplinks = iter(uplinks)
        super().__init__(runtime, presence, seed)
        self.happenings = WITH_COPIES

    def machine(self, name: str, boot: str) -> Agent:
        return RealAgent(self, name, boot, next(self._uplinks))


@pytest.fixture(scope="module")
def uplinks() -> Iterator[list[Uplink]]:
    program = programs.uplinktalk()
    with Uplink(program) as one, Uplink(program) as other:
        yield [one, other]


@pytest.mark.parametrize("batch", range(BATCHES))
async def test_histories_of_the_real_uplink(
    runtime: Runtime, uplinks: list[Uplink], batch: int
) -> None:
    each = HISTORIES // BATCHES
    for seed in range(FIRST_SEED + batch * each, FIRST_SEED + (batch + 1) * each):
        world = RealWorld(runtime, Presence(runtime), seed, uplinks)
        await world.enrol()
        world.agents[0].start()
        for _ in range(STEPS):
            await world.step()
        await world.settle()
