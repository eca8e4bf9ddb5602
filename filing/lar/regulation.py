"""The paragraph of Regulation C that asks for each field of a file.

Source: Regulation C, 12 CFR part 1003: sections 1003.4(a) for the fields of a record and
1003.5(a)(3) for those of the transmittal sheet. A record identifier belongs to the file format.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from filing.lar.fields import LAR, TRANSMITTAL_SHEET

ALL_DATA = "1003.4(a)"
ANNUAL_REPORTING = "1003.5(a)(1)(i)"
QUARTERLY_REPORTING = "1003.5(a)(1)(ii)"
PARTIAL_EXEMPTION = "1003.3(d)"
CHECK_DIGITS = "appendix C to part 1003"

_PERSONS = ("applicant", "co_applicant")
_RECORD: dict[str, tuple[str, ...]] = {
    "1003.4(a)(1)(i)": ("lei", "uli"),
    "1003.4(a)(1)(ii)": ("application_date",),
    "1003.4(a)(2)": ("loan_type",),
    "1003.4(a)(3)": ("loan_purpose",),
    "1003.4(a)(4)": ("preapproval",),
    "1003.4(a)(5)": ("construction_method",),
    "1003.4(a)(6)": ("occupancy_type",),
    "1003.4(a)(7)": ("loan_amount",),
    "1003.4(a)(8)(i)": ("action_taken",),
    "1003.4(a)(8)(ii)": ("action_taken_date",),
    "1003.4(a)(9)(i)": ("street", "city", "zip_code"),
    "1003.4(a)(9)(ii)(A)": ("state",),
    "1003.4(a)(9)(ii)(B)": ("county",),
    "1003.4(a)(9)(ii)(C)": ("census_tract",),
    "1003.4(a)(10)(i)": tuple(
        field.name
        for field in LAR
        for person in _PERSONS
        if field.name.startswith(tuple(f"{person}_{word}" for word in ("ethnicity", "race", "sex")))
    ),
    "1003.4(a)(10)(ii)": ("applicant_age", "co_applicant_age"),
    "1003.4(a)(10)(iii)": ("income",),
    "1003.4(a)(11)": ("purchaser_type",),
    "1003.4(a)(12)": ("rate_spread",),
    "1003.4(a)(13)": ("hoepa_status",),
    "1003.4(a)(14)": ("lien_status",),
    "1003.4(a)(15)": tuple(field.name for field in LAR if "_credit_score" in field.name),
    "1003.4(a)(16)": tuple(field.name for field in LAR if field.name.startswith("denial_reason_")),
    "1003.4(a)(17)(i)": ("total_loan_costs",),
    "1003.4(a)(17)(ii)": ("total_points_and_fees",),
    "1003.4(a)(18)": ("origination_charges",),
    "1003.4(a)(19)": ("discount_points",),
    "1003.4(a)(20)": ("lender_credits",),
    "1003.4(a)(21)": ("interest_rate",),
    "1003.4(a)(22)": ("prepayment_penalty_term",),
    "1003.4(a)(23)": ("debt_to_income_ratio",),
    "1003.4(a)(24)": ("combined_loan_to_value_ratio",),
    "1003.4(a)(25)": ("loan_term",),
    "1003.4(a)(26)": ("introductory_rate_period",),
    "1003.4(a)(27)(i)": ("balloon_payment",),
    "1003.4(a)(27)(ii)": ("interest_only_payments",),
    "1003.4(a)(27)(iii)": ("negative_amortization",),
    "1003.4(a)(27)(iv)": ("other_non_amortizing_features",),
    "1003.4(a)(28)": ("property_value",),
    "1003.4(a)(29)": ("manufactured_home_secured_property_type",),
    "1003.4(a)(30)": ("manufactured_home_land_property_interest",),
    "1003.4(a)(31)": ("total_units",),
    "1003.4(a)(32)": ("multifamily_affordable_units",),
    "1003.4(a)(33)(i)": ("submission_of_application",),
    "1003.4(a)(33)(ii)": ("initially_payable_to_institution",),
    "1003.4(a)(34)": ("nmlsr_id",),
    "1003.4(a)(35)": tuple(field.name for field in LAR if field.name.startswith("aus_")),
    "1003.4(a)(36)": ("reverse_mortgage",),
    "1003.4(a)(37)": ("open_end_line_of_credit",),
    "1003.4(a)(38)": ("business_or_commercial_purpose",),
}
_SHEET: dict[str, tuple[str, ...]] = {
    "1003.5(a)(3)(i)": ("institution_name",),
    "1003.5(a)(3)(ii)": ("calendar_year", "calendar_quarter"),
    "1003.5(a)(3)(iii)": tuple(
        field.name for field in TRANSMITTAL_SHEET if field.name.startswith("contact_")
    ),
    "1003.5(a)(3)(iv)": ("federal_agency",),
    "1003.5(a)(3)(v)": ("total_lines",),
    "1003.5(a)(3)(vi)": ("tax_id",),
    "1003.5(a)(3)(vii)": ("lei",),
}

# The paragraph by the name of the field; a record identifier has none.
RECORD_PARAGRAPHS = {name: paragraph for paragraph, names in _RECORD.items() for name in names}
SHEET_PARAGRAPHS = {name: paragraph for paragraph, names in _SHEET.items() for name in names}

_ORDER = [ALL_DATA, *_RECORD, ANNUAL_REPORTING, QUARTERLY_REPORTING, *_SHEET]


def cite_paragraphs(paragraphs: Iterable[str]) -> str:
    """Return paragraphs as one citation: `12 CFR 1003.4(a)(4), (a)(8)(i); 1003.3(d)`.

    Each paragraph is cited once, in the order of the regulation within a section.
    """
    ordered = sorted(set(paragraphs), key=_place)
    sections = []
    for section, group in groupby(ordered, key=lambda paragraph: paragraph.partition("(")[0]):
        cited = ", ".join(paragraph.removeprefix(section) for paragraph in group)
        sections.append(section + cited)
    return f"12 CFR {'; '.join(sections)}" if sections else ""


def _place(paragraph: str) -> int:
    return _ORDER.index(paragraph) if paragraph in _ORDER else len(_ORDER)
