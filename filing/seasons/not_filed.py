"""The institutions that have not filed, before or after the deadline.

Only a signed filing counts as filed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from filing import day_hours
from filing.models import Filing, FilingPeriod, Submission
from filing.seasons.figures import EXPECTED
from filing.statuses import FilingStatus, Status

COLUMNS = (
    *("lei", "name", "tax_id", "agency", "mail_domains", "filing_status"),
    *("submissions", "last_status", "last_step_at"),
)
_NOT_SIGNED = Q(status__in=[FilingStatus.NOT_STARTED, FilingStatus.IN_PROGRESS])


def institutions(period: FilingPeriod) -> QuerySet[Any]:
    """Return the filings that are expected and not signed, by name of the institution.

    Each has its institution, and the last_id, last_number, last_status (a number) and last_step_at
    of its last submission, if there is one.
    """
    last = Submission.objects.filter(filing=OuterRef("pk")).order_by("-sequence_number")
    facts = {
        "last_id": "pk",
        "last_number": "sequence_number",
        "last_status": "status",
        "last_step_at": "changed_at",
    }
    return (
        Filing.objects.filter(EXPECTED, _NOT_SIGNED, period=period)
        .select_related("institution")
        .annotate(**{name: Subquery(last.values(column)[:1]) for name, column in facts.items()})
        .order_by("institution__name", "institution__lei")
    )


def rows(period: FilingPeriod) -> Iterator[list[Any]]:
    """Yield the rows of a table of them, the header first, in one statement."""
    yield list(COLUMNS)
    for filing in institutions(period).iterator(chunk_size=2000):
        filer = filing.institution
        yield [
            *(filer.lei, filer.name, filer.tax_id, filer.get_agency_display()),
            ";".join(filer.email_domains),
            *(FilingStatus(filing.status).message, filing.last_number or 0),
            in_words(filing.last_status),
            _text(filing.last_step_at),
        ]


def _text(moment: datetime | None) -> str:
    return day_hours.local(moment).isoformat(timespec="seconds") if moment else ""


def in_words(status: int | None) -> str:
    """Return a status with its code; blank if there is no submission."""
    return "" if status is None else f"{status} {Status(status).message}"
