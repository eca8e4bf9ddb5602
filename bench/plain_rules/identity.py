"""Which loan it is, and when it was applied for and decided."""

from __future__ import annotations

from bench.plain_rules.record import NOT_PURCHASED, Fail, Known, Record, day, is_alphanumeric

_NO_IDENTIFIERS = frozenset({"NA", "EXEMPT", "1111"})
_WORTH_OF_LETTER = str.maketrans({chr(55 + worth): str(worth) for worth in range(10, 36)})
_TWO_YEARS = 20_000  # as a difference of days written YYYYMMDD


def identifiers(loan: Record, known: Known, fail: Fail) -> None:
    """Check S300, S301, V600, V608, V609 and Q648."""
    lei = loan["lei"].upper()
    if loan["record_id"] != 2:
        fail("S300")
    if lei != known.lei.upper():
        fail("S301")
    if len(lei) != 20:
        fail("V600")
    uli = loan["uli"]
    if len(uli) < 23:
        if not is_alphanumeric(uli) or uli.upper() in _NO_IDENTIFIERS:
            fail("V608-2")
        return
    is_well_formed = len(uli) <= 45 and is_alphanumeric(uli)
    if not is_well_formed:
        fail("V608-1")
    if not is_well_formed or int(uli.upper().translate(_WORTH_OF_LETTER)) % 97 != 1:
        fail("V609")
    if loan["action_taken"] in NOT_PURCHASED and lei[:20] != uli[:20]:
        fail("Q648")


def dates(loan: Record, known: Known, fail: Fail) -> None:
    """Check V610, V619, Q601 and Q608."""
    action, decided = loan["action_taken"], loan["action_taken_date"]
    has_application = loan["application_date"] != "NA"
    if has_application == (action == 6):
        fail("V610-2")
    if day(str(decided)) is None:
        fail("V619-1")
    if decided // 10_000 != known.year:
        fail("V619-2")
    if not has_application:
        return
    applied = day(loan["application_date"])
    if applied is None:
        fail("V610-1")
        return
    if decided < applied and action in NOT_PURCHASED:
        fail("V619-3")
    if applied < decided - _TWO_YEARS:
        fail("Q601")
    if decided <= applied and action == 1:
        fail("Q608")
