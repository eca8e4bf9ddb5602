"""Who applied: ethnicity, race, sex and age of applicant and co-applicant."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

from bench.plain_rules.record import Fail, Known, Record

_NONE = (0, 0, 0, 0)
_ETHNICITIES = frozenset({1, 11, 12, 13, 14, 2})
_RACES = frozenset({1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5})
_BROAD_RACES = frozenset({1, 2, 3, 4, 5})
_ETHNICITIES_OR_BLANK = _ETHNICITIES | {0}
_RACES_OR_BLANK = _RACES | {0}
_BROAD_RACES_OR_BLANK = _BROAD_RACES | {0}
_CODES_OF_ETHNICITY = _ETHNICITIES | {3, 4, 5}
_CODES_OF_RACE = _RACES | {6, 7, 8}

_ethnicities = itemgetter(*(f"applicant_ethnicity_{place}" for place in (2, 3, 4, 5)))
_co_ethnicities = itemgetter(*(f"co_applicant_ethnicity_{place}" for place in (2, 3, 4, 5)))
_races = itemgetter(*(f"applicant_race_{place}" for place in (2, 3, 4, 5)))
_co_races = itemgetter(*(f"co_applicant_race_{place}" for place in (2, 3, 4, 5)))
_written = ("native", "asian", "pacific")
_race_texts = itemgetter(*(f"applicant_race_{what}_free_form" for what in _written))
_co_race_texts = itemgetter(*(f"co_applicant_race_{what}_free_form" for what in _written))


def _has_repeats(codes: Iterable[int], known: frozenset[int]) -> bool:
    said = [code for code in codes if code in known]
    return len(set(said)) < len(said)


def ethnicity(loan: Record, _: Known, fail: Fail) -> None:
    """Check V628 to V630."""
    first, others = loan["applicant_ethnicity_1"], _ethnicities(loan)
    observed, text = loan["applicant_ethnicity_observed"], loan["applicant_ethnicity_free_form"]
    if first not in _ETHNICITIES and first not in {3, 4} and not (first == 0 and text):
        fail("V628-1")
    if others != _NONE:
        if not _ETHNICITIES_OR_BLANK.issuperset(others):
            fail("V628-2")
        if _has_repeats((first, *others), _CODES_OF_ETHNICITY):
            fail("V628-3")
        if first in {3, 4}:
            fail("V628-4")
    if observed == 1:
        if first not in {1, 2} or others[0] not in {0, 1, 2} or others[1:] != (0, 0, 0):
            fail("V629-2")
    elif observed == 2:
        if first not in _ETHNICITIES and first != 3 and not text:
            fail("V629-3")
    elif observed != 3:
        fail("V629-1")
    if first == 4 and observed != 3:
        fail("V630")


def co_ethnicity(loan: Record, _: Known, fail: Fail) -> None:
    """Check V631 to V634."""
    first, others = loan["co_applicant_ethnicity_1"], _co_ethnicities(loan)
    observed = loan["co_applicant_ethnicity_observed"]
    is_written = first == 0 and loan["co_applicant_ethnicity_free_form"] != ""
    if first not in _CODES_OF_ETHNICITY and not is_written:
        fail("V631-1")
    if others != _NONE:
        if not _ETHNICITIES_OR_BLANK.issuperset(others):
            fail("V631-2")
        if _has_repeats((first, *others), _CODES_OF_ETHNICITY):
            fail("V631-3")
        if first in {3, 4, 5}:
            fail("V631-4")
    if observed == 1:
        if first not in {1, 2} or others[0] not in {0, 1, 2} or others[1:] != (0, 0, 0):
            fail("V632-2")
    elif observed == 2:
        if first not in _ETHNICITIES and first != 3 and not is_written:
            fail("V632-3")
    elif observed not in {3, 4}:
        fail("V632-1")
    if first == 4 and observed != 3:
        fail("V633")
    if (first == 5) != (observed == 4):
        fail("V634")


def race(loan: Record, _: Known, fail: Fail) -> None:
    """Check V635 to V637."""
    first, others = loan["applicant_race_1"], _races(loan)
    observed = loan["applicant_race_observed"]
    if first not in _RACES and first not in {6, 7} and not any(_race_texts(loan)):
        fail("V635-1")
    are_codes = _RACES_OR_BLANK.issuperset(others)
    if not are_codes:
        fail("V635-2")
    if others != _NONE:
        if _has_repeats((first, *others), _CODES_OF_RACE):
            fail("V635-3")
        if first in {6, 7}:
            fail("V635-4")
    if observed == 1:
        if first not in _BROAD_RACES or not _BROAD_RACES_OR_BLANK.issuperset(others):
            fail("V636-2")
    elif observed == 2:
        is_written = first == 0 and any(_race_texts(loan))
        if not are_codes or (first not in _RACES and first != 6 and not is_written):
            fail("V636-3")
    elif observed != 3:
        fail("V636-1")
    if first == 7 and observed != 3:
        fail("V637")


def co_race(loan: Record, _: Known, fail: Fail) -> None:
    """Check V638 to V641."""
    first, others = loan["co_applicant_race_1"], _co_races(loan)
    observed = loan["co_applicant_race_observed"]
    if first not in _CODES_OF_RACE and not any(_co_race_texts(loan)):
        fail("V638-1")
    are_codes = _RACES_OR_BLANK.issuperset(others)
    if not are_codes:
        fail("V638-2")
    if others != _NONE:
        if _has_repeats((first, *others), _CODES_OF_RACE):
            fail("V638-3")
        if first in {6, 7, 8}:
            fail("V638-4")
    if observed == 1:
        if first not in _BROAD_RACES or not _BROAD_RACES_OR_BLANK.issuperset(others):
            fail("V639-2")
    elif observed == 2:
        is_written = first == 0 and any(_co_race_texts(loan))
        if not are_codes or (first not in _RACES and first != 6 and not is_written):
            fail("V639-3")
    elif observed not in {3, 4}:
        fail("V639-1")
    if first == 7 and observed != 3:
        fail("V640")
    if (first == 8) != (observed == 4):
        fail("V641")


def sex(loan: Record, _: Known, fail: Fail) -> None:
    """Check V642 to V645."""
    said, observed = loan["applicant_sex"], loan["applicant_sex_observed"]
    if said not in {1, 2, 3, 4, 6}:
        fail("V642-1")
    if observed == 1:
        if said not in {1, 2}:
            fail("V643")
    elif observed == 2:
        if said not in {1, 2, 3, 6}:
            fail("V644-1")
    elif observed != 3:
        fail("V642-2")
    if said == 6 and observed not in {2, 3}:
        fail("V644-2")
    if said == 4 and observed != 3:
        fail("V645")


def co_sex(loan: Record, _: Known, fail: Fail) -> None:
    """Check V646 to V650."""
    said, observed = loan["co_applicant_sex"], loan["co_applicant_sex_observed"]
    if said not in {1, 2, 3, 4, 5, 6}:
        fail("V646-1")
    if observed == 1:
        if said not in {1, 2}:
            fail("V647")
    elif observed == 2:
        if said not in {1, 2, 3, 6}:
            fail("V648-1")
    elif observed not in {3, 4}:
        fail("V646-2")
    if said == 6 and observed not in {2, 3}:
        fail("V648-2")
    if said == 4 and observed != 3:
        fail("V649")
    if (said == 5) != (observed == 4):
        fail("V650")


def ages(loan: Record, _: Known, fail: Fail) -> None:
    """Check V651, V652, V721, Q614 and Q622."""
    age, co_age = loan["applicant_age"], loan["co_applicant_age"]
    if not 18 <= age <= 100 and age != 8888:
        fail("Q614-1")
        if age <= 0:
            fail("V651-1")
        if age in {1111, 9999}:
            fail("V721-1")
    if not 18 <= co_age <= 100 and co_age not in {8888, 9999}:
        fail("Q614-2")
        if co_age <= 0:
            fail("V652-1")
        if co_age == 1111:
            fail("V721-2")
    if age < 62 and loan["reverse_mortgage"] == 1:
        fail("Q622")
