"""Validity edits of the sex of applicant and co-applicant, and of how it was collected."""

from filing.edits.edit import Edit, EditKind, EditLevel, annual_only, since
from filing.edits.sentences import listed
from filing.edits.vocabulary import called, if_then, iff, one_of


def _codes(
    parent: str, person: str, *, codes: tuple[int, ...], indicators: tuple[int, ...]
) -> tuple[Edit, ...]:
    """Return the edits of the codes of sex and of the way it was collected."""
    sex, observed = fields = _fields(person)
    return (
        Edit(
            code=f"{parent}-1",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=f"{called(sex)} must be {listed(codes)}, and cannot be left blank.",
            holds=one_of(sex, *codes),
            breaks={sex: 9, observed: 3},
        ),
        Edit(
            code=f"{parent}-2",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=f"{called(observed)} must be {listed(indicators)}, and cannot be left blank.",
            holds=one_of(observed, *indicators),
            breaks={sex: 2, observed: 9},
        ),
    )


def _collected(
    person: str, *, if_observed: str, if_not_observed: str, not_applicable: str
) -> tuple[Edit, ...]:
    """Return the edits of the codes by the way they were collected, each with its number."""
    sex, observed = fields = _fields(person)
    return (
        Edit(
            code=if_observed,
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=f"If {called(observed)} is 1 (yes), then {called(sex)} must be 1 or 2.",
            holds=if_then(one_of(observed, 1), one_of(sex, 1, 2)),
            breaks={sex: 3, observed: 1},
        ),
        Edit(
            code=f"{if_not_observed}-1",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=f"If {called(observed)} is 2 (no), then {called(sex)} must be 1, 2, 3, or 6.",
            holds=if_then(one_of(observed, 2), one_of(sex, 1, 2, 3, 6)),
            breaks={sex: 4, observed: 2},
        ),
        Edit(
            code=f"{if_not_observed}-2",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=annual_only(2018, 2018),
            fields=fields,
            text=(
                f"If {called(sex)} is 6 (both male and female), then {called(observed)} must be "
                "2 (no)."
            ),
            holds=if_then(one_of(sex, 6), one_of(observed, 2)),
            breaks={sex: 6, observed: 3},
        ),
        Edit(
            code=f"{if_not_observed}-2",
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2019),
            fields=fields,
            text=(
                f"If {called(sex)} is 6 (both male and female), then {called(observed)} must be "
                "2 (no) or 3 (not applicable)."
            ),
            holds=if_then(one_of(sex, 6), one_of(observed, 2, 3)),
            breaks={sex: 6, observed: 1},
        ),
        Edit(
            code=not_applicable,
            kind=EditKind.VALIDITY,
            level=EditLevel.LAR,
            periods=since(2018),
            fields=fields,
            text=(
                f"If {called(sex)} is 4 (not applicable), then {called(observed)} must be 3 (not "
                "applicable)."
            ),
            holds=if_then(one_of(sex, 4), one_of(observed, 3)),
            breaks={sex: 4, observed: 2},
        ),
    )


def _fields(person: str) -> tuple[str, str]:
    return f"{person}_sex", f"{person}_sex_observed"


EDITS = (
    *_codes("V642", "applicant", codes=(1, 2, 3, 4, 6), indicators=(1, 2, 3)),
    *_collected("applicant", if_observed="V643", if_not_observed="V644", not_applicable="V645"),
    *_codes("V646", "co_applicant", codes=(1, 2, 3, 4, 5, 6), indicators=(1, 2, 3, 4)),
    *_collected("co_applicant", if_observed="V647", if_not_observed="V648", not_applicable="V649"),
    Edit(
        code="V650",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_fields("co_applicant"),
        text=(
            f"If {called('co_applicant_sex')} is 5 (no co-applicant), then "
            f"{called('co_applicant_sex_observed')} must be 4 (no co-applicant), and vice versa."
        ),
        holds=iff(one_of("co_applicant_sex", 5), one_of("co_applicant_sex_observed", 4)),
        breaks={"co_applicant_sex_observed": 3},
    ),
)
