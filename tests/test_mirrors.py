"""Each module of the service has a test: its mirror, one beside that imports it, or a named one.

`mirrors.csv` names those that are tested through something else, with the reason.
"""

from __future__ import annotations

import ast
import csv
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from tests.tree import APPS, ROOT

TESTS = ROOT / "tests"
LINES = [*csv.DictReader((TESTS / "mirrors.csv").read_text().splitlines())]


def service_modules() -> list[Path]:
    """Return the modules of the service but migrations, relative to the project."""
    paths = (path.relative_to(ROOT) for app in APPS for path in (ROOT / app).rglob("*.py"))
    return sorted(
        path for path in paths if path.name != "__init__.py" and "migrations" not in path.parts
    )


@cache
def imported_by_tests(app: str) -> set[str]:
    """Return the names that the tests of an app import, with their modules."""
    names = set()
    for path in (TESTS / app).rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
    return names


def has_mirror(module: Path) -> bool:
    folder = TESTS / module.parent
    if (folder / f"test_{module.name}").is_file() or (folder / module.stem).is_dir():
        return True
    return ".".join(module.with_suffix("").parts) in imported_by_tests(module.parts[0])


def is_named(module: Path, line: dict[str, str]) -> bool:
    names = line["modules"].split()
    return fnmatch(str(module.parent), line["folder"]) and any(
        fnmatch(module.stem, name) for name in names
    )


WITHOUT_MIRROR = [module for module in service_modules() if not has_mirror(module)]


def test_a_module_without_a_mirror_names_its_tests() -> None:
    unnamed = [m for m in WITHOUT_MIRROR if not any(is_named(m, line) for line in LINES)]
    assert unnamed == []


def test_a_line_names_modules_without_a_mirror() -> None:
    unused = [line for line in LINES if not any(is_named(m, line) for m in WITHOUT_MIRROR)]
    assert unused == []


def test_a_line_has_a_reason_and_names_tests_that_exist() -> None:
    assert [line for line in LINES if not line["reason"]] == []
    names = {name for line in LINES for name in line["tests"].split()}
    assert {name for name in names if not (ROOT / name).is_file()} == set()
