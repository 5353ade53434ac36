"""The agent's package of an earlier version, built from git: what the journey upgrades from.

packaging/previous-package names the commit. It cannot be that of packaging/previous-version as long as
that has no packages yet."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from guest import ROOT, JourneyError, run

sys.path.insert(0, str(ROOT / "agent/tools"))

import ledgers  # noqa: E402

AGENT = "arraywright-agent"
CONFFILE = "/etc/arraywright/arrayd.conf"
COMMIT = (ROOT / "packaging/previous-package").read_text().strip()


def origin() -> dict[str, str]:
    """For a record."""
    return {"previous": COMMIT[:12],
            **ledgers.trees_of(COMMIT, previous_agent="agent", previous_packaging="packaging")}


def build(cache: Path) -> Path:
    """Built once for what the package is made of."""
    trees = ledgers.trees_of(COMMIT, agent="agent", packaging="packaging")
    kept = cache / f"earlier-{'-'.join(trees.values())}"
    if not kept.exists():
        print(f"== building the agent's package of {COMMIT[:8]}: some minutes, once", flush=True)
        for old in cache.glob("earlier-*"):
            shutil.rmtree(old)
        source, made = cache / "earlier.source", cache / "earlier.new"
        for folder in (source, made):
            shutil.rmtree(folder, ignore_errors=True)
        run("git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, source)
        run("git", "-C", source, "checkout", "--quiet", COMMIT)
        run(source / "packaging/build", "--only", AGENT, "--out", made)
        made.rename(kept)
        shutil.rmtree(source)
    return next(kept.glob(f"{AGENT}_*.deb"))


def package_make(new: Path, cache: Path, folder: Path) -> Path:
    """The earlier package, with an arrayd.conf that the new one changes in any case: the upgrade
    must keep what the administrator wrote."""
    package = build(cache)
    tree = folder / "earlier"
    run("dpkg-deb", "--raw-extract", package, tree)
    control = (tree / "DEBIAN/control").read_text()
    version = re.search(r"(?m)^Version: (.*)$", control)[1]
    newer = run("dpkg-deb", "-f", new, "Version").strip()
    try:
        run("dpkg", "--compare-versions", version, "lt", newer)
    except JourneyError:
        raise JourneyError(f"{version} of packaging/previous-package is not older than {newer}") from None
    with (tree / CONFFILE.lstrip("/")).open("a") as file:
        file.write("# As an earlier version shipped it.\n")
    made = folder / package.name
    run("dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, made)
    return made
