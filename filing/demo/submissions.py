"""A made-up season: institutions, filings and submissions in every state, to try things on.

Made up is also what hangs on them: status changes, jobs with their attempts, edit results,
signatures, emails, audit log entries. There are no files; 100,000 submissions take some minutes.
The same seed gives the same season but for its times, which end now.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import TypeVar

from django.db import models, transaction
from django.db.models import Exists, Max, OuterRef, Subquery
from django.utils import timezone

from filing.demo import panel
from filing.demo.lives import Life, life
from filing.edits import catalogue
from filing.errors import NotReady
from filing.lar.fields import AGENCIES, STATES
from filing.lar.period import Period
from filing.models import Filing, FilingPeriod, Institution, Signature, Submission
from filing.seasons import windows
from filing.statuses import FilingStatus

Row = TypeVar("Row", bound=models.Model)
LEI_START = "MADEUP"  # of every institution that was made up
BATCH = 1_000
_QUARTERLY = 0.2  # of the institutions
_BEGUN = 0.95  # of the filings
# fmt: off
_FIRST = ("First", "Second", "Old", "New", "United", "Community", "Pioneer", "Liberty", "Heritage",
          "Summit", "Harbor", "Prairie", "Valley", "River", "Lakeside", "Mountain", "Coastal")
_SECOND = ("Trust", "Home", "Farmers", "Merchants", "Teachers", "Citizens", "Savings", "National",
           "County", "Railway", "Builders", "Commerce", "Union", "Capital", "Guaranty")
_LAST = ("Bank", "Credit Union", "Mortgage", "Savings Bank", "Lending", "Home Loans")
# fmt: on


def make(year: int, *, institutions: int, submissions: int, seed: int = 0) -> dict[str, int]:
    """Make a season and return how many rows of what were made.

    Raises: NotReady where there is made-up data of the year already.
    """
    ours = Institution.objects.filter(lei__startswith=LEI_START, activity_year=year)
    if ours.exists():
        raise NotReady(f"There is made-up data of {year} already")
    chance = random.Random(seed)  # noqa: S311 -- nothing here is secret
    made: Counter[str] = Counter()
    with transaction.atomic():
        _keep(made, _panel(year, institutions, chance))
        periods = _periods(year)
        owed = [
            filing
            for period in periods
            for filing in _keep(made, _filings(period, [*ours.order_by("pk")]))
        ]
        begun = sorted(chance.sample(range(len(owed)), math.ceil(len(owed) * _BEGUN)))
        for batch in _plan([owed[at] for at in begun], submissions, chance):
            for each in batch:
                each.submission.filing_id = each.submission.filing.pk
            _keep(made, [each.submission for each in batch])
            for rows in _beside(batch):
                _keep(made, rows)
        _settle(year)
    return dict(made)


def is_only_demo() -> bool:
    """Tell whether everything in the panel is made up."""
    return not Institution.objects.exclude(lei__startswith=LEI_START).exists()


def _keep(made: Counter[str], rows: Sequence[Row]) -> Sequence[Row]:
    if rows:
        model = type(rows[0])
        model._default_manager.bulk_create(rows, batch_size=BATCH)
        made[str(model._meta.verbose_name_plural)] += len(rows)
    return rows


def _panel(year: int, count: int, chance: random.Random) -> list[Institution]:
    return [_institution(year, number, chance) for number in range(1, count + 1)]


def _institution(year: int, number: int, chance: random.Random) -> Institution:
    words = [chance.choice(words) for words in (_FIRST, _SECOND, _LAST)]
    return Institution(
        activity_year=year,
        lei=panel.lei(f"{LEI_START}{number:012d}"),
        name=f"{' '.join(words)} {number}",
        tax_id=f"{10 + number // 10**7:02d}-{number % 10**7:07d}",
        agency=chance.choice(list(AGENCIES)),
        email_domains=[f"{words[0]}-{words[1]}-{number}.example".lower()],
        quarterly_filer=chance.random() < _QUARTERLY,
        state=chance.choice(list(STATES)),
        assets=chance.randrange(10**4, 10**8),
    )


def _periods(year: int) -> list[FilingPeriod]:
    return [
        FilingPeriod.objects.get_or_create(
            year=year, quarter=quarter, defaults=dict(window._asdict())
        )[0]
        for quarter, window in windows(year).items()
    ]


def _filings(period: FilingPeriod, panel: list[Institution]) -> list[Filing]:
    """Return what the panel owes in a period."""
    opened = datetime.combine(period.opens, time(), UTC)
    return [
        Filing(institution=institution, period=period, started_at=opened)
        for institution in panel
        if institution.quarterly_filer or not period.quarter
    ]


def _plan(owed: list[Filing], count: int, chance: random.Random) -> Iterator[list[Life]]:
    """Yield lives of submissions in batches: the first ones of all filings, the second ones, ..."""
    now = timezone.now()
    codes = {
        period: catalogue.edits(Period.parse(str(period)))
        for period in {filing.period for filing in owed}
    }
    rounds = math.ceil(count / len(owed)) if owed else 0
    for number in range(1, rounds + 1):
        those = owed[: count - (number - 1) * len(owed)]
        followed = count - number * len(owed)  # so many of them have a later submission
        for start in range(0, len(those), BATCH):
            yield [
                life(
                    filing,
                    number,
                    codes[filing.period],
                    span=_span(filing.period, number, rounds, now),
                    is_last=start + at >= followed,
                    chance=chance,
                )
                for at, filing in enumerate(those[start : start + BATCH])
            ]


def _span(
    period: FilingPeriod, number: int, rounds: int, now: datetime
) -> tuple[datetime, datetime]:
    """Return the slice of the filing window, up to now, in which a round of submissions is made."""
    last = now - timedelta(days=2)
    first = min(datetime.combine(period.opens, time(), UTC), last - timedelta(days=60))
    slice_ = (last - first) / rounds
    return first + (number - 1) * slice_, now if number == rounds else first + number * slice_


def _beside(batch: list[Life]) -> Iterator[list[models.Model]]:
    """Yield the rows that hang on submissions which have their keys by now, table by table."""
    for name in ("changes", "jobs", "tries", "edits", "signatures", "mail_jobs", "mails", "trail"):
        rows = [row for each in batch for row in getattr(each, name)]
        for row in rows:  # their keys are known only now
            for relation in ("submission", "job"):
                if getattr(row, relation, None) is not None:
                    setattr(row, relation, getattr(row, relation))
        yield rows


def _settle(year: int) -> None:
    """Give filings and institutions the state that follows from the submissions."""
    of_year = Filing.objects.filter(period__year=year, institution__lei__startswith=LEI_START)
    submitted = Submission.objects.filter(filing=OuterRef("pk"))
    of_year.filter(Exists(submitted)).update(status=FilingStatus.IN_PROGRESS)
    signed = Signature.objects.filter(submission__filing=OuterRef("pk"))
    last = signed.order_by().values("submission__filing").annotate(last=Max("signed_at"))
    of_year.filter(Exists(signed)).update(
        status=FilingStatus.COMPLETED, completed_at=Subquery(last.values("last"))
    )
    complete = Filing.objects.filter(institution=OuterRef("pk"), status=FilingStatus.COMPLETED)
    for quarter in windows(year):
        flag = f"quarterly_filer_has_filed_{quarter.lower()}" if quarter else "hmda_filer"
        Institution.objects.filter(
            Exists(complete.filter(period__quarter=quarter)),
            activity_year=year,
            lei__startswith=LEI_START,
        ).update(**{flag: True})
