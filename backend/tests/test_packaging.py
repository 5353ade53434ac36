"""What is installed is what was tried: the requirement files pin what pyproject.toml names."""

import re
import tomllib
from pathlib import Path
from typing import Any

BACKEND = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((BACKEND / "pyproject.toml").read_text())


def pins(path: str) -> set[str]:
    lines = (BACKEND / path).read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def wanted(requirements: list[str]) -> set[str]:
    return {re.sub(r"\[.*?\]", "", requirement) for requirement in requirements}


def test_requirement_files_fit() -> None:
    run, dev = pins("requirements.txt"), pins("requirements-dev.txt")
    assert wanted(PROJECT["project"]["dependencies"]) <= run
    assert wanted(PROJECT["dependency-groups"]["dev"]) <= dev
    assert run <= dev
    assert wanted(PROJECT["build-system"]["requires"]) <= run


def test_everything_is_pinned_exactly() -> None:
    for line in pins("requirements-dev.txt"):
        assert re.fullmatch(r"[a-z0-9-]+==[^ ]+", line), line
