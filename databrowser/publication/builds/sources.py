"""The sources of a data set: signed submissions, and imported files for other institutions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import polars as pl
from django.core.files.storage import default_storage
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from databrowser.models import LiveVersion, ModifiedLar, ModifiedLars, PublicImport
from databrowser.publication.columns import SCHEMA
from databrowser.publication.layout import LOANS, NAMES
from filing import storage
from filing.models import Institution, Job, Signature, Submission
from filing.statuses import Status

# Increased whenever the same sources would give another data set, which has to be built then.
REVISION = 1


@dataclass(frozen=True)
class Signed:
    """The public records of an institution's newest signed annual submission."""

    lei: str
    submission: str
    rows: int
    sha256: str
    folder: str

    @property
    def path(self) -> Path:
        return storage.local(f"{self.folder}/{LOANS}")


@dataclass(frozen=True)
class Sources:
    """The sources of the data set of a year.

    signed: one per institution. missing: institutions whose last signed submission has no modified
    LAR yet; while it is being prepared, what they signed before is in `signed`. imports: newest
    first; the records of an institution come from the first import that has any.
    """

    year: int
    signed: tuple[Signed, ...]
    missing: tuple[str, ...]
    imports: tuple[PublicImport, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there are no records so far; missing institutions may add some."""
        return not self.signed and not self.imports

    @property
    def is_demo(self) -> bool:
        """Whether some records are made up."""
        return any(imported.is_demo for imported in self.imports)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the sources: equal sources give equal data sets."""
        content = {
            "revision": REVISION,
            "columns": list(SCHEMA),
            "signed": [[signed.lei, signed.sha256] for signed in self.signed],
            "missing": self.missing,
            "imports": [imported.sha256 for imported in self.imports],
        }
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def of_year(year: int) -> Sources:
    """Return the current sources of a year."""
    newest = _signatures(year).filter(~is_replaced())
    lars = {lar.submission_id: lar for lar in _annual(year).made()}
    signed, missing = [], []
    for signature in newest:
        if lar := lars.get(signature.submission_id):
            signed.append(_signed(signature.submission, lar))
        else:
            missing.append(signature.submission.lei)
    signed += _former(year, lars)
    signed.sort(key=lambda source: source.lei)
    missing.sort()
    imports = PublicImport.objects.filter(year=year, active=True).order_by("-loaded_at", "-pk")
    return Sources(year, tuple(signed), tuple(missing), tuple(imports))


def are_live(sources: Sources) -> bool:
    """Tell whether the published version of the year was built from these sources."""
    live = LiveVersion.objects.filter(
        year=sources.year, version__manifest__fingerprint=sources.fingerprint
    )
    return live.exists()


def names(sources: Sources) -> pl.DataFrame:
    """Return the names of the institutions of a year: `lei` and `name`, one row each.

    Names come from the panel of the year, or else from the list loaded with an import.
    """
    panel = Institution.objects.filter(activity_year=sources.year).values_list("lei", "name")
    lists = [pl.DataFrame(list(panel), schema={"lei": pl.String, "name": pl.String}, orient="row")]
    for imported in sources.imports:
        names_file = f"{imported.folder}/{NAMES}"
        if default_storage.exists(names_file):
            lists.append(pl.read_parquet(storage.local(names_file)))
    return pl.concat(lists).unique("lei", keep="first", maintain_order=True)


def last_prepared() -> dict[int, datetime]:
    """Return when the newest annual modified LAR was prepared, by year."""
    lars = ModifiedLar.objects.made().annual()
    by_year = lars.order_by().values_list("submission__filing__period__year")
    return dict(by_year.annotate(Max("made_at")))


def is_replaced() -> Exists:
    """Return the condition for signatures that a later one of the same filing replaces."""
    others = Signature.objects.filter(
        submission__status=Status.SIGNED, submission__filing=OuterRef("submission__filing")
    )
    return Exists(
        others.filter(
            Q(signed_at__gt=OuterRef("signed_at"))
            | Q(signed_at=OuterRef("signed_at"), pk__gt=OuterRef("pk"))
        )
    )


def _signatures(year: int) -> QuerySet[Signature]:
    """Return the signatures for a whole year, with institution and period."""
    return Signature.objects.filter(
        submission__filing__period__year=year,
        submission__filing__period__quarter="",
        submission__status=Status.SIGNED,
    ).select_related("submission__filing__institution", "submission__filing__period")


def _annual(year: int) -> ModifiedLars:
    return ModifiedLar.objects.annual().filter(submission__filing__period__year=year)


def _former(year: int, lars: dict[int, ModifiedLar]) -> list[Signed]:
    """Return what institutions signed before, if their last one is still being prepared.

    Their records would otherwise vanish from the data set until the next build.
    """
    unfinished = _annual(year).filter(made_at=None, job__state__in=Job.UNFINISHED)
    being_prepared = _signatures(year).filter(
        ~is_replaced(), submission__modified_lar__in=unfinished
    )
    earlier = _signatures(year).filter(
        is_replaced(), submission__filing__in=being_prepared.values("submission__filing")
    )
    last = {
        signature.submission.lei: signature.submission
        for signature in earlier.order_by("signed_at", "pk")
        if signature.submission_id in lars
    }
    return [_signed(submission, lars[submission.pk]) for submission in last.values()]


def _signed(submission: Submission, lar: ModifiedLar) -> Signed:
    return Signed(submission.lei, str(submission), lar.rows, lar.sha256, lar.folder)
