"""What a build of each year would include and leave out, in numbers, and the state of each year."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from databrowser.models import (
    Dataset,
    LiveVersion,
    Publication,
    PublicImport,
    Version,
    name_data_set,
)
from databrowser.publication.builds.sources import BuildSources
from databrowser.publication.quantities import number_of
from databrowser.publication.versions import freeze_days, live_versions
from databrowser.publication.versions.freeze_days import VintageDay
from filing import standing
from filing.day_hours import day_in_words, find_start_of_day, today
from filing.lar.years import YearStage, supported_years
from filing.models import FilingPeriod, Institution, Job, Signature
from filing.registries import Backlog
from filing.statuses import Status

_YEAR = "submission__filing__period__year"
_QUARTER = "submission__filing__period__quarter"
_MADE_AT = "submission__modified_lar__made_at"


@dataclass(frozen=True)
class Intake:
    """The numbers of signed submissions and imported files of a year, for a build.

    submissions: the annual one of each institution that counts. new: those of them that are not in
    the published version. unprepared: those without a modified LAR so far. failed: annual ones
    that count, left out because their modified LAR failed; newly_failed: those signed after the
    published version was begun. replaced: annual ones followed by a later one of the same
    institution. cancelled: annual ones of filings that were cancelled. quarterly: used by the
    graphs only. tests: those of test institutions that count there. dropped_imports: in the
    published version, but left out since.
    """

    submissions: int = 0
    new: int = 0
    unprepared: int = 0
    failed: int = 0
    newly_failed: int = 0
    replaced: int = 0
    cancelled: int = 0
    quarterly: int = 0
    tests: int = 0
    imports: int = 0
    new_imports: int = 0
    dropped_imports: int = 0

    @property
    def is_new(self) -> bool:
        """Whether a build would differ from the published version."""
        return bool(self.changes)

    @property
    def contents(self) -> str:
        """The contents of a build, in words."""
        return describe_contents(self.submissions, self.imports)

    @property
    def changes(self) -> list[str]:
        """The differences from the published version, a sentence each."""
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
        """The signed submissions left out or not prepared yet, and why: a sentence each."""
        return list(self._left_out())

    def _left_out(self) -> Iterator[str]:
        if number := self.unprepared:
            yield (
                f"{number:,} of these {_is(number)} not prepared for publication yet; the build "
                "prepares them first."
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
        if number := self.cancelled:
            yield (
                f"{number_of(number, 'signed submission')} {_is(number)} left out: the filing was "
                "canceled."
            )
        if number := self.tests:
            yield f"{number_of(number, 'signed submission')} {_is(number)} of test institutions."
        if number := self.quarterly:
            yield (
                f"{number_of(number, 'signed quarterly submission')} {_is(number)} left out: only "
                "the quarterly graphs use these."
            )


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def describe_contents(submissions: int, imports: int) -> str:
    """Return the contents of a data set in words."""
    signed = number_of(submissions, "signed submission")
    return f"{signed} and {number_of(imports, 'imported file')}"


def describe_share(year: int, number: int) -> str:
    """Return of how many of how many institutions a data set has what they signed."""
    panel = Institution.objects.filter(standing.is_real_institution(), activity_year=year).count()
    return f"It has what {number:,} of {number_of(panel, 'institution')} in the panel signed."


def describe_vintage(sources: BuildSources, name: str) -> list[str]:
    """Return what a build of a vintage takes in and leaves out, a sentence each. name: its own."""
    assert sources.frozen_on
    until = freeze_days.find_end(sources.frozen_on)
    numbers = _later_signatures(sources.year, until)
    prepared = len(sources.signed)
    contents = describe_contents(prepared + len(sources.missing), len(sources.imports))
    texts = [
        f"A build of the {name} takes in {contents}, as of the end of "
        f"{day_in_words(sources.frozen_on)}.",
        *Intake(unprepared=len(sources.missing), tests=numbers["tests"]).left_out,
    ]
    if later := numbers["later"]:
        texts.append(
            f"{number_of(later, 'signed submission')} {_is(later)} left out: signed after that day."
        )
    texts.append(describe_share(sources.year, prepared + len(sources.missing)))
    return texts


def _later_signatures(year: int, until: datetime) -> dict[str, int]:
    """Return how many annual signatures of a year came later, and how many are of tests."""
    signatures = Signature.objects.filter(**{_YEAR: year, _QUARTER: ""})
    is_public = standing.is_for_the_public("submission__")
    counts: dict[str, int] = signatures.aggregate(
        later=Count("pk", filter=is_public & Q(signed_at__gte=until)),
        tests=Count("pk", filter=~is_public & Q(signed_at__lt=until)),
    )
    return counts


def read_intakes() -> dict[int, Intake]:
    """Return the intake of each year, with three queries."""
    signed = {row.pop(_YEAR): row for row in _signed()}
    active, published = _imports(), _published_imports()
    return {
        year: Intake(
            **signed.get(year, {}),
            imports=len(active[year]),
            new_imports=len(active[year] - published[year]),
            dropped_imports=len(published[year] - active[year]),
        )
        for year in {*signed, *active, *published}
    }


def read_intake(year: int) -> Intake:
    """Return the intake of one year."""
    return read_intakes().get(year, Intake())


def _signed() -> QuerySet[Any]:
    """Return the numbers of signed submissions by year: included, and left out for each reason."""
    published = LiveVersion.objects.filter(year=OuterRef(_YEAR), dataset=Dataset.DYNAMIC)
    is_public = standing.is_for_the_public("submission__")
    signed = Signature.objects.filter(submission__status=Status.SIGNED).annotate(
        is_replaced=standing.is_replaced("submission__"),
        begun=Subquery(published.values("version__gathered_at")),
    )
    is_annual = Q(**{_QUARTER: ""})
    is_on_record = standing.is_on_record("submission__")
    is_last = is_annual & is_on_record & Q(is_replaced=False) & is_public
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
        "replaced": is_annual & is_on_record & Q(is_replaced=True),
        "cancelled": is_annual & ~is_on_record,
        "quarterly": ~is_annual,
        "tests": is_annual & is_on_record & Q(is_replaced=False) & ~is_public,
    }
    return (
        signed.order_by()
        .values(_YEAR)
        .annotate(**{name: Count("pk", filter=condition) for name, condition in numbers.items()})
    )


def _imports() -> dict[int, set[str]]:
    """Return the hashes of the imported files in use, by year."""
    hashes = defaultdict(set)
    for year, sha256 in PublicImport.objects.filter(active=True).values_list("year", "sha256"):
        hashes[year].add(sha256)
    return hashes


def _published_imports() -> dict[int, set[str]]:
    """Return the hashes of the imported files in the published versions, by year."""
    live = LiveVersion.objects.filter(dataset=Dataset.DYNAMIC)
    published = live.values_list("year", "version__manifest__sources__imports")
    return defaultdict(
        set, {year: {item["sha256"] for item in imports or ()} for year, imports in published}
    )


@dataclass(frozen=True)
class PublicationYear:
    """The state of publication of the dynamic data set of a year.

    building: the version that is queued or running. before: the version to roll back to. intake:
    what a build would include. decision: because of which versions of the year are not published
    automatically. ready: the newest version built since that decision.
    """

    year: int
    live: LiveVersion | None
    building: Version | None
    before: Version | None
    intake: Intake
    decision: Publication | None = None
    ready: Version | None = None

    @property
    def decision_text(self) -> str:
        """Why versions of the year are not published automatically; blank if they are."""
        return live_versions.describe_decision(self.decision) if self.decision else ""


def list_publication_years() -> list[PublicationYear]:
    """Return the state of the dynamic data set of each year, newest first."""
    dynamic = live_versions.published_data_sets().filter(dataset=Dataset.DYNAMIC)
    live = {row.year: row for row in dynamic}
    decisions = live_versions.decisions_against()
    versions = Version.objects.filter(dataset=Dataset.DYNAMIC).defer("manifest")
    versions = versions.select_related("job")
    building = {
        version.year: version
        for version in versions.filter(state=Version.State.ASKED, job__state__in=Job.UNFINISHED)
    }
    before: dict[int, Version] = {}
    ready: dict[int, Version] = {}
    for version in versions.filter(state=Version.State.BUILT):
        published, decision = live.get(version.year), decisions.get(version.year)
        if published and version.number < published.version.number:
            before.setdefault(version.year, version)
        if decision and version.made_at and version.made_at > decision.at:
            ready.setdefault(version.year, version)
    intakes = read_intakes()
    return [
        PublicationYear(
            year,
            live.get(year),
            building.get(year),
            before.get(year),
            intakes.get(year, Intake()),
            decisions.get(year),
            ready.get(year),
        )
        for year in reversed(supported_years(YearStage.FILING))
        if year <= timezone.now().year or year in live or year in building or year in intakes
    ]


@dataclass(frozen=True)
class PublicationVintage:
    """The state of publication of a vintage. newer: its last version, unless that is published."""

    frozen: VintageDay
    live: LiveVersion | None
    newer: Version | None

    @property
    def name(self) -> str:
        return name_data_set(self.frozen.year, self.frozen.dataset)

    @property
    def can_be_built(self) -> bool:
        """Whether its freeze day is over and no version is being built."""
        newer = self.newer
        is_building = newer and newer.state == Version.State.ASKED and newer.job.is_unfinished
        return self.frozen.is_over and not is_building


def list_publication_vintages() -> list[PublicationVintage]:
    """Return the state of each vintage that is frozen or has versions, the newest year first."""
    live = {(row.year, row.dataset): row for row in live_versions.published_data_sets()}
    versions = Version.objects.exclude(dataset=Dataset.DYNAMIC).defer("manifest")
    last = {(each.year, each.dataset): each for each in versions.select_related("job").reverse()}
    vintages = []
    for day in freeze_days.list_freeze_days(open_years()):
        key = (day.year, day.dataset)
        published, newer = live.get(key), last.get(key)
        if day.is_over or newer:
            is_shown = published and published.version == newer
            vintages.append(PublicationVintage(day, published, None if is_shown else newer))
    return vintages


def count_due_publications() -> Backlog:
    """Count what waits for staff: failed builds, built versions, and vintages to be built.

    A vintage counts as due for a year after its freeze day; those before were left out on purpose.
    """
    newest: dict[int, Version] = {}
    dynamic = Version.objects.filter(dataset=Dataset.DYNAMIC).defer("manifest")
    for version in dynamic.select_related("job").order_by("year", "number"):
        newest[version.year] = version
    decisions = live_versions.decisions_against()
    waiting = [
        version.made_at or version.at
        for version in newest.values()
        if _has_failed(version) or _is_held_back(version, decisions.get(version.year))
    ]
    for vintage in list_publication_vintages():
        newer, day = vintage.newer, vintage.frozen.day
        if newer and (_has_failed(newer) or newer.state == Version.State.BUILT):
            waiting += [] if vintage.frozen.is_settled else [newer.made_at or newer.at]
        elif vintage.can_be_built and not vintage.live and today() - day <= timedelta(days=365):
            waiting.append(find_start_of_day(day + timedelta(days=1)))
    return Backlog(len(waiting), since=min(waiting, default=None))


def _has_failed(version: Version) -> bool:
    return version.state == Version.State.ASKED and not version.job.is_unfinished


def _is_held_back(version: Version, decision: Publication | None) -> bool:
    return bool(decision and version.made_at and version.made_at > decision.at)


def open_years() -> list[int]:
    """Return the years of which there is or can be something to publish, the newest first.

    Those are years whose annual filing has opened, and those with imported files.
    """
    opened = FilingPeriod.objects.filter(quarter="", opens__lte=today())
    years = {
        *opened.values_list("year", flat=True),
        *PublicImport.objects.filter(active=True).values_list("year", flat=True),
    }
    return [year for year in reversed(supported_years(YearStage.FILING)) if year in years]
