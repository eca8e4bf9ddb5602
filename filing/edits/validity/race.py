"""Validity edits of the race of applicant and co-applicant, and of how it was collected."""

from collections.abc import Sequence

from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.sentences import Condition, listed
from filing.edits.vocabulary import (
    all_distinct,
    all_of,
    any_of,
    blank,
    called,
    if_then,
    iff,
    one_of,
)

_BROAD = (1, 2, 3, 4, 5)
_SPECIFIC = (1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)
_FREE_FORMS = ("native", "asian", "pacific")


def _codes(
    parent: str, person: str, *, alone: tuple[int, ...], free_forms: Sequence[Sequence[str]]
) -> tuple[Edit, ...]:
    """Return the edits of the codes; alone: codes that exclude every other.

    free_forms: the free-form fields listed beside the codes, for each of the four parts.
    """
    first, *others = races = _races(person)
    observed = f"{person}_race_observed"
    fields = [(*races, *_free_forms(person, kinds)) for kinds in free_forms]
    return (
        # With text in a free-form field any first code passes, not only a blank.
        Edit(
            code=f"{parent}-1",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields[0],
            text=(
                f"{called(first)} must be {listed((*_SPECIFIC, *alone))}, unless at least one of "
                f"{_free_form_labels(person)} is not blank."
            ),
            holds=if_then(~_free_form_filled(person), one_of(first, *_SPECIFIC, *alone)),
            breaks={first: 0, observed: 3},
        ),
        Edit(
            code=f"{parent}-2",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields[1],
            text=f"{_through(others)} must each be {listed(_SPECIFIC)}, or be left blank.",
            holds=_each_blank_or(_SPECIFIC, others),
            breaks={first: 5, others[0]: 6, observed: 3},
        ),
        Edit(
            code=f"{parent}-3",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields[2],
            text=f"Each code can be reported only once in {_through(races)}.",
            holds=all_distinct(*races),
            breaks={first: 5, others[0]: 5, observed: 2},
        ),
        Edit(
            code=f"{parent}-4",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields[3],
            text=(
                f"If {called(first)} is {listed(alone)}, then {_through(others)} must be left "
                "blank."
            ),
            holds=if_then(one_of(first, *alone), all_of(*map(blank, others))),
            breaks={first: 6, others[0]: 5, observed: 2},
        ),
    )


def _collection(parent: str, person: str, *, indicators: tuple[int, ...]) -> tuple[Edit, ...]:
    """Return the edits of the indicator of how the codes were collected."""
    first, *others = races = _races(person)
    observed = f"{person}_race_observed"
    fields = (*races, observed, *_free_forms(person, _FREE_FORMS))
    return (
        Edit(
            code=f"{parent}-1",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=f"{called(observed)} must be {listed(indicators)}, and cannot be left blank.",
            holds=one_of(observed, *indicators),
            breaks={first: 5, observed: 9},
        ),
        Edit(
            code=f"{parent}-2",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"If {called(observed)} is 1 (yes), then {called(first)} must be {listed(_BROAD)}, "
                f"and {_through(others)} must each be {listed(_BROAD)}, or be left blank."
            ),
            holds=if_then(
                one_of(observed, 1), one_of(first, *_BROAD) & _each_blank_or(_BROAD, others)
            ),
            breaks={first: 21, observed: 1},
        ),
        Edit(
            code=f"{parent}-3",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"If {called(observed)} is 2 (no), then {called(first)} must be "
                f"{listed((*_SPECIFIC, 6))}, and cannot be left blank unless at least one of "
                f"{_free_form_labels(person)} is not blank; {_through(others)} must each be "
                f"{listed(_SPECIFIC)}, or be left blank."
            ),
            holds=if_then(
                one_of(observed, 2),
                (one_of(first, *_SPECIFIC, 6) | (blank(first) & _free_form_filled(person)))
                & _each_blank_or(_SPECIFIC, others),
            ),
            breaks={first: 99, observed: 2, f"{person}_race_native_free_form": "Other"},
        ),
    )


def _races(person: str) -> tuple[str, ...]:
    return tuple(f"{person}_race_{number}" for number in range(1, 6))


def _through(fields: Sequence[str]) -> str:
    """Return what neighboring fields are called, by the first and the last of them."""
    return f"{called(fields[0])} through {called(fields[-1])}"


def _free_forms(person: str, kinds: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{person}_race_{kind}_free_form" for kind in kinds)


def _free_form_labels(person: str) -> str:
    return listed(map(called, _free_forms(person, _FREE_FORMS)), "and")


def _free_form_filled(person: str) -> Condition:
    return any_of(*(~blank(field) for field in _free_forms(person, _FREE_FORMS)))


def _each_blank_or(codes: Sequence[int], races: Sequence[str]) -> Condition:
    return all_of(*(blank(race) | one_of(race, *codes) for race in races))


EDITS = (
    *_codes(
        "V635",
        "applicant",
        alone=(6, 7),
        # As published: only here the parts do not list the same fields.
        free_forms=(
            ("asian", "pacific", "native"),
            (),
            ("asian", "pacific"),
            ("asian", "pacific"),
        ),
    ),
    *_collection("V636", "applicant", indicators=(1, 2, 3)),
    Edit(
        code="V637",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("applicant_race_1", "applicant_race_observed"),
        text=(
            f"If {called('applicant_race_1')} is 7 (not applicable), then "
            f"{called('applicant_race_observed')} must be 3 (not applicable)."
        ),
        holds=if_then(one_of("applicant_race_1", 7), one_of("applicant_race_observed", 3)),
        breaks={"applicant_race_1": 7},
    ),
    *_codes("V638", "co_applicant", alone=(6, 7, 8), free_forms=(_FREE_FORMS,) * 4),
    *_collection("V639", "co_applicant", indicators=(1, 2, 3, 4)),
    Edit(
        code="V640",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("co_applicant_race_1", "co_applicant_race_observed"),
        text=(
            f"If {called('co_applicant_race_1')} is 7 (not applicable), then "
            f"{called('co_applicant_race_observed')} must be 3 (not applicable)."
        ),
        holds=if_then(one_of("co_applicant_race_1", 7), one_of("co_applicant_race_observed", 3)),
        breaks={"co_applicant_race_1": 7, "co_applicant_race_observed": 2},
    ),
    Edit(
        code="V641",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("co_applicant_race_1", "co_applicant_race_observed"),
        text=(
            f"If {called('co_applicant_race_1')} is 8 (no co-applicant), then "
            f"{called('co_applicant_race_observed')} must be 4 (no co-applicant), and vice versa."
        ),
        holds=iff(one_of("co_applicant_race_1", 8), one_of("co_applicant_race_observed", 4)),
        breaks={"co_applicant_race_observed": 3},
    ),
)
