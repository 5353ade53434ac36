"""The units as they are installed, and the line of fstab that the manual shows: what systemd makes of
them, without starting any. AW_BUILD is a build folder of the agent, systemd's own programs judge.
A guest is booted and switched off by them in agent/tests/qemu/boot_judge.py."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = os.environ.get("AW_BUILD", "build")
MANUAL = Path(__file__).resolve().parents[3] / "dist/arraywright-attach.8"
SYSTEM = Path("usr/lib/systemd/system")
GENERATOR = Path("/usr/lib/systemd/system-generators/systemd-fstab-generator")
ATTACH = "arraywright-attach@{}.service"


def manual_lines():
    """What is to be typed: the lines that are not filled."""
    text = MANUAL.read_text()
    return [line.replace("\\-", "-") for block in re.findall(r"^\.nf\n(.*?)^\.fi", text, re.S | re.M)
            for line in block.splitlines()]


def fstab_line():
    return next(line for line in manual_lines() if line.startswith("/dev/arraywright/"))


def enabled_units():
    """Those that the manual says are to be enabled."""
    words = next(line for line in manual_lines() if line.startswith("systemctl enable")).split()
    return [word for word in words[2:] if not word.startswith("-")]


def unit_read(path):
    """{(section, key): words of all its lines}; a file below unit.d adds to it."""
    values = {}
    section = None
    for file in [path, *sorted(path.parent.glob(f"{path.name}.d/*.conf"))]:
        for line in file.read_text().splitlines():
            if found := re.fullmatch(r"\[(\w+)\]", line):
                section = found[1]
            elif "=" in line and not line.startswith(("#", ";")):
                key, value = line.split("=", 1)
                values.setdefault((section, key), []).extend(value.split())
    return values


def may_run(*programs):
    missing = [program for program in programs if shutil.which(str(program)) is None]
    return unittest.skipIf(missing, f"not installed: {missing}")


def installed():
    """{what was built: where it is installed}"""
    return json.loads(subprocess.check_output(["meson", "introspect", "--installed", BUILD]))


@may_run("systemd-analyze", "systemctl", GENERATOR)
class Units(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="aw-units-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "root"
        shutil.copytree(Path("/") / SYSTEM, self.root / SYSTEM, symlinks=True)
        for name in ("lib", "bin", "sbin"):
            (self.root / "usr" / name).mkdir(exist_ok=True)
            (self.root / name).symlink_to(f"usr/{name}")
        (self.root / "etc/systemd/system").mkdir(parents=True)
        self.units = {}
        for built, where in installed().items():
            target = self.root / where.lstrip("/")
            if where.endswith(".service"):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(built, target)
                self.units[target.name] = target
            elif "/bin/" in where or "/sbin/" in where:  # that it can be started is enough
                target.parent.mkdir(parents=True, exist_ok=True)
                target.touch(mode=0o755)

    def generate(self):
        """What systemd makes of the manual's line: the name of the mount, with its folder."""
        if os.statvfs("/sys").f_flag & os.ST_RDONLY:
            self.skipTest("the generator passes devices over where /sys cannot be written")
        fstab = self.root / "etc/fstab"
        fstab.write_text(fstab_line() + "\n")
        folders = [self.root / "run/systemd" / name
                   for name in ("generator", "generator.early", "generator.late")]
        for folder in folders:
            folder.mkdir(parents=True)
        subprocess.run([GENERATOR, *folders], check=True,
                       env={**os.environ, "SYSTEMD_FSTAB": str(fstab)})
        [mount] = folders[0].glob("*.mount")
        # verify does not look there.
        shutil.copytree(folders[0], self.root / "etc/systemd/system", symlinks=True,
                        dirs_exist_ok=True)
        return mount

    def enable(self):
        subprocess.run(["systemctl", f"--root={self.root}", "--quiet", "enable", *enabled_units(),
                        "remote-fs.target"], check=True, stderr=subprocess.DEVNULL)

    def verify(self, *units):
        """What systemd says against them."""
        done = subprocess.run(["systemd-analyze", "--man=no", f"--root={self.root}", "verify", *units],
                              capture_output=True, text=True, check=False)
        said = [line for line in (done.stdout + done.stderr).splitlines() if line]
        self.assertFalse(done.returncode != 0 and not said, "it failed and did not say why")
        return said

    def unit(self, name):
        return unit_read(self.units[name])

    def test_each_unit_is_without_fault(self):
        self.assertGreaterEqual(set(self.units), {"arrayd.service", ATTACH.format("")})
        for name in self.units:
            with self.subTest(name):
                self.assertEqual(self.verify(name.replace("@.", "@data.")), [])

    def test_the_monitor_may_run_a_mailer(self):
        """Debian's are setuid or setgid and write to a spool: each of these settings, with a user
        that is not root, implies NoNewPrivileges=yes (systemd.exec(5)), whatever the unit says."""
        keys = {key for section, key in self.unit("arraywright-monitor.service")
                if section == "Service"}
        self.assertEqual(keys & {
            "DynamicUser", "LockPersonality", "MemoryDenyWriteExecute", "PrivateDevices",
            "ProtectClock", "ProtectHostname", "ProtectKernelLogs", "ProtectKernelModules",
            "ProtectKernelTunables", "RestrictAddressFamilies", "RestrictNamespaces",
            "RestrictRealtime", "RestrictSUIDSGID", "SystemCallArchitectures", "SystemCallFilter",
            "SystemCallLog", "CapabilityBoundingSet"}, set())
        unit = self.unit("arraywright-monitor.service")
        self.assertEqual(unit["Service", "ProtectSystem"], ["full"])  # not strict: /var/spool
        self.assertNotIn("yes", unit.get(("Service", "NoNewPrivileges"), []))
        user, = unit["Service", "User"]
        users = (MANUAL.parent / "arraywright.sysusers").read_text()
        self.assertRegex(users, rf"(?m)^u {user} -")

    def test_verify_finds_faults(self):
        unit = self.units["arrayd.service"]
        text = unit.read_text()
        unit.write_text(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/usr/sbin/no-such-program", text))
        self.assertIn("no-such-program is not executable", str(self.verify("arrayd.service")))
        self.generate()
        self.enable()
        unit.write_text(text.replace("[Unit]", "[Unit]\nAfter=remote-fs.target"))
        self.assertIn("ordering cycle", str(self.verify("multi-user.target")))

    def test_the_manuals_line_waits_for_the_drive_and_is_unmounted_first(self):
        line = fstab_line()
        device, where, kind = line.split()[:3]
        attach = ATTACH.format(device.rpartition("/")[2])
        mount = unit_read(self.generate())
        self.assertEqual(mount["Mount", "What"], [device])
        self.assertEqual(mount["Mount", "Where"], [where])
        self.assertEqual(mount["Mount", "Type"], [kind])
        # Required and after: it is started for the mount, and stopped when that is undone.
        self.assertIn(attach, mount["Unit", "Requires"])
        self.assertIn(attach, mount["Unit", "After"])
        # With the network's file systems (_netdev), so that it is after remote-fs-pre.target.
        self.assertIn("remote-fs.target", mount["Unit", "Before"])
        self.assertNotIn("local-fs.target", mount["Unit", "Before"])
        self.assertIn(attach.removesuffix(".service"), enabled_units())

    def test_arrayd_and_the_drive_are_there_before_file_systems(self):
        arrayd = self.unit("arrayd.service")
        attach = self.unit(ATTACH.format(""))
        for unit in (arrayd, attach):
            # A passive target: it is there for the mounts only if somebody wants it.
            self.assertIn("remote-fs-pre.target", unit["Unit", "Before"])
            self.assertIn("remote-fs-pre.target", unit["Unit", "Wants"])
            self.assertEqual(unit["Install", "WantedBy"], ["multi-user.target"])
        self.assertIn("arrayd.service", attach["Unit", "After"])
        self.assertIn("arrayd.service", attach["Unit", "Wants"])
        # Not bound to it: it goes on while arrayd is restarted.
        self.assertFalse({"Requires", "BindsTo", "PartOf", "Requisite"} &
                         {key for section, key in attach if section == "Unit"})
        self.assertIn("arrayd", enabled_units())

    def test_a_boot_with_all_of_it_has_no_cycle(self):
        mount = self.generate()
        self.enable()
        self.assertEqual(self.verify("multi-user.target", mount.name), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
