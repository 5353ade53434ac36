"""The way of a host with Debian 12 and its packages, on a machine that boots: install, configure, build
a virtual drive and mount it, enroll with a backend on the same machine, upgrade from the package of an
earlier commit (earlier.py) while the virtual drive is written to, reboot, remove, install again, purge.
Every command that an administrator types is a line of docs/install.md or docs/upgrade.md, and no
other: a case fails if the documents no longer have it.

    journey.py --packages FOLDER [--cache FOLDER] [--ledger FILE] [--keep]

Needs root (for debootstrap), a mirror of Debian at the first call, and about 3 GB below the cache.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import earlier
from guest import ROOT, Guest, JourneyError, root_bootstrap

sys.path.insert(0, str(ROOT / "agent/tools"))

import ledgers  # noqa: E402

AGENT, BACKEND = earlier.AGENT, "arraywright-backend"
NAME = "console.example.org"
URL = f"https://{NAME}:8080"
AUTHORITY = "/root/authority.pem"
DRIVES, DRIVE_MIB = 4, 256
DOCUMENTS = ["docs/install.md", "docs/upgrade.md"]
CONFFILE = earlier.CONFFILE
MOUNT = "/srv/data"
BACKEND_S = 1800
EDIT = 'controller = { model = "Journey"; };'
# Writes and reads back, on and on, and ends at the first error.
LOAD = """#!/bin/bash
set -e
for ((round = 0; ; round++)); do
    file=/srv/data/load.$((round % 8))
    head -c 300000 /dev/urandom >/run/load.part
    cp /run/load.part $file
    sync $file
    cmp /run/load.part $file
    echo $round >/run/load.rounds
done"""
VENDORS = "sudo update-alternatives --install /usr/sbin/storcli64 storcli64 /opt/MegaRAID/storcli/storcli64 50"  # noqa: E501
ENROL = "sudo arraywright-uplink --config /etc/arraywright/uplink.conf enrol --url https://console.example.org:8080 --token TOKEN"  # noqa: E501
# Of the kernel, but not of the floppy drive that QEMU's machine has.
FAULTS = "I/O error,? (on )?dev (nbd|sd|vd)|EXT4-fs error|Remounting filesystem read-only"


# Without remarks. Read once: the checkout may change during a journey.
LINES = {re.sub(r"\s+# .*", "", line.strip())
         for name in DOCUMENTS for line in (ROOT / name).read_text().splitlines()}


def documented(line: str) -> str:
    """The command, which one of the documents must have on a line of its own."""
    if line not in LINES:
        raise JourneyError(f"no document has the line: {line}")
    return line


class Journey:
    def __init__(self, guest: Guest, old: Path, new: Path, backend: Path) -> None:
        self.guest = guest
        self.old = old
        self.new = new
        self.backend = backend
        self.expected = ""  # the configuration as the administrator has left it

    # What the cases share

    def type(self, line: str) -> str:
        return self.guest.command(documented(line))

    def fill_in(self, line: str, **values: str) -> str:
        """A line of the documents with what is different here."""
        command = documented(line)
        for name, value in values.items():
            command = command.replace(name, value)
        return self.guest.command(command)

    def expect(self, command: str, pattern: str) -> None:
        said = self.guest.try_command(command)[1]
        if not re.search(pattern, said):
            raise JourneyError(f"{command}: not {pattern!r}:\n{said}")

    def expect_data(self) -> None:
        self.guest.until_true(f"mountpoint -q {MOUNT}")
        self.guest.command(f"cd {MOUNT} && sha256sum --check --quiet /root/sums && cd /root")

    def expect_configuration(self) -> None:
        now = self.guest.command(f"cat {CONFFILE}")
        if now != self.expected:
            raise JourneyError(f"{CONFFILE} is not what the administrator wrote:\n{now[-500:]}")

    def expect_no_faults(self) -> None:
        self.expect(f"dmesg | grep -cE '{FAULTS}'", r"^0\s*$")

    def install(self, package: Path) -> str:
        return self.fill_in("sudo apt install ./arraywright-agent_*.deb",
                        **{"./arraywright-agent_*.deb": f"./{package.name}"})

    def backend_begin(self) -> None:
        """Installs it while the cases go on: Python's bytecode is made meanwhile, on the other processor."""
        line = documented("sudo apt install ./arraywright-backend_*.deb").replace(
            "./arraywright-backend_*.deb", f"./{self.backend.name}")
        self.guest.write("/root/backend.sh", f"cd /root\n{line} >/root/backend.said 2>&1\n"
                         "echo $? >/root/backend.part\nmv /root/backend.part /root/backend.status")
        self.guest.command("systemd-run --unit=install-backend --setenv=DEBIAN_FRONTEND=noninteractive "
                           "bash /root/backend.sh")

    def main_pid(self, unit: str) -> str:
        pid = self.guest.command(f"systemctl show --value -p MainPID {unit}")
        if pid == "0":
            raise JourneyError(f"{unit} does not run:\n" +
                               self.guest.try_command(f"systemctl status --full --no-pager {unit}")[1])
        return pid

    def ask(self, what: str, url: str = URL, authority: str = AUTHORITY) -> str:
        return self.guest.command(f"python3 /root/ask.py {url} {authority} {what}")

    def expect_reported(self) -> str:
        return self.ask("reported data")

    # The cases, in their order

    def installed(self) -> str:
        self.guest.boot()
        self.install(self.old)
        self.guest.until_true("systemctl is-active arrayd")
        self.expect("systemctl is-enabled arrayd arraywright-monitor arraywright-smart",
                    r"^enabled\nenabled\nenabled\s*$")
        self.expect("systemctl is-enabled arraywright-uplink", "^disabled")
        self.type("arrayctl show")
        self.expect("storcli64 /c0 show", "Arraywright")
        self.expect("tw_cli info c0", "VPort|Port")
        self.expect("lsinitramfs /initrd.img | grep -c arraywright", "^[2-9]")
        # The package's trigger has made an initramfs, which is the one that boots later on. Making
        # it anew with each of the next steps would take longer than all else.
        self.guest.command("echo update_initramfs=no >/etc/initramfs-tools/update-initramfs.conf")
        self.backend_begin()
        return self.guest.command(f"dpkg-query -W {AGENT}")

    def configured(self) -> str:
        self.guest.command(f"sed -i '/^controller = {{/,/^}};/d' {CONFFILE} && "
                           f"echo '{EDIT}' >>{CONFFILE}")
        self.type("arrayd --config /etc/arraywright/arrayd.conf --check-config")
        self.type("sudo systemctl restart arrayd")
        self.expect("arrayctl /c0 show", "Journey")
        self.vendors_program()
        self.expected = self.guest.command(f"cat {CONFFILE}")
        return EDIT

    def vendors_program(self) -> None:
        vendor = "/opt/MegaRAID/storcli/storcli64"
        self.guest.command(f"mkdir -p /opt/MegaRAID/storcli && ln -s /bin/true {vendor}")
        self.type(VENDORS)
        self.expect("readlink /etc/alternatives/storcli64", f"^{vendor}$")
        self.guest.command(f"update-alternatives --remove storcli64 {vendor}")
        self.expect("storcli64 /c0 show", "Journey")

    def built(self) -> str:
        listed = self.guest.command(documented("arrayctl /c0 show"))
        drives = re.findall(r"(?m)^ *:(\d+) .* UGood ", listed)  # the disk of the system is none
        if len(drives) != DRIVES:
            raise JourneyError(f"{len(drives)} drives are offered:\n{listed}")
        self.fill_in("arrayctl /c0 add vd r5 drives=:0-3 name=data", **{":0-3": ":" + ",".join(drives)})
        self.type("sudo systemctl enable --now arraywright-attach@data")
        self.type("sudo mkfs.ext4 /dev/arraywright/data")
        self.type("sudo mkdir -p /srv/data")
        line = documented("/dev/arraywright/data /srv/data ext4 "
                          "_netdev,x-systemd.requires=arraywright-attach@data.service 0 2")
        self.guest.command(f"echo '{line}' >>/etc/fstab")
        self.type("sudo systemctl daemon-reload")
        self.type("sudo mount /srv/data")
        self.guest.command(f"cd {MOUNT} && for i in 1 2 3 4; do head -c 3000000 /dev/urandom >file$i; "
                           "done && sync && sha256sum file* >/root/sums && cd /root")
        self.expect_data()
        return self.guest.command(f"df -h --output=source,size {MOUNT} | tail -1")

    def backend_installed(self) -> str:
        self.guest.until_true("[ -e /root/backend.status ]", BACKEND_S)
        said = self.guest.command("cat /root/backend.said /root/backend.status")
        if not re.search(r"(?s)The console of Arraywright is at http://127\.0\.0\.1:8080/.*"
                         r"/var/lib/arraywright-backend/admin-password.*\n0$", said):
            raise JourneyError(f"its installation failed, or does not say how to log in:\n{said}")
        self.expect(f"systemctl is-enabled {BACKEND}", "^enabled")
        self.guest.until_true(f"systemctl is-active {BACKEND}", BACKEND_S)
        found = self.ask("served", "http://127.0.0.1:8080", "-")
        # Under its sandbox: the tables were made, and nothing has failed and been started again.
        self.expect(f"systemctl show -p ExecStartPre -p NRestarts {BACKEND}",
                    r"(?s)(?=.*arraywright migrate.* status=0 )(?=.*NRestarts=0)")
        self.expect("stat -c '%U %a' /var/lib/arraywright-backend /var/lib/arraywright-backend/*.sqlite",
                    r"^arraywright-backend 700\narraywright-backend 600\s*$")
        return found

    def backend_speaks_tls(self) -> str:
        self.guest.command(f"echo 127.0.0.1 {NAME} >>/etc/hosts")
        before = self.main_pid(BACKEND)
        said = self.type(f"sudo arraywright setup tls --name {NAME}")
        made = re.search(r"signed by (\S+\.pem):", said)
        if f"The console is at {URL}\n" not in said or made is None:
            raise JourneyError(f"it does not say where the console and its authority are:\n{said}")
        if self.main_pid(BACKEND) == before:
            raise JourneyError("the backend was not restarted")
        # As an administrator copies it to a host: a file that root alone can read.
        self.guest.command(f"install -m 600 {made[1]} {AUTHORITY}")
        return self.ask("served")

    def enrolled(self) -> str:
        made = self.type("sudo arraywright token create")
        token = re.search(r"\bawe_\S+", made)[0]
        line = documented(ENROL).replace("TOKEN", token)
        if line not in made:
            raise JourneyError(f"the line is not that of docs/install.md:\n{made}")
        said = self.guest.command(f"{line} --ca {AUTHORITY} --wait 600")
        page = re.search(rf"The host reports\. Its page: {re.escape(URL)}/hosts/[0-9a-f-]{{36}}", said)
        if page is None:
            raise JourneyError(f"it does not print the host's page:\n{said}")
        self.expect("systemctl is-enabled arraywright-uplink; systemctl is-active arraywright-uplink",
                    r"^enabled\nactive\s*$")
        return f"{page[0]} {self.expect_reported()}"

    def upgraded_under_load(self) -> str:
        self.guest.write("/root/load.sh", LOAD)
        self.guest.command("systemd-run --unit=load bash /root/load.sh")
        self.guest.until_true("[ $(cat /run/load.rounds) -ge 3 ]")
        before = self.guest.command("systemctl show --value -p MainPID arrayd arraywright-attach@data")
        # The configuration was edited and the shipped one has changed: dpkg must keep the first.
        self.fill_in("sudo apt -o Dpkg::Options::=--force-confold install ./arraywright-agent_*.deb",
                 **{"./arraywright-agent_*.deb": f"./{self.new.name}"})
        after = self.guest.command("systemctl show --value -p MainPID arrayd arraywright-attach@data")
        if before.split()[0] == after.split()[0] or before.split()[1] != after.split()[1]:
            raise JourneyError("arrayd must be another process after the upgrade, arraywright-attach "
                               f"the same; before {before.split()}, after {after.split()}")
        rounds = int(self.guest.command("cat /run/load.rounds"))
        self.guest.until_true(f"[ $(cat /run/load.rounds) -ge {rounds + 3} ]")
        self.guest.command("systemctl is-active load")
        self.guest.command("systemctl stop load")
        self.expect_no_faults()
        self.expect_data()
        self.expect_configuration()
        self.expect_reported()
        return f"{rounds} rounds of writing and reading, no error"

    def refused_while_mounted(self) -> str:
        status, said = self.guest.try_command(documented("sudo apt remove arraywright-agent") + " --yes")
        if status == 0 or f'virtual drive "data" (/dev/nbd0) is mounted on {MOUNT}.' not in said:
            raise JourneyError(f"the removal was not refused as it should be:\n{said}")
        self.guest.command("systemctl is-active arrayd arraywright-attach@data")
        self.expect_data()
        return "the package stays, and the file system mounted"

    def rebooted(self) -> str:
        self.guest.reboot()
        self.expect_data()
        self.expect_no_faults()
        self.expect("cat /proc/mdstat", r"(?s)^((?!: active).)*$")
        self.expect_configuration()
        return f"mounted by the line in fstab; {self.expect_reported()}"

    def refused_while_a_client_is_connected(self) -> str:
        self.type("sudo umount /srv/data")
        self.guest.command("systemd-run --unit=client sh -c 'nbdcopy "
                           "\"nbd+unix:///data?socket=/run/arraywright/nbd.sock\" - | sleep 9999'")
        self.guest.until_true("arrayctl --json /c0/vall show | grep -q '\"connections\": *[2-9]'")
        status, said = self.guest.try_command("apt remove --yes arraywright-agent")
        if status == 0 or "programs are connected to virtual drives over NBD" not in said:
            raise JourneyError(f"the removal was not refused as it should be:\n{said}")
        self.guest.command("systemctl is-active arrayd arraywright-attach@data")
        self.guest.command("systemctl stop client")
        return "the package stays, and the virtual drive is attached as before"

    def removed(self) -> str:
        self.fill_in("sudo apt remove arraywright-agent", **{AGENT: f"--yes {AGENT}"})
        self.expect("ls /usr/sbin/arrayd /usr/sbin/storcli", "(?s)No such file.*No such file")
        self.expect("pgrep -l arrayd; pgrep -l ^arraywright-; echo none", r"^none")  # but the backend
        self.expect("cat /proc/mdstat", r"(?s)^((?!: active).)*$")
        self.expect_configuration()
        return f"no process is left, mdadm leaves the drives alone; {self.ask('away')}"

    def installed_again(self) -> str:
        self.install(self.new)
        self.type("sudo mount /srv/data")
        self.expect_data()
        self.expect_configuration()
        self.expect("arrayctl /c0 show", "Journey")
        return f"the data are there; {self.expect_reported()}"

    def purged(self) -> str:
        self.type("sudo umount /srv/data")
        said = self.fill_in("sudo apt purge arraywright-agent", **{AGENT: f"--yes {AGENT}"})
        if "the drives were not touched" not in said:
            raise JourneyError(f"the purge says nothing of the drives:\n{said}")
        self.expect(f"ls {CONFFILE}", "No such file")
        self.guest.command("ls /var/lib/arraywright")
        self.expect("ls /var/lib/arraywright-uplink", "No such file")
        # Nothing is left of it but its name, which the backend recommends.
        self.expect(f"dpkg -l | grep '^[^u].* {AGENT} '; echo none", "^none")
        return "its configuration is gone, the records of the arrays are kept"

    def there_after_purge(self) -> str:
        self.install(self.new)
        self.type("sudo systemctl enable --now arraywright-attach@data")
        self.type("sudo mount /srv/data")
        self.expect_data()
        self.expect_no_faults()
        self.expect("systemctl is-enabled arraywright-uplink", "^disabled")
        return "installed once more, the data are there; the host is not enrolled"

    def cases(self) -> list[Callable[[], str]]:
        return [self.installed, self.configured, self.built, self.backend_installed,
                self.backend_speaks_tls, self.enrolled, self.upgraded_under_load,
                self.refused_while_mounted, self.rebooted, self.refused_while_a_client_is_connected,
                self.removed, self.installed_again, self.purged, self.there_after_purge]


def drives_make(folder: Path) -> list[Path]:
    drives = [folder / f"drive{number}" for number in range(DRIVES)]
    for drive in drives:
        with drive.open("wb") as file:
            file.truncate(DRIVE_MIB << 20)
    return drives


def package_find(folder: Path, name: str) -> Path:
    found = next(folder.glob(f"{name}_*.deb"), None)
    if found is None:
        raise JourneyError(f"{folder} holds no package {name}; make deb builds it")
    return found


def travel(options: argparse.Namespace, folder: Path) -> tuple[list[str], str]:
    """What has passed, and what has not."""
    new, backend = (package_find(options.packages, name) for name in (AGENT, BACKEND))
    old = earlier.package_make(new, options.cache, folder)
    root = root_bootstrap(options.cache, [old, new, backend])
    files = [old, new, backend, Path(__file__).with_name("ask.py")]
    guest = Guest(folder, root, files, drives_make(folder))
    passed: list[str] = []
    try:
        for case in Journey(guest, old, new, backend).cases():
            name = case.__name__.replace("_", " ")
            started = time.monotonic()
            try:
                print(f"ok {name} ({case()}; {time.monotonic() - started:.0f} s)", flush=True)
            except JourneyError as error:
                print(f"not ok {name}: {error}", flush=True)
                return passed, name
            passed.append(name)
    finally:
        guest.kill()
    return passed, ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packages", type=Path, default=ROOT / ".run/deb/out")
    parser.add_argument("--cache", type=Path, default=ROOT / ".run/journey")
    parser.add_argument("--ledger", type=Path, help="gets a line with the result")
    parser.add_argument("--keep", action="store_true", help="keeps the machine's disks and console")
    options = parser.parse_args()
    started = time.monotonic()
    # At the start: somebody may go on while it runs.
    origin = ledgers.origin(agent="agent", packaging="packaging")
    options.cache.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="travel-", dir=options.cache))
    try:
        passed, failed = travel(options, folder)
    except JourneyError as error:
        print(f"not ok: {error}")
        return 1
    finally:
        if not options.keep:
            shutil.rmtree(folder)
    if options.ledger:
        ledgers.append(options.ledger, {
            **origin, **earlier.origin(), "at": ledgers.now(),
            "kind": "journey", "minutes": round((time.monotonic() - started) / 60, 1),
            "passed": passed, "failed": failed})
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
