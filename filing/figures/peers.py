"""How often institutions of a size triggered an edit in what they signed, for filers to compare.

Workers compute the shares of the recent periods; a page only reads what they stored. A class with
fewer than ten institutions is left out: its shares would tell about single ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.core.cache import cache
from django.db.models import Sum

from filing import day_hours
from filing.figures.questions import SIZES, FigureQuestion, size_of
from filing.figures.work import count_by_size, find_signed_edits
from filing.models import FilingPeriod, Submission

FEWEST_PEERS = 10  # institutions of a class
KEPT_SECONDS = 2 * 86_400  # some pauses between two computations
RECENT = timedelta(days=2 * 366)  # since periods opened that are filed now, or the year before
_LEAST_SHOWN = 0.1  # percent

# By class of institutions: of each edit, the percentage of records that trigger it.
Shares = dict[str, dict[str, float]]


@dataclass(frozen=True)
class PeerShares:
    """The institutions of the size of a filer.

    period: of their files. shares: of their records that trigger an edit, in percent, by its code.
    """

    size: str
    period: str
    shares: Mapping[str, float]
    records: int

    def describe(self, code: str, total: int) -> str:
        """Return how often an edit of records was triggered, here and by the peers, in words."""
        own = _in_words(100 * total / self.records if self.records else 0)
        return (
            f"{own} of your records, {_in_words(self.shares.get(code, 0))} for institutions of "
            "your size"
        )


def compute_peer_shares() -> int:
    """Compute and store the shares of the recent periods; return how many there are."""
    today = day_hours.today()
    periods = FilingPeriod.objects.filter(opens__lte=today, opens__gte=today - RECENT)
    for period in periods:
        cache.set(_name_key(period.year, period.quarter), _compute(period), KEPT_SECONDS)
    return len(periods)


def find_peer_shares(submission: Submission) -> PeerShares | None:
    """Return the peers of a filer: of the same period, or of the year before while they are few.

    Nothing while there are fewer than ten in both.
    """
    period, records = submission.filing.period, submission.records
    size = next(name for name, limit in SIZES.items() if limit is None or records < limit)
    for year in (period.year, period.year - 1):
        shares: Shares = cache.get(_name_key(year, period.quarter)) or {}
        if size in shares:
            name = f"{year}-{period.quarter}" if period.quarter else str(year)
            return PeerShares(size, name, shares[size], records)
    return None


def _compute(period: FilingPeriod) -> Shares:
    question = FigureQuestion(period, day_hours.today())
    records = {
        size: records
        for size, (filers, records) in count_by_size(question).items()
        if filers >= FEWEST_PEERS and records
    }
    shares: Shares = {size: {} for size in records}
    triggered = find_signed_edits(question.count_filed()).filter(level="lar")
    by_size = triggered.values_list(size_of("submission__"), "code")
    for size, code, total in by_size.annotate(records=Sum("total")):
        if size in records:
            shares[size][code] = 100 * total / records[size]
    return shares


def _name_key(year: int, quarter: str) -> str:
    # The number is that of the shape of what is stored.
    return f"edit-shares-by-size-1-{year}-{quarter}"


def _in_words(share: float) -> str:
    if not share:
        return "none"
    return f"{share:.1f}%" if share >= _LEAST_SHOWN else f"under {_LEAST_SHOWN}%"
