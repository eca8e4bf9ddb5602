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
from django.db.models import Exists, Max, OuterRef, Q

from databrowser.models import LiveVersion, ModifiedLar, PublicImport
from databrowser.publication.columns import SCHEMA
from databrowser.publication.layout import LOANS, NAMES
from filing import storage
from filing.models import Institution, Signature
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

    missing: institutions that have signed but have no modified LAR yet. imports: newest first; the
    records of an institution come from the first import that has any.
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
    newest = _last_signed(year)
    lars = {
        lar.submission_id: lar
        for lar in ModifiedLar.objects.made().annual().filter(submission__filing__period__year=year)
    }
    signed, missing = [], []
    for lei, signature in sorted(newest.items()):
        lar = lars.get(signature.submission_id)
        if lar is None:
            missing.append(lei)
            continue
        name = str(signature.submission)
        signed.append(Signed(lei, name, lar.rows, lar.sha256, lar.folder))
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


def _last_signed(year: int) -> dict[str, Signature]:
    """Return the last signature of each institution for a whole year, by LEI."""
    signatures = Signature.objects.filter(
        ~is_replaced(),
        submission__filing__period__year=year,
        submission__filing__period__quarter="",
        submission__status=Status.SIGNED,
    ).select_related("submission__filing__institution", "submission__filing__period")
    return {signature.submission.lei: signature for signature in signatures}
