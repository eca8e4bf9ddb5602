"""The current sources of the graphs: the files of facts, and the quarterly filers to count.

A year with an import comes from that import. Other years come from the submission of each filing
that counts: the annual ones once the data set of the year is published or a later year has begun,
the quarterly ones until then, and again once staff withdrew the year.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from databrowser.models import ModifiedLar
from databrowser.publication.records import quarterly_facts
from databrowser.publication.versions import live_versions
from filing import storage
from filing.models import Institution
from graphs.measurement import Files
from graphs.models import FactsImport

RULES = 2  # increased when the same facts give other figures


@dataclass(frozen=True)
class Source:
    """A file of facts. mark: changes with its content. about: its origin, in words."""

    year: int
    annual: bool
    folder: str
    mark: str
    about: str
    is_demo: bool = False


@dataclass(frozen=True)
class Sources:
    """All files of facts, and the quarterly filers in the panel of a year, if there is one."""

    files: tuple[Source, ...]
    filers: frozenset[str]
    panel_year: int | None

    @property
    def sha256(self) -> str:
        """A hash that changes with any of the sources."""
        marks = sorted(f"{source.year} {source.annual} {source.mark}" for source in self.files)
        content = "\n".join([f"rules {RULES}", *marks, *sorted(self.filers)])
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def is_demo(self) -> bool:
        return any(source.is_demo for source in self.files)

    @property
    def by_year(self) -> list[dict[str, Any]]:
        """The origin of each year and its number of files, for the admin and commands."""
        numbers = Counter((source.year, source.about, source.is_demo) for source in self.files)
        return [
            {"year": year, "from": about, "files": files} | ({"demo": True} if is_demo else {})
            for (year, about, is_demo), files in sorted(numbers.items())
        ]

    def local(self) -> Files:
        """Return the files on this machine."""
        paths: dict[bool, list[Any]] = {True: [], False: []}
        for source in self.files:
            paths[source.annual].append(storage.local(f"{source.folder}/{quarterly_facts.FILE}"))
        return Files(annual=paths[True], quarterly=paths[False])


def current() -> Sources:
    """Return the sources of a computation now."""
    imports = FactsImport.objects.filter(active=True)
    files = [
        Source(
            imported.year,
            imported.annual,
            imported.folder,
            imported.sha256,
            f"{'annual' if imported.annual else 'quarterly'} filings, "
            f"imported from {imported.source}",
            imported.is_demo,
        )
        for imported in imports
    ]
    signed = _signed()
    years = {source.year for source in (*files, *signed)}
    finished = set(live_versions.published_versions().values_list("year", flat=True))
    finished |= years - {max(years, default=0)} - live_versions.withdrawn_years()
    from_imports = {source.year for source in files}
    files += [
        source
        for source in signed
        if source.year not in from_imports and source.annual == (source.year in finished)
    ]
    return Sources(tuple(files), *_filers(years))


def _signed() -> list[Source]:
    """Return the modified LAR in use of each filing, the one that was signed last at the end."""
    lars = (
        ModifiedLar.objects.in_use()
        .order_by("submission__signature__signed_at", "submission_id")
        .values(
            "folder",
            "sha256",
            "submission_id",
            year=F("submission__filing__period__year"),
            quarter=F("submission__filing__period__quarter"),
        )
    )
    return [
        Source(
            lar["year"],
            not lar["quarter"],
            lar["folder"],
            f"{lar['submission_id']} {lar['sha256']}",
            "quarterly filings" if lar["quarter"] else "annual filings",
        )
        for lar in lars
    ]


def _filers(years: Iterable[int]) -> tuple[frozenset[str], int | None]:
    """Return the quarterly filers and the year of their panel, that of the newest year if possible.

    If it has no quarterly filers, the newest earlier panel that has some is used.
    """
    panel = Institution.objects.filter(activity_year__lte=max(years, default=0))
    newest = panel.order_by("-quarterly_filer", "-activity_year")
    year = newest.values_list("activity_year", flat=True).first()
    filers = panel.filter(quarterly_filer=True, activity_year=year or 0)
    return frozenset(filers.values_list("lei", flat=True)), year
