"""How many filings of each period are expected, signed and late."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from filing.models import FilingPeriod
from filing.periods import timeliness
from filing.periods.timeliness import Timeliness
from filing.statuses import FilingStatus

_FILINGS = "filings__"


def counted(periods: QuerySet[FilingPeriod]) -> QuerySet[FilingPeriod]:
    """Return the periods with the counts `owed` (expected filings), `signed` and `late`.

    late: first signed after the filing deadline, or not signed although it has passed.
    """
    late = timeliness.filings(Timeliness.LATE, _FILINGS)
    overdue = timeliness.filings(Timeliness.OVERDUE, _FILINGS)
    return periods.annotate(
        owed=Count("filings", filter=~Q(filings__status=FilingStatus.CANCELLED)),
        signed=Count("filings", filter=Q(filings__status=FilingStatus.COMPLETED)),
        late=Count("filings", filter=late | overdue),
    )
