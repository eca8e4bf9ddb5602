"""The texts of codes, by field and year.

Source: Filing Instructions Guide for HMDA data, data specifications of the Loan/Application
Register and the transmittal sheet; the first years of codes added later, by the validity edits
V660-2, V665-2 and V696-1.
"""

from __future__ import annotations

import re

from filing.lar.fields import AGENCIES, AGENCY_NAMES, EXEMPT_CODE, Field

_NOT_PROVIDED = "Information not provided by applicant in mail, internet, or telephone application"
_NOT_APPLICABLE = "Not applicable"
_NO_CO_APPLICANT = "No co-applicant"
_ETHNICITIES = {
    1: "Hispanic or Latino",
    11: "Mexican",
    12: "Puerto Rican",
    13: "Cuban",
    14: "Other Hispanic or Latino",
    2: "Not Hispanic or Latino",
    3: _NOT_PROVIDED,
    4: _NOT_APPLICABLE,
    5: _NO_CO_APPLICANT,
}
_RACES = {
    1: "American Indian or Alaska Native",
    2: "Asian",
    21: "Asian Indian",
    22: "Chinese",
    23: "Filipino",
    24: "Japanese",
    25: "Korean",
    26: "Vietnamese",
    27: "Other Asian",
    3: "Black or African American",
    4: "Native Hawaiian or Other Pacific Islander",
    41: "Native Hawaiian",
    42: "Guamanian or Chamorro",
    43: "Samoan",
    44: "Other Pacific Islander",
    5: "White",
    6: _NOT_PROVIDED,
    7: _NOT_APPLICABLE,
    8: _NO_CO_APPLICANT,
}
_SEXES = {
    1: "Male",
    2: "Female",
    3: _NOT_PROVIDED,
    4: _NOT_APPLICABLE,
    5: _NO_CO_APPLICANT,
    6: "Applicant selected both male and female",
}
_SCORING_MODELS = {
    1: "Equifax Beacon 5.0",
    2: "Experian Fair Isaac",
    3: "FICO Risk Score Classic 04",
    4: "FICO Risk Score Classic 98",
    5: "VantageScore 2.0",
    6: "VantageScore 3.0",
    7: "More than one credit scoring model",
    8: "Other credit scoring model",
    9: _NOT_APPLICABLE,
    10: _NO_CO_APPLICANT,
    11: "FICO Score 9",
    12: "FICO Score 8",
    13: "FICO Score 10",
    14: "FICO Score 10 T",
    15: "VantageScore 4.0",
}
_DENIAL_REASONS = {
    1: "Debt-to-income ratio",
    2: "Employment history",
    3: "Credit history",
    4: "Collateral",
    5: "Insufficient cash (downpayment, closing costs)",
    6: "Unverifiable information",
    7: "Credit application incomplete",
    8: "Mortgage insurance denied",
    9: "Other",
    10: _NOT_APPLICABLE,
}
_SYSTEMS = {
    1: "Desktop Underwriter (DU)",
    2: "Loan Prospector (LP) or Loan Product Advisor",
    3: "Technology Open to Approved Lenders (TOTAL) Scorecard",
    4: "Guaranteed Underwriting System (GUS)",
    5: "Other",
    6: _NOT_APPLICABLE,
    7: "Internal Proprietary System",
}
_SYSTEM_RESULTS = {
    1: "Approve/Eligible",
    2: "Approve/Ineligible",
    3: "Refer/Eligible",
    4: "Refer/Ineligible",
    5: "Refer with Caution",
    6: "Out of Scope",
    7: "Error",
    8: "Accept",
    9: "Caution",
    10: "Ineligible",
    11: "Incomplete",
    12: "Invalid",
    13: "Refer",
    14: "Eligible",
    15: "Unable to Determine",
    16: "Other",
    17: _NOT_APPLICABLE,
    18: "Accept/Eligible",
    19: "Accept/Ineligible",
    20: "Accept/Unable to Determine",
    21: "Refer with Caution/Eligible",
    22: "Refer with Caution/Ineligible",
    23: "Refer/Unable to Determine",
    24: "Refer with Caution/Unable to Determine",
}
# By the name of the field without the number of a numbered one.
_TEXTS: dict[str, dict[int, str]] = {
    "loan_type": {
        1: "Conventional (not insured or guaranteed by FHA, VA, RHS, or FSA)",
        2: "Federal Housing Administration insured (FHA)",
        3: "Veterans Affairs guaranteed (VA)",
        4: "USDA Rural Housing Service or Farm Service Agency guaranteed (RHS or FSA)",
    },
    "loan_purpose": {
        1: "Home purchase",
        2: "Home improvement",
        31: "Refinancing",
        32: "Cash-out refinancing",
        4: "Other purpose",
        5: _NOT_APPLICABLE,
    },
    "preapproval": {1: "Preapproval requested", 2: "Preapproval not requested"},
    "construction_method": {1: "Site-built", 2: "Manufactured home"},
    "occupancy_type": {
        1: "Principal residence",
        2: "Second residence",
        3: "Investment property",
    },
    "action_taken": {
        1: "Loan originated",
        2: "Application approved but not accepted",
        3: "Application denied",
        4: "Application withdrawn by applicant",
        5: "File closed for incompleteness",
        6: "Purchased loan",
        7: "Preapproval request denied",
        8: "Preapproval request approved but not accepted",
    },
    "ethnicity": _ETHNICITIES,
    "ethnicity_observed": {
        1: "Collected on the basis of visual observation or surname",
        2: "Not collected on the basis of visual observation or surname",
        3: _NOT_APPLICABLE,
        4: _NO_CO_APPLICANT,
    },
    "race": _RACES,
    "sex": _SEXES,
    "purchaser_type": {
        0: _NOT_APPLICABLE,
        1: "Fannie Mae",
        2: "Ginnie Mae",
        3: "Freddie Mac",
        4: "Farmer Mac",
        5: "Private securitizer",
        6: "Commercial bank, savings bank, or savings association",
        71: "Credit union, mortgage company, or finance company",
        72: "Life insurance company",
        8: "Affiliate institution",
        9: "Other type of purchaser",
    },
    "hoepa_status": {
        1: "High-cost mortgage",
        2: "Not a high-cost mortgage",
        3: _NOT_APPLICABLE,
    },
    "lien_status": {1: "Secured by a first lien", 2: "Secured by a subordinate lien"},
    "credit_score_type": _SCORING_MODELS,
    "denial_reason": _DENIAL_REASONS,
    "balloon_payment": {1: "Balloon payment", 2: "No balloon payment"},
    "interest_only_payments": {1: "Interest-only payments", 2: "No interest-only payments"},
    "negative_amortization": {1: "Negative amortization", 2: "No negative amortization"},
    "other_non_amortizing_features": {
        1: "Other non-fully amortizing features",
        2: "No other non-fully amortizing features",
    },
    "manufactured_home_secured_property_type": {
        1: "Manufactured home and land",
        2: "Manufactured home and not land",
        3: _NOT_APPLICABLE,
    },
    "manufactured_home_land_property_interest": {
        1: "Direct ownership",
        2: "Indirect ownership",
        3: "Paid leasehold",
        4: "Unpaid leasehold",
        5: _NOT_APPLICABLE,
    },
    "submission_of_application": {
        1: "Submitted directly to your institution",
        2: "Not submitted directly to your institution",
        3: _NOT_APPLICABLE,
    },
    "initially_payable_to_institution": {
        1: "Initially payable to your institution",
        2: "Not initially payable to your institution",
        3: _NOT_APPLICABLE,
    },
    "aus": _SYSTEMS,
    "aus_result": _SYSTEM_RESULTS,
    "reverse_mortgage": {1: "Reverse mortgage", 2: "Not a reverse mortgage"},
    "open_end_line_of_credit": {
        1: "Open-end line of credit",
        2: "Not an open-end line of credit",
    },
    "business_or_commercial_purpose": {
        1: "Primarily for a business or commercial purpose",
        2: "Not primarily for a business or commercial purpose",
    },
    "federal_agency": {code: f"{name} ({AGENCIES[code]})" for code, name in AGENCY_NAMES.items()},
    "calendar_quarter": {
        1: "First quarter",
        2: "Second quarter",
        3: "Third quarter",
        4: "Annual",
    },
}
_OBSERVED = ("race_observed", "sex_observed")
# The first years of codes that were added after 2018.
_SINCE: dict[str, dict[int, int]] = {
    "credit_score_type": {11: 2022, 12: 2024, 13: 2024, 14: 2024, 15: 2024},
    "aus": {7: 2021},
}
_PERSON = re.compile(r"^(?:co_)?applicant_")
_NUMBER = re.compile(r"_[1-5]$")


def list_codes(field: Field, year: int) -> dict[int, str]:
    """Return the codes of a field in a year with their texts; empty if it has none."""
    subject = _subject(field.name)
    texts, since = _TEXTS.get(subject, {}), _SINCE.get(subject, {})
    return {
        code: _text(field.name, texts, code)
        for code in field.codes
        if year >= since.get(code, 0) and (code in texts or code == EXEMPT_CODE)
    }


def _text(name: str, texts: dict[int, str], code: int) -> str:
    if code == EXEMPT_CODE:
        return "Exempt"
    text = texts[code]
    is_joint = name == "co_applicant_sex" and text.startswith("Applicant")
    return f"Co-applicant{text.removeprefix('Applicant')}" if is_joint else text


def _subject(name: str) -> str:
    """Return the name without the person and the number: the key of the texts."""
    subject = _NUMBER.sub("", _PERSON.sub("", name))
    return "ethnicity_observed" if subject in _OBSERVED else subject
