"""An overview of publication: for each year what is published, being built, and new."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from databrowser.models import LiveVersion, Publication, Version
from databrowser.publication.builds import intake
from databrowser.publication.builds.intake import Intake
from databrowser.publication.versions import live_versions
from filing.lar.years import Stage, supported_years
from filing.models import Job


@dataclass(frozen=True)
class Year:
    """The state of publication of a year.

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


def years() -> list[Year]:
    """Return the state of each year, newest first."""
    live = {row.year: row for row in live_versions.published_versions()}
    decisions = live_versions.decisions_against()
    versions = Version.objects.defer("manifest").select_related("job")
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
    intakes = intake.of_years()
    return [
        Year(
            year,
            live.get(year),
            building.get(year),
            before.get(year),
            intakes.get(year, Intake()),
            decisions.get(year),
            ready.get(year),
        )
        for year in reversed(supported_years(Stage.FILING))
        if year <= timezone.now().year or year in live or year in building or year in intakes
    ]
