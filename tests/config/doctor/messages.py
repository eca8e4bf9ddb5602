"""Messages of one check."""

from __future__ import annotations

from django.core import checks

from config.health.live_checks import Check


def problems(check: Check, **options: str) -> list[str]:
    """Return the level and id of each error and warning, such as `error jobs.late`."""
    return [
        f"{'error' if each.level >= checks.ERROR else 'warning'} {each.id}"
        for each in check(**options)
        if each.level >= checks.WARNING
    ]


def texts(check: Check, **options: str) -> str:
    """Return all texts, good ones too, on one line."""
    return " ".join(str(each.msg) for each in check(**options))
