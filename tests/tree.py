"""The modules of the project, and what stands in each, parsed once."""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
APPS = ["config", "filing", "publicapi", "databrowser", "uliapi", "ratespread", "graphs"]


class Content(NamedTuple):
    """imports: full names. values: lines and constants, but for texts that document."""

    imports: list[str]
    values: list[tuple[int, object]]


@cache
def modules() -> list[tuple[str, Path]]:
    found = []
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" in path.parts:
                continue
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found.append((name.removesuffix(".__init__"), path))
    return found


@cache
def content_of(path: Path) -> Content:
    imported: list[str] = []
    values: list[tuple[int, object]] = []
    documenting: set[ast.expr] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Expr):  # comes before what it holds
            documenting.add(node.value)
        elif isinstance(node, ast.Constant) and node not in documenting:
            values.append((node.lineno, node.value))
        elif isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported += [f"{node.module}.{alias.name}" for alias in node.names]
    return Content(imported, values)


def imports(path: Path) -> list[str]:
    return content_of(path).imports
