"""Real arrayds in the states in which a controller is shown."""

import contextlib
import tempfile
from pathlib import Path

import in_memory
from harness import EID, Agent, wait_for

in_memory.use()

PROFILES = Path(__file__).resolve().parents[3] / "profiles"
SLOTS = 6


def fitted(folder, *, battery=True):
    """A controller's cache, and a battery that keeps it."""
    cache = (f'cache = {{ medium = "shared-memory"; path = "{folder}/cache"; '
             f'size = "16 MiB"; }};\n')
    source = ('battery = { source = "emulated"; profile = "lsi-ibbu01"; speed = 1; };\n'
              if battery else "")
    return f'profile = "native";\n{cache}{source}'


def configured(folder, *, battery=True):
    return f'profiles_dir = "{PROFILES}";\n{fitted(folder, battery=battery)}'


class Scene:
    """Agents whose controllers are shown as those of one host."""

    def __init__(self):
        self.stack = contextlib.ExitStack()
        self.agents = []

    def __enter__(self):
        return self

    def __exit__(self, *exit_reason):
        return self.stack.__exit__(*exit_reason)

    def folder(self, where=None):
        return self.stack.enter_context(tempfile.TemporaryDirectory(prefix="aw-", dir=where))

    def add(self, **options):
        agent = Agent(slots=SLOTS, **options)
        self.stack.callback(agent.close)
        self.agents.append(agent.start())
        return agent

    @property
    def controllers(self):
        """Each with its agent and its key there, in the order of their numbers."""
        return [(agent, key) for agent in self.agents
                for key in sorted(agent.view().all("controller"))]

    @property
    def socket(self):
        return ":".join(str(agent.control_path) for agent in self.agents)


def idle(view):
    """Everything is consistent and nothing runs."""
    return (all(doc["consistent"] for doc in view.all("virtual_drive").values()) and
            not any(doc["ended_at_us"] is None for doc in view.all("operation").values()))


def fill(agent, **raid5):
    """A RAID 5 with a spare, a mirror, and one drive left over."""
    agent.create("raid5", [0, 1, 2], **raid5)
    agent.ctl(f"/c0/e{EID}/s3", "add", "hotsparedrive", "dgs=0")
    agent.create("raid1", [4, 5], name="logs", size_bytes=8 << 20)
    agent.until("everything to be consistent", idle)


def battery_ready(agent):
    agent.until("the battery to be charged", lambda view: any(
        doc["state"] == "optimal" for doc in view.all("battery").values()))
    wait_for("the end of the start to be told",
             lambda: "Controller online" in agent.ctl("/c0", "show", "events").stdout)


def healthy(scene):
    agent = scene.add(config=configured(scene.folder()))
    battery_ready(agent)
    fill(agent)


def no_battery(scene):
    fill(scene.add(config=configured(scene.folder(), battery=False)))


def vault(scene):
    """The cache keeps its content by itself: what StorCLI calls a cache vault."""
    folder = scene.folder("/var/tmp")  # not in memory, where nothing is kept
    fill(scene.add(config=f'profile = "native";\nprofiles_dir = "{PROFILES}";\n'
                          f'cache = {{ medium = "pmem"; path = "{folder}/cache"; size = "16 MiB"; }};\n'
                          f'battery = {{ source = "medium"; }};\n'))


def no_array(scene):
    battery_ready(scene.add(config=configured(scene.folder())))


def degraded(scene):
    """And what is asked for of its RAID 5 that cannot be had meanwhile, or never beside a cache."""
    healthy(scene)
    agent = scene.agents[0]
    agent.ctl("/c0", "set", "autorebuild=off")
    for switch in ("stripelog", "hedgedreads"):
        agent.ctl("/c0/v0", "set", f"{switch}=on")
    agent.fault(1, "pull")
    agent.until("the loss", lambda view: view.vd()["state"] == "degraded")


def rebuilding(scene):
    healthy(scene)
    agent = scene.agents[0]
    agent.fault(3, "slow", latency_ms=50)
    scene.stack.callback(agent.fault, 3, "clear")  # arrayd stops after the commands under way
    agent.fault(1, "pull")
    agent.until("the rebuild", lambda view: view.running("rebuild"))
    agent.fault(3, "slow", latency_ms=3000)


def lost_blocks(scene):
    """A rebuild met blocks that the drive with the rest of the row cannot read."""
    healthy(scene)
    agent = scene.agents[0]
    agent.fault(1, "media_error", lba=50000, count=8)
    agent.ctl("/c0", "set", "glitchtime=0")
    agent.fault(0, "pull")
    agent.until("the end of the rebuild", lambda view: view.vd()["state"] == "optimal" and
                view.vd()["bad_block_count"] > 0 and idle(view))


def expanding(scene):
    """The space by which a virtual drive has been expanded is being initialized."""
    agent = scene.add(config=configured(scene.folder()))
    battery_ready(agent)
    fill(agent, size_bytes=16 << 20)
    for slot in range(3):
        agent.fault(slot, "slow", latency_ms=50)
        scene.stack.callback(agent.fault, slot, "clear")
    agent.ctl("/c0/v0", "expand", "size=all")
    agent.until("the initialization", lambda view: view.running("background_init"))
    for slot in range(3):
        agent.fault(slot, "slow", latency_ms=3000)


def foreign(scene):
    """Two drives that another controller has used."""
    other = Agent(slots=2)
    scene.stack.callback(other.close)
    other.start().create("raid1", [0, 1], name="theirs")
    other.until("theirs to be consistent", idle)
    other.stop()
    folder = scene.folder()
    paths = [f"{folder}/d{slot}" for slot in range(4)]
    paths += [f"{other.directory}/d{slot}" for slot in range(2)]
    agent = scene.add(config=configured(folder), directory=folder, drives=[
        f'{{ path = "{path}"; enclosure = {EID}; slot = {slot}; '
        f'emulated = {{ size = "128 MiB"; }}; }}' for slot, path in enumerate(paths)])
    battery_ready(agent)
    agent.create("raid5", [0, 1, 2])
    agent.until("everything to be consistent", idle)


def two_controllers(scene):
    agent = scene.add(config=f'profiles_dir = "{PROFILES}";\n',
                      controllers=[fitted(scene.folder()), ""])
    battery_ready(agent)
    fill(agent)
    agent.create("raid6", [0, 1, 2, 3], name="second", controller="c1")
    agent.until("everything to be consistent", idle)


STATES = {"healthy": healthy, "degraded": degraded, "rebuilding": rebuilding,
          "no-battery": no_battery, "vault": vault, "no-array": no_array, "foreign": foreign,
          "lost-blocks": lost_blocks, "expanding": expanding,
          "two-controllers": two_controllers}
