"""The partial exemption of small lenders, which fills the cells that it covers.

Source: Regulation C, 12 CFR 1003.3(d): the data points of 1003.4(a)(9)(i), (12), (15) to (30), (32)
to (38). Fields of one of its data points, and of the edits V709 to V715, are exempt together.
"""

from __future__ import annotations

from collections.abc import Container

import polars as pl

from filing.lar.fields import LAR, Parse
from filing.spreadsheets.rules.steps import RuleLog

_RULE = "partial-exemption"
_TOGETHER = (
    ("street", "city", "zip_code"),
    tuple(field.name for field in LAR if "_credit_score" in field.name),
    tuple(field.name for field in LAR if field.name.startswith("denial_reason_")),
    ("total_loan_costs", "total_points_and_fees"),
    tuple(field.name for field in LAR if field.name.startswith("aus_")),
    ("submission_of_application", "initially_payable_to_institution"),
    (
        *("balloon_payment", "interest_only_payments"),
        *("negative_amortization", "other_non_amortizing_features"),
    ),
)
_IN_GROUPS = {name for group in _TOGETHER for name in group}
_CODES = {field.name: str(field.exempt) for field in LAR if field.exempt is not None}
# The further ones of a group stay blank beside a first one that is exempt.
_BLANK = {field.name for field in LAR if field.parse is Parse.CODE_OR_BLANK}
GROUPS = (*_TOGETHER, *((name,) for name in _CODES if name not in _IN_GROUPS))


def fill_exempt_cells(values: dict[str, pl.Series], columns: Container[str], log: RuleLog) -> None:
    """Write the code of the exemption in blank cells that it covers; no value is overwritten.

    A record that has a value in a group of fields has none of it filled. columns: the fields that
    have a column.
    """
    doubtful = {doubt.field: doubt.cells["row"] for doubt in log.doubts if doubt.cells.height}
    for group in GROUPS:
        frame = pl.DataFrame({name: values[name] for name in group}).with_row_index("row")
        is_free = pl.all_horizontal(
            *(pl.col(name).is_in(["", _CODES.get(name, "")]) for name in group),
            *(~pl.col("row").is_in(doubtful[name].implode()) for name in group if name in doubtful),
        )
        free = frame.filter(is_free)
        for name in group:
            if name not in _CODES or name in _BLANK:
                continue
            code = _CODES[name]
            blank = free.filter(pl.col(name) == "").select(
                "row", before=pl.lit(""), after=pl.lit(code)
            )
            values[name] = values[name].scatter(blank["row"], blank["after"])
            if name in columns:
                log.change(name, _RULE, blank)
            elif blank.height:
                log.change_column(name, _RULE, code)
