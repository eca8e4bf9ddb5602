"""The modules of the project, and what each imports."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APPS = ["config", "filing", "publicapi", "databrowser", "uliapi", "ratespread", "graphs"]


def modules() -> list[tuple[str, Path]]:
    found = []
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" in path.parts:
                continue
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found.append((name.removesuffix(".__init__"), path))
    return found


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found
