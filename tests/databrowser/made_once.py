"""Data sets that many tests read are built once a process, for the first of them."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

from django.apps import apps
from django.core import serializers
from django.core.management.color import no_style
from django.db import connection, models

from tests.conftest import SUBMISSION_FILES

_made: dict[Callable[[], None], tuple[str, Path]] = {}


def make_once(make: Callable[[], None]) -> None:
    """Call a function that adds rows, before there are others; later add the same rows again."""
    if make not in _made:
        before = {model: set(_keys(model)) for model in apps.get_models()}
        make()
        added = [
            row
            for model, keys in before.items()
            for row in model._base_manager.exclude(pk__in=keys)
        ]
        _made[make] = serializers.serialize("json", added), Path(mkdtemp())
        if SUBMISSION_FILES.exists():
            shutil.copytree(SUBMISSION_FILES, _made[make][1], dirs_exist_ok=True)
        return
    rows, files = _made[make]
    restored = defaultdict(list)
    for row in serializers.deserialize("json", rows):
        restored[type(row.object)].append(row.object)
    for model, objects in restored.items():
        # This tells nobody, who would add more rows; those that triggers have added are there.
        model._base_manager.bulk_create(objects, ignore_conflicts=True)
    shutil.copytree(files, SUBMISSION_FILES, dirs_exist_ok=True)
    with connection.cursor() as cursor:  # or PostgreSQL would give the same numbers again
        for sql in connection.ops.sequence_reset_sql(no_style(), list(restored)):
            cursor.execute(sql)


def _keys(model: type[models.Model]) -> models.QuerySet[models.Model]:
    return model._base_manager.values_list("pk", flat=True)
