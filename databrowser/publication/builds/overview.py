"""Publication at a glance: of each year what is published, what is being built, what is new."""

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
    """How publication of a year stands.

    building: the version that is queued or running. before: the one that a roll-back leads to.
    intake: what a build would take in.
    """

    year: int
    live: LiveVersion | None
    building: Version | None
    before: Version | None
    intake: Intake


def years() -> list[Year]:
    """Return how each year stands, the newest first."""
    live = {each.year: each for each in LiveVersion.objects.select_related("version")}
    versions = Version.objects.defer("manifest").select_related("job")
    building = {
        each.year: each
        for each in versions.filter(state=Version.State.ASKED, job__state__in=Job.UNFINISHED)
    }
    before: dict[int, Version] = {}
    for each in versions.filter(state=Version.State.BUILT):
        now = live.get(each.year)
        if now and each.number < now.version.number:
            before.setdefault(each.year, each)
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
