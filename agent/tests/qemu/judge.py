#!/usr/bin/env python3
"""A stock Debian kernel under software emulation as the judge.

    judge.py --kernel-package linux-image-….deb [--junit FILE] [--keep FOLDER] [STORY…]

Stories:
    nbd    ext4 by the kernel's own nbd client, in use while arrayd is killed and restarted
    boot   systemd with the agent's units and the manual's line of fstab, from start to stop
    mdadm  the format on the drives, both ways, and md's own format
    drives SCSI, NVMe and virtio drives found by scanning, pulled, replaced, with bad sectors
    udev   udevd and mdadm leave our members alone, as the agent's initramfs hook tells them
    ublk   ext4 by the kernel's ublk driver, in use while arrayd is killed and restarted; only when
           it is named, because its kernel (6.16 or newer) is not Debian 12's

ARRAYD, ARRAYCTL, ARRAYWRIGHT_ATTACH, DDFIMAGE and DDFREAD name the programs under test, UNITS the
folder of the units. Needs
qemu-system-x86, busybox-static, cpio, e2fsprogs, mdadm, systemd, udev and python3-libnbd.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e" / "agent"))

import boot_judge  # noqa: E402
import ddf_judge  # noqa: E402
import drives_judge  # noqa: E402
import machine  # noqa: E402
import md_judge  # noqa: E402
import nbd_judge  # noqa: E402
import ublk_judge  # noqa: E402
import udev_judge  # noqa: E402
from bench import Bench  # noqa: E402
from verdicts import Verdicts  # noqa: E402


def mdadm_story(folder, kernel, verdicts, keep=None):
    """Two lives: in the first mdadm reads what is ours and makes sets of its own, in the second it
    reads those again that arrayd has taken over meanwhile."""
    bench = Bench(folder, kernel, verdicts)
    ddf_judge.ours_make(bench)
    lent = ddf_judge.live_make(bench)
    ddf_judge.theirs_make(bench)
    md_judge.make(bench)
    made = bench.boot()
    for name in made if keep is not None else ():
        machine.run("cp", "-a", "--sparse=always", folder / name, keep / name)
    ddf_judge.theirs_check(bench, made)
    ddf_judge.lent_check(lent, verdicts)
    ddf_judge.whole_check(bench, made)
    md_judge.check(bench, made)
    bench.boot()


STORIES = {"nbd": nbd_judge.story, "boot": boot_judge.story, "drives": drives_judge.story,
           "mdadm": mdadm_story, "udev": udev_judge.story}
ON_DEMAND = {"ublk": ublk_judge.story}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernel-package", type=Path, action="append", required=True,
                        help="again if there are several; a file that is not there: there is none")
    parser.add_argument("--junit", type=Path)
    parser.add_argument("--keep", type=Path, help="the sets made by mdadm are kept here")
    parser.add_argument("stories", nargs="*", metavar="STORY", choices=[[], *STORIES, *ON_DEMAND])
    options = parser.parse_args()
    verdicts = Verdicts()
    try:
        kernel = None
        if all(package.is_file() for package in options.kernel_package):
            kernel = verdicts.attempt("judge", "kernel", machine.Kernel, *options.kernel_package)
        else:
            verdicts.failed("judge", "kernel", "there is no kernel to boot: its package could not be "
                                               "downloaded")
        for name in options.stories or STORIES if kernel is not None else ():
            started = time.monotonic()
            more = {"keep": options.keep} if name == "mdadm" else {}
            with tempfile.TemporaryDirectory(prefix="aw-judge-") as text:
                (STORIES | ON_DEMAND)[name](Path(text), kernel, verdicts, **more)
            print(f"# {name}: {time.monotonic() - started:.0f} s", flush=True)
    finally:
        if options.junit is not None:
            verdicts.write(options.junit)
    print("# the judge is content" if verdicts.failures == 0 else "# FAILED")
    sys.exit(0 if verdicts.failures == 0 else 1)


if __name__ == "__main__":
    main()
