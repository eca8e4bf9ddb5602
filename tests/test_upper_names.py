"""No module of `filing` names an area above, in a string either: its kinds of job, events, tables.

Imports are the business of `test_floors`. Here are names that no import shows: a kind of job in a
condition, a table in a right. What areas above are called is read from what they have registered.
"""

from __future__ import annotations

import re

from django.apps import apps
from django.conf import settings

from filing.people import roles
from filing.registries import AUDIT_EVENTS, JOB_KINDS
from tests.tree import ROOT, content_of, modules

BELOW = "filing"
ASSEMBLY = "config"
AREAS = {
    app for app in settings.INSTALLED_APPS if (ROOT / app).is_dir() and app not in (BELOW, ASSEMBLY)
}
# Registered by the assembly: libraries that `filing` knows nothing of.
LIBRARIES = {"auditlog", "oauth2_provider"}


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


def test_the_areas_above_are_all_that_there_are() -> None:
    assert {"databrowser", "graphs", "publicapi", "ratespread", "uliapi"} <= AREAS
    assert kinds() >= {"disclose", "publish", "graphs"}
    assert events() >= {"public file imported", "data set withdrawn"}
    assert rights() >= {"add_version", "add_computation", "view_aporload"}
    assert relations() >= {"modified_lar", "version", "graphs_computation"}
    assert set(roles.RIGHTS) >= LIBRARIES


def test_no_module_names_an_area_above() -> None:
    whole = kinds() | events() | rights() | relations()
    part = re.compile(rf"(?<![A-Za-z])({'|'.join(sorted(AREAS | LIBRARIES))})(?![A-Za-z])")
    named = [
        f"{name}, line {line}: {value}"
        for name, path in modules()
        if name.partition(".")[0] == BELOW
        for line, value in content_of(path).values
        if isinstance(value, str) and (value in whole or part.search(value))
    ]
    assert named == []
