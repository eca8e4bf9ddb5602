"""What the graphs are computed from at a moment: which files, and whose rows are counted.

A year that was imported comes from its import. Any other comes from the newest signed submission of
each filing: from the annual ones once its data set is public or a later year has begun, until then
from the quarterly ones.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from databrowser.models import LiveVersion, ModifiedLar
from databrowser.publication.records import quarterly_facts
from filing import storage
from filing.models import Institution
from filing.statuses import FilingStatus
from graphs.measures import Files
from graphs.models import FactsImport

RULES = 1  # grows when the same facts come to other figures


@dataclass(frozen=True)
class Source:
    """One file of facts. mark: changes with its content. about: what it is, for people."""

    year: int
    annual: bool
    folder: str
    mark: str
    about: str
    is_demo: bool = False


@dataclass(frozen=True)
class Sources:
    """All files, and the quarterly filers by the panel of a year, if there is one."""

    files: tuple[Source, ...]
    filers: frozenset[str]
    panel_year: int | None

    @property
    def sha256(self) -> str:
        """What changes when anything here does."""
        marks = sorted(f"{each.year} {each.annual} {each.mark}" for each in self.files)
        whole = "\n".join([f"rules {RULES}", *marks, *sorted(self.filers)])
        return hashlib.sha256(whole.encode()).hexdigest()

    @property
    def is_demo(self) -> bool:
        return any(each.is_demo for each in self.files)

    @property
    def told(self) -> list[dict[str, Any]]:
        """What each year comes from, for people."""
        parts = Counter((each.year, each.about, each.is_demo) for each in self.files)
        return [
            {"year": year, "from": about, "files": files} | ({"demo": True} if is_demo else {})
            for (year, about, is_demo), files in sorted(parts.items())
        ]

    def local(self) -> Files:
        """Return the files on this machine."""
        paths: dict[bool, list[Any]] = {True: [], False: []}
        for each in self.files:
            paths[each.annual].append(storage.local(f"{each.folder}/{quarterly_facts.FILE}"))
        return Files(annual=paths[True], quarterly=paths[False])


def current() -> Sources:
    """Return what graphs would be computed from now."""
    imported = FactsImport.objects.filter(active=True)
    files = [
        Source(
            each.year,
            each.annual,
            each.folder,
            each.sha256,
            f"{'annual' if each.annual else 'quarterly'} filings, imported from {each.source}",
            each.is_demo,
        )
        for each in imported
    ]
    signed = _signed()
    years = {each.year for each in (*files, *signed)}
    finished = set(LiveVersion.objects.values_list("year", flat=True))
    finished |= years - {max(years, default=0)}
    from_imports = {each.year for each in files}
    files += [
        each
        for each in signed
        if each.year not in from_imports and each.annual == (each.year in finished)
    ]
    return Sources(tuple(files), *_filers(years))


def _signed() -> list[Source]:
    """Return the newest signed submission of each filing that has been worked up."""
    made = (
        ModifiedLar.objects.made()
        .exclude(submission__filing__status=FilingStatus.CANCELLED)
        .order_by("submission__signature__signed_at", "submission_id")
        .values(
            "folder",
            "sha256",
            "submission_id",
            filing=F("submission__filing_id"),
            year=F("submission__filing__period__year"),
            quarter=F("submission__filing__period__quarter"),
        )
    )
    newest = {each["filing"]: each for each in made}
    return [
        Source(
            each["year"],
            not each["quarter"],
            each["folder"],
            f"{each['submission_id']} {each['sha256']}",
            "quarterly filings" if each["quarter"] else "annual filings",
        )
        for each in newest.values()
    ]


def _filers(years: Iterable[int]) -> tuple[frozenset[str], int | None]:
    """Return the quarterly filers, and the panel that says so: that of the newest year, if it can.

    Where it has none, the newest panel before it counts that has some.
    """
    panel = Institution.objects.filter(activity_year__lte=max(years, default=0))
    newest = panel.order_by("-quarterly_filer", "-activity_year")
    year = newest.values_list("activity_year", flat=True).first()
    flagged = panel.filter(quarterly_filer=True, activity_year=year or 0)
    return frozenset(flagged.values_list("lei", flat=True)), year
