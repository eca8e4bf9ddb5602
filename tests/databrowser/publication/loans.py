"""A correct loan with changes: what the cases of derived and disclosed columns are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from databrowser.publication.records.masking import public_rows
from filing.edits import examples
from filing.lar.years import Period
from filing.reference.limits import LoanLimits
from tests.conftest import LEI

YEAR = 2024
Change = Mapping[str, str | int]


def frame(*changes: Change) -> pl.DataFrame:
    loan = examples.correct_loan(Period(YEAR), LEI)
    return examples.make_loan_frame([loan | dict(change) for change in changes])


def published(
    column: str,
    changes: Sequence[Change],
    *,
    year: int = YEAR,
    census: pl.DataFrame | None = None,
    limits: LoanLimits | None = None,
) -> list[str | float]:
    """Return what is published in a column of loans with these changes."""
    return public_rows(frame(*changes), year=year, census=census, limits=limits)[column].to_list()


def codes(name: str, *given: int) -> dict[str, int]:
    """Return five columns of codes, the first of them given and the others blank."""
    padded = (*given, 0, 0, 0, 0, 0)
    return {f"{name}_{number}": padded[number - 1] for number in range(1, 6)}
