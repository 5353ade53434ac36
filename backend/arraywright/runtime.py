"""The running parts of one process, made once by the application and passed around."""

from dataclasses import dataclass
from uuid import UUID

from arraywright.auth.activity import Activity
from arraywright.auth.limiter import AttemptLimiter
from arraywright.commands.waiting import Waiters
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.lab.runs import Lab
from arraywright.link.allowances import Allowances
from arraywright.link.door import Door
from arraywright.link.registry import Registry
from arraywright.link.writer import Writer
from arraywright.live.hub import Hub
from arraywright.live.outbox import Dispatcher
from arraywright.settings import Settings


@dataclass
class Runtime:
    settings: Settings
    clock: Clock
    database: Database
    hub: Hub
    outbox: Dispatcher
    registry: Registry
    allowances: Allowances
    door: Door
    writer: Writer
    waiters: Waiters
    limiter: AttemptLimiter
    activity: Activity
    lab: Lab
    server_id: UUID
    device_key: str

    @classmethod
    def build(
        cls,
        settings: Settings,
        clock: Clock,
        database: Database,
        server_id: UUID,
        device_key: str,
    ) -> "Runtime":
        hub = Hub(settings.live_ring)
        outbox = Dispatcher(database, hub)
        waiters = Waiters()
        hub.watch(waiters.notice)
        return cls(
            settings=settings,
            clock=clock,
            database=database,
            hub=hub,
            outbox=outbox,
            registry=Registry(clock),
            allowances=Allowances(clock),
            door=Door(clock),
            writer=Writer(database, clock, settings.group_commit_ms / 1000),
            waiters=waiters,
            limiter=AttemptLimiter(clock, settings.login_attempts),
            activity=Activity(clock),
            lab=Lab(settings),
            server_id=server_id,
            device_key=device_key,
        )
