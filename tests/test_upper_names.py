"""No module of `filing` names an area above, in a string either: its kinds of job, events, tables.

Imports are the business of `test_floors`. Here are names that no import shows: a kind of job in a
condition, a table in a right. What areas above are called is read from what they have registered.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings

from filing import registries
from filing.people import roles
from filing.registries import AUDIT_EVENTS, JOB_KINDS

ROOT = Path(__file__).resolve().parent.parent
BELOW = "filing"
ASSEMBLY = "config"
AREAS = {
    app for app in settings.INSTALLED_APPS if (ROOT / app).is_dir() and app not in (BELOW, ASSEMBLY)
}
# Registered by the assembly: libraries that `filing` knows nothing of.
LIBRARIES = {"auditlog", "oauth2_provider"}
MODULES = [path for path in sorted((ROOT / BELOW).rglob("*.py")) if "migrations" not in path.parts]


def top(module: str) -> str:
    return module.partition(".")[0]


def kinds() -> set[str]:
    return {
        each.name for each in JOB_KINDS.values() if each.run and top(each.run.__module__) in AREAS
    }


def events() -> set[str]:
    return {value for value, event in AUDIT_EVENTS.items() if top(type(event).__module__) in AREAS}


def rights() -> set[str]:
    """Return the permissions for tables of areas above."""
    models = (model._meta for label in AREAS for model in apps.get_app_config(label).get_models())
    return {
        f"{verb}_{model.model_name}"
        for model in models
        for verb in ("add", "change", "delete", "view")
    }


def relations() -> set[str]:
    """Return the names under which tables of `filing` have rows of areas above."""
    return {
        relation.get_accessor_name() or ""
        for model in apps.get_app_config(BELOW).get_models()
        for relation in model._meta.related_objects
        if relation.related_model._meta.app_label in AREAS
    } - {""}


def strings(source: str) -> list[str]:
    """Return the strings of a module, those that only document left out."""
    tree = ast.parse(source)
    documenting = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documenting
    ]


def upper_names(source: str) -> list[str]:
    """Return the strings of a module that name an area above, or something that it has."""
    whole = kinds() | events() | rights() | relations()
    part = re.compile(rf"(?<![A-Za-z])({'|'.join(sorted(AREAS | LIBRARIES))})(?![A-Za-z])")
    return [each for each in strings(source) if each in whole or part.search(each)]


def test_the_areas_above_are_all_that_there_are() -> None:
    assert {"databrowser", "graphs", "publicapi", "ratespread", "uliapi"} <= AREAS
    assert kinds() >= {"disclose", "publish", "graphs"}
    assert events() >= {"public file imported", "data set withdrawn"}
    assert rights() >= {"add_version", "add_computation", "view_aporload"}
    assert relations() >= {"modified_lar", "version", "graphs_computation"}
    assert set(roles.RIGHTS) >= LIBRARIES


def test_no_module_names_an_area_above() -> None:
    named = {str(path.relative_to(ROOT)): upper_names(path.read_text()) for path in MODULES}
    assert {path: names for path, names in named.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ('ERRANDS = ("mail", "disclose")', ["disclose"]),
        ('PUBLISHED = "data set published"', ["data set published"]),
        ('Q(content_type__app_label="ratespread")', ["ratespread"]),
        ('codename = "add_version"', ["add_version"]),
        ('path = f"admin:graphs_{page}"', ["admin:graphs_"]),
        ('Job.objects.select_related("graphs_computation")', ["graphs_computation"]),
        ('"""Says what graphs and the databrowser do."""\ngeography = "geography.street"', []),
    ],
)
def test_names_are_found_in_all_strings_that_do_something(source: str, named: list[str]) -> None:
    assert upper_names(source) == named


def test_links_of_areas_above_are_registered_by_their_pages() -> None:
    labels = {link.to.partition(":")[2].partition("_")[0] for link in registries.ADMIN_LINKS}
    assert labels >= {"databrowser", "graphs", "ratespread"}
