"""How many filings of each period are expected, signed and late."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db.models import (
    Case,
    Count,
    DateTimeField,
    F,
    Q,
    QuerySet,
    Value,
    When,
)
from django.utils import timezone

from filing.models import FilingPeriod, Signature
from filing.periods.timeliness import deadline
from filing.statuses import FilingStatus


def counted(periods: QuerySet[FilingPeriod]) -> QuerySet[FilingPeriod]:
    """Return the periods with the counts `owed` (expected filings), `signed` and `late`.

    late: first signed after the filing deadline, or not signed although it has passed.
    """
    deadlines = {period.pk: deadline(period) for period in FilingPeriod.objects.order_by()}
    expected = ~Q(filings__status=FilingStatus.CANCELLED)
    signed = Q(filings__status=FilingStatus.COMPLETED)
    # A later signature updates the time of a filing, so earlier ones must be looked up: for all
    # filings at once, which takes a quarter of the time of a look-up for each.
    in_time = Signature.objects.filter(
        signed_at__lt=_by_period("submission__filing__period", deadlines)
    ).values("submission__filing")
    signed_late = signed & Q(filings__completed_at__gte=F("due")) & ~Q(filings__in=in_time)
    overdue = expected & ~signed & Q(due__lte=timezone.now())
    return periods.annotate(
        due=_by_period("pk", deadlines),
        owed=Count("filings", filter=expected),
        signed=Count("filings", filter=signed),
        late=Count("filings", filter=overdue | signed_late),
    )


def _by_period(period: str, moments: Mapping[int, datetime]) -> Case:
    whens = [When(**{period: key}, then=Value(moment)) for key, moment in moments.items()]
    return Case(*whens, default=None, output_field=DateTimeField())
