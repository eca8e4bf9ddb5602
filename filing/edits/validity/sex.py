"""Validity edits of the sex of applicant and co-applicant, and of how it was collected."""

from filing.edits.edit import Edit, Kind, Level, annual_only, since
from filing.edits.vocabulary import if_then, iff, one_of


def _codes(
    parent: str, person: str, *, codes: tuple[int, ...], indicators: tuple[int, ...]
) -> tuple[Edit, ...]:
    """Return the edits of the codes of sex and of how it was collected."""
    who = person.replace("_", "-")
    sex, observed = fields = _fields(person)
    return (
        Edit(
            code=f"{parent}-1",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=f"Sex of the {who} must be one of the codes {', '.join(map(str, codes))}.",
            holds=one_of(sex, *codes),
            breaks={sex: 9, observed: 3},
        ),
        Edit(
            code=f"{parent}-2",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"The indicator of how the sex of the {who} was collected must be one of the codes "
                f"1 to {indicators[-1]}."
            ),
            holds=one_of(observed, *indicators),
            breaks={sex: 2, observed: 9},
        ),
    )


def _collected(person: str, *, seen: str, not_seen: str, not_applicable: str) -> tuple[Edit, ...]:
    """Return the edits of the codes by the way they were collected, each under its own number."""
    who = person.replace("_", "-")
    sex, observed = fields = _fields(person)
    return (
        Edit(
            code=seen,
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"When the sex of the {who} was collected by observation or surname, it must be "
                "1 or 2."
            ),
            holds=if_then(one_of(observed, 1), one_of(sex, 1, 2)),
            breaks={sex: 3, observed: 1},
        ),
        Edit(
            code=f"{not_seen}-1",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"When the sex of the {who} was not collected by observation, it must be 1, 2, 3 "
                "or 6."
            ),
            holds=if_then(one_of(observed, 2), one_of(sex, 1, 2, 3, 6)),
            breaks={sex: 4, observed: 2},
        ),
        Edit(
            code=f"{not_seen}-2",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=annual_only(2018, 2018),
            fields=fields,
            text=(
                f"When the {who} chose both male and female, the indicator of how sex was "
                "collected must be 2."
            ),
            holds=if_then(one_of(sex, 6), one_of(observed, 2)),
            breaks={sex: 6, observed: 3},
        ),
        Edit(
            code=f"{not_seen}-2",
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2019),
            fields=fields,
            text=(
                f"When the {who} chose both male and female, the indicator of how sex was "
                "collected must be 2 or 3."
            ),
            holds=if_then(one_of(sex, 6), one_of(observed, 2, 3)),
            breaks={sex: 6, observed: 1},
        ),
        Edit(
            code=not_applicable,
            kind=Kind.VALIDITY,
            level=Level.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"When the sex of the {who} is 4 (not applicable), the indicator of how it was "
                "collected must be 3 (not applicable)."
            ),
            holds=if_then(one_of(sex, 4), one_of(observed, 3)),
            breaks={sex: 4, observed: 2},
        ),
    )


def _fields(person: str) -> tuple[str, str]:
    return f"{person}_sex", f"{person}_sex_observed"


EDITS = (
    *_codes("V642", "applicant", codes=(1, 2, 3, 4, 6), indicators=(1, 2, 3)),
    *_collected("applicant", seen="V643", not_seen="V644", not_applicable="V645"),
    *_codes("V646", "co_applicant", codes=(1, 2, 3, 4, 5, 6), indicators=(1, 2, 3, 4)),
    *_collected("co_applicant", seen="V647", not_seen="V648", not_applicable="V649"),
    Edit(
        code="V650",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_fields("co_applicant"),
        text=(
            "Sex 5 and indicator 4 both say that there is no co-applicant, so they must be "
            "reported together."
        ),
        holds=iff(one_of("co_applicant_sex", 5), one_of("co_applicant_sex_observed", 4)),
        breaks={"co_applicant_sex_observed": 3},
    ),
)
