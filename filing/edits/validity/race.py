"""Validity edits of the race of applicant and co-applicant, and of how it was collected."""

from collections.abc import Sequence

from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.sentences import Condition
from filing.edits.vocabulary import all_distinct, all_of, any_of, blank, if_then, iff, one_of

_BROAD = (1, 2, 3, 4, 5)
_SPECIFIC = (1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)
_FREE_FORMS = ("native", "asian", "pacific")


def _codes(
    parent: str, person: str, *, alone: tuple[int, ...], shown: Sequence[Sequence[str]]
) -> tuple[Edit, ...]:
    """Return the edits of the codes; alone: those that only the first can be, and then alone.

    shown: the free-form fields beside the codes, for each of the four parts.
    """
    who = person.replace("_", "-")
    first, *others = races = _races(person)
    observed = f"{person}_race_observed"
    fields = [(*races, *_free_forms(person, some)) for some in shown]
    return (
        # Anything in a free-form field excuses any first code, not only a blank.
        Edit(
            code=f"{parent}-1",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields[0],
            text=(
                f"The first race of the {who} must be a valid code unless a race is written in one "
                "of the three free-form fields."
            ),
            holds=if_then(~_free_form_filled(person), one_of(first, *_SPECIFIC, *alone)),
            breaks={first: 0, observed: 3},
        ),
        Edit(
            code=f"{parent}-2",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields[1],
            text=f"Races 2 to 5 of the {who} must each be blank or a specific race code.",
            holds=_each_blank_or(_SPECIFIC, others),
            breaks={first: 5, others[0]: 6, observed: 3},
        ),
        Edit(
            code=f"{parent}-3",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields[2],
            text=f"No race code may be reported twice for the {who}.",
            holds=all_distinct(*races),
            breaks={first: 5, others[0]: 5, observed: 2},
        ),
        Edit(
            code=f"{parent}-4",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields[3],
            text=(
                f"When the first race of the {who} is {' or '.join(map(str, alone))}, races 2 to 5 "
                "must be blank."
            ),
            holds=if_then(one_of(first, *alone), all_of(*map(blank, others))),
            breaks={first: 6, others[0]: 5, observed: 2},
        ),
    )


def _collection(parent: str, person: str, *, indicators: tuple[int, ...]) -> tuple[Edit, ...]:
    """Return the edits of the indicator of how the codes were collected."""
    who = person.replace("_", "-")
    first, *others = races = _races(person)
    observed = f"{person}_race_observed"
    fields = (*races, observed, *_free_forms(person, _FREE_FORMS))
    return (
        Edit(
            code=f"{parent}-1",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"The indicator of how the race of the {who} was collected must be one of the "
                f"codes 1 to {indicators[-1]}."
            ),
            holds=one_of(observed, *indicators),
            breaks={first: 5, observed: 9},
        ),
        Edit(
            code=f"{parent}-2",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"When the race of the {who} was collected by observation or surname, the first "
                "code must be one of the codes 1 to 5, and the others 1 to 5 or blank."
            ),
            holds=if_then(
                one_of(observed, 1), one_of(first, *_BROAD) & _each_blank_or(_BROAD, others)
            ),
            breaks={first: 21, observed: 1},
        ),
        Edit(
            code=f"{parent}-3",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"When the race of the {who} was not collected by observation, the first must be a "
                "specific race code or 6 (blank only with a free-form entry), and the others "
                "specific race codes or blank."
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


def _free_forms(person: str, some: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{person}_race_{one}_free_form" for one in some)


def _free_form_filled(person: str) -> Condition:
    return any_of(*(~blank(field) for field in _free_forms(person, _FREE_FORMS)))


def _each_blank_or(codes: Sequence[int], races: Sequence[str]) -> Condition:
    return all_of(*(blank(race) | one_of(race, *codes) for race in races))


EDITS = (
    *_codes(
        "V635",
        "applicant",
        alone=(6, 7),
        # As published: only here the parts do not show the same fields.
        shown=(
            ("asian", "pacific", "native"),
            (),
            ("asian", "pacific"),
            ("asian", "pacific"),
        ),
    ),
    *_collection("V636", "applicant", indicators=(1, 2, 3)),
    Edit(
        code="V637",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("applicant_race_1", "applicant_race_observed"),
        text=(
            "When the race of the applicant is 7 (not applicable), the indicator of how it was "
            "collected must be 3 (not applicable)."
        ),
        holds=if_then(one_of("applicant_race_1", 7), one_of("applicant_race_observed", 3)),
        breaks={"applicant_race_1": 7},
    ),
    *_codes("V638", "co_applicant", alone=(6, 7, 8), shown=(_FREE_FORMS,) * 4),
    *_collection("V639", "co_applicant", indicators=(1, 2, 3, 4)),
    Edit(
        code="V640",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("co_applicant_race_1", "co_applicant_race_observed"),
        text=(
            "When the race of the co-applicant is 7 (not applicable), the indicator of how it was "
            "collected must be 3 (not applicable)."
        ),
        holds=if_then(one_of("co_applicant_race_1", 7), one_of("co_applicant_race_observed", 3)),
        breaks={"co_applicant_race_1": 7, "co_applicant_race_observed": 2},
    ),
    Edit(
        code="V641",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("co_applicant_race_1", "co_applicant_race_observed"),
        text=(
            "Race 8 and indicator 4 both say that there is no co-applicant, so they must be "
            "reported together."
        ),
        holds=iff(one_of("co_applicant_race_1", 8), one_of("co_applicant_race_observed", 4)),
        breaks={"co_applicant_race_observed": 3},
    ),
)
