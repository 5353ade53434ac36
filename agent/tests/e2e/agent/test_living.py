"""How the daemon lives on a host: its memory, its protection, its watchdog."""

import mmap
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import nbd
from cases import AgentCase
from harness import MIB, wait_for

CAP_SYS_RESOURCE = 24
OOM_SCORE_DEFAULT = -1000
COUNTMALLOC = os.environ.get("COUNTMALLOC_LIBRARY", "libcountmalloc.so")


class Allocations:
    """The counter that tests/tools/countmalloc.c keeps in a file."""

    PLACES = 64

    def __init__(self, path):
        path.write_bytes(bytes(8 * (1 + self.PLACES)))
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)

    def reset(self):
        self.memory[:] = bytes(len(self.memory))

    def count(self):
        return struct.unpack_from("<Q", self.memory)[0]

    def places(self, maps):
        """Where the allocations came from, as offsets that addr2line understands."""
        found = struct.unpack_from(f"<{min(self.count(), self.PLACES)}Q", self.memory, 8)
        lines = []
        for place in sorted(set(found)):
            for line in maps.splitlines():
                words = line.split()
                start, end = (int(word, 16) for word in words[0].split("-"))
                if start <= place < end:
                    offset = place - start + int(words[2], 16)
                    lines.append(f"{words[-1]} {offset:#x} ({found.count(place)} times)")
        return "\n".join(lines)


class DeviceNews:
    """What the kernel tells of devices: arrayd looks at all of it, and that may allocate."""

    UEVENT, FROM_KERNEL = 15, 1

    def __init__(self):
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, self.UEVENT)
        self._socket.setblocking(False)
        self._socket.bind((0, self.FROM_KERNEL))

    def close(self):
        self._socket.close()

    def came(self):
        """Whether there has been any since the last time."""
        came = False
        while True:
            try:
                self._socket.recv(65536)
            except BlockingIOError:
                return came
            except OSError:  # more than there was room for
                pass
            came = True


def mixed_work(handles, rng, operations):
    """Reads, writes, flushes and FUA of all sizes, eight in flight on each connection."""
    size = handles[0].get_size()
    for _ in range(operations // (8 * len(handles))):
        started = []
        for handle in handles:
            for _ in range(8):
                length = 512 * rng.randint(1, 512)
                offset = 512 * rng.randrange((size - length) // 512)
                dice = rng.random()
                if dice < 0.45:
                    cookie = handle.aio_pread(nbd.Buffer(length), offset)
                elif dice < 0.95:
                    flags = nbd.CMD_FLAG_FUA if dice > 0.9 else 0
                    data = nbd.Buffer.from_bytearray(bytearray(rng.randbytes(length)))
                    cookie = handle.aio_pwrite(data, offset, flags=flags)
                else:
                    cookie = handle.aio_flush()
                started.append((handle, cookie))
        for handle, cookie in started:
            while not handle.aio_command_completed(cookie):
                handle.poll(-1)


class Memory(AgentCase):
    def counted_agent(self, **options):
        """One whose allocations are counted, started."""
        agent = self.agent(**options)
        path = agent.directory / "allocations"
        self.allocations = Allocations(path)
        with mock.patch.dict(os.environ, LD_PRELOAD=COUNTMALLOC, COUNTMALLOC=str(path)):
            agent.start()
        return agent

    def cache_folder(self, where=None):
        folder = tempfile.TemporaryDirectory(prefix="aw-cache-", dir=where)
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def consistent(self, agent):
        agent.until("consistency", lambda view: all(
            vd["consistent"] for vd in view.all("virtual_drive").values()))

    def allocates_nothing(self, agent, *exports, turns=40):
        self.consistent(agent)
        rng = random.Random(3)
        groups = [[agent.nbd_open(name) for _ in range(2)] for name in exports]
        news = DeviceNews()
        self.addCleanup(news.close)

        def guarantees():
            return [doc["guarantee"]["code"]
                    for doc in agent.view().all("virtual_drive").values()]

        def records():
            """They are saved once a minute with a cache, and that may allocate too."""
            return sorted((path.name, path.stat().st_mtime_ns)
                          for path in agent.state_dir.glob("r-*"))

        before = guarantees()
        count = 0
        for _ in range(20):  # tries: another test's loop devices are the whole host's news
            news.came()
            for _ in range(12):
                for handles in groups:
                    mixed_work(handles, rng, 32)
            self.assertGreater(self.allocations.count(), 0)  # it does count
            saved = records()
            self.allocations.reset()
            for _ in range(turns):  # all of them all the time: none falls idle and is marked clean
                for handles in groups:
                    mixed_work(handles, rng, 32)
            count = self.allocations.count()
            if count == 0 or not (news.came() or records() != saved):
                break
        maps = Path(f"/proc/{agent.process.pid}/maps").read_text()
        self.assertEqual(count, 0, f"{count} allocations:\n{self.allocations.places(maps)}")
        self.assertEqual(guarantees(), before)  # nobody has had to do without the log

    def five_and_six(self, agent, policy):
        agent.create("raid5", [0, 1, 2], name="five", write_policy=policy)
        agent.create("raid6", [3, 4, 5, 6], name="six", write_policy=policy)
        for name in ("five", "six"):
            self.assertEqual(agent.view().vd(name)["write_policy"]["effective"], policy)

    def test_the_data_path_allocates_nothing(self):
        agent = self.counted_agent(slots=7, drive_mib=96)
        self.five_and_six(agent, "write_through")
        self.allocates_nothing(agent, "five", "six", turns=125)

    def cached_agent(self, medium, folder):
        return self.counted_agent(slots=7, drive_mib=96, config=f'cache = {{ medium = "{medium}"; '
                                  f'path = "{folder}/cache"; size = "32 MiB"; }};')

    def test_the_data_path_allocates_nothing_written_back_to_shared_memory(self):
        memory = Path("/dev/shm")
        agent = self.cached_agent("shared-memory",
                                  self.cache_folder(memory if memory.is_dir() else None))
        self.five_and_six(agent, "always_write_back")
        self.allocates_nothing(agent, "five", "six")

    def test_the_data_path_allocates_nothing_written_back_to_a_log(self):
        agent = self.cached_agent("log", self.cache_folder())
        self.five_and_six(agent, "write_back")
        self.allocates_nothing(agent, "five", "six")

    def test_the_data_path_allocates_nothing_without_a_drive(self):
        agent = self.counted_agent(slots=7, drive_mib=96)
        self.five_and_six(agent, "write_through")
        self.consistent(agent)
        for slot, name in ((1, "five"), (4, "six")):
            agent.fault(slot, "pull")
            agent.until("the loss", lambda view, name=name: view.vd(name)["state"] != "optimal")
        self.allocates_nothing(agent, "five", "six")

    def test_the_data_path_allocates_nothing_on_mirrors(self):
        agent = self.counted_agent(slots=6, drive_mib=96)
        agent.create("raid1", [0, 1], name="one")
        agent.create("raid10", [2, 3, 4, 5], name="ten")
        self.allocates_nothing(agent, "one", "ten")

    def test_the_data_path_allocates_nothing_on_a_host_stripe(self):
        agent = self.counted_agent(slots=3, drive_mib=96, controllers=2)
        for number, name in enumerate(("left", "right")):
            agent.create("raid5", [0, 1, 2], name=name, controller=f"c{number}")
        agent.ctl("add", "stripe", "name=wide", "vds=0:0,1:0", "strip=128")
        self.allocates_nothing(agent, "wide")

    def test_clients_share_a_bounded_memory(self):
        directory = self.agent(slots=0).directory
        agent = self.agent(slots=2, drive_mib=256, config=f'nbd = {{ unix = "{directory}/nbd.sock"; '
                           'memory = "32 MiB"; connections = 3; };')
        agent.nbd_path = directory / "nbd.sock"
        agent.start()
        agent.create("raid0", [0, 1])
        handles = [agent.nbd_open() for _ in range(3)]
        with self.assertRaises(nbd.Error):
            agent.nbd_open()
        data = os.urandom(32 * MIB)
        # Each of them asks for all the memory there is; they get it one after the other.
        for number, handle in enumerate(handles):
            handle.aio_pwrite(nbd.Buffer.from_bytearray(bytearray(data)), number * 32 * MIB)
            handle.aio_pwrite(nbd.Buffer.from_bytearray(bytearray(data[:MIB])), number * 32 * MIB)
        while any(handle.aio_in_flight() for handle in handles):
            for handle in handles:
                if handle.aio_in_flight():
                    handle.poll(10)
        for number, handle in enumerate(handles):
            self.assertTrue(bytes(handle.pread(32 * MIB, number * 32 * MIB)) == data)


def thread_flags(stat):
    """The kernel's flags of a thread, of its line in /proc."""
    return int(stat.rpartition(")")[2].split()[6])


# Of a thread that asks to be an I/O flusher: the kernel shows no name for that, only its flags.
ASKING = """
import ctypes
def stat():
    with open("/proc/thread-self/stat") as file:
        return file.read()
before = stat()
refused = ctypes.CDLL(None, use_errno=True).prctl(57, *map(ctypes.c_ulong, (1, 0, 0, 0)))
print(refused and ctypes.get_errno(), before, stat(), sep="\\n", end="")
"""


def io_flusher_flags():
    """What the flags of an I/O flusher are on this kernel; or why nobody can be one."""
    done = subprocess.run([sys.executable, "-c", ASKING], check=True, capture_output=True, text=True)
    error, before, after = filter(None, done.stdout.splitlines())
    return thread_flags(after) & ~thread_flags(before), os.strerror(int(error))


class Protection(AgentCase):
    def status(self, agent):
        lines = Path(f"/proc/{agent.process.pid}/status").read_text().splitlines()
        return dict(line.split(":", 1) for line in lines)

    def protect(self, **settings):
        text = " ".join(f"{name} = {value};" for name, value in settings.items())
        return self.agent(slots=1, config=f"protect = {{ {text} }};")

    @unittest.skipUnless(os.geteuid() == 0, "needs CAP_IPC_LOCK")
    def test_memory_is_locked_and_the_score_lowered(self):
        with self.protect(lock_memory='"yes"', oom_score_adj=-999) as agent:
            self.assertIn("memory is locked", agent.log())
            self.assertGreater(int(self.status(agent)["VmLck"].split()[0]), 1024)
            score = int(Path(f"/proc/{agent.process.pid}/oom_score_adj").read_text())
            if int(self.status(agent)["CapEff"], 16) >> CAP_SYS_RESOURCE & 1:
                self.assertEqual(score, -999)
            else:
                self.assertIn("the out-of-memory score stays as it is", agent.log())

    def score(self, agent):
        return int(Path(f"/proc/{agent.process.pid}/oom_score_adj").read_text())

    def may(self, agent, capability):
        return int(self.status(agent)["CapEff"], 16) >> capability & 1 == 1

    def test_the_score_is_the_lowest_by_default(self):
        with self.agent(slots=1) as agent:
            if self.may(agent, CAP_SYS_RESOURCE):
                self.assertEqual(self.score(agent), OOM_SCORE_DEFAULT)
            else:
                self.assertIn("the out-of-memory score stays as it is: Operation not permitted",
                              agent.log())

    def test_the_score_is_lowered_and_never_raised(self):
        """From a higher one, which needs no permission."""
        def spawn_with_score(command, **options):
            return real_popen(["/bin/sh", "-c", 'echo 500 >/proc/self/oom_score_adj; exec "$@"', "-",
                               *command], **options)

        real_popen = subprocess.Popen
        for wanted, score in ((300, 300), (700, 500)):
            agent = self.protect(oom_score_adj=wanted)
            with mock.patch.object(subprocess, "Popen", spawn_with_score):
                agent.start()
            self.assertEqual(self.score(agent), score)
            self.assertNotIn("the out-of-memory score stays", agent.log())

    def test_every_thread_is_an_io_flusher(self):
        """Memory for them is never waited for behind pages that only they can write out."""
        flags, why_not = io_flusher_flags()
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            with agent.nbd() as handle:
                handle.pwrite(bytes(MIB), 0)
                handle.flush()
            threads = [path.read_text()
                       for path in Path(f"/proc/{agent.process.pid}/task").glob("*/stat")]
            if flags == 0:  # then it has asked in vain, and says so
                self.assertIn(f"not flagged as an I/O flusher: {why_not}", agent.log())
                self.skipTest(f"nobody can be an I/O flusher here: {why_not}")
            self.assertEqual([thread for thread in threads
                              if thread_flags(thread) & flags != flags], [])
            self.assertNotIn("not flagged as an I/O flusher", agent.log())

    def test_memory_is_left_alone_if_asked(self):
        with self.protect(lock_memory='"no"') as agent:
            self.assertNotIn("locked", agent.log())
            self.assertEqual(self.status(agent)["VmLck"].split()[0], "0")

    @unittest.skipUnless(os.geteuid() == 0 and os.path.exists("/usr/sbin/capsh"),
                         "needs root and capsh to take a capability away")
    def test_without_permission_it_says_so_and_goes_on(self):
        def spawn_without_capability(command, **options):
            return real_popen(["/usr/sbin/capsh", "--drop=cap_ipc_lock", "--", "-c",
                               'ulimit -l 8192; exec "$@"', "-", *command], **options)

        real_popen = subprocess.Popen
        with mock.patch.object(subprocess, "Popen", spawn_without_capability):
            auto = self.protect()
            auto.start()
            demanded = self.protect(lock_memory='"yes"')
            self.assertIn("CAP_IPC_LOCK", demanded.fail_to_start())
        self.assertIn("memory is not locked", auto.log())
        auto.create("raid0", [0])


class Watchdog(AgentCase):
    def test_the_loop_sends_heartbeats(self):
        agent = self.agent(slots=1)
        path = agent.directory / "notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(str(path))
            notify.settimeout(10)
            with mock.patch.dict(os.environ, NOTIFY_SOCKET=str(path), WATCHDOG_USEC="200000"):
                agent.start()

            def heard():
                return notify.recv(4096).decode()

            wait_for("readiness", lambda: "READY=1" in heard())
            for _ in range(5):
                wait_for("a heartbeat", lambda: "WATCHDOG=1" in heard())
            # A process that does not run sends none: what the service manager acts upon.
            agent.process.send_signal(signal.SIGSTOP)
            notify.setblocking(False)
            with self.assertRaises(BlockingIOError):
                while True:
                    heard()
            notify.settimeout(1)
            with self.assertRaises(TimeoutError):
                heard()
            agent.process.send_signal(signal.SIGCONT)
            notify.settimeout(10)
            self.assertIn("WATCHDOG=1", heard())


class Stop(AgentCase):
    """What is cached goes to the drives before the end, and the service manager waits for it."""

    def test_a_long_write_back_asks_for_more_time(self):
        slow = 'transfer_per_s = "8 MB";'
        with tempfile.TemporaryDirectory(prefix="aw-cache-", dir="/dev/shm") as memory:
            agent = self.agent(slots=2, emulated=slow,
                               config=f'cache = {{ medium = "shared-memory"; path = "{memory}/cache"; '
                                      'size = "64 MiB"; };')
            path = agent.directory / "notify"
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
                notify.bind(str(path))
                notify.settimeout(10)
                with mock.patch.dict(os.environ, NOTIFY_SOCKET=str(path)):
                    agent.start()
                agent.create("raid1", [0, 1], write_policy="always_write_back")
                with agent.nbd() as handle:
                    for at in range(40):
                        handle.pwrite(bytes([at + 1]) * MIB, at * MIB)
                self.assertGreater(agent.view().all("controller")["c0"]["cache"]["dirty_bytes"],
                                   24 * MIB)
                agent.stop()
                notify.setblocking(False)
                heard = []
                with self.assertRaises(BlockingIOError):
                    while True:
                        heard.append(notify.recv(4096).decode())
            stopping = heard.index("STOPPING=1")
            self.assertIn("EXTEND_TIMEOUT_USEC=180000000", heard[stopping:])
            left = [int(said.split()[-4]) for said in heard[stopping:] if "are left" in said]
            self.assertEqual(left, sorted(left, reverse=True))
            self.assertGreater(len(left), 0)
            agent.start()
            with agent.nbd() as handle:
                self.assertEqual([handle.pread(4096, at * MIB)[:1] for at in range(40)],
                                 [bytes([at + 1]) for at in range(40)])
