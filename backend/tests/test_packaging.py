"""What is installed is what was tried: the requirement files pin what pyproject.toml names."""

import re
import runpy
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arraywright.settings import Settings

BACKEND = Path(__file__).resolve().parents[1]
SETTINGS_FILE = BACKEND.parent / "packaging/backend/backend.env"
GENERATOR = runpy.run_path(str(BACKEND / "tools/generate_settings.py"))
PROJECT: dict[str, Any] = tomllib.loads((BACKEND / "pyproject.toml").read_text())


def pins(path: str) -> set[str]:
    lines = (BACKEND / path).read_text().splitlines()
    return {line.removesuffix(" \\") for line in lines if line and line[0] not in "# "}


def wanted(requirements: list[str]) -> set[str]:
    return {re.sub(r"\[.*?\]", "", requirement) for requirement in requirements}


def test_requirement_files_fit() -> None:
    run, dev = pins("requirements.txt"), pins("requirements-dev.txt")
    assert wanted(PROJECT["project"]["dependencies"]) <= run
    assert wanted(PROJECT["dependency-groups"]["dev"]) <= dev
    assert run <= dev
    assert wanted(PROJECT["build-system"]["requires"]) <= run


def test_what_is_installed_is_known_by_its_hash() -> None:
    lines = (BACKEND / "requirements.txt").read_text().splitlines()
    for line, following in pairwise([*lines, ""]):
        if line and line[0] not in "# ":
            assert following.strip().startswith("--hash=sha256:"), line


def test_everything_is_pinned_exactly() -> None:
    for line in pins("requirements-dev.txt"):
        assert re.fullmatch(r"[a-z0-9-]+==[^ ]+", line), line


def test_settings_file_of_the_package_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with every default uncommented, the empty ones included."""
    text = re.sub("^#ARRAYWRIGHT", "ARRAYWRIGHT", SETTINGS_FILE.read_text(), flags=re.M)
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            monkeypatch.setenv(name, value)
    expected = Settings.model_construct().model_dump() | {
        name: Path(value) for name, value in GENERATOR["INSTALLED"].items()
    }
    assert Settings().model_dump() == expected
