"""Black-box tests of the NBD export: other people's clients against drives in memory.

Needs the nbd bindings of libnbd and, for some tests, nbdinfo, nbdcopy, qemu-img, qemu-io
and fio; a test whose program is missing says so and skips. NBD_RAM_SERVER names the
program under test.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

import nbd

SERVER = os.environ.get("NBD_RAM_SERVER", "nbd_ram_server")
MIB = 1024 * 1024
SIZE = 64 * MIB
TIMEOUT = 60


def need(program):
    """Skips the test if the program is not installed."""
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


def run(*command, check=True):
    return subprocess.run(
        command, check=check, timeout=TIMEOUT, text=True, capture_output=True
    )


class Server:
    """The server process and its command line."""

    def __init__(self, directory, *exports):
        self.socket = os.path.join(directory, "nbd.sock")
        self.process = subprocess.Popen(
            [SERVER, "--unix", self.socket, "--tcp", *exports],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.port = int(self.answer().split()[1])
        if self.answer() != "ready":
            raise RuntimeError("the server does not start")

    def answer(self):
        return self.process.stdout.readline().strip()

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        return self.answer()

    def until(self, line, wanted):
        """Asks until the answer is the wanted one."""
        deadline = time.monotonic() + TIMEOUT
        while (answer := self.ask(line)) != wanted:
            if time.monotonic() > deadline:
                raise AssertionError(f"{line}: still {answer}, not {wanted}")

    def uri(self, name):
        return f"nbd+unix:///{name}?socket={self.socket}"

    def stop(self):
        """Ends it in good order; the exit status also tells of sanitizer reports."""
        self.process.stdin.close()
        status = self.process.wait(TIMEOUT)
        self.process.stdout.close()
        return status


class Case(unittest.TestCase):
    exports = (f"v0:{SIZE}:512", f"v1:{SIZE}:4096", f"ro:{MIB}:4096:ro")

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="aw-nbd-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.server = Server(self.directory, *self.exports)

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server has died")
        self.assertEqual(self.server.stop(), 0)

    def connect(self, name="v0", configure=None):
        handle = nbd.NBD()
        if configure:
            configure(handle)
        handle.connect_uri(self.server.uri(name))
        return handle

    def file(self, name, data=b""):
        path = os.path.join(self.directory, name)
        with open(path, "wb") as out:
            out.write(data)
        return path


def noise(count, seed=1):
    return random.Random(seed).randbytes(count)


def strict_off(handle):
    handle.set_strict_mode(0)


class Handshake(Case):
    @need("nbdinfo")
    def test_nbdinfo_json(self):
        info = json.loads(run("nbdinfo", "--json", self.server.uri("v0")).stdout)
        export = info["exports"][0]
        self.assertEqual(info["protocol"], "newstyle-fixed")
        self.assertTrue(info["structured"])
        self.assertEqual(export["export-size"], SIZE)
        self.assertEqual(export["description"], "memory drive v0")
        self.assertEqual(export["block_size_minimum"], 512)
        self.assertEqual(export["block_size_preferred"], 4096)
        self.assertEqual(export["block_size_maximum"], 32 * MIB)
        self.assertEqual(export["contexts"], ["base:allocation"])
        for word in (
            "can_cache",
            "can_df",
            "can_fast_zero",
            "can_flush",
            "can_fua",
            "can_multi_conn",
            "can_trim",
            "can_zero",
        ):
            self.assertTrue(export[word], word)
        self.assertFalse(export["is_read_only"])

    @need("nbdinfo")
    def test_nbdinfo_list(self):
        uri = f"nbd+unix:///?socket={self.server.socket}"
        exports = json.loads(run("nbdinfo", "--list", "--json", uri).stdout)["exports"]
        self.assertEqual([e["export-name"] for e in exports], ["v0", "v1", "ro"])
        self.assertEqual([e["block_size_minimum"] for e in exports], [512, 4096, 4096])

    @need("nbdinfo")
    def test_nbdinfo_map(self):
        extents = json.loads(
            run("nbdinfo", "--map", "--json", self.server.uri("v0")).stdout
        )
        self.assertEqual({e["type"] for e in extents}, {0})
        self.assertEqual(sum(e["length"] for e in extents), SIZE)

    def test_unknown_export(self):
        with self.assertRaises(nbd.Error) as caught:
            self.connect("nobody")
        self.assertEqual(caught.exception.errno, "ENOENT")

    def test_tcp(self):
        handle = nbd.NBD()
        handle.connect_uri(f"nbd://127.0.0.1:{self.server.port}/v1")
        self.assertEqual(handle.get_size(), SIZE)
        handle.shutdown()

    def test_tls_is_refused_politely(self):
        handle = nbd.NBD()
        if not handle.supports_tls():
            self.skipTest("libnbd without TLS")
        handle.set_tls(nbd.TLS_REQUIRE)
        handle.set_export_name("v0")
        with self.assertRaises(nbd.Error):
            handle.connect_unix(self.server.socket)

    def test_oldest_way_in(self):
        """A client without structured replies that only names its export."""

        def simple(handle):
            handle.set_handshake_flags(0)
            handle.set_request_structured_replies(False)

        handle = self.connect("v0", simple)
        self.assertEqual(handle.get_protocol(), "newstyle")
        handle.pwrite(b"\x11" * 4096, 8192)
        self.assertEqual(handle.pread(4096, 8192), b"\x11" * 4096)

    def test_read_only_export(self):
        handle = self.connect("ro", strict_off)
        self.assertTrue(handle.is_read_only())
        for change in (
            lambda: handle.pwrite(bytes(4096), 0),
            lambda: handle.zero(4096, 0),
            lambda: handle.trim(4096, 0),
        ):
            with self.assertRaises(nbd.Error) as caught:
                change()
            self.assertEqual(caught.exception.errno, "EPERM")
        self.assertEqual(handle.pread(4096, 0), bytes(4096))


class Commands(Case):
    def test_every_command(self):
        handle = self.connect()
        data = noise(MIB)
        handle.pwrite(data, 0)
        handle.pwrite(data[:4096], MIB, nbd.CMD_FLAG_FUA)
        handle.flush()
        self.assertEqual(handle.pread(MIB, 0), data)
        handle.zero(8192, 4096, nbd.CMD_FLAG_NO_HOLE)
        handle.trim(4096, 65536)
        handle.cache(MIB, 0)
        expected = bytearray(data)
        expected[4096:12288] = bytes(8192)
        expected[65536 : 65536 + 4096] = bytes(4096)
        self.assertEqual(handle.pread(MIB, 0), bytes(expected))

    def test_largest_request(self):
        handle = self.connect()
        data = noise(32 * MIB)
        handle.pwrite(data, 4096)
        self.assertEqual(hash_of(handle.pread(32 * MIB, 4096)), hash_of(data))
        self.assertEqual(
            hash_of(handle.pread_structured(32 * MIB, 4096, lambda *a: 0)), hash_of(data)
        )

    def test_block_status(self):
        handle = self.connect(
            "v0", lambda h: h.add_meta_context(nbd.CONTEXT_BASE_ALLOCATION)
        )
        seen = []
        handle.block_status(
            SIZE, 0, lambda context, offset, entries, error: seen.append((context, offset, entries))
        )
        self.assertEqual(seen, [("base:allocation", 0, [SIZE, 0])])

    def test_bad_requests_get_their_errors_and_nothing_else(self):
        handle = self.connect("v1", strict_off)
        cases = (
            (lambda: handle.pread(512, 0), "EINVAL"),
            (lambda: handle.pread(4096, 512), "EINVAL"),
            (lambda: handle.pread(4096, SIZE), "EINVAL"),
            (lambda: handle.pwrite(bytes(4096), SIZE), "ENOSPC"),
            (lambda: handle.pwrite(bytes(100), 0), "EINVAL"),
            (lambda: handle.zero(4096, SIZE), "ENOSPC"),
            (lambda: handle.zero(4096, 0, nbd.CMD_FLAG_FAST_ZERO), "ENOTSUP"),
            (lambda: handle.trim(4096, SIZE), "EINVAL"),
            (lambda: handle.cache(4096, SIZE), "EINVAL"),
            (lambda: handle.pread(33 * MIB, 0), "EOVERFLOW"),
            (lambda: handle.block_status(4096, 0, lambda *a: 0), "EINVAL"),
        )
        for number, (bad, error) in enumerate(cases):
            with self.subTest(number=number):
                with self.assertRaises(nbd.Error) as caught:
                    bad()
                self.assertEqual(caught.exception.errno, error)
        handle.pwrite(b"\x01" * 4096, 0)
        self.assertEqual(handle.pread(4096, 0), b"\x01" * 4096)

    def test_io_errors_reach_the_client(self):
        handle = self.connect()
        self.assertEqual(self.server.ask("fail v0 1"), "failing")
        with self.assertRaises(nbd.Error) as caught:
            handle.pread(4096, 0)
        self.assertEqual(caught.exception.errno, "EIO")
        self.assertEqual(handle.pread(4096, 0), bytes(4096))

    def test_many_requests_in_flight(self):
        handle = self.connect()
        model = bytearray(SIZE)
        rng = random.Random(7)
        pending = []
        for number in range(600):
            block = number % 500
            length = 512 * rng.randint(1, 16)
            data = rng.randbytes(length)
            buffer = nbd.Buffer.from_bytearray(bytearray(data))
            # Neighbors overlap: only the order of admission gives the right answer.
            offset = block * 4096
            model[offset : offset + length] = data
            pending.append(handle.aio_pwrite(buffer, offset))
        while pending:
            pending = [c for c in pending if not handle.aio_command_completed(c)]
            if pending:
                handle.poll(-1)
        self.assertEqual(hash_of(handle.pread(4 * MIB, 0)), hash_of(bytes(model[: 4 * MIB])))


def hash_of(data):
    return hashlib.sha256(data).hexdigest()


class BusyPolling(Commands):
    """The same while the server asks before it sleeps."""

    exports = ("--busy-poll", "100", *Case.exports)

    def cpu_s(self):
        with open(f"/proc/{self.server.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_sleeps_when_nobody_asks(self):
        handle = self.connect()
        for number in range(3000):
            handle.pread(4096, number % 64 * 4096)
        before = self.cpu_s()
        time.sleep(1)
        self.assertLess(self.cpu_s() - before, 0.2)
        self.assertEqual(len(handle.pread(4096, 0)), 4096)


class Programs(Case):
    @need("nbdcopy")
    def test_nbdcopy_there_and_back(self):
        source = self.file("source", noise(SIZE))
        back = self.file("back")
        run("nbdcopy", "--flush", source, self.server.uri("v0"))
        run("nbdcopy", self.server.uri("v0"), self.server.uri("v1"))
        run("nbdcopy", self.server.uri("v1"), back)
        run("cmp", source, back)

    @need("qemu-img")
    def test_qemu_img(self):
        source = self.file("source", noise(SIZE, 3))
        run("qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", source, self.server.uri("v0"))
        report = run("qemu-img", "compare", "-f", "raw", "-F", "raw", source, self.server.uri("v0"))
        self.assertIn("identical", report.stdout)
        info = json.loads(
            run("qemu-img", "info", "--output=json", "-f", "raw", self.server.uri("v0")).stdout
        )
        self.assertEqual(info["virtual-size"], SIZE)

    @need("qemu-io")
    def test_qemu_io(self):
        script = []
        for number in range(64):
            script += ["-c", f"aio_write -P {number + 1} {number * 65536} 65536"]
        script += ["-c", "aio_flush", "-c", "flush"]
        script += ["-c", "write -z 65536 4096", "-c", "discard 131072 65536"]
        script += ["-c", "write -f -P 99 1M 512"]
        script += ["-c", "read -P 1 0 65536", "-c", "read -P 0 65536 4096"]
        script += ["-c", "read -P 2 69632 4096", "-c", "read -P 0 131072 65536"]
        script += ["-c", "read -P 99 1M 512"]
        result = run("qemu-io", "-f", "raw", *script, self.server.uri("v0"))
        self.assertNotIn("failed", result.stdout + result.stderr)

    @need("fio")
    def test_fio_verify(self):
        if "nbd" not in run("fio", "--enghelp").stdout:
            self.skipTest("fio without the nbd engine")
        for block in ("4k", "64k"):
            with self.subTest(block=block):
                run(
                    "fio", "--name=v", "--ioengine=nbd", f"--uri={self.server.uri('v0')}",
                    "--rw=randwrite", f"--bs={block}", "--iodepth=32", f"--size={SIZE}",
                    "--verify=crc32c", "--verify_fatal=1", "--verify_state_save=0", "--randrepeat=1", "--thread=1",
                    f"--directory={self.directory}",
                )  # fmt: skip


class Connections(Case):
    def test_flush_covers_all_connections(self):
        """Multi-conn: what one has written and flushed, the others read."""
        handles = [self.connect() for _ in range(4)]
        self.assertTrue(handles[0].can_multi_conn())
        for number, handle in enumerate(handles):
            handle.pwrite(bytes([number + 1]) * 4096, number * 4096)
        handles[0].flush()
        for handle in handles:
            for number in range(4):
                self.assertEqual(handle.pread(4096, number * 4096), bytes([number + 1]) * 4096)
        self.assertEqual(self.server.ask("connections v0"), "4")
        for handle in handles:
            handle.shutdown()
        self.server.until("connections v0", "0")

    def test_concurrent_clients_own_their_blocks(self):
        failures = []

        def client(number):
            rng = random.Random(number)
            handle = nbd.NBD()
            handle.connect_uri(self.server.uri("v0"))
            base = number * 8 * MIB
            model = bytearray(MIB)
            for _ in range(300):
                offset = 512 * rng.randrange(MIB // 512 - 64)
                length = 512 * rng.randint(1, 64)
                if rng.random() < 0.5:
                    data = rng.randbytes(length)
                    model[offset : offset + length] = data
                    handle.pwrite(data, base + offset)
                elif handle.pread(length, base + offset) != model[offset : offset + length]:
                    failures.append(number)
            handle.shutdown()

        threads = [threading.Thread(target=client, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_garbage_leaves_the_others_alone(self):
        good = self.connect()
        good.pwrite(b"\x77" * 4096, 0)
        rng = random.Random(5)
        flags = struct.pack(">I", 3)
        option = struct.pack(">QII", 0x49484156454F5054, 1, 2) + b"v0"
        for number in range(60):
            start = (b"", flags, flags + option)[number % 3]
            with socket.socket(socket.AF_UNIX) as bad:
                bad.connect(self.server.socket)
                try:
                    bad.sendall(start + rng.randbytes(rng.randint(1, 20000)))
                    bad.shutdown(socket.SHUT_WR)
                    while bad.recv(65536):
                        pass
                except OSError:
                    pass  # closed on us: that is what garbage deserves
            self.assertEqual(good.pread(4096, 0), b"\x77" * 4096)
        self.server.until("connections v0", "1")

    def test_client_killed_while_it_writes(self):
        """Its whole requests are carried out, its connection goes, the drive stays."""
        code = (
            "import nbd, sys\n"
            "h = nbd.NBD(); h.connect_uri(sys.argv[1])\n"
            "for n in range(32):\n"
            "    h.aio_pwrite(nbd.Buffer.from_bytearray(bytearray([n + 1]) * 65536), 0)\n"
            "h.aio_pwrite(nbd.Buffer.from_bytearray(bytearray(16 << 20)), 1 << 20)\n"
            "while True: h.poll(-1)\n"
        )
        self.assertEqual(self.server.ask("hold v0"), "held")
        client = subprocess.Popen(
            [shutil.which("python3", path="/usr/bin") or "python3", "-c", code, self.server.uri("v0")]
        )
        self.server.until("queued v0", "33")
        client.send_signal(signal.SIGKILL)
        client.wait(TIMEOUT)
        self.assertEqual(self.server.ask("connections v0"), "1")
        self.assertEqual(self.server.ask("release v0"), "released")
        self.server.until("connections v0", "0")
        handle = self.connect()
        self.assertEqual(handle.pread(65536, 0), bytes([32]) * 65536)

    def test_export_removed_while_in_use(self):
        handle = self.connect("v0")
        other = self.connect("v1")
        self.assertEqual(self.server.ask("remove v0"), "removed v0")
        with self.assertRaises(nbd.Error):
            handle.pread(4096, 0)
        self.assertEqual(other.pread(4096, 0), bytes(4096))
        with self.assertRaises(nbd.Error):
            self.connect("v0")


if __name__ == "__main__":
    unittest.main()
