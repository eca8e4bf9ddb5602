"""What a build of each year takes in now, what it leaves out and why: in numbers, for all pages.

The rule is that of `sources`: of each institution the last signed annual submission, and imported
files for the institutions that have signed none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery

from databrowser.models import LiveVersion, PublicImport
from databrowser.publication.builds import sources
from databrowser.publication.quantities import number_of
from filing.models import Job, Signature
from filing.statuses import Status

_YEAR = "submission__filing__period__year"
_QUARTER = "submission__filing__period__quarter"
_MADE_AT = "submission__modified_lar__made_at"


@dataclass(frozen=True)
class Intake:
    """The signed submissions and imported files of a year, as a build takes them.

    submissions: the last one of each institution for the whole year. new: of these, not in the
    published version. unprepared: of these, without public records so far. failed: as well the
    last ones, left out since no public records could be made of them; newly_failed: signed after
    the published version was begun. replaced: annual ones after which their institution signed
    another. quarterly: for the graphs alone. dropped_imports: in the published version, left out
    by now.
    """

    submissions: int = 0
    new: int = 0
    unprepared: int = 0
    failed: int = 0
    newly_failed: int = 0
    replaced: int = 0
    quarterly: int = 0
    imports: int = 0
    new_imports: int = 0
    dropped_imports: int = 0

    @property
    def is_new(self) -> bool:
        """Whether a build would be made of something else than the published version."""
        return bool(self.changes)

    @property
    def contents(self) -> str:
        """What a data set is made of, in words."""
        return made_of(self.submissions, self.imports)

    @property
    def changes(self) -> list[str]:
        """What differs from the published version, a sentence each."""
        numbers = {
            f"{number_of(self.new, 'signed submission')}.": self.new,
            f"{number_of(self.newly_failed, 'signed submission')} that cannot be published.": (
                self.newly_failed
            ),
            f"{number_of(self.new_imports, 'imported file')}.": self.new_imports,
            f"{number_of(self.dropped_imports, 'imported file')} to leave out.": (
                self.dropped_imports
            ),
        }
        return [sentence for sentence, number in numbers.items() if number]

    @property
    def left_out(self) -> list[str]:
        """What is signed and not taken in, or not as it is, and why: a sentence each."""
        return list(self._left_out())

    def _left_out(self) -> Iterator[str]:
        if number := self.unprepared:
            yield (
                f"{number:,} of these {_is(number)} not prepared for publication yet: the build "
                "does so first."
            )
        if number := self.failed:
            yield (
                f"{number_of(number, 'signed submission')} {_is(number)} left out: preparing for "
                "publication failed, see Modified LARs."
            )
        if number := self.replaced:
            yield (
                f"{number_of(number, 'signed submission')} {_is(number)} left out: the institution "
                "signed another one later."
            )
        if number := self.quarterly:
            yield (
                f"{number_of(number, 'signed quarterly submission')} {_is(number)} left out: only "
                "the quarterly graphs use these."
            )


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def made_of(submissions: int, imports: int) -> str:
    """Return what a data set is made of, in words."""
    signed = number_of(submissions, "signed submission")
    return f"{signed} and {number_of(imports, 'imported file')}"


def of_years() -> dict[int, Intake]:
    """Return what a build of each year would take in, in three statements."""
    signed = {row.pop(_YEAR): row for row in _signed()}
    counted, published = _imports(), _published_imports()
    return {
        year: Intake(
            **signed.get(year, {}),
            imports=len(counted[year]),
            new_imports=len(counted[year] - published[year]),
            dropped_imports=len(published[year] - counted[year]),
        )
        for year in {*signed, *counted, *published}
    }


def of_year(year: int) -> Intake:
    """Return what a build of a year would take in."""
    return of_years().get(year, Intake())


def _signed() -> QuerySet[Any]:
    """Return how many submissions are signed by year: taken in, and left out for each reason."""
    published = LiveVersion.objects.filter(year=OuterRef(_YEAR))
    signed = Signature.objects.filter(submission__status=Status.SIGNED).annotate(
        is_replaced=sources.is_replaced(),
        begun=Subquery(published.values("version__gathered_at")),
    )
    is_annual = Q(**{_QUARTER: ""})
    is_last = is_annual & Q(is_replaced=False)
    is_prepared = Q(**{f"{_MADE_AT}__isnull": False})
    is_failed = is_last & ~is_prepared & Q(submission__modified_lar__job__state=Job.State.FAILED)
    is_coming = is_last & ~is_prepared & ~Q(submission__modified_lar__job__state=Job.State.FAILED)
    is_ready = is_last & is_prepared
    is_new = Q(begun=None) | Q(**{f"{_MADE_AT}__gt": F("begun")})
    numbers = {
        "submissions": is_ready | is_coming,
        "new": (is_ready & is_new) | is_coming,
        "unprepared": is_coming,
        "failed": is_failed,
        "newly_failed": is_failed & (Q(begun=None) | Q(signed_at__gt=F("begun"))),
        "replaced": is_annual & Q(is_replaced=True),
        "quarterly": ~is_annual,
    }
    return (
        signed.order_by()
        .values(_YEAR)
        .annotate(**{name: Count("pk", filter=which) for name, which in numbers.items()})
    )


def _imports() -> dict[int, set[str]]:
    """Return the hashes of the imported files that count, by year."""
    found = defaultdict(set)
    for year, sha256 in PublicImport.objects.filter(active=True).values_list("year", "sha256"):
        found[year].add(sha256)
    return found


def _published_imports() -> dict[int, set[str]]:
    """Return the hashes of the imported files in the published versions, by year."""
    published = LiveVersion.objects.values_list("year", "version__manifest__sources__imports")
    return defaultdict(
        set, {year: {each["sha256"] for each in imports or ()} for year, imports in published}
    )
