"""The package of the agent, and `meson install`, without a machine to install it on: dpkg works in
a folder, as anybody, and the maintainer scripts find there what they ask the system for. The whole
way on a machine that boots is packaging/journey. AW_PROGRAMS is a build folder of the agent, whose
programs are packed instead of compiled anew."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "arraywright-agent"
CONFFILES = ["/etc/arraywright/arrayd.conf", "/etc/arraywright/uplink.conf",
             "/etc/mdadm/mdadm.conf.d/arraywright.conf", "/etc/needrestart/conf.d/arraywright.conf"]
NAMES = ["storcli", "storcli64", "tw_cli", "megacli", "MegaCli64"]
EDITED = "# edited by the administrator\n"
WITHOUT_VARIABLES = {name: value for name, value in os.environ.items() if name != "DESTDIR"}


def run(*words: str | Path, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in words], text=True, capture_output=True,
                          check=False, **options)


def good(*words: str | Path, **options) -> str:
    done = run(*words, **options)
    assert done.returncode == 0, f"{words}:\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    good(ROOT / "packaging/build", "--only", PACKAGE, "--programs", os.environ["AW_PROGRAMS"],
         "--version", "1.0", "--out", folder / "out", "--work", folder / "work",
         env=os.environ | {"DEB_BUILD_OPTIONS": "nostrip noautodbgsym"})
    return folder


@pytest.fixture(scope="module")
def package(built: Path) -> Path:
    return next((built / "out").glob(f"{PACKAGE}_1.0_*.deb"))


@pytest.fixture(scope="module")
def newer(built: Path, package: Path) -> Path:
    """A later version, whose shipped arrayd.conf has changed."""
    folder = built / "newer"
    good("dpkg-deb", "--raw-extract", package, folder)
    control = folder / "DEBIAN/control"
    control.write_text(control.read_text().replace("Version: 1.0", "Version: 1.1"))
    with (folder / "etc/arraywright/arrayd.conf").open("a") as file:
        file.write("# of version 1.1\n")
    made = built / "newer.deb"
    good("dpkg-deb", "--root-owner-group", "-Znone", "--build", folder, made)
    return made


# meson install

@pytest.fixture
def meson_install(built: Path, tmp_path: Path):
    def install() -> Path:
        good("meson", "install", "-C", built / "work/source/debian/build-agent", "--no-rebuild",
             "--quiet", env=WITHOUT_VARIABLES | {"DESTDIR": str(tmp_path)})
        return tmp_path
    return install


MESON_CONFFILES = CONFFILES[:3]


def test_meson_install_writes_the_configuration_where_there_is_none(meson_install) -> None:
    root = meson_install()
    examples = root / f"usr/share/doc/{PACKAGE}/examples"
    shipped = [examples / name for name in ("arrayd.conf.example", "uplink.conf.example",
                                            "mdadm.conf")]
    for name, example in zip(MESON_CONFFILES, shipped, strict=True):
        file = root / name.lstrip("/")
        assert file.read_text() == example.read_text()
        assert file.stat().st_mode & 0o777 == 0o644


def test_a_second_meson_install_keeps_what_was_edited(meson_install) -> None:
    root = meson_install()
    for name in MESON_CONFFILES:
        (root / name.lstrip("/")).write_text(EDITED)
    (root / "usr/sbin/arrayd").unlink()
    meson_install()
    assert (root / "usr/sbin/arrayd").exists()
    assert [name for name in MESON_CONFFILES
            if (root / name.lstrip("/")).read_text() != EDITED] == []


def test_uninstall_leaves_the_configuration(meson_install, built: Path) -> None:
    root = meson_install()
    good("ninja", "-C", built / "work/source/debian/build-agent", "uninstall")
    assert not (root / "usr/sbin/arrayd").exists()
    assert [name for name in MESON_CONFFILES if not (root / name.lstrip("/")).exists()] == []


# What the package holds

@pytest.fixture(scope="module")
def listed(package: Path) -> dict[str, str]:
    """{path: mode} of what is no folder"""
    lines = [line.split(maxsplit=5) for line in good("dpkg-deb", "--contents", package).splitlines()]
    return {line[5].lstrip("."): line[0] for line in lines if not line[0].startswith("d")}


def control_file(package: Path, name: str) -> str:
    return good("dpkg-deb", "--ctrl-tarfile", package) and good("dpkg-deb", "--info", package, name)


def test_the_configuration_files_are_conffiles(package: Path) -> None:
    assert sorted(control_file(package, "conffiles").split()) == CONFFILES


def test_every_program_has_a_manual_and_every_unit_its_program(listed: dict[str, str],
                                                             built: Path) -> None:
    programs = {path for path in listed if re.match(r"/usr/s?bin/", path)}
    assert programs == {"/usr/sbin/arrayd", "/usr/sbin/arrayctl", "/usr/sbin/arraywright-attach",
                        "/usr/bin/arraywright-uplink", "/usr/bin/arraysim"}
    manuals = {Path(path).name.split(".")[0] for path in listed if "/man/man" in path}
    assert {Path(path).name for path in programs} <= manuals
    units = {path for path in listed if path.endswith(".service")}
    assert {Path(path).name for path in units} == {
        "arrayd.service", "arraywright-attach@.service", "arraywright-monitor.service",
        "arraywright-smart.service", "arraywright-uplink.service"}
    for unit in units:
        text = (built / f"work/source/debian/{PACKAGE}{unit}").read_text()
        started = re.search(r"(?m)^ExecStart=(\S+)", text)
        assert started and started[1] in programs, unit


def test_nothing_is_writable_or_privileged_and_nothing_lies_elsewhere(listed: dict[str, str]) -> None:
    assert {path: mode for path, mode in listed.items()
            if mode not in ("-rw-r--r--", "-rwxr-xr-x")} == {}
    assert [path for path in listed if not path.startswith(("/etc/", "/usr/", "/lib/systemd/"))] == []


def test_drivers_shells_and_predictions_find_their_files(listed: dict[str, str]) -> None:
    """Where Debian's udev, initramfs-tools, systemd and shells look for them, and arraysim."""
    completions = {"/usr/share/bash-completion/completions/arrayctl",
                   "/usr/share/zsh/vendor-completions/_arrayctl",
                   "/usr/share/fish/vendor_completions.d/arrayctl.fish"}
    # bash and fish look for a file of the command's name, zsh reads the names in the file.
    for name in ("storcli", "storcli64"):
        completions |= {f"/usr/share/bash-completion/completions/{name}",
                        f"/usr/share/fish/vendor_completions.d/{name}.fish"}
    wanted = completions | {"/usr/lib/udev/rules.d/63-arraywright.rules",
                            "/usr/share/initramfs-tools/hooks/arraywright",
                            "/usr/lib/sysusers.d/arraywright.conf"}
    assert wanted - set(listed) == set()
    profiles = ROOT / "agent/profiles"
    assert {f"/usr/share/arraywright/profiles/{path.relative_to(profiles)}"
            for path in profiles.glob("*/*.json")} - set(listed) == set()


# The container images

def libraries_of_the_image(name: str) -> set[str]:
    """The packages of shared libraries that the last stage of a Dockerfile installs."""
    stage = (ROOT / name / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    installed = re.search(r"apt-get install .*?--no-install-recommends(.*?)&&", stage, flags=re.S)
    assert installed, f"the last stage of {name}/Dockerfile installs nothing"
    return {word for word in installed[1].split() if word.startswith("lib")}


def libraries(depends: str) -> set[str]:
    """Of a Depends field, without libc, which every image has."""
    return set(re.findall(r"(?:^|, )(lib[a-z0-9.+-]+)", depends)) - {"libc6"}


def test_the_agents_image_has_the_libraries_of_the_package(package: Path) -> None:
    depends = libraries(good("dpkg-deb", "--field", package, "Depends"))
    assert "liburing2" in depends
    assert libraries_of_the_image("agent") == depends


def test_the_backends_image_has_the_libraries_of_arraysim(built: Path) -> None:
    linked = good("dpkg-shlibdeps", "-O", f"-e{os.environ['AW_PROGRAMS']}/src/lab/arraysim",
                  cwd=built / "work/source")
    depends = libraries(linked.partition("shlibs:Depends=")[2])
    assert "libjansson4" in depends
    assert libraries_of_the_image("backend") == depends


# dpkg in a folder

class Host:
    """A root that has nothing but dpkg's database and what the tests put there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/alternatives",
                       "etc/alternatives", "usr/sbin", "proc/self"):
            (root / folder).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()
        for name, text in (("self/mountinfo", ""), ("swaps", "")):
            (root / "proc" / name).write_text(text)

    def dpkg(self, *words: str | Path) -> subprocess.CompletedProcess:
        return run("dpkg", f"--root={self.root}", "--force-not-root", "--force-script-chrootless",
                   "--force-depends", "--force-unsafe-io", f"--log={self.root}/dpkg.log", *words,
                   stdin=subprocess.DEVNULL,
                   env=os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin", "LC_ALL": "C"})

    def good(self, *words: str | Path) -> str:
        done = self.dpkg(*words)
        assert done.returncode == 0, f"{words}:\n{done.stdout}{done.stderr}"
        return done.stdout

    def path(self, name: str) -> Path:
        return self.root / name.lstrip("/")

    def state(self) -> str:
        return run("dpkg-query", f"--admindir={self.root}/var/lib/dpkg", "-W", "-f", "${db:Status-Status}",
                   PACKAGE).stdout

    def edit(self) -> None:
        for name in CONFFILES:
            self.path(name).write_text(EDITED)

    def changed(self) -> list[str]:
        return [name for name in CONFFILES if self.path(name).read_text() != EDITED]

    def attach(self, mounted: str | None) -> None:
        device = self.path("/sys/block/nbd0")
        device.mkdir(parents=True)
        (device / "backend").write_text("arraywright:data\t0123\n")
        (device / "dev").write_text("43:0\n")
        if mounted:
            self.path("/proc/self/mountinfo").write_text(
                f"29 1 43:0 / {mounted} rw,relatime shared:1 - ext4 /dev/nbd0 rw\n")


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "host")


def test_what_was_edited_survives_upgrade_removal_and_installation(
        host: Host, package: Path, newer: Path) -> None:
    host.good("--install", package)
    host.edit()
    host.good("--force-confdef", "--force-confold", "--install", newer)
    assert host.changed() == []
    assert host.path("/etc/arraywright/arrayd.conf.dpkg-dist").read_text().endswith("version 1.1\n")
    host.good("--remove", PACKAGE)
    assert host.state() == "config-files"
    assert host.changed() == []
    assert not host.path("/usr/sbin/arrayd").exists()
    host.good("--install", newer)
    assert host.changed() == []


def test_an_upgrade_asks_nothing_where_nothing_was_edited(host: Host, package: Path, newer: Path) -> None:
    host.good("--install", package)
    host.good("--install", newer)  # without an input: a question would end it
    assert host.path("/etc/arraywright/arrayd.conf").read_text().endswith("version 1.1\n")


def test_the_vendors_names_are_alternatives(host: Host, package: Path) -> None:
    host.good("--install", package)
    for name in NAMES:
        assert os.readlink(host.path(f"/usr/sbin/{name}")) == f"/etc/alternatives/{name}"
        assert os.readlink(host.path(f"/etc/alternatives/{name}")) == "/usr/sbin/arrayctl"
        assert host.path(f"/usr/share/man/man8/{name}.8.gz").is_symlink()
    host.good("--remove", PACKAGE)
    assert [name for name in NAMES if host.path(f"/usr/sbin/{name}").is_symlink()] == []


def test_a_vendors_own_program_stays(host: Host, package: Path) -> None:
    host.path("/usr/sbin/storcli").write_text("the vendor's")
    host.good("--install", package)
    host.good("--remove", PACKAGE)
    assert host.path("/usr/sbin/storcli").read_text() == "the vendor's"


def test_the_users_are_made_and_the_services_enabled(host: Host, package: Path) -> None:
    if shutil.which("systemd-sysusers") is None:
        pytest.skip("systemd-sysusers is not installed")
    host.good("--install", package)
    users = {line.split(":")[0] for line in host.path("/etc/passwd").read_text().splitlines()}
    assert {"arraywright-uplink", "arraywright-monitor"} <= users
    assert {"arraywright", "arraywright-admin"} <= {
        line.split(":")[0] for line in host.path("/etc/group").read_text().splitlines()}
    wanted = {path.name for path in host.path("/etc/systemd/system/multi-user.target.wants").iterdir()}
    assert wanted == {"arrayd.service", "arraywright-monitor.service", "arraywright-smart.service"}


def test_removal_is_refused_while_a_virtual_drive_is_mounted(host: Host, package: Path) -> None:
    host.good("--install", package)
    host.attach("/srv/data")
    done = host.dpkg("--remove", PACKAGE)
    assert done.returncode != 0
    assert 'virtual drive "data" (/dev/nbd0) is mounted on /srv/data.' in done.stderr
    assert "Nothing was removed." in done.stderr
    assert host.state() == "installed"
    assert host.path("/usr/sbin/storcli").is_symlink()
    host.path("/proc/self/mountinfo").write_text("")
    host.good("--remove", PACKAGE)


def test_an_upgrade_of_a_host_with_mounted_drives_is_not_refused(host: Host, package: Path, newer: Path) -> None:
    host.good("--install", package)
    host.attach("/srv/data")
    host.good("--install", newer)


def test_purge_keeps_the_records_of_the_arrays_and_says_so(host: Host, package: Path) -> None:
    host.good("--install", package)
    host.edit()
    own = host.path("/etc/arraywright/nbd-key.pem")
    own.write_text("the administrator's")
    records = host.path("/var/lib/arraywright/c0/records")
    identity = host.path("/var/lib/arraywright-uplink/identity.json")
    for file in (records, identity):
        file.parent.mkdir(parents=True)
        file.touch()
    said = host.good("--purge", PACKAGE)
    assert "the drives were not touched" in said
    assert "/var/lib/arraywright" in said
    assert records.exists()
    assert own.exists()
    assert not identity.parent.exists()
    assert [name for name in CONFFILES if host.path(name).exists()] == []
    assert host.state() in ("", "not-installed")
