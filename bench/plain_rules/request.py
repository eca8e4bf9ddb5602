"""What was asked for and what became of it: type, purpose, amount, action, purchaser, lien."""

from __future__ import annotations

from bench.plain_rules.record import NO_NUMBER, NOT_MADE, Fail, Known, Record


def purpose(loan: Record, _: Known, fail: Fail) -> None:
    """Check V611, V612, V616, V618, Q613 and Q631."""
    action, asked, kind = loan["action_taken"], loan["loan_purpose"], loan["loan_type"]
    if kind not in {1, 2, 3, 4}:
        fail("V611")
    if asked not in {1, 2, 31, 32, 4, 5}:
        fail("V612-1")
    if loan["occupancy_type"] not in {1, 2, 3}:
        fail("V616")
    if action not in {1, 2, 3, 4, 5, 6, 7, 8}:
        fail("V618")
    if loan["business_or_commercial_purpose"] == 1 and asked not in {1, 2, 31, 32, 5}:
        fail("Q613")
    if kind in {2, 3, 4} and loan["total_units"] > 4:
        fail("Q631")


def preapproval(loan: Record, _: Known, fail: Fail) -> None:
    """Check V612 to V614."""
    action, requested = loan["action_taken"], loan["preapproval"]
    if requested == 1:
        if loan["loan_purpose"] != 1:
            fail("V612-2")
        if action not in {1, 2, 7, 8}:
            fail("V613-4")
    elif action in {7, 8}:
        fail("V613-2")
    if requested == 2:
        return
    if requested != 1:
        fail("V613-1")
    if action in {3, 4, 5, 6}:
        fail("V613-3")
    if loan["loan_purpose"] in {2, 31, 32, 4, 5}:
        fail("V614-1")
    if loan["multifamily_affordable_units"] not in NO_NUMBER:
        fail("V614-2")
    if loan["reverse_mortgage"] == 1:
        fail("V614-3")
    if loan["open_end_line_of_credit"] == 1:
        fail("V614-4")


def amount(loan: Record, _: Known, fail: Fail) -> None:
    """Check V617, Q607, Q624 to Q628 and Q645."""
    dollars, units, kind = loan["loan_amount"], loan["total_units"], loan["loan_type"]
    if dollars < 0:
        fail("V617")
    if dollars < 500:
        fail("Q645-1")
    if loan["loan_purpose"] == 1:
        if dollars < 1_000:
            fail("Q645-2")
        if dollars <= 10_000 and units <= 4:
            fail("Q628")
    if units >= 5 and not 100_000 <= dollars <= 10_000_000:
        fail("Q627")
    if dollars <= 250_000:
        return
    if loan["lien_status"] == 2:
        fail("Q607")
    if dollars > 637_000 and kind == 2 and units == 1:
        fail("Q624")
    if dollars > 1_050_000 and kind == 3 and units <= 4:
        fail("Q625")
    if dollars > 1_225_000 and loan["purchaser_type"] in {1, 2, 3, 4} and units <= 4:
        fail("Q626")


def sale(loan: Record, _: Known, fail: Fail) -> None:
    """Check V656, V658, V659, Q605, Q612 and Q630."""
    purchaser, hoepa, kind = loan["purchaser_type"], loan["hoepa_status"], loan["loan_type"]
    if purchaser not in {0, 1, 2, 3, 4, 5, 6, 71, 72, 8, 9}:
        fail("V656-1")
    if hoepa not in {1, 2, 3}:
        fail("V658-1")
    if loan["lien_status"] not in {1, 2}:
        fail("V659")
    if loan["action_taken"] in NOT_MADE:
        if purchaser != 0:
            fail("V656-2")
        if hoepa != 3:
            fail("V658-2")
    if purchaser in {1, 3}:
        if kind != 1:
            fail("Q605-1")
        if hoepa not in {2, 3}:
            fail("Q612")
    elif purchaser == 2 and kind not in {2, 3, 4}:
        fail("Q605-2")
    if hoepa != 3 and loan["total_units"] >= 5:
        fail("Q630")
