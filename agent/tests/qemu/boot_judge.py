"""A boot with a stock systemd, by the units as they are installed and the line of fstab that the manual
shows: over drives of the machine arrayd starts, the virtual drive is attached, its file system is
checked and mounted; and all is undone in the other order when the machine is switched off.
ARRAYD, ARRAYCTL and ARRAYWRIGHT_ATTACH name the programs under test, UNITS the folder of the units.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import bench
import machine

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e/boot"))

import test_units  # noqa: E402

DIST = HERE.parents[1] / "dist"
MODULES = ["virtio_pci", "virtio_scsi", "sd_mod", "nbd", "crc32c_generic", "libcrc32c", "crc16",
           "mbcache", "jbd2", "ext4"]
STORY = "a boot by systemd"
CASES = ["drives of the machine", "mounted at boot by the line of the manual",
         "in use while the service is restarted",
         "unmounted, detached and stopped in that order"]
DRIVES, DRIVE_MIB = 3, 128
SYSTEMD = Path("/usr/lib/systemd")
SYSTEMD_PROGRAMS = ["systemd", "systemd-udevd", "systemd-fsck", "systemd-shutdown",
                    "systemd-cgroups-agent", "system-generators/systemd-fstab-generator"]
# Of systemd's own units, what is needed here: the others have no programs in this guest.
SYSTEMD_UNITS = ["*.target", "*.slice", "systemd-udevd*", "systemd-udev-trigger.service",
                 "systemd-fsck@.service", "systemd-poweroff.service",
                 "sysinit.target.wants/systemd-udev*", "sockets.target.wants/systemd-udev*"]
PROGRAMS = {"mke2fs": "/sbin/mke2fs", "e2fsck": "/sbin/e2fsck", "fsck.ext4": "/sbin/e2fsck",
            "fsck": "/sbin/fsck", "udevadm": "/usr/bin/udevadm"}
BY_SYSTEMD = {"mount": "/bin/mount", "umount": "/bin/umount", "systemctl": "/bin/systemctl"}
RULES = ["50-udev-default.rules", "60-block.rules", "60-persistent-storage.rules", "99-systemd.rules"]
GROUPS = ["root", "tty", "dialout", "kmem", "input", "video", "render", "sgx", "audio", "lp", "disk",
          "cdrom", "tape", "kvm"]
# When all is started; and, because it is started before them, when all is stopped.
JUDGES = {"judge.service": """[Unit]
After=remote-fs.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh /boot_story.sh up
TimeoutStartSec=infinity
""", "judge-last.service": """[Unit]
Before=arrayd.service {attach} {mount}
DefaultDependencies=no
Conflicts=shutdown.target
Before=shutdown.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
ExecStop=/bin/sh /boot_story.sh down
TimeoutStopSec=infinity
"""}


def program_add(root, path, target):
    target = root / str(target).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)  # busybox has one of its own
    shutil.copy(path, target)
    for library in machine.libraries(path):
        copy = root / library.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, copy)


def systemd_add(root):
    for name in SYSTEMD_PROGRAMS:
        program_add(root, SYSTEMD / name, SYSTEMD / name)
    for name, path in BY_SYSTEMD.items():
        program_add(root, path, f"/bin/{name}")
    for pattern in SYSTEMD_UNITS:
        for unit in (SYSTEMD / "system").glob(pattern):
            target = root / "usr/lib/systemd/system" / unit.relative_to(SYSTEMD / "system")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(unit, target, follow_symlinks=False)
    (root / "usr/bin").mkdir(exist_ok=True)
    (root / "usr/bin/cut").symlink_to("/bin/busybox")  # of the rule
    (root / "lib/systemd").symlink_to("/usr/lib/systemd")
    rules = root / "usr/lib/udev/rules.d"
    rules.mkdir(parents=True)
    for rule in [*(Path("/usr/lib/udev/rules.d") / name for name in RULES), *DIST.glob("*.rules")]:
        shutil.copy(rule, rules)


def config_make():
    drives = ",\n".join(f'{{ path = "/dev/sd{chr(ord("a") + slot)}"; enclosure = 252; slot = {slot}; }}'
                        for slot in range(DRIVES))
    return ('state_dir = "/var/lib/arraywright";\n'
            'control = { socket = "/run/arraywright/control.sock"; mode = "0666"; };\n'
            'nbd = { unix = "/run/arraywright/nbd.sock"; };\nscan = { enabled = false; };\n'
            f'enclosures = ( {{ eid = 252; model = "Judge"; slots = {DRIVES}; }} );\n'
            f"drives = ({drives});\n")


def units_add(root):
    """Where they say that their programs and arrayd's configuration are."""
    programs = {"arrayd": "ARRAYD", "arraywright-attach": "ARRAYWRIGHT_ATTACH"}
    system = root / "usr/lib/systemd/system"
    wants = root / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir(parents=True)
    for name in ("arrayd.service", "arraywright-attach@.service"):
        unit = Path(os.environ["UNITS"]) / name
        shutil.copy(unit, system)
        program = re.search(r"(?m)^ExecStart=(\S+)", unit.read_text())[1]
        program_add(root, os.environ[programs[Path(program).name]], program)
        (root / "sbin" / Path(program).name).symlink_to(program)
        if found := re.search(r"--config (\S+)", unit.read_text()):
            config = root / found[1].lstrip("/")
            config.parent.mkdir(parents=True, exist_ok=True)
            config.write_text(config_make())
            (root / "arrayd.conf").symlink_to(found[1])
    program_add(root, os.environ["ARRAYCTL"], "/sbin/arrayctl")
    for name in test_units.enabled_units():
        template = re.sub(r"@.+", "@", name)
        (wants / f"{name}.service").symlink_to(f"/usr/lib/systemd/system/{template}.service")
    (wants / "remote-fs.target").symlink_to("/usr/lib/systemd/system/remote-fs.target")
    device, where = test_units.fstab_line().split()[:2]
    units = {"attach": test_units.ATTACH.format(device.rpartition("/")[2]),
             "mount": where.strip("/").replace("/", "-") + ".mount"}
    for name, text in JUDGES.items():
        (system / name).write_text(text.format(**units))
        (wants / name).symlink_to(f"/usr/lib/systemd/system/{name}")
    (root / "etc/systemd/system/default.target").symlink_to(
        "/usr/lib/systemd/system/multi-user.target")
    (root / "etc/systemd/system.conf").write_text("[Manager]\nDefaultStandardOutput=kmsg\n")


def root_make(root, kernel):
    machine.root_make(root, PROGRAMS, HERE / "boot_init.sh")
    systemd_add(root)
    units_add(root)
    (root / "etc/fstab").write_text(test_units.fstab_line() + "\n")
    (root / "etc/machine-id").write_text("0123456789abcdef0123456789abcdef\n")
    (root / "etc/group").write_text("".join(f"{name}:x:{number}:\n"
                                            for number, name in enumerate(GROUPS)))
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n")
    shutil.copy(HERE / "boot_story.sh", root)
    kernel.modules_copy(root, MODULES)


def story(folder, kernel, verdicts):
    root = folder / "root"
    root.mkdir()
    root_make(root, kernel)
    drives = []
    for slot in range(DRIVES):
        drives.append((f"d{slot}", folder / f"d{slot}"))
        with drives[-1][1].open("wb") as file:
            file.truncate(DRIVE_MIB * bench.MIB)
    guest = machine.Guest(kernel, root, drives, processors=2)
    guest.end()
    verdicts.of_guest(STORY, guest, CASES)
