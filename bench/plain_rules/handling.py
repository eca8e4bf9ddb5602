"""How the application came in, who took it, what underwriting systems said, and other flags."""

from __future__ import annotations

import re
from operator import itemgetter

from bench.plain_rules.record import NO_NUMBER, Fail, Known, Record, fits, is_alphanumeric, number

_whole = re.compile("[+-]?[0-9]+").fullmatch
_systems = itemgetter(*(f"aus_{place}" for place in (1, 2, 3, 4, 5)))
_results = itemgetter(*(f"aus_result_{place}" for place in (1, 2, 3, 4, 5)))
_NONE = (0, 0, 0, 0)
_SYSTEMS = frozenset({1, 2, 3, 4, 5, 6, 7, 1111})
_FURTHER_SYSTEMS = frozenset({0, 1, 2, 3, 4, 5, 7})
_REAL_RESULTS = frozenset(range(1, 25)) - {17}
_RESULTS = _REAL_RESULTS | {17, 1111}
_FURTHER_RESULTS = _REAL_RESULTS | {0}
_USUAL_RESULTS = {
    1: frozenset({1, 2, 3, 4, 5, 6, 7, 15, 16}),
    2: frozenset({8, 9, 10, 11, 12, 13, 16}),
    3: frozenset({1, 2, 3, 4, 8, 13, 16, 18, 19}),
    4: frozenset({3, 4, 10, 15, 16, 18, 19, 20, 21, 22, 23, 24}),
    5: _REAL_RESULTS,
}


def channel(loan: Record, _: Known, fail: Fail) -> None:
    """Check V693, V694 and V714."""
    action, submitted = loan["action_taken"], loan["submission_of_application"]
    payable = loan["initially_payable_to_institution"]
    if submitted not in {1, 2, 3, 1111}:
        fail("V693-1")
    if payable not in {1, 2, 3, 1111}:
        fail("V694-1")
    if action == 6:
        if submitted not in {3, 1111}:
            fail("V693-2")
        if payable not in {3, 1111}:
            fail("V694-2")
    elif submitted == 3:
        fail("V693-3")
    if action == 1 and payable not in {1, 2, 1111}:
        fail("V694-3")
    if (submitted == 1111) != (payable == 1111):
        fail("V714")


def originator(loan: Record, _: Known, fail: Fail) -> None:
    """Check V695, Q620 and Q621."""
    text = loan["nmlsr_id"]
    if text == "NA" and loan["business_or_commercial_purpose"] == 2:
        fail("Q620")
    if text in NO_NUMBER:
        return
    if text == "0":
        fail("V695-2")
    # Of whole numbers only those are refused that are too far below zero for 32 bits.
    if not _whole(text) or (text[0] == "-" and not fits(number(text))):
        fail("V695-1")
    if text and (len(text) > 12 or not is_alphanumeric(text)):
        fail("Q621")


def underwriting(loan: Record, _: Known, fail: Fail) -> None:
    """Check V696, V700 to V704 and V713."""
    systems, results = _systems(loan), _results(loan)
    system, more_systems = systems[0], systems[1:]
    result, more_results = results[0], results[1:]
    has_more = more_systems != _NONE or more_results != _NONE
    if system not in _SYSTEMS or not _FURTHER_SYSTEMS.issuperset(more_systems):
        fail("V696-1")
    if result not in _RESULTS or not _FURTHER_RESULTS.issuperset(more_results):
        fail("V696-2")
    if systems.count(0) != results.count(0):
        fail("V696-3")
    if system == 6 and (result != 17 or has_more):
        fail("V700-1")
    if result == 17 and (system != 6 or has_more):
        fail("V700-2")
    if more_results != _NONE and any(
        given and not asked for asked, given in zip(more_systems, more_results, strict=True)
    ):
        fail("V701")
    system_text, result_text = loan["aus_free_form"], loan["aus_result_free_form"]
    if 5 in systems:
        if not system_text:
            fail("V702-1")
    elif system_text:
        fail("V702-2")
    if 16 in results:
        if not result_text:
            fail("V703-1")
    elif result_text:
        fail("V703-2")
    if loan["action_taken"] == 6:
        if system not in {6, 1111}:
            fail("V704-1")
        if result not in {17, 1111}:
            fail("V704-2")
    if (system == 1111 or result == 1111) and not (
        system == result and not has_more and system_text == result_text == ""
    ):
        fail("V713")


def results_of_systems(loan: Record, _: Known, fail: Fail) -> None:
    """Check V699, Q632, Q633, Q643 and Q644."""
    unusual = {
        system
        for system, result in zip(_systems(loan), _results(loan), strict=True)
        if system in _USUAL_RESULTS and result not in _USUAL_RESULTS[system]
    }
    if not unusual:
        return
    if 1 in unusual:
        fail("Q643")
    if 2 in unusual:
        fail("Q644")
    if 3 in unusual:
        fail("Q632")
    if 4 in unusual:
        fail("Q633")
    if 5 in unusual:
        fail("V699")


def flags(loan: Record, _: Known, fail: Fail) -> None:
    """Check V706 to V708."""
    if loan["reverse_mortgage"] not in {1, 2, 1111}:
        fail("V706")
    if loan["open_end_line_of_credit"] not in {1, 2, 1111}:
        fail("V707")
    if loan["business_or_commercial_purpose"] not in {1, 2, 1111}:
        fail("V708")
