"""The columns of a public loan record, in the order in which they are published.

Two orders of the same columns: the public data set of a year and the modified LAR of one
institution, which has no derived ones. `PUBLIC` also says how columns are derived. Inside this
project a column has one name; the published files spell some names differently.

Source: Filing instructions and the published data dictionaries of the public LAR and the modified
LAR; 12 CFR 1003.5(d).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as dataclass_field

import polars as pl

from databrowser.publication.records import derived, places
from filing.lar.fields import DECIMALS, LAR_BY_NAME, WHOLE_NUMBERS, Parse


@dataclass(frozen=True, slots=True)
class DataColumn:
    """A column of the public data set.

    name: here and in Parquet files. browser: in downloads of the data browser. field: the LAR field
    it is made from, None for a derived column. value, words: how it is derived, as an expression
    and for the data dictionary; without them it is published as filed. number: the type of a
    derived number; other derived columns are texts.
    """

    name: str
    browser: str
    field: str | None
    value: pl.Expr | None = dataclass_field(default=None, compare=False, repr=False)
    words: str = ""
    number: type[pl.DataType] | None = None

    @property
    def dtype(self) -> type[pl.DataType]:
        """The stored type: text as published, except for the year and the loan amount."""
        return _DTYPES.get(self.name, pl.String)

    @property
    def typed(self) -> type[pl.DataType]:
        """The type in typed files: codes and numbers are numbers, ranges and places are texts."""
        if self.dtype != pl.String:
            return self.dtype
        if self.value is not None or self.field is None:
            return self.number or pl.String
        field = LAR_BY_NAME[self.field]
        if field.codes:
            is_short = field.exempt is None and max(field.codes) <= _LARGEST_INT8
            return pl.Int8 if is_short else pl.Int16
        if field.parse in DECIMALS:
            return pl.Float64
        return pl.Int64 if field.parse in WHOLE_NUMBERS else pl.String

    @property
    def note(self) -> str:
        """The column of typed files that has what is not a number, such as NA; blank if none."""
        is_number = self.dtype == pl.String and self.typed in {pl.Int64, pl.Float64}
        return f"{self.name}_note" if is_number else ""

    @property
    def typed_values(self) -> list[pl.Expr]:
        """The values in typed files, made from the texts as published; and the note, if any.

        A blank is null. A code that is no number is an error, because its null would hide it.
        """
        column = pl.col(self.name)
        if self.dtype != pl.String:
            return [column]
        filled = pl.when(~column.is_in(self._blanks)).then(column)
        if not self.note:
            return [filled.cast(self.typed)]
        number = column.cast(self.typed, strict=False)
        return [number, pl.when(number.is_null()).then(filled).alias(self.note)]

    @property
    def _blanks(self) -> list[str]:
        """The texts of a blank: published files of others may have 0 where no code was filed."""
        has_zeros = self.field and LAR_BY_NAME[self.field].parse is Parse.CODE_OR_BLANK
        return ["", "0"] if has_zeros else [""]


_DTYPES: dict[str, type[pl.DataType]] = {"activity_year": pl.Int32, "loan_amount": pl.Float64}
_LARGEST_INT8 = 127


def _column(
    name: str,
    field: str | None = "",
    *,
    browser: str = "",
    value: pl.Expr | None = None,
    words: str = "",
    number: type[pl.DataType] | None = None,
) -> DataColumn:
    return DataColumn(name, browser or name, name if field == "" else field, value, words, number)


def _numbered(name: str, last: int) -> list[DataColumn]:
    """Return the numbered columns of a field that a record has several times."""
    spelled = name.replace("co_applicant", "co-applicant")
    return [
        _column(f"{name}_{number}", browser=f"{spelled}-{number}") for number in range(1, last + 1)
    ]


def _for_each_applicant(
    name: str,
    *,
    field: str = "",
    derive: Callable[[pl.Expr], pl.Expr] | None = None,
    words: str = "",
) -> list[DataColumn]:
    """Return the columns of the applicant and of the co-applicant."""
    return [
        _column(
            f"{who}_{name}",
            source := f"{who}_{field or name}",
            browser=f"{who.replace('_', '-')}_{name}",
            value=derive(pl.col(source)) if derive else None,
            words=words,
        )
        for who in ("applicant", "co_applicant")
    ]


PUBLIC: tuple[DataColumn, ...] = (
    _column("activity_year", None),
    _column("lei"),
    _column(
        "derived_msa_md",
        None,
        browser="derived_msa-md",
        value=places.msa_md(),
        words="the MSA/MD of the census tract, or else of the county; 99999 outside any MSA/MD and "
        "if neither is in the census file of the year",
    ),
    _column("state_code", "state"),
    _column("county_code", "county"),
    _column("census_tract"),
    _column(
        "conforming_loan_limit",
        None,
        value=places.conforming_loan_limit(),
        words="`C` if the amount as filed is within the conforming loan limit for the county and "
        "number of units, `NC` if it is above, `U` if that cannot be determined, `NA` for more "
        "than four units; half the limit for a subordinate lien",
    ),
    _column(
        "derived_loan_product_type",
        None,
        value=derived.loan_product(),
        words="the loan type and the lien status, `N/A` for others",
    ),
    _column(
        "derived_dwelling_category",
        None,
        value=derived.dwelling_category(),
        words="the size of the dwelling and the construction method, `N/A` for others",
    ),
    _column(
        "derived_ethnicity",
        None,
        value=derived.ethnicity(),
        words="from the ethnicities of applicant and co-applicant together",
    ),
    _column(
        "derived_race",
        None,
        value=derived.race(),
        words="from the races of applicant and co-applicant together",
    ),
    _column(
        "derived_sex",
        None,
        value=derived.sex(),
        words="from the sexes of applicant and co-applicant together",
    ),
    _column("action_taken"),
    _column("purchaser_type"),
    _column("preapproval"),
    _column("loan_type"),
    _column("loan_purpose"),
    _column("lien_status"),
    _column("reverse_mortgage"),
    _column("open_end_line_of_credit", browser="open-end_line_of_credit"),
    _column("business_or_commercial_purpose"),
    _column(
        "loan_amount",
        value=derived.midpoint(pl.col("loan_amount")).cast(pl.Float64),
        words=derived.MIDPOINT,
    ),
    _column("combined_loan_to_value_ratio", browser="loan_to_value_ratio"),
    _column("interest_rate"),
    _column("rate_spread"),
    _column("hoepa_status"),
    _column("total_loan_costs"),
    _column("total_points_and_fees"),
    _column("origination_charges"),
    _column("discount_points"),
    _column("lender_credits"),
    _column("loan_term"),
    _column("prepayment_penalty_term"),
    _column("intro_rate_period", "introductory_rate_period"),
    _column("negative_amortization"),
    _column("interest_only_payment", "interest_only_payments"),
    _column("balloon_payment"),
    _column("other_nonamortizing_features", "other_non_amortizing_features"),
    _column(
        "property_value",
        value=derived.midpoint(pl.col("property_value")),
        words=derived.MIDPOINT,
        number=pl.Int64,
    ),
    _column("construction_method"),
    _column("occupancy_type"),
    _column("manufactured_home_secured_property_type"),
    _column("manufactured_home_land_property_interest"),
    _column("total_units", value=derived.units_bin(pl.col("total_units")), words=derived.UNITS),
    _column(
        "multifamily_affordable_units",
        value=derived.affordable_percent(
            pl.col("multifamily_affordable_units"), pl.col("total_units")
        ),
        words="in percent of the total units, rounded to a whole number",
        number=pl.Int64,
    ),
    _column("income"),
    _column(
        "debt_to_income_ratio",
        value=derived.ratio_bin(pl.col("debt_to_income_ratio")),
        words=derived.RATIOS,
    ),
    *_for_each_applicant("credit_score_type"),
    *_numbered("applicant_ethnicity", 5),
    *_numbered("co_applicant_ethnicity", 5),
    *_for_each_applicant("ethnicity_observed"),
    *_numbered("applicant_race", 5),
    *_numbered("co_applicant_race", 5),
    *_for_each_applicant("race_observed"),
    *_for_each_applicant("sex"),
    *_for_each_applicant("sex_observed"),
    *_for_each_applicant("age", derive=derived.age_bin, words=derived.AGES),
    *_for_each_applicant(
        "age_above_62", field="age", derive=derived.above_62, words=derived.ABOVE_62
    ),
    _column("submission_of_application"),
    _column("initially_payable_to_institution"),
    *_numbered("aus", 5),
    *_numbered("denial_reason", 4),
    *(
        _column(
            name,
            None,
            value=value,
            words="for the census tract, from the census file of the year; 0 if the tract is not "
            "in it",
            number=pl.Float64 if name in places.DECIMALS else pl.Int64,
        )
        for name, value in places.census_columns().items()
    ),
)

BY_NAME = {column.name: column for column in PUBLIC}
SCHEMA = {column.name: column.dtype for column in PUBLIC}


def _names(first: str, last: str) -> list[str]:
    """Return the columns from one to another, in the order of the public data set."""
    names = list(BY_NAME)
    return names[names.index(first) : names.index(last) + 1]


_IN_MODIFIED = {
    "applicant_credit_score_type": "applicant_credit_scoring_model",
    "co_applicant_credit_score_type": "co_applicant_credit_scoring_model",
    "other_nonamortizing_features": "other_non_amortizing_features",
}

# The columns of the modified LAR: the name here, and the name it is published under.
MODIFIED: dict[str, str] = {
    name: _IN_MODIFIED.get(name, name)
    for name in (
        "activity_year",
        "lei",
        "loan_type",
        "loan_purpose",
        "preapproval",
        "construction_method",
        "occupancy_type",
        "loan_amount",
        "action_taken",
        "state_code",
        "county_code",
        "census_tract",
        *_names("applicant_ethnicity_1", "co_applicant_sex_observed"),
        "applicant_age",
        "applicant_age_above_62",
        "co_applicant_age",
        "co_applicant_age_above_62",
        "income",
        "purchaser_type",
        "rate_spread",
        "hoepa_status",
        "lien_status",
        "applicant_credit_score_type",
        "co_applicant_credit_score_type",
        *_names("denial_reason_1", "denial_reason_4"),
        *_names("total_loan_costs", "lender_credits"),
        "interest_rate",
        "prepayment_penalty_term",
        "debt_to_income_ratio",
        "combined_loan_to_value_ratio",
        "loan_term",
        "intro_rate_period",
        "balloon_payment",
        "interest_only_payment",
        "negative_amortization",
        "other_nonamortizing_features",
        "property_value",
        "manufactured_home_secured_property_type",
        "manufactured_home_land_property_interest",
        "total_units",
        "multifamily_affordable_units",
        "submission_of_application",
        "initially_payable_to_institution",
        *_names("aus_1", "aus_5"),
        "reverse_mortgage",
        "open_end_line_of_credit",
        "business_or_commercial_purpose",
    )
}
