"""Ages in words."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

_UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"))


def in_words(seconds: float) -> str:
    """Return an age as `40 seconds`, `12 minutes`, `5 hours` or `3 days`."""
    for size, word in _UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {word}"
    return f"{seconds:.0f} seconds"


def seconds_since(moment: datetime) -> float:
    """Return the seconds since a moment; 0 for one in the future."""
    return max(0.0, (timezone.now() - moment).total_seconds())
