"""Imports point downwards: each part of the tree knows only what lies below it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ["config", "filing", "publicapi", "databrowser", "uliapi", "ratespread", "graphs"]
FLOORS = {
    "uliapi.checkdigit": 0,
    "filing.lar": 0,
    "filing.reference": 1,
    "filing.edits": 2,
    "filing": 3,
    "databrowser.models": 4,
    "databrowser.dimensions": 4,
    "databrowser.publication": 5,
    "publicapi": 6,
    "databrowser": 6,
    "uliapi": 6,
    "ratespread": 6,
    "graphs": 6,
    "config": 7,
}
NO_DJANGO = ("filing.lar", "filing.edits", "uliapi.checkdigit")
NOBODY_KNOWS = ("config",)


def modules() -> list[tuple[str, Path]]:
    found = []
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" in path.parts:
                continue
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found.append((name.removesuffix(".__init__"), path))
    return found


def place(name: str) -> str | None:
    """Return the part of the tree a module belongs to, the most particular one."""
    fitting = [part for part in FLOORS if name == part or name.startswith(f"{part}.")]
    return max(fitting, key=len, default=None)


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


@pytest.mark.parametrize(("name", "path"), modules(), ids=[name for name, _ in modules()])
def test_a_module_imports_only_from_its_own_part_and_from_below(name, path):
    here = place(name)
    assert here is not None
    wrong = []
    for imported in imports(path):
        there = place(imported)
        if there is None or there == here:
            continue
        if FLOORS[there] >= FLOORS[here] or there in NOBODY_KNOWS:
            wrong.append(imported)
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "path"), [(n, p) for n, p in modules() if n.startswith(NO_DJANGO)]
)
def test_the_record_the_rulebook_and_the_check_digit_know_no_django(name, path):
    assert [each for each in imports(path) if each.split(".")[0] in {"django", "celery"}] == []


def test_no_file_hides_behind_a_name_that_says_nothing():
    empty_names = {"utils", "util", "helpers", "helper", "common", "core", "misc"}
    assert [name for name, _ in modules() if name.split(".")[-1] in empty_names] == []
