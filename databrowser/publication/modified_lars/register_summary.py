"""The Institution Register Summary (IRS) of a file: its records by MSA/MD, with their amounts.

All records count, whatever their action, also those without a place. The MSA/MD is that of the
tract, or else of the county, in the census of the year. An amount counts as the midpoint of its
10,000-dollar interval; a midpoint in thousands is a whole number, so nothing is rounded.

Source: the IRS of the HMDA Platform, whose columns these are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from databrowser.publication.records import derived, places
from filing.lar.nested import write_plain_numbers

MSA_MD, RECORDS, AMOUNT = "msa_md", "records", "amount"
# The columns that count records, in the order of the report.
COUNTS: dict[str, pl.Expr] = {
    "conv": pl.col("loan_type") == 1,
    "fha": pl.col("loan_type") == 2,
    "va": pl.col("loan_type") == 3,
    "fsa": pl.col("loan_type") == 4,
    "site_built": pl.col("construction_method") == 1,
    "manufactured": pl.col("construction_method") == 2,
    "one_to_four_units": pl.col("total_units").is_between(1, derived.MOST_SINGLE_FAMILY_UNITS),
    "five_plus_units": pl.col("total_units") > derived.MOST_SINGLE_FAMILY_UNITS,
    "home_purchase": pl.col("loan_purpose") == 1,
    "home_improvement": pl.col("loan_purpose") == 2,
    "refinancing": pl.col("loan_purpose") == 31,
    "cash_out_refinancing": pl.col("loan_purpose") == 32,
    "other_purpose": pl.col("loan_purpose") == 4,
    "not_applicable_purpose": pl.col("loan_purpose") == 5,
}
FIGURES = (RECORDS, AMOUNT, *COUNTS)

SummaryRow = dict[str, int]


class SummaryCounter:
    """Counts the records of the blocks of a file. Several threads may count blocks at once.

    census: as `filing.reference.census.read_census`; without one, no MSA/MD is known.
    """

    def __init__(self, census: pl.DataFrame | None) -> None:
        self._msa_mds = places.index_msa_mds(census)

    def count(self, loans: pl.DataFrame) -> list[SummaryRow]:
        """Return a row of figures for each MSA/MD of typed loans.

        Units: amounts in thousands of dollars.
        """
        thousands = derived.midpoint(write_plain_numbers(pl.col("loan_amount"))).str.head(-3)
        counted = loans.select(
            places.find_msa_mds(loans, self._msa_mds).alias(MSA_MD),
            thousands.alias("#thousands"),
            thousands.cast(pl.Int128, strict=False).alias(AMOUNT),
            *(condition.alias(name) for name, condition in COUNTS.items()),
        )
        rows = counted.group_by(MSA_MD).agg(
            pl.len().alias(RECORDS), *(pl.col(name).sum() for name in (AMOUNT, *COUNTS))
        )
        vast = counted.filter(pl.col(AMOUNT).is_null()).select(MSA_MD, "#thousands")
        return sum_rows([*rows.iter_rows(named=True), *_amounts(vast.iter_rows())])


def sum_rows(rows: Iterable[SummaryRow]) -> list[SummaryRow]:
    """Return the sum of rows for each MSA/MD, by code; those without one, code 0, come last."""
    sums: dict[int, SummaryRow] = {}
    for row in rows:
        total = sums.setdefault(row[MSA_MD], {MSA_MD: row[MSA_MD], **dict.fromkeys(FIGURES, 0)})
        for name in FIGURES:
            total[name] += row.get(name, 0)
    return sorted(sums.values(), key=lambda row: (not row[MSA_MD], row[MSA_MD]))


def _amounts(vast: Iterator[tuple[Any, ...]]) -> Iterator[SummaryRow]:
    """Return rows for amounts that no integer of a frame holds: a number may have 100 digits."""
    return ({MSA_MD: msa_md, AMOUNT: int(thousands)} for msa_md, thousands in vast)
