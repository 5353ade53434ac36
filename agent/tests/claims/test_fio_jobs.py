"""The fio job files are those of the workloads, fio takes them, and what fio does for a mix of
blocks is what the lab does.

    test_fio_jobs.py ARRAYSIM PROFILES
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ARRAYSIM, PROFILES = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
TOOL = PROFILES.parent / "tools" / "generate_fio_jobs.py"
ENVIRONMENT = os.environ | {"URI": "nbd+unix:///data?socket=/nowhere", "RUNTIME": "1"}


def fio(*words: str) -> str:
    done = subprocess.run(["fio", *words], capture_output=True, text=True, env=ENVIRONMENT,
                          timeout=120, check=False)
    if done.returncode != 0:
        raise AssertionError(f"fio {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


def lab(workload: str, depth: int) -> dict:
    scenario = {"name": "fio", "drives": {"profile": "intel-x25-e", "count": 2},
                "array": {"level": "raid0"}, "limits": {"operations": 60000},
                "workloads": [{"profile": workload, "depths": [depth]}]}
    done = subprocess.run([ARRAYSIM, "run", "--jobs", "1", "--quiet", "--profiles", PROFILES, "-"],
                          input=json.dumps(scenario), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["arrays"][0]["points"][0]


class FioJobs(unittest.TestCase):
    def test_they_are_made_from_the_workloads(self) -> None:
        subprocess.run([sys.executable, TOOL, "--check"], check=True)
        ids = {json.loads(path.read_text())["id"] for path in
               (PROFILES / "workloads").glob("*.json")}
        self.assertEqual(ids, {f"W{number:02}" for number in range(1, 18)})

    def test_fio_takes_each(self) -> None:
        jobs = sorted((PROFILES / "fio").glob("*.fio"))
        self.assertGreaterEqual(len(jobs), 17)
        for path in jobs:
            fio("--parse-only", str(path))

    def test_what_is_assumed_is_said(self) -> None:
        for path in sorted((PROFILES / "workloads").glob("*.json")):
            load = json.loads(path.read_text())
            text = (PROFILES / "fio" / f"{load['name']}.fio").read_text()
            for assumed in load["assumed"]:
                self.assertIn(assumed, text)
            if load["id"] in ("W06", "W07", "W08", "W17"):
                self.assertTrue(load["assumed"], f"{load['id']}: its mix is in no document")

    def test_blocks_and_writes_are_those_of_the_lab(self) -> None:
        with tempfile.TemporaryDirectory(prefix="aw-fio-") as folder:
            for workload, name in (("w06-file-server", "mix-w20-j1-q16"),
                                   ("w07-web-server", "mix-w0-j1-q16"),
                                   ("w14-toms-database", "8k-w33-j1-q16")):
                text = (PROFILES / "fio" / f"{workload}.fio").read_text()
                path = Path(folder) / "job.fio"
                path.write_text(text.replace("ioengine=nbd\nuri=${URI}\n",
                                             "ioengine=null\nsize=16g\nnumber_ios=60000\n")
                                .replace("time_based=1\nruntime=${RUNTIME}\n", ""))
                done = json.loads(fio("--output-format=json", f"--section={name}", str(path)))
                job = done["jobs"][0]
                reads, writes = job["read"]["total_ios"], job["write"]["total_ios"]
                bytes_ = job["read"]["io_bytes"] + job["write"]["io_bytes"]
                point = lab(workload, 16)
                self.assertAlmostEqual(writes / (reads + writes),
                                       point["writes"] / point["operations"], delta=0.02)
                each = point["bytes_per_s"] / point["operations_per_s"]
                self.assertAlmostEqual(bytes_ / (reads + writes) / each, 1, delta=0.03)


if __name__ == "__main__":
    unittest.main()
