"""What a year's data set is made of: signed submissions first, imported files for the others."""

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

# Grows whenever the same sources would give another data set, so that it is made anew.
REVISION = 1


@dataclass(frozen=True)
class Signed:
    """The public rows of one institution's newest signed annual submission."""

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
    """All that a data set of a year is made of.

    missing: institutions that have signed and whose public rows are not made yet. imports: newest
    first; an institution's rows come from the first of them that has any.
    """

    year: int
    signed: tuple[Signed, ...]
    missing: tuple[str, ...]
    imports: tuple[PublicImport, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there are no rows; what is missing may bring some."""
        return not self.signed and not self.imports

    @property
    def is_demo(self) -> bool:
        """Whether some rows are made up."""
        return any(each.is_demo for each in self.imports)

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same sources: a data set of them would be the same, too."""
        said = {
            "revision": REVISION,
            "columns": list(SCHEMA),
            "signed": [[each.lei, each.sha256] for each in self.signed],
            "missing": self.missing,
            "imports": [each.sha256 for each in self.imports],
        }
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def of_year(year: int) -> Sources:
    """Return what is there for a year now."""
    newest = _last_signed(year)
    made = {
        each.submission_id: each
        for each in ModifiedLar.objects.made()
        .annual()
        .filter(submission__filing__period__year=year)
    }
    signed, missing = [], []
    for lei, signature in sorted(newest.items()):
        rows = made.get(signature.submission_id)
        if rows is None:
            missing.append(lei)
            continue
        name = str(signature.submission)
        signed.append(Signed(lei, name, rows.rows, rows.sha256, rows.folder))
    imports = PublicImport.objects.filter(year=year, active=True).order_by("-loaded_at", "-pk")
    return Sources(year, tuple(signed), tuple(missing), tuple(imports))


def are_live(sources: Sources) -> bool:
    """Tell whether the live version of a year is made of just these sources."""
    live = LiveVersion.objects.filter(
        year=sources.year, version__manifest__fingerprint=sources.fingerprint
    )
    return live.exists()


def names(sources: Sources) -> pl.DataFrame:
    """Return what the institutions of a year are called: `lei` and `name`, one row each.

    The panel of the year says it, else the list that came with an import.
    """
    panel = Institution.objects.filter(activity_year=sources.year).values_list("lei", "name")
    said = [pl.DataFrame(list(panel), schema={"lei": pl.String, "name": pl.String}, orient="row")]
    for each in sources.imports:
        listed = f"{each.folder}/{NAMES}"
        if default_storage.exists(listed):
            said.append(pl.read_parquet(storage.local(listed)))
    return pl.concat(said).unique("lei", keep="first", maintain_order=True)


def last_disclosed() -> dict[int, datetime]:
    """Return when public rows of signed annual submissions were last made, by year."""
    made = ModifiedLar.objects.made().annual()
    by_year = made.order_by().values_list("submission__filing__period__year")
    return dict(by_year.annotate(Max("made_at")))


def is_replaced() -> Exists:
    """Return the condition of signatures after which another of the same filing was given."""
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
