"""Deletes jobs that a retention rule no longer keeps, with their attempts."""

from __future__ import annotations

from collections.abc import Collection

from filing.audit.chain import removal
from filing.audit.chain.tables import TABLES
from filing.models import Job


def delete(jobs: Collection[int], *, rule: str) -> None:
    """Delete jobs; the audit chain records the rule. Call this in the transaction of the rule."""
    attempts = TABLES["attempt"]
    keys = list(attempts.rows.filter(job__in=jobs).values_list("pk", flat=True))
    removal.remove(attempts, keys, rule=rule)
    Job.objects.filter(pk__in=jobs).delete()
