"""Importing facts from a file, for the years before a site began or for a demo.

A file has one or several years, each of which replaces the earlier import of that year. Real facts
also replace made-up ones.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
from django.db import transaction
from django.db.models import Q

from databrowser.publication.quantities import number_of
from databrowser.publication.records import quarterly_facts
from filing import audit, storage
from filing.access import Caller
from filing.errors import BadInput
from filing.files import local_files
from filing.lar.years import RULEBOOKS
from filing.models import AuditEvent
from graphs.models import FactsImport

_FORMATS: dict[str, Callable[[Path], pl.LazyFrame]] = {
    ".parquet": pl.scan_parquet,
    ".csv": pl.scan_csv,
}
_CODES = ("action_taken", "loan_type", "loan_purpose", "lien_status", "open_end_line_of_credit")
# The values accepted in a column, besides null.
_KNOWN: dict[str, tuple[str, ...]] = {
    "conforming_loan_limit": ("C", "NC", "U", "NA"),
    "borrower_group": quarterly_facts.GROUPS,
}
# Columns that every row must have.
_ALWAYS = ("activity_year", "lei", "in_scope", *_CODES)


def import_facts(
    path: Path, *, by: str, annual: bool = True, is_demo: bool = False
) -> list[FactsImport]:
    """Import the facts of a Parquet or CSV file and return one import per year.

    annual: facts of annual filings, not of quarterly ones.
    Raises: BadInput, naming the error and the values accepted.
    """
    scan = _FORMATS.get(path.suffix.lower())
    if scan is None:
        raise BadInput(f"{path.name} is neither a .parquet nor a .csv file.")
    digest = _sha256(path)
    try:
        facts = _typed(scan(path), path.name)
        years = _checked(facts, path.name)
        return _store(
            facts,
            years,
            source=path.name,
            sha256=digest,
            loaded_by=by,
            annual=annual,
            is_demo=is_demo,
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadInput(f"{path.name} cannot be read: {str(error).splitlines()[0]}") from error


def _sha256(path: Path) -> str:
    try:
        return local_files.hash_file(path)
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}.") from error


def _typed(file: pl.LazyFrame, name: str) -> pl.LazyFrame:
    columns = file.collect_schema().names()
    if missing := [column for column in quarterly_facts.SCHEMA if column not in columns]:
        raise BadInput(
            f"{name} has no column {', '.join(missing)}. It must have the columns "
            f"{', '.join(quarterly_facts.SCHEMA)}."
        )
    return file.select(
        pl.col(column).cast(dtype) for column, dtype in quarterly_facts.SCHEMA.items()
    )


def _checked(facts: pl.LazyFrame, name: str) -> dict[int, tuple[int, int]]:
    """Return the numbers of rows and institutions by year, once all values are found valid."""
    conditions = {
        "quarter": pl.col("quarter").is_between(1, 4),
        "activity_year": pl.col("activity_year") >= RULEBOOKS[0],
        **{column: pl.col(column).is_in(values) for column, values in _KNOWN.items()},
    }
    counts = facts.select(
        *(pl.col(column).null_count().alias(f"{column} is missing") for column in _ALWAYS),
        *(
            (~test).sum().alias(f"{column} is not a known value")
            for column, test in conditions.items()
        ),
    ).collect(engine="streaming")
    for fault, count in counts.row(0, named=True).items():
        if count:
            raise BadInput(f"{name}: {fault} in {number_of(count, 'record')}. Nothing was loaded.")
    by_year = facts.group_by("activity_year").agg(pl.len(), pl.col("lei").n_unique())
    years = {year: (rows, leis) for year, rows, leis in by_year.collect(engine="streaming").rows()}
    if not years:
        raise BadInput(f"{name} has no records. Nothing was loaded.")
    return dict(sorted(years.items()))


def _store(
    facts: pl.LazyFrame, years: dict[int, tuple[int, int]], *, is_demo: bool, **origin: Any
) -> list[FactsImport]:
    """Store the facts of each year as a file, and put the imports into use."""
    imports = []
    with storage.make_work_folder() as workplace:
        for year, (rows, institutions) in years.items():
            target = workplace / f"{year}.parquet"
            of_year = facts.filter(pl.col("activity_year") == year)
            of_year.sink_parquet(target, compression="zstd")
            folder = f"graphs/facts-{year}-{uuid.uuid4().hex[:12]}"
            storage.store_file(target, f"{folder}/{quarterly_facts.FILE}")
            imports.append(
                FactsImport(
                    year=year,
                    rows=rows,
                    institutions=institutions,
                    folder=folder,
                    is_demo=is_demo,
                    **origin,
                )
            )
    _replace(imports, years, is_demo=is_demo)
    return imports


@transaction.atomic
def _replace(imports: list[FactsImport], years: Iterable[int], *, is_demo: bool) -> None:
    replaced = Q(year__in=list(years)) if is_demo else Q(year__in=list(years)) | Q(is_demo=True)
    FactsImport.objects.filter(replaced, active=True).update(active=False)
    FactsImport.objects.bulk_create(imports)


def leave_facts_out(imported: FactsImport, *, by: Caller, reason: str) -> None:
    """Leave out imported facts from the next computation on."""
    with transaction.atomic():
        FactsImport.objects.filter(pk=imported.pk).update(active=False)
        event = AuditEvent.REFERENCE_DATA_LEFT_OUT
        audit.record_event(event, by=by, about=f"facts of the graphs: {imported}", reason=reason)
