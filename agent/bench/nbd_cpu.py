#!/usr/bin/python3
"""CPU time per 4 KiB NBD request: our export over a null drive against nbdkit's null plugin.

Both serve the same client (fio, libnbd) over a Unix socket, in turns (ours, theirs, ours,
theirs, ...), and the median of the per-round ratios is printed: absolute figures depend on
the machine, the ratio hardly does. CPU is that of the whole server process, all threads.

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


def ours(server, path):
    process = subprocess.Popen(
        [server, "--unix", path, f"v:{SIZE}:512:null"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    wait_for_socket(path, process)
    return process, f"nbd+unix:///v?socket={path}"


def theirs(path):
    process = subprocess.Popen(["nbdkit", "-f", "-U", path, "null", f"size={SIZE}"])
    wait_for_socket(path, process)
    return process, f"nbd+unix:///?socket={path}"


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


def compare(server, mode, depth, seconds, rounds):
    samples = []
    for _ in range(rounds):
        own = measure(lambda path: ours(server, path), mode, depth, seconds)
        other = measure(theirs, mode, depth, seconds)
        samples.append((own, other))

    def median(pick):
        return statistics.median(pick(own, other) for own, other in samples)

    return {
        "mode": mode,
        "depth": depth,
        "cpu_us": round(median(lambda own, other: own[0]), 2),
        "nbdkit_cpu_us": round(median(lambda own, other: other[0]), 2),
        "cpu_ratio": round(median(lambda own, other: own[0] / other[0]), 3),
        "iops": round(median(lambda own, other: own[1])),
        "nbdkit_iops": round(median(lambda own, other: other[1])),
        "latency_ratio": round(median(lambda own, other: own[2] / other[2]), 3),
        "rounds": rounds,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="the agent's build directory")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for program in ("fio", "nbdkit"):
        if not shutil.which(program):
            sys.exit(f"{program} is needed for this benchmark")
    server = os.path.join(options.build, "tests", "e2e", "nbd", "nbd_ram_server")
    if not os.path.exists(server):
        sys.exit(f"{server} has not been built")
    results = [
        compare(server, mode, depth, options.seconds, options.rounds)
        for mode, depth in (("randread", 32), ("randwrite", 32), ("randread", 1))
    ]
    if options.json:
        print(json.dumps(results, indent=2))
        return
    for result in results:
        print(
            "{mode} 4 KiB depth {depth}: {cpu_us} us CPU per request, nbdkit {nbdkit_cpu_us}, "
            "ratio {cpu_ratio}; {iops} IOPS, nbdkit {nbdkit_iops}; p50 latency ratio "
            "{latency_ratio}".format(**result)
        )


if __name__ == "__main__":
    main()
