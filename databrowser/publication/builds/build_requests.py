"""Requests for builds, by staff or because submissions were signed since the last build."""

from __future__ import annotations

import logging
from datetime import date

from django.db import IntegrityError, transaction
from django.db.models import Max

from databrowser.models import Dataset, Version, name_data_set
from databrowser.publication.builds import intake, sources
from databrowser.publication.versions import freeze_days, live_versions
from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotReady
from filing.jobs import queue
from filing.lar.years import YearStage, describe_years, supported_years
from filing.models import Job
from filing.previews import require_previewed

log = logging.getLogger(__name__)

BUILD_KIND = "publish"  # of job
_ENDED = [Version.State.BUILT, Version.State.REMOVED, Version.State.UNCHANGED]


def plan_build(year: int, dataset: str = Dataset.DYNAMIC) -> list[str]:
    """Return what a build of a data set would contain and leave out, a sentence each.

    Raises: BadInput for an invalid year; NotReady when there are no records, nothing is new, the
    year is being built, or the freeze day of the vintage is not over.
    """
    if year not in supported_years(YearStage.FILING):
        raise BadInput(
            f"There is no data set of {year}: years are {describe_years(YearStage.FILING)}."
        )
    running = Version.objects.filter(
        year=year, state=Version.State.ASKED, job__state__in=Job.UNFINISHED
    ).first()
    if running:
        raise NotReady(
            f"Version {running.name} is being built (job: {running.standing}). Wait until the "
            "job is done."
        )
    frozen_on = _require_frozen(year, dataset)
    year_sources = sources.read_sources(year, frozen_on=frozen_on)
    if year_sources.is_empty and not year_sources.missing:
        raise NotReady(
            f"There is nothing to publish for {year}: no submission "
            f"{'was signed by the freeze day' if frozen_on else 'is signed'} and no public file is "
            "imported."
        )
    if sources.are_live(year_sources):
        raise NotReady(nothing_new(year))
    if frozen_on:
        return intake.describe_vintage(year_sources, name_data_set(year, dataset))
    year_intake = intake.read_intake(year)
    return [
        f"A build of {year} takes in {year_intake.contents}.",
        *year_intake.left_out,
        intake.describe_share(year, year_intake.submissions),
    ]


def list_build_facts(year: int, dataset: str, plan: list[str]) -> list[object]:
    """Return what the preview of a build shows: its plan, and which version is published."""
    live = live_versions.live_version(year, dataset)
    return [*plan, live.version_id if live else None]


def _require_frozen(year: int, dataset: str) -> date | None:
    """Return the freeze day of a vintage, None of the dynamic data set.

    Raises: NotReady when it is not over.
    """
    if dataset == Dataset.DYNAMIC:
        return None
    vintage = freeze_days.find_freeze_day(year, dataset)
    freeze_days.require_over(vintage)
    return vintage.day


def request_build(
    year: int,
    *,
    by: Caller,
    reason: str,
    dataset: str = Dataset.DYNAMIC,
    goes_live: bool = True,
    notifies: bool = True,
    digest: str | None = None,
) -> Version:
    """Queue a build of a data set and return its version. notifies: whether workers are told.

    digest: of the preview that is confirmed, if there was one.

    A vintage is never published when it is built: staff look at its reconciliation first.

    Of requests at the same time, as of two beats, one is queued.

    Raises: what `plan_build` raises; BadInput without a reason; PreviewChanged.
    """
    live_versions.require_reason(reason)
    try:
        with transaction.atomic():
            # Whoever comes second waits here, and then sees the build of the first.
            last = Version.objects.select_for_update().filter(year=year).order_by("-number").first()
            plan = plan_build(year, dataset)
            require_previewed(digest, *list_build_facts(year, dataset, plan))
            version = Version.objects.create(
                year=year,
                dataset=dataset,
                frozen_on=_require_frozen(year, dataset),
                number=last.number + 1 if last else 1,
                job=queue.add_job(BUILD_KIND, notifies=notifies),
                goes_live=goes_live and dataset == Dataset.DYNAMIC,
                actor_id=by.id,
                actor_username=by.username,
                actor_email=by.email,
                reason=reason.strip(),
            )
    except IntegrityError as error:  # of a year without a version there is no row to wait for
        raise NotReady(f"A build of {year} was requested at the same time.") from error
    log.info("Version %s was requested by %s", version.name, by)
    return version


def nothing_new(year: int) -> str:
    """Return the message for a year that need not be built again."""
    return f"Nothing is new for {year}: the published version is up to date."


def request_due_builds() -> list[Version]:
    """Request a build of each year with submissions signed since its last build."""
    versions = []
    for year in due_years():
        try:
            reason = "Submissions were signed since the last build."
            versions.append(request_build(year, by=SERVICE, reason=reason))
        except NotReady as refusal:
            log.info("The data set of %s is not built: %s", year, refusal.message)
    return versions


def due_years() -> list[int]:
    """Return the years in which a modified LAR was prepared after the last build began."""
    prepared = sources.last_prepared()
    begun = dict(
        Version.objects.filter(dataset=Dataset.DYNAMIC, state__in=_ENDED)
        .order_by()
        .values_list("year")
        .annotate(Max("gathered_at"))
    )
    return [
        year for year, at in sorted(prepared.items()) if not begun.get(year) or at > begun[year]
    ]
