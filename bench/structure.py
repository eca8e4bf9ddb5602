"""Figures on the layout of the code: length of files, rooms, and the imports between them.

    python bench/structure.py [TREE] [--of MODULE]

TREE is a checkout, this one if none is given, so that two states can be compared. A room is a
package, or a module that lies beside packages on the floor of an app. An arrow is a pair of rooms
of which one imports the other; a pair with arrows both ways is counted as a knot.
"""

from __future__ import annotations

import argparse
import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

APPS = ("config", "filing", "publicapi", "databrowser", "uliapi", "ratespread", "graphs")
WITH_ROOMS = ("filing", "databrowser")


def sources(tree: Path) -> dict[str, Path]:
    """Return the modules of all apps by dotted name, without migrations."""
    paths = (path for app in APPS for path in sorted((tree / app).rglob("*.py")))
    return {
        ".".join(path.relative_to(tree).with_suffix("").parts).removesuffix(".__init__"): path
        for path in paths
        if "migrations" not in path.parts
    }


def imported(path: Path, modules: dict[str, Path]) -> Iterator[str]:
    """Return the modules of ours that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if (module := name if name in modules else name.rpartition(".")[0]) in modules:
                yield module


def room_of(module: str) -> str:
    """Return the app of a module, or its room in an app that has rooms."""
    app, _, rest = module.partition(".")
    return f"{app}.{rest.partition('.')[0]}" if app in WITH_ROOMS and rest else app


def arrows(modules: dict[str, Path]) -> set[tuple[str, str]]:
    """Return the pairs of rooms of which the first imports the second."""
    return {
        (room_of(module), room_of(target))
        for module, path in modules.items()
        for target in imported(path, modules)
        if room_of(module) != room_of(target)
    }


def closure(module: str, modules: dict[str, Path]) -> set[str]:
    """Return all modules of ours that are loaded with one: its packages and what they import."""
    loaded: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in loaded and name in modules:
            loaded.add(name)
            waiting += [name.rpartition(".")[0], *imported(modules[name], modules)]
    return loaded


def main() -> None:
    """Print the figures of a tree."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tree", nargs="?", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--of", default="uliapi.batch", metavar="MODULE")
    options = parser.parse_args()
    modules = sources(options.tree)
    lines = {name: len(path.read_text().splitlines()) for name, path in modules.items()}
    longest = max(lines, key=lambda name: lines[name])
    percentiles = statistics.quantiles(lines.values(), n=10)
    between = arrows(modules)
    knots = {frozenset(pair) for pair in between if pair[::-1] in between}
    print(f"{len(lines):,} modules of {sum(lines.values()):,} lines")
    print(f"longest file: {longest}, {lines[longest]:,} lines")
    print(f"lines of a file: median {statistics.median(lines.values()):g}, p90 {percentiles[8]:g}")
    print(f"files above 250 lines: {sum(length > 250 for length in lines.values())}")
    for app in WITH_ROOMS:
        floor = [p for p in (options.tree / app).glob("*.py") if p.name != "__init__.py"]
        print(f"modules on the floor of {app}: {len(floor)}")
    print(f"arrows between {len({*map(room_of, modules)})} rooms: {len(between)}")
    print(f"pairs of rooms that import each other: {len(knots)}")
    loaded = closure(options.of, modules)
    print(f"modules of ours that {options.of} needs: {len(loaded)}")


if __name__ == "__main__":
    main()
