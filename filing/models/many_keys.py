"""Conditions on many rows by their keys, which travel as one parameter however many they are."""

from __future__ import annotations

import json
from collections.abc import Sequence

from django.db import connection
from django.db.models.expressions import RawSQL

_LISTS = {
    "sqlite": "SELECT value FROM json_each(%s)",
    "postgresql": "SELECT unnest(%s::bigint[])",
}


def many_keys(keys: Sequence[int]) -> RawSQL:
    """Return the keys for a condition `__in`.

    As a list, each would be a parameter: of these a database takes a limited number, and Django
    spends a second on ten thousand of them, for each query.
    """
    parameter = json.dumps(list(keys)) if connection.vendor == "sqlite" else list(keys)
    return RawSQL(_LISTS[connection.vendor], (parameter,))  # noqa: S611 -- a constant of ours
