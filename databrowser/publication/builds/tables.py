"""The small tables of a version: transmittal sheets, institutions and MSA/MDs.

Each is written with commas, with pipes and as Parquet, sorted by LEI or code, with the names of its
columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import polars as pl
from django.db.models import Min

from databrowser.publication.builds.sources import BuildSources
from databrowser.publication.versions import freeze_days
from filing import standing
from filing.day_hours import to_filing_zone
from filing.lar.fields import TS_BY_NAME
from filing.models import Institution, Signature
from filing.reference_data import registry

_SEPARATORS = {"csv": ",", "txt": "|"}
_DESCRIPTIONS = {
    "sheets": "the transmittal sheets",
    "institutions": "the institutions, and which of them filed",
    "msamds": "the MSA/MDs of the records",
}
_FORMATS = {"csv": "comma-delimited", "txt": "pipe-delimited", "parquet": "Parquet with types"}
# The tables with their descriptions, by the name of the file.
TABLE_FILES = {
    f"{table}.{ending}": f"{description}, {form}"
    for table, description in _DESCRIPTIONS.items()
    for ending, form in _FORMATS.items()
}
_ANNUAL = 4  # the calendar quarter of an annual sheet
_NO_MSA_MD = ("", "0", "NA")
_SHEET_COLUMNS = {
    "activity_year": pl.Int64,
    "calendar_quarter": pl.Int64,
    "lei": pl.String,
    "agency_code": pl.Int64,
    "respondent_name": pl.String,
    "respondent_state": pl.String,
    "respondent_city": pl.String,
    "respondent_zip_code": pl.String,
    "lar_count": pl.Int64,
    "first_sign_date": pl.Date,
    "last_sign_date": pl.Date,
}


def write_tables(
    inputs: BuildSources, loans: Path, folder: Path, *, leis: Iterable[str], names: pl.DataFrame
) -> None:
    """Write each table of a version in each format.

    loans: its records, of these LEIs. names: as `sources.institution_names` returns them.
    """
    codes = pl.scan_parquet(loans).select(pl.col("derived_msa_md").unique())
    frames = {
        "sheets": _sheets(inputs),
        "institutions": _institutions(inputs, set(leis), names),
        "msamds": _msa_mds(inputs.year, codes.collect(engine="streaming").to_series()),
    }
    for table, frame in frames.items():
        for ending, separator in _SEPARATORS.items():
            frame.write_csv(folder / f"{table}.{ending}", separator=separator)
        frame.write_parquet(folder / f"{table}.parquet", compression="zstd")


def _sheets(inputs: BuildSources) -> pl.DataFrame:
    """Return the transmittal sheets of a data set, without tax id and contact.

    Dates are those of the filing time zone; the first one is that of the first signature.
    """
    first = _first_signatures(inputs)
    rows = [
        (
            inputs.year,
            _ANNUAL,
            signed.lei,
            *(signed.sheet.get(name) for name in _OF_SHEET),
            to_filing_zone(first[signed.lei]).date(),
            to_filing_zone(signed.signed_at).date(),
        )
        for signed in inputs.signed
    ]
    return pl.DataFrame(rows, schema=_SHEET_COLUMNS, orient="row").sort("lei")


_OF_SHEET = (
    *("federal_agency", "institution_name", "contact_state", "contact_city"),
    *("contact_zip_code", "total_lines"),
)
assert set(_OF_SHEET) <= set(TS_BY_NAME)


def _first_signatures(inputs: BuildSources) -> dict[str, datetime]:
    signatures = Signature.objects.filter(
        submission__filing__period__year=inputs.year, submission__filing__period__quarter=""
    )
    if inputs.frozen_on:
        signatures = signatures.filter(signed_at__lt=freeze_days.find_end(inputs.frozen_on))
    by_lei = signatures.order_by().values_list("submission__filing__institution__lei")
    return dict(by_lei.annotate(Min("signed_at")))


def _institutions(inputs: BuildSources, leis: set[str], names: pl.DataFrame) -> pl.DataFrame:
    """Return the panel of the year without tests, and whoever else has records, by LEI."""
    filed = leis | {signed.lei for signed in inputs.signed}
    panel = Institution.objects.filter(standing.is_real_institution(), activity_year=inputs.year)
    columns = ("lei", "name", "agency", "quarterly_filer")
    known = pl.DataFrame(
        list(panel.values_list(*columns)),
        schema=dict(zip(columns, (pl.String, pl.String, pl.Int64, pl.Boolean), strict=True)),
        orient="row",
    )
    others = pl.DataFrame({"lei": sorted(filed - {*known["lei"]})}, schema={"lei": pl.String})
    named = others.join(names, on="lei", how="left")
    return (
        pl.concat([known, named], how="diagonal")
        .with_columns(filed=pl.col("lei").is_in(filed))
        .rename({"agency": "agency_code"})
        .sort("lei")
    )


def _msa_mds(year: int, codes: pl.Series) -> pl.DataFrame:
    names = registry.find_msa_md_names([year])
    rows = [(code, names.get(code, "")) for code in codes.sort() if code not in _NO_MSA_MD]
    return pl.DataFrame(rows, schema=["msa_md", "msa_md_name"], orient="row")
