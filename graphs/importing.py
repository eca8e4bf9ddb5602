"""Loading facts from a file: the years before a site began, or those of the demo.

A file holds one year or several; each replaces what was imported of that year before. Facts that
were made up go when real ones come.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl
from django.db import transaction
from django.db.models import Q

from databrowser.publication.records import quarterly_facts
from filing import storage
from filing.errors import BadInput
from filing.files import digests
from graphs.models import FactsImport

_FORMATS: dict[str, Callable[[Path], pl.LazyFrame]] = {
    ".parquet": pl.scan_parquet,
    ".csv": pl.scan_csv,
}
_YEARS = range(2018, 2100)
_CODES = ("action_taken", "loan_type", "loan_purpose", "lien_status", "open_end_line_of_credit")
# Of a column the values that it may have besides none.
_KNOWN: dict[str, tuple[str, ...]] = {
    "conforming_loan_limit": ("C", "NC", "U", "NA"),
    "borrower_group": quarterly_facts.GROUPS,
}
# That every row has.
_ALWAYS = ("activity_year", "lei", "in_scope", *_CODES)


def load(path: Path, *, by: str, annual: bool = True, is_demo: bool = False) -> list[FactsImport]:
    """Take the facts of a Parquet or CSV file in, year by year, and return what was imported.

    annual: whether they are of annual filings, or else of quarterly ones.
    Raises: BadInput, saying what is wrong with the file and what would be right.
    """
    read = _FORMATS.get(path.suffix.lower())
    if read is None:
        raise BadInput(f"{path.name} is neither a .parquet nor a .csv file.")
    digest = _sha256(path)
    try:
        facts = _typed(read(path), path.name)
        years = _checked(facts, path.name)
        return _kept(facts, years, path.name, digest, by=by, annual=annual, is_demo=is_demo)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadInput(f"{path.name} cannot be read: {str(error).splitlines()[0]}") from error


def _sha256(path: Path) -> str:
    try:
        return digests.sha256(path)
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}.") from error


def _typed(file: pl.LazyFrame, name: str) -> pl.LazyFrame:
    columns = file.collect_schema().names()
    if missing := [each for each in quarterly_facts.SCHEMA if each not in columns]:
        raise BadInput(
            f"{name} has no column {', '.join(missing)}. It must have the columns "
            f"{', '.join(quarterly_facts.SCHEMA)}."
        )
    return file.select(pl.col(each).cast(dtype) for each, dtype in quarterly_facts.SCHEMA.items())


def _checked(facts: pl.LazyFrame, name: str) -> dict[int, tuple[int, int]]:
    """Return of each year its rows and institutions, when every value is one that can be."""
    right = {
        "quarter": pl.col("quarter").is_between(1, 4),
        "activity_year": pl.col("activity_year").is_between(_YEARS[0], _YEARS[-1]),
        **{each: pl.col(each).is_in(values) for each, values in _KNOWN.items()},
    }
    wrong = facts.select(
        *(pl.col(each).null_count().alias(f"{each} is missing") for each in _ALWAYS),
        *((~test).sum().alias(f"{each} is not a known value") for each, test in right.items()),
    ).collect(engine="streaming")
    for fault, count in wrong.row(0, named=True).items():
        if count:
            raise BadInput(f"{name}: in {count:,} rows {fault}. Nothing was loaded.")
    by_year = facts.group_by("activity_year").agg(pl.len(), pl.col("lei").n_unique())
    years = {year: (rows, leis) for year, rows, leis in by_year.collect(engine="streaming").rows()}
    if not years:
        raise BadInput(f"{name} has no rows. Nothing was loaded.")
    return dict(sorted(years.items()))


def _kept(
    facts: pl.LazyFrame, years: dict[int, tuple[int, int]], name: str, digest: str, **how: object
) -> list[FactsImport]:
    made = []
    with storage.workshop() as workplace:
        for year, (rows, institutions) in years.items():
            target = workplace / f"{year}.parquet"
            of_year = facts.filter(pl.col("activity_year") == year)
            of_year.sink_parquet(target, compression="zstd")
            folder = f"graphs/facts-{year}-{uuid.uuid4().hex[:12]}"
            storage.keep(target, f"{folder}/{quarterly_facts.FILE}")
            made.append(
                FactsImport(
                    year=year,
                    annual=bool(how["annual"]),
                    is_demo=bool(how["is_demo"]),
                    loaded_by=str(how["by"]),
                    source=name,
                    sha256=digest,
                    rows=rows,
                    institutions=institutions,
                    folder=folder,
                )
            )
    _replace(made, years, is_demo=bool(how["is_demo"]))
    return made


@transaction.atomic
def _replace(made: list[FactsImport], years: Iterable[int], *, is_demo: bool) -> None:
    goes = Q(year__in=list(years)) if is_demo else Q(year__in=list(years)) | Q(is_demo=True)
    FactsImport.objects.filter(goes, active=True).update(active=False)
    FactsImport.objects.bulk_create(made)
