"""Folders that were discarded, a day later."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from filing import storage
from filing.models import PostponedRemoval


def remove_a_day_later() -> int:
    """Let everything have been discarded long ago, and remove it; return how many folders."""
    before = timezone.now() - timedelta(hours=settings.REMOVAL_HOURS, seconds=1)
    PostponedRemoval.objects.update(at=before)
    return storage.remove_discarded()
