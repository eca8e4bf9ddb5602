"""Imports point downwards: each part of the tree knows only what lies below it."""

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


def test_no_file_hides_behind_a_name_that_says_nothing():
    empty_names = {"utils", "util", "helpers", "helper", "common", "core", "misc"}
    assert [name for name, _ in modules() if name.split(".")[-1] in empty_names] == []
