"""What the loan costs at closing."""

from __future__ import annotations

from bench.plain_rules.record import NO_NUMBER, NOT_MADE, Fail, Known, Record, number


def totals(loan: Record, _: Known, fail: Fail) -> None:
    """Check V672, V673, V712, Q615 and Q616."""
    action, is_reverse = loan["action_taken"], loan["reverse_mortgage"] == 1
    is_business = loan["business_or_commercial_purpose"] == 1
    costs, fees = number(loan["total_loan_costs"]), number(loan["total_points_and_fees"])
    if costs is not None:
        if costs < 0:
            fail("V672-1")
        elif loan["total_points_and_fees"] != "NA":
            fail("V673-5")
        if is_reverse:
            fail("V672-3")
        if loan["open_end_line_of_credit"] == 1:
            fail("V672-4")
        if is_business:
            fail("V672-5")
        if action in NOT_MADE:
            fail("V672-6")
    if fees is not None:
        if fees < 0:
            fail("V673-1")
        elif loan["total_loan_costs"] != "NA":
            fail("V672-2")
        if action in NOT_MADE or action == 6:
            fail("V673-2")
        if is_reverse:
            fail("V673-3")
        if is_business:
            fail("V673-4")
    if (loan["total_loan_costs"] == "Exempt") != (loan["total_points_and_fees"] == "Exempt"):
        fail("V712")
    if costs or fees:
        charges, points = number(loan["origination_charges"]), number(loan["discount_points"])
        if costs and charges and costs <= charges:
            fail("Q615-1")
        if fees and charges and fees <= charges:
            fail("Q615-2")
        if costs and points and costs <= points:
            fail("Q616-1")
        if fees and points and fees <= points:
            fail("Q616-2")


def parts(loan: Record, _: Known, fail: Fail) -> None:
    """Check V674 to V676."""
    said = loan["origination_charges"], loan["discount_points"], loan["lender_credits"]
    has_charges, has_points, has_credits = (text not in NO_NUMBER for text in said)
    if not (has_charges or has_points or has_credits):
        return
    charges, points, rebate = map(number, said)
    if charges is not None and charges < 0:
        fail("V674-1")
    if points is not None and points <= 0:
        fail("V675-1")
    if rebate is not None and rebate <= 0:
        fail("V676-1")
    if loan["reverse_mortgage"] == 1:
        if has_charges:
            fail("V674-2")
        if has_points:
            fail("V675-2")
        if has_credits:
            fail("V676-2")
    if loan["open_end_line_of_credit"] == 1:
        if has_charges:
            fail("V674-3")
        if has_points:
            fail("V675-3")
        if has_credits:
            fail("V676-3")
    if loan["business_or_commercial_purpose"] == 1:
        if has_charges:
            fail("V674-4")
        if has_points:
            fail("V675-4")
        if has_credits:
            fail("V676-4")
    if loan["action_taken"] in NOT_MADE:
        if has_charges:
            fail("V674-5")
        if has_points:
            fail("V675-5")
        if has_credits:
            fail("V676-5")
