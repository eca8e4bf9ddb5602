"""Tables of values that made-up public rows are drawn from, with their shares.

The shares are only roughly those of published years.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl


@dataclass(frozen=True, slots=True)
class WeightedTable:
    """A table whose rows are drawn by weight. weights: cumulative, the last of them is 1."""

    frame: pl.DataFrame
    weights: np.ndarray


def cumulated(shares: np.ndarray) -> np.ndarray:
    """Return cumulative weights, as `searchsorted` needs them."""
    sums = np.cumsum(shares, dtype=np.float64)
    return np.asarray(sums / sums[-1])


def _chance(columns: str, *rows: str) -> WeightedTable:
    """Return a table from rows that each hold a share and the values of the columns."""
    cells = [row.split("|") for row in rows]
    frame = pl.DataFrame([cell[1:] for cell in cells], schema=columns.split(), orient="row")
    return WeightedTable(frame, cumulated(np.array([float(cell[0]) for cell in cells])))


def _both(first: WeightedTable, second: WeightedTable) -> WeightedTable:
    """Return the combination of two tables that are independent of each other."""
    shares = np.diff(first.weights, prepend=0)[:, None] * np.diff(second.weights, prepend=0)[None]
    frame = first.frame.join(second.frame, how="cross", maintain_order="left_right")
    return WeightedTable(frame, cumulated(shares.ravel()))


def _with(table: WeightedTable, **columns: pl.Expr) -> WeightedTable:
    return WeightedTable(table.frame.with_columns(**columns), table.weights)


def _named(column: str, codes: dict[str, str]) -> pl.Expr:
    return pl.col(column).replace_strict(codes, default="")


_KINDS = {"1": "Conventional", "2": "FHA", "3": "VA", "4": "FSA/RHS"}
_LIENS = {"1": "First Lien", "2": "Subordinate Lien"}
_FEATURE = "negative_amortization balloon_payment other_nonamortizing_features"

# Loan type, purpose, lien, open-end, reverse, business purpose, preapproval, interest-only.
LOANS = _with(
    _chance(
        "loan_type loan_purpose lien_status open_end_line_of_credit reverse_mortgage "
        "business_or_commercial_purpose preapproval interest_only_payment",
        "240|1|1|1|2|2|2|2|2",
        "30|1|1|1|2|2|2|1|2",
        "14|1|1|1|2|2|1|2|2",
        "8|1|1|1|2|2|1|2|1",
        "12|1|1|2|2|2|2|2|2",
        "150|1|31|1|2|2|2|2|2",
        "12|1|31|1|2|2|1|2|1",
        "110|1|32|1|2|2|2|2|2",
        "9|1|32|1|1|2|2|2|2",
        "8|1|32|1|2|2|1|2|2",
        "40|1|2|2|1|2|2|2|1",
        "32|1|2|2|2|2|2|2|2",
        "12|1|2|1|2|2|2|2|2",
        "46|1|4|2|1|2|2|2|1",
        "14|1|4|2|2|2|2|2|2",
        "10|1|4|1|2|2|2|2|2",
        "6|1|5|1|2|2|2|2|2",
        "85|2|1|1|2|2|2|2|2",
        "3|2|1|2|2|2|2|2|2",
        "14|2|31|1|2|2|2|2|2",
        "20|2|32|1|2|2|2|2|2",
        "7|2|32|1|2|1|2|2|2",
        "44|3|1|1|2|2|2|2|2",
        "2|3|1|1|2|2|2|1|2",
        "24|3|31|1|2|2|2|2|2",
        "16|3|32|1|2|2|2|2|2",
        "10|4|1|1|2|2|2|2|2",
        "1|4|31|1|2|2|2|2|2",
    ),
    derived_loan_product_type=pl.format(
        "{}:{}", _named("loan_type", _KINDS), _named("lien_status", _LIENS)
    ),
    # The column of reverse mortgages above is overwritten: almost no loan is one.
    reverse_mortgage=pl.lit("2"),
    **{name: pl.lit("2") for name in _FEATURE.split()},
)

_METHODS = {"1": "Site-Built", "2": "Manufactured"}
_MANY = pl.col("total_units").str.contains("-|>")
DWELLINGS = _with(
    _chance(
        "construction_method total_units occupancy_type "
        "manufactured_home_secured_property_type manufactured_home_land_property_interest",
        *("830|1|1|1|3|5", "35|1|1|2|3|5", "55|1|1|3|3|5"),
        *("12|1|2|1|3|5", "7|1|2|3|3|5", "3|1|3|1|3|5", "2|1|3|3|3|5", "2|1|4|1|3|5"),
        *("3|1|4|3|3|5", "4|1|5-24|3|3|5", "1.4|1|25-49|3|3|5", "1|1|50-99|3|3|5"),
        *("0.5|1|100-149|3|3|5", "1|1|>149|3|3|5"),
        *("18|2|1|1|1|1", "9|2|1|1|2|1", "4|2|1|1|2|4", "2|2|1|3|1|1", "0.1|2|>149|3|1|1"),
    ),
    derived_dwelling_category=pl.format(
        "{}:{}",
        pl.when(_MANY).then(pl.lit("Multifamily")).otherwise(pl.lit("Single Family (1-4 Units)")),
        _named("construction_method", _METHODS),
    ),
    multifamily_affordable_units=pl.when(_MANY).then(pl.lit("0")).otherwise(pl.lit("NA")),
)

_RACES = _chance(
    "derived_race applicant_race_1 applicant_race_2",
    *("62|White|5|", "9|Black or African American|3|", "6|Asian|2|", "1|Asian|21|"),
    *("1.5|Joint|5|", "0.8|American Indian or Alaska Native|1|"),
    *("0.3|Native Hawaiian or Other Pacific Islander|4|", "0.4|2 or more minority races|2|3"),
    "0.05|Free Form Text Only||",
)
_ETHNICITIES = _chance(
    "derived_ethnicity applicant_ethnicity_1",
    *("83|Not Hispanic or Latino|2", "10|Hispanic or Latino|1", "2|Hispanic or Latino|11"),
    *("2|Joint|1", "3|Ethnicity Not Available|3", "0.03|Free Form Text Only|"),
)
_SEXES = _chance(
    "derived_sex applicant_sex co_applicant_sex",
    *("31|Male|1|5", "22|Female|2|5", "29|Joint|1|2", "9|Joint|2|1", "4|Sex Not Available|3|5"),
    "2|Male|1|1",
)
_PROVIDED = _both(_both(_RACES, _ETHNICITIES), _SEXES)
_ALONE = pl.col("co_applicant_sex") == "5"
_NOT_PROVIDED = {
    "derived_race": "Race Not Available",
    "applicant_race_1": "7",
    "applicant_race_2": "",
    "derived_ethnicity": "Ethnicity Not Available",
    "applicant_ethnicity_1": "4",
    "derived_sex": "Sex Not Available",
    "applicant_sex": "4",
    "co_applicant_sex": "5",
}


def _couples() -> WeightedTable:
    """Return applicants and co-applicants; those who leave out one item usually leave out all."""
    secret = pl.DataFrame([_NOT_PROVIDED, {**_NOT_PROVIDED, "applicant_race_1": "6"}])
    frame = pl.concat([_PROVIDED.frame, secret.select(_PROVIDED.frame.columns)])
    shares = np.append(np.diff(_PROVIDED.weights, prepend=0) * 84, [10, 6])
    same_columns = {
        "co_applicant_race_1": ("8", "applicant_race_1"),
        "co_applicant_ethnicity_1": ("5", "applicant_ethnicity_1"),
    }
    observed = {"race": "applicant_race_1", "ethnicity": "applicant_ethnicity_1"}
    return _with(
        WeightedTable(frame, cumulated(shares)),
        **{
            name: pl.when(_ALONE).then(pl.lit(none)).otherwise(pl.col(same))
            for name, (none, same) in same_columns.items()
        },
        **{f"applicant_{item}_observed": pl.lit("2") for item in (*observed, "sex")},
        **{
            f"co_applicant_{item}_observed": pl.when(_ALONE)
            .then(pl.lit("4"))
            .otherwise(pl.lit("2"))
            for item in (*observed, "sex")
        },
    )


COUPLES = _couples()

_AGED = {"<25": "No", "65-74": "Yes", ">74": "Yes", "8888": "NA"}
AGES = _with(
    _chance(
        "applicant_age co_applicant_age",
        *("3|<25|9999", "16|25-34|9999", "9|25-34|25-34", "13|35-44|9999", "12|35-44|35-44"),
        *("10|45-54|9999", "9|45-54|45-54", "7|55-64|9999", "6|55-64|55-64", "4|65-74|9999"),
        *("3|65-74|65-74", "2|>74|9999", "7|8888|9999"),
    ),
    **{
        f"{who}_age_above_62": pl.col(f"{who}_age").replace_strict(
            {**_AGED, "9999": "NA"}, default="No"
        )
        for who in ("applicant", "co_applicant")
    },
)

_SYSTEMS = ("1", "2", "6")
ACTIONS = _chance(
    "action_taken purchaser_type submission_of_application initially_payable_to_institution "
    "applicant_credit_score_type co_applicant_credit_score_type aus_1",
    *(
        f"{share * part}|{action}|{buyer}|{way}|{payable}|{model}|{other}|{system}"
        for (share, action, buyer, way, payable), (part, system), (model, other) in product(
            (
                *((13, "1", "0", "1", "1"), (11, "1", "1", "1", "1"), (8, "1", "3", "1", "1")),
                *((8, "1", "2", "2", "1"), (6, "1", "71", "1", "1"), (4, "1", "6", "2", "1")),
                *((2.5, "2", "0", "1", "1"), (15, "3", "0", "1", "1"), (3, "3", "0", "2", "1")),
                *((12, "4", "0", "1", "1"), (4, "5", "0", "1", "1"), (13, "6", "0", "3", "3")),
                *((0.6, "7", "0", "1", "1"), (0.4, "8", "0", "1", "1")),
            ),
            zip((6, 3, 4), _SYSTEMS, strict=True),
            (("1", "10"), ("2", "10"), ("3", "9")),
        )
    ),
)

DENIALS = _chance(
    "denial_reason_1 denial_reason_2",
    *("33|1|", "24|3|", "16|4|", "8|7|", "7|9|", "4|5|", "3|2|", "3|6|", "5|1|3", "3|3|4"),
)

RATIOS = _chance(
    "debt_to_income_ratio",
    *("6|<20%", "16|20%-<30%", "17|30%-<36%", "14|50%-60%", "7|>60%"),
    *(f"3.4|{percent}" for percent in range(36, 50)),
)
