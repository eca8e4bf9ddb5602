"""The published version of each data set of a year: publishing, rolling back, withdrawing.

`LiveVersion` names the published version of a data set. Each change of it is one transaction, with
an entry of the public history, an entry of the audit log, and a signal. A data set that staff
withdrew or rolled back stays so until staff publish it again: `decision_against` says what may not
be published automatically. Of the data sets of a year, `published_versions` decides which is shown;
`find_outcomes` says what became of each version that was ever published.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, zip_longest
from typing import Any

import polars as pl
from django.db import transaction
from django.db.models import Case, Exists, Max, OuterRef, QuerySet, When
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.timezone import localtime

from databrowser.models import (
    Dataset,
    LiveVersion,
    ModifiedLar,
    Publication,
    Version,
    name_data_set,
)
from databrowser.publication import events
from databrowser.publication.events import PUBLICATION, PublicationEvent
from databrowser.publication.layout import LOANS
from databrowser.publication.quantities import number_of
from databrowser.publication.versions import freeze_days
from filing import audit, registries, standing, storage
from filing.access import SERVICE, Caller
from filing.errors import BadInput, Gone, NotFound, NotReady
from filing.models import Institution
from filing.registries import StaffEvent
from filing.requests import read_year

LAR_YEAR = "submission__filing__period__year"
_EVENTS = {
    Publication.What.PUBLISHED: PublicationEvent.DATA_SET_PUBLISHED,
    Publication.What.ROLLED_BACK: PublicationEvent.DATA_SET_ROLLED_BACK,
    Publication.What.WITHDRAWN: PublicationEvent.DATA_SET_WITHDRAWN,
}


def published_data_sets() -> QuerySet[LiveVersion]:
    """Return the published version of each data set, by year, the last one that is frozen first."""
    return _ranked().select_related("version").order_by("year", "-rank")


def published_versions() -> QuerySet[LiveVersion]:
    """Return the version that is shown of each year, by year; no other year is public.

    It is that of the last vintage that is published: three-year, else one-year, else snapshot.
    Before there is any, it is that of the dynamic data set.
    """
    later = _ranked().filter(year=OuterRef("year"), rank__gt=OuterRef("rank"))
    return published_data_sets().filter(~Exists(later))


def live_version(year: int, dataset: str = "") -> LiveVersion | None:
    """Return the published version of a data set, or the one that is shown of a year; or None."""
    if dataset:
        return published_data_sets().filter(year=year, dataset=dataset).first()
    return published_versions().filter(year=year).first()


def data_set_address(year: int, dataset: str) -> str:
    """Return the address of the published version of a data set."""
    return f"/v2/public/datasets/{year}/{dataset}"


def _ranked() -> QuerySet[Any]:
    ranks = (When(dataset=dataset, then=rank) for rank, dataset in enumerate(Dataset))
    return LiveVersion.objects.annotate(rank=Case(*ranks))


@dataclass(frozen=True, slots=True)
class VersionOutcome:
    """What became of a version that was published.

    published: the entry with which it became public last. replaced: the entry of the version in its
    place; None while it is published. withdrawn: the entry because of which it is not public, which
    withdrew it or its data set; else None.
    """

    published: Publication
    replaced: Publication | None
    withdrawn: Publication | None

    @property
    def version(self) -> Version:
        """The version, without its manifest, which is read when it is used."""
        return self.published.version


def find_outcomes(*years: int) -> list[VersionOutcome]:
    """Return what became of each version of years that was ever published."""
    withdrawal = Publication.What.WITHDRAWN
    history = Publication.objects.filter(year__in=years).select_related("version")
    ordered = history.defer("version__manifest").order_by("year", "version__dataset", "pk")
    outcomes: dict[int, VersionOutcome] = {}
    for _, group in groupby(ordered, lambda entry: (entry.year, entry.version.dataset)):
        entries = list(group)
        last = entries[-1] if entries[-1].what == withdrawal else None
        for entry, following in zip_longest(entries, entries[1:]):
            if entry.what != withdrawal:
                outcomes[entry.version_id] = VersionOutcome(entry, following, last)
            else:  # of the version that was published until then
                published = outcomes[entry.version_id].published
                outcomes[entry.version_id] = VersionOutcome(published, None, last or entry)
    return list(outcomes.values())


def public_versions(*years: int) -> list[Version]:
    """Return the versions of years whose files the public may have, newest year and version first.

    Those are all that were ever published, also if staff rolled back from them. Only one that staff
    withdrew is not public, nor any of a data set that is withdrawn.
    """
    return [outcome.version for outcome in list_public_outcomes(*years)]


def list_public_outcomes(*years: int) -> list[VersionOutcome]:
    """Return what became of each of the `public_versions`, in the same order."""
    public = [
        outcome
        for outcome in find_outcomes(*years)
        if outcome.withdrawn is None and outcome.version.state == Version.State.BUILT
    ]
    return sorted(public, key=lambda each: (each.version.year, each.version.number), reverse=True)


def require_public_version(name: str) -> VersionOutcome:
    """Return what became of a version that the public may have. name: such as `2022-1`.

    Raises: NotFound for one that was never published; Gone for one that is not public any more.
    """
    outcomes = find_outcomes(read_year(name.partition("-")[0]))
    outcome = next((each for each in outcomes if each.version.name == name), None)
    if outcome is None:
        raise NotFound(no_version(name))
    if outcome.withdrawn:
        raise Gone(f"Version {name} is not public: {describe_decision(outcome.withdrawn)}")
    if outcome.version.state == Version.State.REMOVED:
        raise Gone(f"The files of version {name} were removed by an earlier release.")
    return outcome


def no_version(name: str) -> str:
    """Return the message for a version that was never published."""
    return f"No version {name[:20]} was published; /v2/public/publications lists those that were."


def withdrawn_years() -> frozenset[int]:
    """Return the years that were public once and are not now."""
    published = published_versions().values("year")
    withdrawn = Publication.objects.exclude(year__in=published)
    return frozenset(withdrawn.order_by().values_list("year", flat=True).distinct())


def decisions_against(dataset: str = Dataset.DYNAMIC) -> dict[int, Publication]:
    """Return, by year, why a data set is not published automatically: staff took a version away.

    That is the last entry of its history, those of the service left aside, if it is a withdrawal
    or a roll back.
    """
    change = Publication.What
    by_staff = Publication.objects.filter(version__dataset=dataset).exclude(
        what=change.PUBLISHED, actor_id=SERVICE.id, actor_username=SERVICE.username
    )
    last = by_staff.order_by().values("year").annotate(last=Max("pk")).values("last")
    decisions = Publication.objects.select_related("version").filter(pk__in=last)
    return {each.year: each for each in decisions.exclude(what=change.PUBLISHED)}


def decision_against(version: Version) -> Publication | None:
    """Return the decision of staff because of which a built version is not published, or None.

    What staff requested after that decision is published.
    """
    decision = decisions_against(version.dataset).get(version.year)
    is_newer = bool(version.actor_id or version.actor_username)
    if decision and is_newer and version.at > decision.at:
        return None
    return decision


def describe_decision(decision: Publication) -> str:
    """Return in words why a data set is not published automatically."""
    verb = "withdrew" if decision.what == Publication.What.WITHDRAWN else "rolled back"
    day = date_format(localtime(decision.at), "Y-m-d")
    return f"staff {verb} {_subject(decision.version)} on {day}. Reason: {decision.reason}"


def plan_publish(version: Version) -> str:
    """Return what publishing a version would do.

    Raises: NotReady when it has no files, or it or a later version is published.
    """
    plan = plan_go_live(version)
    if _is_earlier(version, live_version(version.year, version.dataset)):
        raise NotReady(
            f"A later version than {version.name} is published; roll back to this one instead."
        )
    return plan


def plan_roll_back(version: Version) -> str:
    """Return what rolling back to a version would do.

    Raises: NotReady when it has no files, or is not earlier than the published version.
    """
    plan = plan_go_live(version)
    if not _is_earlier(version, live_version(version.year, version.dataset)):
        raise NotReady(
            f"No later version than {version.name} is published; publish this one instead."
        )
    return plan


def plan_go_live(version: Version) -> str:
    """Return what making a version the published one would do: publish it, or roll back to it.

    Raises: NotReady when its files are removed or not built, it is published, or it is a vintage
    that was frozen on another day than is set now, or whose figures do not add up and that staff
    have not accepted; also when it has records of test institutions.
    """
    _require_built(version)
    _require_for_the_public(version)
    freeze_days.require_same_day(version)
    _require_reconciled(version)
    live = live_version(version.year, version.dataset)
    if live is None:
        return capfirst(f"{_subject(version)} becomes public, with {_records(version)}.")
    if live.version_id == version.pk:
        raise NotReady(f"Version {version.name} is already published.")
    verb = "is rolled back" if _is_earlier(version, live) else "moves on"
    return capfirst(
        f"{_subject(version)} {verb} from version {live.version.name} "
        f"({_records(live.version)}) to {version.name} ({_records(version)})."
    )


def publish_version(version: Version, *, by: Caller, reason: str) -> str:
    """Publish a version, or roll back to it if a later one is published.

    Raises: what `plan_go_live` raises; BadInput without a reason.
    """
    require_reason(reason)
    with transaction.atomic():
        locked, before = lock_version(version)
        summary = plan_go_live(locked)
        is_back = _is_earlier(locked, before)
        change = Publication.What.ROLLED_BACK if is_back else Publication.What.PUBLISHED
        switch_live_version(locked, change, by=by, reason=reason.strip())
    return summary


def switch_live_version(
    version: Version, change: Publication.What, *, by: Caller, reason: str
) -> None:
    """Make a version the published one of its data set, inside a transaction that locks it."""
    now = timezone.now()
    LiveVersion.objects.update_or_create(
        year=version.year,
        dataset=version.dataset,
        defaults={"version": version, "since": now, "by": by.username},
    )
    _record(version, change, by=by, reason=reason, at=now)


def lock_version(version: Version) -> tuple[Version, LiveVersion | None]:
    """Return a version and the published one of its data set, and lock both."""
    locked = Version.objects.select_for_update().get(pk=version.pk)
    return locked, lock_live_version(locked)


def lock_live_version(version: Version) -> LiveVersion | None:
    """Return the published version of the data set of a version, and lock it."""
    live = LiveVersion.objects.select_for_update()
    return live.filter(year=version.year, dataset=version.dataset).first()


def require_live_version(year: int, dataset: str = "") -> LiveVersion:
    """Return the published version of a data set, or the one that is shown of a year.

    Raises: NotReady when there is none.
    """
    live = live_version(year, dataset)
    if live is None:
        name = name_data_set(year, dataset) if dataset else year
        raise NotReady(f"No version of {name} is published.")
    return live


def roll_back_target(year: int, number: int | None = None, *, dataset: str = "") -> Version:
    """Return the version to roll a data set back to: the one of a number, or the one before.

    dataset: the one that is shown of the year if left out; a number names its own.

    Raises: NotReady when none is published, or none before is kept; NotFound for an unknown number.
    """
    live = require_live_version(year, dataset)
    versions = Version.objects.filter(year=year)
    if number is not None:
        version = versions.filter(number=number).first()
        if version is None:
            raise NotFound(f"There is no version {year}-{number}.")
        return version
    version = versions.filter(
        dataset=live.dataset, state=Version.State.BUILT, number__lt=live.version.number
    ).first()
    if version is None:
        raise NotReady(f"No version before {live.version.name} is kept.")
    return version


def plan_withdraw(version: Version) -> str:
    """Return what withdrawing a published version would do.

    Raises: NotReady when it is not published.
    """
    if not LiveVersion.objects.filter(version=version).exists():
        raise NotReady(f"Version {version.name} is not published.")
    ends = f"{_subject(version)} is no longer public: its {_records(version)} are in no data set"
    return capfirst(" ".join([f"{ends} that anyone can read.", *list_still_public(version)]))


def list_still_public(version: Version) -> list[str]:
    """Return what of its year anyone can read once a version is withdrawn, a sentence each."""
    year = version.year
    sentences = [
        f"The {name_data_set(year, live.dataset)} stays public, with {_records(live.version)}: "
        f"withdraw version {live.version.name}, too, if no one shall read them."
        for live in published_data_sets().filter(year=year).exclude(version=version)
    ]
    if number := ModifiedLar.objects.annual().public().filter(**{LAR_YEAR: year}).count():
        sentences.append(
            f"{number_of(number, 'modified LAR')} of {year} stay public, each with all records of "
            "its institution: withdraw them, too, in the list of modified LARs or with "
            f"`manage.py withdraw {year} --modified-lars`, if no one shall read them."
        )
    return sentences


def withdraw_version(version: Version, *, by: Caller, reason: str) -> str:
    """Withdraw the published version of a data set; return what was done.

    Raises: NotReady when the version is not published; BadInput without a reason.
    """
    require_reason(reason)
    with transaction.atomic():
        live = LiveVersion.objects.select_for_update().filter(version=version).first()
        summary = plan_withdraw(version)
        if live:
            live.delete()
        _record(
            version, Publication.What.WITHDRAWN, by=by, reason=reason.strip(), at=timezone.now()
        )
    return summary


def require_reason(reason: str) -> None:
    """Require a reason. Raises: BadInput."""
    if not reason.strip():
        raise BadInput("Say why: one sentence for the history will do.")


def _is_earlier(version: Version, live: LiveVersion | None) -> bool:
    return live is not None and version.number < live.version.number


def _subject(version: Version) -> str:
    """Return what a version is of: a year alone for its dynamic data set, else the vintage."""
    return f"the {version.dataset_name}" if version.is_vintage else str(version.year)


def _records(version: Version) -> str:
    return number_of(version.rows, "record")


def _require_built(version: Version) -> None:
    if version.state == Version.State.REMOVED:
        raise NotReady(f"The files of version {version.name} were removed; build the year again.")
    if version.state != Version.State.BUILT:
        raise NotReady(f"Version {version.name} is not built; its state is: {version.standing}.")


def _require_reconciled(version: Version) -> None:
    if version.disagreements and not version.disagreements_reason:
        number = len(version.disagreements.splitlines())
        raise NotReady(
            f"The figures of version {version.name} do not add up "
            f"({number_of(number, 'disagreement')}). See its reconciliation; accept it with a "
            "reason to publish it."
        )


def list_test_institutions(year: int) -> list[str]:
    """Return the LEIs of the institutions of a year whose records never become public."""
    tests = Institution.objects.filter(~standing.is_real_institution(), activity_year=year)
    return list(tests.order_by("lei").values_list("lei", flat=True))


def count_test_records(version: Version) -> dict[str, int]:
    """Return how many records a built version has of institutions that are test institutions now.

    They may have become so since it was built. By LEI, without those that have none.
    """
    tests = list_test_institutions(version.year)
    if not tests:
        return {}
    records = pl.scan_parquet(storage.open_local_copy(f"{version.folder}/{LOANS}"))
    counts = records.filter(pl.col("lei").is_in(tests)).group_by("lei").len()
    return dict(counts.collect(engine="streaming").sort("lei").rows())


def _require_for_the_public(version: Version) -> None:
    if counts := count_test_records(version):
        raise NotReady(
            f"Version {version.name} has {number_of(sum(counts.values()), 'record')} of what is a "
            f"test institution now ({', '.join(counts)}). Build the {version.dataset_name} again: "
            "the new version leaves them out."
        )


def _record(
    version: Version, change: Publication.What, *, by: Caller, reason: str, at: datetime
) -> None:
    publication = Publication.objects.create(
        at=at,
        year=version.year,
        version=version,
        what=change,
        actor_id=by.id,
        actor_username=by.username,
        actor_email=by.email,
        reason=reason,
    )
    audit.record_event(_EVENTS[change], by=by, about=version.name, reason=reason)
    registries.emit_staff_event(
        StaffEvent(
            PUBLICATION,
            f"publication:{publication.pk}",
            f"Version {version.name}: {publication.get_what_display()}",
            "databrowser_version_change",
            (version.pk,),
        )
    )
    events.version_published.send(sender=Version, year=version.year)
