#!/usr/bin/python3
"""CPU time per 4 KiB NBD request: our export over a null drive against nbdkit's null plugin and
QEMU's null-co (qemu-storage-daemon, or qemu-nbd, which is the same server, where that is missing).

All serve the same client (fio, libnbd) over a Unix socket, in turns (ours, nbdkit, qemu, ours, ...),
and the median of the per-round ratios is printed: absolute figures depend on the machine, the
ratio hardly does. CPU is that of the whole server process, all threads.

    nbd_cpu.py --build BUILD [--seconds 3] [--rounds 5] [--json]
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SIZE = 1 << 30
TICK_US = 1e6 / os.sysconf("SC_CLK_TCK")


def cpu_us(pid):
    """User and system time of a process so far, ended threads included."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_US


def wait_for_socket(path, process):
    deadline = time.monotonic() + 20
    while not os.path.exists(path):
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"{process.args[0]} does not start")
        time.sleep(0.01)


def ours(server, path, *options):
    process = subprocess.Popen(
        [server, "--unix", path, *options, f"v:{SIZE}:512:null"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    wait_for_socket(path, process)
    return process, f"nbd+unix:///v?socket={path}"


def nbdkit(path):
    process = subprocess.Popen(["nbdkit", "-f", "-U", path, "null", f"size={SIZE}"])
    wait_for_socket(path, process)
    return process, f"nbd+unix:///?socket={path}"


def qemu_storage_daemon(path):
    process = subprocess.Popen(
        [
            "qemu-storage-daemon",
            "--blockdev", f"driver=null-co,node-name=n,size={SIZE},read-zeroes=off",
            "--nbd-server", f"addr.type=unix,addr.path={path},max-connections=0",
            "--export", "type=nbd,id=e,node-name=n,name=v,writable=on",
        ]  # fmt: skip
    )
    wait_for_socket(path, process)
    time.sleep(0.2)  # the socket is there before the export is
    return process, f"nbd+unix:///v?socket={path}"


def qemu_nbd(path):
    process = subprocess.Popen(
        [
            "qemu-nbd", "--persistent", "--socket", path, "--export-name", "v", "--image-opts",
            f"driver=null-co,size={SIZE},read-zeroes=off",
        ]  # fmt: skip
    )
    wait_for_socket(path, process)
    return process, f"nbd+unix:///v?socket={path}"


def peers():
    """What is installed: name -> how to start it."""
    found = {}
    if shutil.which("nbdkit"):
        found["nbdkit"] = nbdkit
    if shutil.which("qemu-storage-daemon"):
        found["qemu-storage-daemon"] = qemu_storage_daemon
    elif shutil.which("qemu-nbd"):
        found["qemu-nbd"] = qemu_nbd
    return found


def load(uri, mode, depth, seconds):
    """Runs the client; returns how many requests it made and its median latency in us."""
    result = subprocess.run(
        [
            "fio", "--name=b", "--ioengine=nbd", f"--uri={uri}", f"--rw={mode}", "--bs=4k",
            f"--iodepth={depth}", "--time_based=1", f"--runtime={seconds}", f"--size={SIZE}",
            "--thread=1", "--output-format=json", "--randrepeat=1",
        ],  # fmt: skip
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    job = json.loads(result[result.index("{") :])["jobs"][0]
    side = job["read" if "read" in mode else "write"]
    return side["total_ios"], side["clat_ns"]["percentile"]["50.000000"] / 1000


def measure(start, mode, depth, seconds):
    """CPU per request in us, requests per second, median latency in us."""
    with tempfile.TemporaryDirectory(prefix="aw-bench-") as directory:
        process, uri = start(os.path.join(directory, "s"))
        try:
            before = cpu_us(process.pid)
            count, latency_us = load(uri, mode, depth, seconds)
            return (cpu_us(process.pid) - before) / count, count / seconds, latency_us
        finally:
            process.terminate()
            process.wait()


MODES = (("randread", 32), ("randwrite", 32), ("randread", 1), ("randwrite", 1))


def compare(server, mode, depth, seconds, rounds):
    """One line per peer."""
    found = peers()
    samples = []
    for _ in range(rounds):
        own = measure(lambda path: ours(server, path), mode, depth, seconds)
        samples.append((own, {name: measure(found[name], mode, depth, seconds) for name in found}))

    def median(pick):
        return statistics.median(pick(own, others) for own, others in samples)

    return [
        {
            "mode": mode,
            "depth": depth,
            "peer": name,
            "cpu_us": round(median(lambda own, others: own[0]), 2),
            "peer_cpu_us": round(median(lambda own, others: others[name][0]), 2),
            "cpu_ratio": round(median(lambda own, others: own[0] / others[name][0]), 3),
            "iops": round(median(lambda own, others: own[1])),
            "peer_iops": round(median(lambda own, others: others[name][1])),
            "latency_ratio": round(median(lambda own, others: own[2] / others[name][2]), 3),
            "rounds": rounds,
        }
        for name in found
    ]


def busy_poll(server, seconds, rounds):
    """With one request in flight: median latency with busy polling ÷ without, and the CPU."""
    samples = []
    for _ in range(rounds):
        with_, without = (measure(lambda path, options=options: ours(server, path, *options),
                                  "randread", 1, seconds)
                          for options in (("--busy-poll", "100"), ()))
        samples.append((with_[2] / without[2], with_[0] / without[0]))
    return tuple(statistics.median(column) for column in zip(*samples, strict=True))


def server_of(build):
    server = os.path.join(build, "tests", "e2e", "nbd", "nbd_ram_server")
    if not os.path.exists(server):
        sys.exit(f"{server} has not been built")
    return server


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="the agent's build directory")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not shutil.which("fio"):
        sys.exit("fio is needed for this benchmark")
    server = server_of(options.build)
    results = [
        line
        for mode, depth in MODES
        for line in compare(server, mode, depth, options.seconds, options.rounds)
    ]
    if options.json:
        print(json.dumps(results, indent=2))
        return
    for result in results:
        print(
            "{mode} 4 KiB depth {depth}: {cpu_us} us CPU per request, {peer} {peer_cpu_us}, "
            "ratio {cpu_ratio}; {iops} IOPS, {peer} {peer_iops}; p50 latency ratio "
            "{latency_ratio}".format(**result)
        )


if __name__ == "__main__":
    main()
