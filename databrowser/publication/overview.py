"""Publication at a glance: of each year what is live, what is being built, what waits."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, OuterRef, Q, Subquery
from django.utils import timezone

from databrowser.models import LiveVersion, ModifiedLar, PublicImport, Version
from filing.lar.period import FIRST_YEAR, LAST_YEAR


@dataclass(frozen=True)
class Year:
    """How publication of a year stands.

    building: the version that waits or is made. before: the one that a roll-back leads to.
    waiting: signed annual submissions, and imports, that are not in what is live.
    """

    year: int
    live: LiveVersion | None
    building: Version | None
    before: Version | None
    waiting: int
    imports: int

    @property
    def is_stale(self) -> bool:
        return bool(self.waiting or self.imports)


def years() -> list[Year]:
    """Return how each year stands, the newest first; in four statements."""
    live = {each.year: each for each in LiveVersion.objects.select_related("version")}
    versions = Version.objects.defer("manifest").select_related("job")
    building = {
        each.year: each
        for each in versions.filter(state="asked", job__state__in=["queued", "running"])
    }
    before: dict[int, Version] = {}
    for each in versions.filter(state="built"):
        now = live.get(each.year)
        if now and each.number < now.version.number:
            before.setdefault(each.year, each)
    waiting, imports = _waiting(), _imports()
    return [
        Year(
            year,
            live.get(year),
            building.get(year),
            before.get(year),
            waiting.get(year, 0),
            imports.get(year, 0),
        )
        for year in range(min(LAST_YEAR, timezone.now().year), FIRST_YEAR - 1, -1)
    ]


def _waiting() -> dict[int, int]:
    """Return how many signed annual submissions are not in what is live, by year."""
    begun = LiveVersion.objects.filter(year=OuterRef("submission__filing__period__year"))
    annual = ModifiedLar.objects.filter(submission__filing__period__quarter="")
    newer = annual.annotate(begun=Subquery(begun.values("version__gathered_at"))).filter(
        Q(made_at=None) | Q(begun=None) | Q(made_at__gt=F("begun"))
    )
    by_year = newer.order_by().values_list("submission__filing__period__year")
    return dict(by_year.annotate(Count("pk")))


def _imports() -> dict[int, int]:
    """Return how many imports that count are not in what is live, by year."""
    begun = LiveVersion.objects.filter(year=OuterRef("year"))
    newer = (
        PublicImport.objects.filter(active=True)
        .annotate(begun=Subquery(begun.values("version__gathered_at")))
        .filter(Q(begun=None) | Q(loaded_at__gt=F("begun")))
    )
    return dict(newer.order_by().values_list("year").annotate(Count("pk")))
