"""Imports point downwards: each part of the tree knows only what lies below it."""

import pytest

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
NO_DJANGO = ("filing.lar", "filing.edits", "uliapi.checkdigit")
NOBODY_KNOWS = ("config",)


def place(name: str) -> str | None:
    """Return the part of the tree a module belongs to, the most particular one."""
    fitting = [part for part in FLOORS if name == part or name.startswith(f"{part}.")]
    return max(fitting, key=len, default=None)


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
