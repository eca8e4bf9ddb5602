"""Codes where they have no meaning: 1111 for an exemption, 8888 or 9999 cut or doubled."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter

from bench.plain_rules.record import Fail, Known, Record, number

_TEXTS = (
    *("prepayment_penalty_term", "loan_term", "introductory_rate_period"),
    *("debt_to_income_ratio", "combined_loan_to_value_ratio", "property_value"),
    *("street", "city", "state", "zip_code"),
    *("multifamily_affordable_units", "nmlsr_id"),
)
_AMOUNTS = (
    *("total_loan_costs", "total_points_and_fees", "origination_charges"),
    *("discount_points", "lender_credits", "interest_rate", "rate_spread"),
)
_exempt_as_typed = itemgetter("uli", *_TEXTS)
_exempt_as_numbers = itemgetter(*_AMOUNTS)
_may_be_not_applicable = itemgetter(
    *_TEXTS,
    *_AMOUNTS,
    "income",
    *("applicant_age", "co_applicant_age"),
    *("applicant_credit_score", "co_applicant_credit_score"),
)
# Validity edits refuse 1111 in most of them, so that it is found here only beside those.
_NEVER_EXEMPT = (
    *("total_units", "purchaser_type", "hoepa_status", "lien_status", "loan_type", "loan_purpose"),
    *("construction_method", "occupancy_type", "preapproval", "action_taken"),
    *(f"applicant_ethnicity_{place}" for place in (1, 2, 3, 4, 5)),
    *("applicant_ethnicity_observed", "co_applicant_ethnicity_observed"),
    *(f"applicant_race_{place}" for place in (1, 2, 3, 4, 5)),
    *(f"co_applicant_race_{place}" for place in (1, 2, 3, 4, 5)),
    *("applicant_race_observed", "co_applicant_race_observed"),
    *("applicant_sex", "co_applicant_sex", "applicant_sex_observed", "co_applicant_sex_observed"),
    *("applicant_age", "co_applicant_age"),
    *("aus_2", "aus_3", "aus_4", "aus_5"),
    *("aus_result_2", "aus_result_3", "aus_result_4", "aus_result_5"),
)
_never_exempt = itemgetter(*_NEVER_EXEMPT)
_ENDS = ("", ".0", ".00")
_EIGHTS = frozenset({888, 88888, *(f"{n}{end}" for n in (888, 88888) for end in _ENDS)})
_NINES = frozenset({999, 99999, *(f"{n}{end}" for n in (999, 99999) for end in _ENDS)})


def exempt(loan: Record, _: Known, fail: Fail) -> None:
    """Check Q656 and Q657."""
    if "1111" in _exempt_as_typed(loan) or any(map(_is_1111, _exempt_as_numbers(loan))):
        fail("Q656")
    if (
        1111 in _never_exempt(loan)
        or loan["income"] == "1111"
        or loan["rate_spread"] == "1111"
        or loan["loan_amount"] == 1111
    ):
        fail("Q657")


@lru_cache(maxsize=1 << 16)
def _is_1111(text: str) -> bool:
    return number(text) == 1111


def not_applicable(loan: Record, _: Known, fail: Fail) -> None:
    """Check Q659."""
    values = _may_be_not_applicable(loan)
    if not _EIGHTS.isdisjoint(values):
        fail("Q659-1")
    if not _NINES.isdisjoint(values):
        fail("Q659-2")
