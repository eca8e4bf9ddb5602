"""What secures the loan: its value, a manufactured home, its units."""

from __future__ import annotations

from bench.plain_rules.record import NO_NUMBER, Fail, Known, Record, fits, number


def value(loan: Record, _: Known, fail: Fail) -> None:
    """Check V688."""
    dollars = number(loan["property_value"])
    if dollars is None:
        return
    if dollars <= 0:
        fail("V688-1")
    if loan["action_taken"] in {4, 5}:
        fail("V688-2")


def manufactured_home(loan: Record, _: Known, fail: Fail) -> None:
    """Check V615, V689, V690, Q618 and Q619."""
    method = loan["construction_method"]
    secured = loan["manufactured_home_secured_property_type"]
    land = loan["manufactured_home_land_property_interest"]
    has_affordable_units = loan["multifamily_affordable_units"] not in NO_NUMBER
    if method not in {1, 2}:
        fail("V615-1")
    if method == 2:
        if secured == 3:
            fail("Q618")
        if land == 5:
            fail("Q619")
    if land not in {5, 1111}:
        if land not in {1, 2, 3, 4}:
            fail("V690-1")
        elif method != 2:
            fail("V615-2")
        if has_affordable_units:
            fail("V690-2")
        if method == 1:
            fail("V690-3")
    if secured not in {3, 1111}:
        if secured not in {1, 2}:
            fail("V689-1")
        elif method != 2:
            fail("V615-3")
        if has_affordable_units:
            fail("V689-2")
        if method == 1:
            fail("V689-3")


def units(loan: Record, _: Known, fail: Fail) -> None:
    """Check V691, V692 and Q655."""
    total, text = loan["total_units"], loan["multifamily_affordable_units"]
    if total <= 0:
        fail("V691")
    if text in NO_NUMBER:
        if text == "NA" and total >= 5:
            fail("Q655")
        return
    affordable = number(text)
    if not fits(affordable):
        fail("V692-1")
    if total < 5:
        fail("V692-2")
    elif not fits(affordable) or affordable > total:
        fail("V692-3")
