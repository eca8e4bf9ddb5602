"""Removes the answers whose idempotency keys have expired."""

from __future__ import annotations

from django.utils import timezone

from filing.models import IdempotentRequest

_AT_ONCE = 1000  # rows per statement: other writers must not wait long


def clear() -> int:
    """Delete the requests whose keys have expired; return how many."""
    removed = 0
    expired = IdempotentRequest.objects.filter(kept_until__lt=timezone.now())
    while keys := list(expired.values_list("pk", flat=True)[:_AT_ONCE]):
        # A key that was just used again is kept again.
        removed += expired.filter(pk__in=keys).delete()[0]
    return removed
