"""Imports point downwards: each part of the tree knows only what lies below it.

Made-up data lie in rooms named `demo`, and no code of production imports one.
"""

import re
from pathlib import Path

from tests.tree import imports, modules

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
NO_DJANGO = ("filing.lar", "filing.edits", "filing.spreadsheets", "uliapi.checkdigit")
NOBODY_KNOWS = ("config",)
# What makes or loads made-up data on request, each by a command of its own or an option.
COMMANDS = {
    "config.management.commands.demo",
    "config.management.commands.prepare",
    "config.management.commands.running",
    "config.management.commands.serve",
    "databrowser.management.commands.make_public_lar",
    "filing.management.commands.load_census",
    "filing.management.commands.make_lar",
    "filing.management.commands.make_submissions",
}


def place(name: str) -> str | None:
    """Return the part of the tree a module belongs to, the most particular one."""
    fitting = [part for part in FLOORS if name == part or name.startswith(f"{part}.")]
    return max(fitting, key=len, default=None)


def upward(name: str, path: Path) -> list[str]:
    """Return the modules that a module may not import, but does."""
    here = place(name)
    assert here is not None, f"{name} has no place in the table"
    places = {imported: place(imported) for imported in imports(path)}
    return [
        imported
        for imported, there in places.items()
        if there not in {None, here} and (FLOORS[there] >= FLOORS[here] or there in NOBODY_KNOWS)
    ]


def test_modules_import_only_from_their_own_part_and_from_below():
    wrong = {name: upward(name, path) for name, path in modules()}
    assert {name: imported for name, imported in wrong.items() if imported} == {}


def test_the_record_the_rulebook_and_the_check_digit_know_no_django():
    free = [(name, path) for name, path in modules() if name.startswith(NO_DJANGO)]
    assert free
    packages = {name: {i.split(".")[0] for i in imports(path)} for name, path in free}
    assert {name for name, used in packages.items() if used & {"django", "celery"}} == set()


def is_demo(name: str) -> bool:
    return re.match(r"[a-z]+\.demo(\.|$)", name) is not None


def test_commands_alone_import_made_up_data() -> None:
    outside = [(name, path) for name, path in modules() if not is_demo(name)]
    assert {name for name, path in outside if any(map(is_demo, imports(path)))} == COMMANDS
