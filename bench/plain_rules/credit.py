"""What the applicants can pay: income, credit scores; and why they were denied."""

from __future__ import annotations

from operator import itemgetter

from bench.plain_rules.record import (
    APPROVED,
    NO_NUMBER,
    NOT_DECIDED,
    NOT_PURCHASED,
    Fail,
    Known,
    Record,
    fits,
    number,
)

_LISTED_MODELS = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 14, 15, 1111})
_LISTED_CO_MODELS = _LISTED_MODELS | {10}
_FROM_280 = frozenset({1, 2, 3, 4, 5, 6, 11, 12})
_FROM_300 = frozenset({13, 14, 15})
_NO_SCORES = frozenset({1111, 7777, 8888, 9999})
_REASONS = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 9})
_KNOWN_REASONS = _REASONS | {10, 1111}
_REASONS_OR_BLANK = _REASONS | {0}

_scores = itemgetter(
    *("applicant_credit_score", "applicant_credit_score_type"),
    *("co_applicant_credit_score", "co_applicant_credit_score_type"),
)
_reasons = itemgetter(*(f"denial_reason_{place}" for place in (1, 2, 3, 4)))


def income(loan: Record, _: Known, fail: Fail) -> None:
    """Check V654, Q606, Q623, Q629 and Q654."""
    action, units, thousands = loan["action_taken"], loan["total_units"], number(loan["income"])
    if thousands is None:
        if action in NOT_PURCHASED and loan["loan_purpose"] in {1, 2, 4} and units <= 4:
            fail("Q629")
        return
    if not fits(thousands):
        fail("V654-1")
    if loan["multifamily_affordable_units"] not in NO_NUMBER:
        fail("V654-2")
    if thousands >= 10_000:
        fail("Q606")
    if thousands <= 200 and units <= 4 and loan["loan_amount"] >= 2_000_000:
        fail("Q623")
    if thousands > 5 and action in APPROVED:
        ratio = number(loan["debt_to_income_ratio"])
        if ratio is not None and not 0 <= ratio <= 80:
            fail("Q654")


def score(loan: Record, _: Known, fail: Fail) -> None:
    """Check V660 to V663, V710, V720, Q642 and Q649."""
    points, model = loan["applicant_credit_score"], loan["applicant_credit_score_type"]
    text = loan["applicant_credit_score_type_free_form"]
    if not isinstance(points, int):
        fail("V660-1")
    if model not in _LISTED_MODELS and model != 8:
        fail("V660-2")
    if (points == 8888) != (model == 9):
        fail("V661")
    if (model in _LISTED_MODELS) != (text == ""):
        fail("V662-1")
    if (model == 8) != (text != ""):
        fail("V662-2")
    if loan["action_taken"] in NOT_DECIDED and (
        points not in {1111, 8888} or model not in {9, 1111} or text
    ):
        fail("V663")
    if points < 280 and model in _FROM_280:
        fail("V720-1")
    if points < 300 and model in _FROM_300:
        fail("V720-3")
    if points == 7777 and model not in {7, 8}:
        fail("Q642-1")
    if not 300 <= points <= 900 and points not in _NO_SCORES:
        fail("Q649-1")
    said = _scores(loan)
    if 1111 in said and (
        said != (1111, 1111, 1111, 1111) or text or loan["co_applicant_credit_score_type_free_form"]
    ):
        fail("V710")


def co_score(loan: Record, _: Known, fail: Fail) -> None:
    """Check V664 to V667, V720, Q642 and Q649."""
    points, model = loan["co_applicant_credit_score"], loan["co_applicant_credit_score_type"]
    text = loan["co_applicant_credit_score_type_free_form"]
    if not isinstance(points, int):
        fail("V665-1")
    if model not in _LISTED_CO_MODELS and model != 8:
        fail("V665-2")
    if (points == 8888) != (model == 9):
        fail("V666-1")
    if (points == 9999) != (model == 10):
        fail("V666-2")
    if (model in _LISTED_CO_MODELS) != (text == ""):
        fail("V667-1")
    if (model == 8) != (text != ""):
        fail("V667-2")
    if loan["action_taken"] in NOT_DECIDED and (
        points not in {1111, 8888} or model not in {9, 1111} or text
    ):
        fail("V664")
    if points < 280 and model in _FROM_280:
        fail("V720-2")
    if points < 300 and model in _FROM_300:
        fail("V720-4")
    if points == 7777 and model not in {7, 8}:
        fail("Q642-2")
    if not 300 <= points <= 900 and points not in _NO_SCORES:
        fail("Q649-2")


def denial(loan: Record, _: Known, fail: Fail) -> None:
    """Check V669 to V671 and V711."""
    action, text = loan["action_taken"], loan["denial_reason_free_form"]
    reasons = _reasons(loan)
    first, others = reasons[0], reasons[1:]
    if first not in _KNOWN_REASONS:
        fail("V669-1")
    if others != (0, 0, 0):
        if not _REASONS_OR_BLANK.issuperset(others):
            fail("V669-2")
        known = [reason for reason in reasons if reason in _KNOWN_REASONS]
        if len(set(known)) < len(known):
            fail("V669-3")
        if first in {10, 1111}:
            fail("V669-4")
    if action in {3, 7}:
        if first not in _REASONS and first != 1111:
            fail("V670-1")
    elif first in _REASONS:
        fail("V670-2")
    if action in {1, 2, 4, 5, 6, 8}:
        if first not in {10, 1111}:
            fail("V670-3")
    elif first == 10:
        fail("V670-4")
    if 9 in reasons:
        if not text:
            fail("V671-1")
    elif text:
        fail("V671-2")
    if first == 1111 and (text or others != (0, 0, 0)):
        fail("V711")
