"""How many filings of each period are owed, signed and late."""

from __future__ import annotations

from django.db.models import (
    Case,
    Count,
    DateTimeField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.utils import timezone

from filing.models import FilingPeriod, Signature
from filing.statuses import FilingStatus
from filing.timeliness import deadline


def counted(periods: QuerySet[FilingPeriod]) -> QuerySet[FilingPeriod]:
    """Return the periods with the numbers `owed`, `signed` and `late`.

    late: signed for the first time after the last timely day, or not signed and the day is over.
    """
    due = [When(pk=each.pk, then=Value(deadline(each))) for each in FilingPeriod.objects.order_by()]
    owed = ~Q(filings__status=FilingStatus.CANCELLED)
    signed = Q(filings__status=FilingStatus.COMPLETED)
    # A later signature moves the time of a filing, so an earlier one must be looked for.
    in_time = Signature.objects.filter(
        submission__filing=OuterRef("filings"), signed_at__lt=OuterRef("due")
    )
    signed_late = signed & Q(filings__completed_at__gte=F("due")) & ~Exists(in_time)
    overdue = owed & ~signed & Q(due__lte=timezone.now())
    return periods.annotate(
        due=Case(*due, default=None, output_field=DateTimeField()),
        owed=Count("filings", filter=owed),
        signed=Count("filings", filter=signed),
        late=Count("filings", filter=overdue | signed_late),
    )
