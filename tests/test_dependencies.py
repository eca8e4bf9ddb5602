"""What is installed is used: each dependency is named by the code, not only listed."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "bench",
    "config",
    "databrowser",
    "filing",
    "graphs",
    "publicapi",
    "ratespread",
    "uliapi",
)

# The code does not name their modules.
NOT_NAMED = {
    "defusedxml": "openpyxl reads workbooks with it where it is installed",
    "supervisor": "its program supervisord is started",
}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def dependencies() -> list[str]:
    """Return the names that pyproject.toml lists for the service."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    return [normal(re.split(r"[\[<>=~! ]", each)[0]) for each in listed]


def code() -> str:
    """Return all code but the lines that only list an app, or import modules of the service."""
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    lines = (line for path in files for line in path.read_text().splitlines())
    own = re.compile(rf"from (?:{'|'.join(PACKAGES)})\b.*")
    listed = re.compile(r' +"\w+",')
    return "\n".join(line for line in lines if not (own.match(line) or listed.fullmatch(line)))


@pytest.fixture(scope="module")
def words() -> set[str]:
    return set(re.findall(r"\w+", code()))


@pytest.mark.parametrize("name", dependencies())
def test_a_dependency_is_used(name: str, words: set[str]) -> None:
    owners = packages_distributions().items()
    modules = {module for module, owning in owners if name in map(normal, owning)}
    used = bool(modules & words)
    assert used is (name not in NOT_NAMED), modules
