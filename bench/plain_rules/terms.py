"""At what rate and for how long, and what that is beside income and property."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from operator import itemgetter

from bench.plain_rules.record import (
    APPROVED,
    NO_NUMBER,
    NOT_DECIDED,
    Fail,
    Known,
    Record,
    fits,
    number,
)

_features = itemgetter(
    *("balloon_payment", "interest_only_payments"),
    *("negative_amortization", "other_non_amortizing_features"),
)
_YES_NO_OR_EXEMPT = frozenset({1, 2, 1111})
_PRECISE = Context(prec=500)  # enough for all that a field can hold


def spread(loan: Record, _: Known, fail: Fail) -> None:
    """Check V657 and Q609 to Q611."""
    text = loan["rate_spread"]
    if text in NO_NUMBER:
        return
    action, percent = loan["action_taken"], number(text)
    if percent is None:
        fail("V657-1")
        return
    if action in {3, 4, 5, 6, 7}:
        fail("V657-2")
    if loan["reverse_mortgage"] == 1:
        fail("V657-3")
    if percent > 10 and loan["purchaser_type"] in {1, 2, 3, 4}:
        fail("Q609")
    if percent > Decimal("6.5") and action == 1 and loan["hoepa_status"] != 1:
        if loan["lien_status"] == 1:
            fail("Q610")
        if loan["lien_status"] == 2 and percent > Decimal("8.5"):
            fail("Q611")


def rate(loan: Record, _: Known, fail: Fail) -> None:
    """Check V677 and Q650."""
    percent = number(loan["interest_rate"])
    if percent is None:
        return
    if percent < 0:
        fail("V677-1")
    if loan["action_taken"] in {3, 4, 5, 7}:
        fail("V677-2")
    if 0 < percent < Decimal("0.5"):
        fail("Q650-1")
    if percent > 20:
        fail("Q650-2")


def debt_ratio(loan: Record, _: Known, fail: Fail) -> None:
    """Check V679 and Q652."""
    text = loan["debt_to_income_ratio"]
    if text in NO_NUMBER:
        return
    percent = number(text)
    if percent is None:
        fail("V679-1")
        return
    if loan["action_taken"] in NOT_DECIDED:
        fail("V679-2")
    if loan["multifamily_affordable_units"] not in NO_NUMBER:
        fail("V679-3")
    if 0 < percent < 1:
        fail("Q652")


def value_ratio(loan: Record, _: Known, fail: Fail) -> None:
    """Check V681, Q617, Q651 and Q653."""
    action, percent = loan["action_taken"], number(loan["combined_loan_to_value_ratio"])
    if percent is None:
        return
    if percent <= 0:
        fail("V681-1")
    if action in NOT_DECIDED:
        fail("V681-2")
    if 0 < percent < 1:
        fail("Q651")
    if action in APPROVED and not 0 <= percent <= 250:
        fail("Q653-1")
    if action in {3, 4, 5, 6, 7} and not 0 <= percent <= 1000:
        fail("Q653-2")
    if loan["loan_type"] == 1:
        value = number(loan["property_value"])
        if value and percent < _plain_ratio(loan, value):
            fail("Q617")


def _plain_ratio(loan: Record, value: Decimal) -> Decimal:
    """Return the loan-to-value ratio with as many decimals as the combined one was filed with."""
    # Zeros at the end do not count: 80.50 has one decimal, 100.00 none.
    _, _, decimals = loan["combined_loan_to_value_ratio"].rstrip("0").partition(".")
    percent = _PRECISE.divide(loan["loan_amount"].scaleb(2, _PRECISE), value)
    return percent.quantize(Decimal((0, (1,), -len(decimals))), ROUND_HALF_UP, _PRECISE)


def months(loan: Record, _: Known, fail: Fail) -> None:
    """Check V678, V682, V683 and Q658."""
    is_reverse = loan["reverse_mortgage"] == 1
    penalty, term = number(loan["prepayment_penalty_term"]), number(loan["loan_term"])
    if penalty is not None:
        if not fits(penalty) or penalty < 0:
            fail("V678-1")
        if loan["action_taken"] == 6:
            fail("V678-2")
        if is_reverse:
            fail("V678-3")
        if loan["business_or_commercial_purpose"] == 1:
            fail("V678-4")
        if term is not None and not (fits(penalty) and fits(term) and penalty <= term):
            fail("V678-5")
    if term is not None:
        if not fits(term) or term <= 0:
            fail("V682-1")
        if is_reverse:
            fail("V682-2")
        if term > 600:
            fail("Q658")
    introduction = number(loan["introductory_rate_period"])
    if introduction is not None and (not fits(introduction) or introduction <= 0):
        fail("V683")


def features(loan: Record, _: Known, fail: Fail) -> None:
    """Check V684 to V687 and V715."""
    said = _features(loan)
    if said == (2, 2, 2, 2):
        return
    balloon, interest_only, negative, other = said
    if balloon not in _YES_NO_OR_EXEMPT:
        fail("V684")
    if interest_only not in _YES_NO_OR_EXEMPT:
        fail("V685")
    if negative not in _YES_NO_OR_EXEMPT:
        fail("V686")
    if other not in _YES_NO_OR_EXEMPT:
        fail("V687")
    if 1111 in said and said != (1111, 1111, 1111, 1111):
        fail("V715")
