"""A made-up season for testing: institutions, filings and submissions in every status.

It includes status changes, jobs with their attempts, edit results, signatures, emails and audit
log entries, but no files. 100,000 submissions take a few minutes. The same seed gives the same
season, except that its times end now.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from typing import TypeVar

from django.db import models, transaction
from django.db.models import Exists, Max, OuterRef, Subquery
from django.utils import timezone

from filing.audit import sealing
from filing.audit.keys import NoUsableKey
from filing.demo import panel
from filing.demo.histories import History, draw_history
from filing.edits import catalogue
from filing.errors import NotReady
from filing.lar.fields import AGENCIES, STATES
from filing.lar.years import Period, rulebook_period
from filing.models import Filing, FilingPeriod, Institution, Signature, Submission
from filing.seasons import usual_windows
from filing.statuses import FilingStatus

Row = TypeVar("Row", bound=models.Model)
LEI_START = "MADEUP"  # of every institution that was made up
BATCH = 1_000
_QUARTERLY = 0.2  # of the institutions
_STARTED = 0.95  # of the filings
# fmt: off
_FIRST = ("First", "Second", "Old", "New", "United", "Community", "Pioneer", "Liberty", "Heritage",
          "Summit", "Harbor", "Prairie", "Valley", "River", "Lakeside", "Mountain", "Coastal")
_SECOND = ("Trust", "Home", "Farmers", "Merchants", "Teachers", "Citizens", "Savings", "National",
           "County", "Railway", "Builders", "Commerce", "Union", "Capital", "Guaranty")
_LAST = ("Bank", "Credit Union", "Mortgage", "Savings Bank", "Lending", "Home Loans")
# fmt: on


def make_submissions(
    year: int, *, institutions: int, submissions: int, seed: int = 0
) -> dict[str, int]:
    """Make a season and return the number of rows created, by kind.

    Raises: NotReady if there is already made-up data for the year.
    """
    made_up = Institution.objects.filter(lei__startswith=LEI_START, activity_year=year)
    if made_up.exists():
        raise NotReady(f"There is already made-up data for {year}")
    chance = random.Random(seed)  # noqa: S311 -- nothing here is secret
    created: Counter[str] = Counter()
    with transaction.atomic():
        numbers = range(1, institutions + 1)
        _save(created, [_institution(year, number, chance) for number in numbers])
        periods = _periods(year)
        filings = [
            filing
            for period in periods
            for filing in _save(created, _filings(period, [*made_up.order_by("pk")]))
        ]
        started = sorted(chance.sample(range(len(filings)), math.ceil(len(filings) * _STARTED)))
        for batch in _plan([filings[index] for index in started], submissions, chance):
            for history in batch:
                history.submission.filing_id = history.submission.filing.pk
            _save(created, [history.submission for history in batch])
            for rows in _related_rows(batch):
                _save(created, rows)
        _set_outcomes(year)
    with suppress(NoUsableKey):
        sealing.adopt_waiting_entries()
    return dict(created)


def is_only_demo() -> bool:
    """Tell whether everything in the panel is made up."""
    return not Institution.objects.exclude(lei__startswith=LEI_START).exists()


def _save(created: Counter[str], rows: Sequence[Row]) -> Sequence[Row]:
    if rows:
        model = type(rows[0])
        model._default_manager.bulk_create(rows, batch_size=BATCH)
        created[str(model._meta.verbose_name_plural)] += len(rows)
    return rows


def _institution(year: int, number: int, chance: random.Random) -> Institution:
    words = [chance.choice(words) for words in (_FIRST, _SECOND, _LAST)]
    return Institution(
        activity_year=year,
        lei=panel.make_lei(f"{LEI_START}{number:012d}"),
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
        for quarter, window in usual_windows(year).items()
    ]


def _filings(period: FilingPeriod, panel: list[Institution]) -> list[Filing]:
    """Return the filings that are due from the panel in a period."""
    opened = datetime.combine(period.opens, time(), UTC)
    return [
        Filing(institution=institution, period=period, started_at=opened)
        for institution in panel
        if institution.quarterly_filer or not period.quarter
    ]


def _plan(filings: list[Filing], count: int, chance: random.Random) -> Iterator[list[History]]:
    """Yield histories in batches: the first submission of each filing, then the second, ..."""
    now = timezone.now()
    codes = {
        period: catalogue.list_edits(rulebook_period(Period.parse(str(period))))
        for period in {filing.period for filing in filings}
    }
    rounds = math.ceil(count / len(filings)) if filings else 0
    for number in range(1, rounds + 1):
        of_round = filings[: count - (number - 1) * len(filings)]
        replaced = count - number * len(filings)  # this many of them have a later submission
        for start in range(0, len(of_round), BATCH):
            yield [
                draw_history(
                    filing,
                    number,
                    codes[filing.period],
                    span=_span(filing.period, number, rounds, now),
                    is_last=index >= replaced,
                    chance=chance,
                )
                for index, filing in enumerate(of_round[start : start + BATCH], start)
            ]


def _span(
    period: FilingPeriod, number: int, rounds: int, now: datetime
) -> tuple[datetime, datetime]:
    """Return the part of the filing window, up to now, in which a round of submissions falls."""
    last = now - timedelta(days=2)
    first = min(datetime.combine(period.opens, time(), UTC), last - timedelta(days=60))
    slice_ = (last - first) / rounds
    return first + (number - 1) * slice_, now if number == rounds else first + number * slice_


def _related_rows(batch: list[History]) -> Iterator[list[models.Model]]:
    """Yield the rows that belong to saved submissions, table by table."""
    for name in (
        "changes",
        "jobs",
        "attempts",
        "edits",
        "signatures",
        "mail_jobs",
        "mails",
        "trail",
    ):
        rows = [row for history in batch for row in getattr(history, name)]
        for row in rows:  # assigned again: the rows they point to have keys only now
            for relation in ("submission", "job"):
                if getattr(row, relation, None) is not None:
                    setattr(row, relation, getattr(row, relation))
        yield rows


def _set_outcomes(year: int) -> None:
    """Set the status of filings and the flags of institutions that follow from the submissions."""
    of_year = Filing.objects.filter(period__year=year, institution__lei__startswith=LEI_START)
    submitted = Submission.objects.filter(filing=OuterRef("pk"))
    of_year.filter(Exists(submitted)).update(status=FilingStatus.IN_PROGRESS)
    signed = Signature.objects.filter(submission__filing=OuterRef("pk"))
    last = signed.order_by().values("submission__filing").annotate(last=Max("signed_at"))
    of_year.filter(Exists(signed)).update(
        status=FilingStatus.COMPLETED, completed_at=Subquery(last.values("last"))
    )
    complete = Filing.objects.filter(institution=OuterRef("pk"), status=FilingStatus.COMPLETED)
    for quarter in usual_windows(year):
        flag = f"quarterly_filer_has_filed_{quarter.lower()}" if quarter else "hmda_filer"
        Institution.objects.filter(
            Exists(complete.filter(period__quarter=quarter)),
            activity_year=year,
            lei__startswith=LEI_START,
        ).update(**{flag: True})
