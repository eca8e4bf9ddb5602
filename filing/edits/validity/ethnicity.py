"""Validity edits of the ethnicity of applicant and co-applicant, and of how it was collected."""

from collections.abc import Sequence

from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.sentences import listed
from filing.edits.vocabulary import all_distinct, all_of, blank, called, if_then, iff, one_of

_SPECIFIC = (1, 11, 12, 13, 14, 2)


def _codes(parent: str, person: str, *, alone: tuple[int, ...]) -> tuple[Edit, ...]:
    """Return the edits of the codes; alone: codes that exclude every other."""
    first, *others = ethnicities = _ethnicities(person)
    observed, free_form = f"{person}_ethnicity_observed", f"{person}_ethnicity_free_form"
    fields = (*ethnicities, free_form)
    return (
        Edit(
            code=f"{parent}-1",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"{called(first)} must be {listed((*_SPECIFIC, *alone))}, and cannot be left "
                f"blank unless {called(free_form)} is not blank."
            ),
            holds=one_of(first, *_SPECIFIC, *alone) | (blank(first) & ~blank(free_form)),
            breaks={first: 0, observed: 3},
        ),
        Edit(
            code=f"{parent}-2",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=(f"{_through(others)} must each be {listed(_SPECIFIC)}, or be left blank."),
            holds=all_of(*(blank(other) | one_of(other, *_SPECIFIC) for other in others)),
            breaks={first: 2, others[0]: 3, observed: 2},
        ),
        Edit(
            code=f"{parent}-3",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=f"Each code can be reported only once in {_through(ethnicities)}.",
            holds=all_distinct(*ethnicities),
            breaks={first: 2, others[0]: 2, observed: 2},
        ),
        Edit(
            code=f"{parent}-4",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"If {called(first)} is {listed(alone)}, then {_through(others)} must be left "
                "blank."
            ),
            holds=if_then(one_of(first, *alone), all_of(*map(blank, others))),
            breaks={first: 3, others[0]: 1, observed: 2},
        ),
    )


def _collection(parent: str, person: str, *, indicators: tuple[int, ...]) -> tuple[Edit, ...]:
    """Return the first two edits of how ethnicity was collected; the third differs by person."""
    first, second, *others = _ethnicities(person)
    observed = f"{person}_ethnicity_observed"
    return (
        Edit(
            code=f"{parent}-1",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=_collection_fields(person),
            text=f"{called(observed)} must be {listed(indicators)}, and cannot be left blank.",
            holds=one_of(observed, *indicators),
            breaks={first: 2, observed: 9},
        ),
        Edit(
            code=f"{parent}-2",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=_collection_fields(person),
            text=(
                f"If {called(observed)} is 1 (yes), then {called(first)} must be 1 or 2, "
                f"{called(second)} must be 1 or 2, or be left blank, and {_through(others)} must "
                "be left blank."
            ),
            holds=if_then(
                one_of(observed, 1),
                all_of(
                    one_of(first, 1, 2),
                    blank(second) | one_of(second, 1, 2),
                    *map(blank, others),
                ),
            ),
            breaks={first: 11, observed: 1},
        ),
    )


def _ethnicities(person: str) -> tuple[str, ...]:
    return tuple(f"{person}_ethnicity_{number}" for number in range(1, 6))


def _through(fields: Sequence[str]) -> str:
    """Return what neighboring fields are called, by the first and the last of them."""
    return f"{called(fields[0])} through {called(fields[-1])}"


def _collection_fields(person: str) -> tuple[str, ...]:
    return (
        *_ethnicities(person),
        f"{person}_ethnicity_observed",
        f"{person}_ethnicity_free_form",
    )


EDITS = (
    *_codes("V628", "applicant", alone=(3, 4)),
    *_collection("V629", "applicant", indicators=(1, 2, 3)),
    # With free-form text any first code of the applicant passes, but of the co-applicant (V632-3)
    # only a blank.
    Edit(
        code="V629-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_collection_fields("applicant"),
        text=(
            f"If {called('applicant_ethnicity_observed')} is 2 (no), then "
            f"{called('applicant_ethnicity_1')} must be {listed((*_SPECIFIC, 3))}, unless "
            f"{called('applicant_ethnicity_free_form')} is not blank."
        ),
        holds=if_then(
            one_of("applicant_ethnicity_observed", 2),
            one_of("applicant_ethnicity_1", *_SPECIFIC, 3)
            | ~blank("applicant_ethnicity_free_form"),
        ),
        breaks={"applicant_ethnicity_1": 0},
    ),
    Edit(
        code="V630",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("applicant_ethnicity_1", "applicant_ethnicity_observed"),
        text=(
            f"If {called('applicant_ethnicity_1')} is 4 (not applicable), then "
            f"{called('applicant_ethnicity_observed')} must be 3 (not applicable)."
        ),
        holds=if_then(
            one_of("applicant_ethnicity_1", 4), one_of("applicant_ethnicity_observed", 3)
        ),
        breaks={"applicant_ethnicity_1": 4, "applicant_ethnicity_free_form": "Other"},
    ),
    *_codes("V631", "co_applicant", alone=(3, 4, 5)),
    *_collection("V632", "co_applicant", indicators=(1, 2, 3, 4)),
    Edit(
        code="V632-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_collection_fields("co_applicant"),
        text=(
            f"If {called('co_applicant_ethnicity_observed')} is 2 (no), then "
            f"{called('co_applicant_ethnicity_1')} must be {listed((*_SPECIFIC, 3))}, and cannot "
            f"be left blank unless {called('co_applicant_ethnicity_free_form')} is not blank."
        ),
        holds=if_then(
            one_of("co_applicant_ethnicity_observed", 2),
            one_of("co_applicant_ethnicity_1", *_SPECIFIC, 3)
            | (blank("co_applicant_ethnicity_1") & ~blank("co_applicant_ethnicity_free_form")),
        ),
        breaks={"co_applicant_ethnicity_1": 0, "co_applicant_ethnicity_observed": 2},
    ),
    Edit(
        code="V633",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("co_applicant_ethnicity_1", "co_applicant_ethnicity_observed"),
        text=(
            f"If {called('co_applicant_ethnicity_1')} is 4 (not applicable), then "
            f"{called('co_applicant_ethnicity_observed')} must be 3 (not applicable)."
        ),
        holds=if_then(
            one_of("co_applicant_ethnicity_1", 4), one_of("co_applicant_ethnicity_observed", 3)
        ),
        breaks={"co_applicant_ethnicity_1": 4, "co_applicant_ethnicity_observed": 2},
    ),
    Edit(
        code="V634",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("co_applicant_ethnicity_1", "co_applicant_ethnicity_observed"),
        text=(
            f"If {called('co_applicant_ethnicity_1')} is 5 (no co-applicant), then "
            f"{called('co_applicant_ethnicity_observed')} must be 4 (no co-applicant), and vice "
            "versa."
        ),
        holds=iff(
            one_of("co_applicant_ethnicity_1", 5), one_of("co_applicant_ethnicity_observed", 4)
        ),
        breaks={"co_applicant_ethnicity_observed": 3},
    ),
)
