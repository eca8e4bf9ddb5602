"""Validity edits of the ethnicity of applicant and co-applicant, and of how it was collected."""

from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import all_distinct, all_of, blank, if_then, iff, one_of

_SPECIFIC = (1, 11, 12, 13, 14, 2)


def _codes(parent: str, person: str, *, alone: tuple[int, ...]) -> tuple[Edit, ...]:
    """Return the edits of the codes; alone: those that only the first can be, and then alone."""
    who = person.replace("_", "-")
    first, *others = ethnicities = _ethnicities(person)
    observed, free_form = f"{person}_ethnicity_observed", f"{person}_ethnicity_free_form"
    fields = (*ethnicities, free_form)
    return (
        Edit(
            code=f"{parent}-1",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"The first ethnicity of the {who} must be a valid code; it may be left blank "
                "only when another Hispanic or Latino ethnicity is written in the free-form field."
            ),
            holds=one_of(first, *_SPECIFIC, *alone) | (blank(first) & ~blank(free_form)),
            breaks={first: 0, observed: 3},
        ),
        Edit(
            code=f"{parent}-2",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=f"Ethnicities 2 to 5 of the {who} must each be 1, 11, 12, 13, 14, 2 or blank.",
            holds=all_of(*(blank(other) | one_of(other, *_SPECIFIC) for other in others)),
            breaks={first: 2, others[0]: 3, observed: 2},
        ),
        Edit(
            code=f"{parent}-3",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=f"No ethnicity code may be reported twice for the {who}.",
            holds=all_distinct(*ethnicities),
            breaks={first: 2, others[0]: 2, observed: 2},
        ),
        Edit(
            code=f"{parent}-4",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"When the first ethnicity of the {who} is {' or '.join(map(str, alone))}, "
                "ethnicities 2 to 5 must be blank."
            ),
            holds=if_then(one_of(first, *alone), all_of(*map(blank, others))),
            breaks={first: 3, others[0]: 1, observed: 2},
        ),
    )


def _collection(parent: str, person: str, *, indicators: tuple[int, ...]) -> tuple[Edit, ...]:
    """Return the first two edits of how the codes were collected; the third differs by person."""
    who = person.replace("_", "-")
    first, second, *others = _ethnicities(person)
    observed = f"{person}_ethnicity_observed"
    return (
        Edit(
            code=f"{parent}-1",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=_shown(person),
            text=(
                f"The indicator of how the ethnicity of the {who} was collected must be one of "
                f"the codes 1 to {indicators[-1]}."
            ),
            holds=one_of(observed, *indicators),
            breaks={first: 2, observed: 9},
        ),
        Edit(
            code=f"{parent}-2",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=_shown(person),
            text=(
                f"When the ethnicity of the {who} was collected by observation or surname, the "
                "first code must be 1 or 2, the second 1, 2 or blank, and the others blank."
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


def _shown(person: str) -> tuple[str, ...]:
    return (
        *_ethnicities(person),
        f"{person}_ethnicity_observed",
        f"{person}_ethnicity_free_form",
    )


EDITS = (
    *_codes("V628", "applicant", alone=(3, 4)),
    *_collection("V629", "applicant", indicators=(1, 2, 3)),
    # A free-form entry excuses any first code of the applicant, but of the co-applicant (V632-3)
    # only a blank.
    Edit(
        code="V629-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_shown("applicant"),
        text=(
            "When the ethnicity of the applicant was not collected by observation, the first code "
            "must be a specific ethnicity or 3, unless one is written in the free-form field."
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("applicant_ethnicity_1", "applicant_ethnicity_observed"),
        text=(
            "When the ethnicity of the applicant is 4 (not applicable), the indicator of how it "
            "was collected must be 3 (not applicable)."
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_shown("co_applicant"),
        text=(
            "When the ethnicity of the co-applicant was not collected by observation, the first "
            "code must be a specific ethnicity or 3; it may be left blank only when one is written "
            "in the free-form field."
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("co_applicant_ethnicity_1", "co_applicant_ethnicity_observed"),
        text=(
            "When the ethnicity of the co-applicant is 4 (not applicable), the indicator of how it "
            "was collected must be 3 (not applicable)."
        ),
        holds=if_then(
            one_of("co_applicant_ethnicity_1", 4), one_of("co_applicant_ethnicity_observed", 3)
        ),
        breaks={"co_applicant_ethnicity_1": 4, "co_applicant_ethnicity_observed": 2},
    ),
    Edit(
        code="V634",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("co_applicant_ethnicity_1", "co_applicant_ethnicity_observed"),
        text=(
            "Ethnicity 5 and indicator 4 both say that there is no co-applicant, so they must be "
            "reported together."
        ),
        holds=iff(
            one_of("co_applicant_ethnicity_1", 5), one_of("co_applicant_ethnicity_observed", 4)
        ),
        breaks={"co_applicant_ethnicity_observed": 3},
    ),
)
