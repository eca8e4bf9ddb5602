"""An overview of publication: for each year what is published, being built, and new."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from databrowser.models import LiveVersion, Version
from databrowser.publication.builds import intake
from databrowser.publication.builds.intake import Intake
from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.models import Job


@dataclass(frozen=True)
class Year:
    """The state of publication of a year.

    building: the version that is queued or running. before: the version to roll back to. intake:
    what a build would include.
    """

    year: int
    live: LiveVersion | None
    building: Version | None
    before: Version | None
    intake: Intake


def years() -> list[Year]:
    """Return the state of each year, newest first."""
    live = {
        live_version.year: live_version
        for live_version in LiveVersion.objects.select_related("version")
    }
    versions = Version.objects.defer("manifest").select_related("job")
    building = {
        version.year: version
        for version in versions.filter(state=Version.State.ASKED, job__state__in=Job.UNFINISHED)
    }
    before: dict[int, Version] = {}
    for version in versions.filter(state=Version.State.BUILT):
        published = live.get(version.year)
        if published and version.number < published.version.number:
            before.setdefault(version.year, version)
    intakes = intake.of_years()
    return [
        Year(
            year,
            live.get(year),
            building.get(year),
            before.get(year),
            intakes.get(year, Intake()),
        )
        for year in range(min(LAST_YEAR, timezone.now().year), FIRST_YEAR - 1, -1)
    ]
