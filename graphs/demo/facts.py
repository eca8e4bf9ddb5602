"""Made-up facts of loans, for demos of the graphs and for benchmarks.

Levels and trends are made up, and every page says so. The same call gives the same facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from databrowser.publication.records.quarterly_facts import GROUPS, SCHEMA

_SEED = 20241
# By kind of loan: share, loan type, limit and line of credit; then by how much its scores, ratios,
# rates and share of denials are above those of the first kind.
_KINDS = (
    (0.50, 1, "C", 2, 0, 0.0, 0.00, 0.00),
    (0.07, 1, "NC", 2, 22, -4.0, -0.15, 0.02),
    (0.19, 2, "C", 2, -62, 15.0, 0.10, 0.05),
    (0.13, 1, "C", 1, 12, -15.0, 1.60, 0.12),
    (0.02, 4, "C", 2, -40, 18.0, 0.05, 0.07),
    (0.09, 3, "C", 2, -18, 16.0, -0.20, 0.01),
)
_GROUP_SHARES = (0.08, 0.11, 0.17, 0.54, 0.10)  # the last belongs to no group
_ACTIONS, _ACTION_SHARES = (1, 2, 3, 4, 5, 6), (0.60, 0.03, 0.12, 0.13, 0.06, 0.06)
_PURPOSES, _PURPOSE_SHARES = (1, 2, 31, 32, 4), (0.52, 0.08, 0.12, 0.20, 0.08)
_SEASONS = (0.22, 0.28, 0.27, 0.23)
_CODES = (1111, 7777, 8888)  # in place of a score


def make_facts(
    rows: int,
    year: int,
    *,
    filers: Sequence[str],
    others: Sequence[str] = (),
    quarters: Sequence[int] = (1, 2, 3, 4),
) -> pl.DataFrame:
    """Return facts of a year, four of five from quarterly filers if there are others.

    Shape: as `databrowser.publication.records.quarterly_facts.SCHEMA`.
    """
    draw = np.random.default_rng([_SEED, year])
    kind = draw.choice(len(_KINDS), rows, p=[kind[0] for kind in _KINDS])
    _, loan_type, limit, line, score, ratio, rate, denied = (
        np.array(values)[kind] for values in zip(*_KINDS, strict=True)
    )
    shares = np.array(_SEASONS)[[quarter - 1 for quarter in quarters]]
    quarter = draw.choice(quarters, rows, p=shares / shares.sum())
    years_since_2023 = year - 2023 + (quarter - 1) / 4  # for trends
    leis = np.where(
        draw.random(rows) < (0.8 if others else 1),
        draw.choice(filers, rows),
        draw.choice(others or filers, rows),
    )
    scores = np.clip(draw.normal(742 + score - 2 * years_since_2023, 45), 450, 850).round()
    columns: dict[str, Any] = {
        "activity_year": np.full(rows, year),
        "quarter": quarter,
        "lei": leis,
        "in_scope": draw.random(rows) < 0.9,
        "action_taken": np.where(
            draw.random(rows) < denied, 3, draw.choice(_ACTIONS, rows, p=_ACTION_SHARES)
        ),
        "loan_type": loan_type,
        "loan_purpose": draw.choice(_PURPOSES, rows, p=_PURPOSE_SHARES),
        "lien_status": np.where((line == 1) & (draw.random(rows) < 0.7), 2, 1),
        "open_end_line_of_credit": line,
        "conforming_loan_limit": limit,
        "borrower_group": np.array([*GROUPS, ""])[draw.choice(5, rows, p=_GROUP_SHARES)],
        "applicant_credit_score": np.where(
            draw.random(rows) < 0.03, draw.choice(_CODES, rows), scores
        ),
        "combined_loan_to_value_ratio": np.abs(draw.normal(78 + ratio, 13)).round(2),
        "debt_to_income_ratio": np.abs(draw.normal(37 + years_since_2023 + ratio / 5, 9)).round(2),
        "interest_rate": np.abs(
            draw.normal(6.1 + rate + np.sin(2 * years_since_2023) * 0.8, 0.6)
        ).round(3),
        "total_loan_costs": np.abs(
            draw.normal(5_400 + 250 * years_since_2023 + 90 * ratio, 2_200)
        ).round(2),
    }
    facts = pl.DataFrame(columns).with_columns(
        pl.col("borrower_group").replace("", None),
        _with_gaps("combined_loan_to_value_ratio", 31),
        _with_gaps("debt_to_income_ratio", 17),
        _with_gaps("interest_rate", 43),
        pl.when((pl.col("open_end_line_of_credit") == 2) & (pl.col("action_taken") == 1)).then(
            "total_loan_costs"
        ),
    )
    return facts.select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items())


def _with_gaps(column: str, every: int) -> pl.Expr:
    return pl.when(pl.int_range(pl.len()) % every != 0).then(column)
