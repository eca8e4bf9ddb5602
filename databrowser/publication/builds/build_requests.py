"""Requests for builds, by staff or because submissions were signed since the last build."""

from __future__ import annotations

import logging

from django.db import IntegrityError, transaction
from django.db.models import Max

from databrowser.models import Dataset, Version
from databrowser.publication.builds import intake, sources
from databrowser.publication.versions import live_versions
from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotReady
from filing.jobs import queue
from filing.lar.years import YearStage, describe_years, supported_years
from filing.models import Job

log = logging.getLogger(__name__)

BUILD_KIND = "publish"  # of job
_ENDED = [Version.State.BUILT, Version.State.REMOVED, Version.State.UNCHANGED]


def plan_build(year: int) -> str:
    """Return a description of what a build of the year would contain.

    Raises: BadInput for an invalid year; NotReady when there are no records, nothing is new, or the
    year is being built.
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
    year_sources = sources.read_sources(year)
    if year_sources.is_empty and not year_sources.missing:
        raise NotReady(
            f"There is nothing to publish for {year}: no submission is signed and no public file "
            "is imported."
        )
    if sources.are_live(year_sources):
        raise NotReady(nothing_new(year))
    year_intake = intake.read_intake(year)
    return " ".join([f"A build of {year} takes in {year_intake.contents}.", *year_intake.left_out])


def request_build(
    year: int, *, by: Caller, reason: str, goes_live: bool = True, notifies: bool = True
) -> Version:
    """Queue a build of a year and return its version. notifies: whether workers are told.

    Of requests at the same time, as of two beats, one is queued.

    Raises: what `plan_build` raises; BadInput without a reason.
    """
    live_versions.require_reason(reason)
    try:
        with transaction.atomic():
            # Whoever comes second waits here, and then sees the build of the first.
            last = Version.objects.select_for_update().filter(year=year).order_by("-number").first()
            plan_build(year)
            version = Version.objects.create(
                year=year,
                number=last.number + 1 if last else 1,
                job=queue.add_job(BUILD_KIND, notifies=notifies),
                goes_live=goes_live,
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
