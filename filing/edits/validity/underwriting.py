"""Validity edits of the automated underwriting systems and their results."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, annual_only, between, quarterly_only, since
from filing.edits.vocabulary import (
    NO_CO_APPLICANT,
    NOT_NATURAL_APPLICANT,
    NOT_NATURAL_CO_APPLICANT,
    all_of,
    any_of,
    blank,
    how_many,
    if_then,
    iff,
    no_co_applicant,
    not_natural_person,
    one_of,
)

_SYSTEMS = ("aus_1", "aus_2", "aus_3", "aus_4", "aus_5")
_RESULTS = ("aus_result_1", "aus_result_2", "aus_result_3", "aus_result_4", "aus_result_5")
_PAIRS = tuple(zip(_SYSTEMS, _RESULTS, strict=True))
_BOTH = (*_SYSTEMS, *_RESULTS)
_APPLICANTS = (
    "aus_1",
    "aus_result_1",
    "applicant_ethnicity_1",
    "applicant_race_1",
    "applicant_sex",
    "co_applicant_ethnicity_1",
    "co_applicant_race_1",
    "co_applicant_sex",
)

_FIRST_RESULTS = range(1, 25)
_FURTHER_RESULTS = (*range(1, 17), *range(18, 25))

_NOTHING_FURTHER = all_of(*(blank(field) for field in (*_SYSTEMS[1:], *_RESULTS[1:])))
_OTHER_SYSTEM = any_of(*(one_of(system, 5) for system in _SYSTEMS))
_OTHER_RESULT = any_of(*(one_of(result, 16) for result in _RESULTS))
_NO_SYSTEM = one_of("aus_1", 6, 1111) & one_of("aus_result_1", 17, 1111)

EDITS = (
    Edit(
        code="V696-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=between(2018, 2020),
        fields=_BOTH,
        text=(
            "Automated Underwriting System: 1 must be 1, 2, 3, 4, 5, 6, or 1111 (exempt), and "
            "cannot be left blank; Automated Underwriting System: 2 through Automated Underwriting "
            "System: 5 must each be 1, 2, 3, 4, or 5, or be left blank."
        ),
        holds=all_of(
            one_of("aus_1", 1, 2, 3, 4, 5, 6, 1111),
            *(blank(system) | one_of(system, 1, 2, 3, 4, 5) for system in _SYSTEMS[1:]),
        ),
        breaks={"aus_1": 7},
    ),
    Edit(
        code="V696-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2021),
        fields=_BOTH,
        text=(
            "Automated Underwriting System: 1 must be 1, 2, 3, 4, 5, 6, 7, or 1111 (exempt), and "
            "cannot be left blank; Automated Underwriting System: 2 through Automated Underwriting "
            "System: 5 must each be 1, 2, 3, 4, 5, or 7, or be left blank."
        ),
        holds=all_of(
            one_of("aus_1", 1, 2, 3, 4, 5, 6, 7, 1111),
            *(blank(system) | one_of(system, 1, 2, 3, 4, 5, 7) for system in _SYSTEMS[1:]),
        ),
        breaks={"aus_1": 8},
    ),
    # The guide of 2018 stopped at 17, but 18 to 24 have always been accepted.
    Edit(
        code="V696-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_BOTH,
        text=(
            "Automated Underwriting System Result: 1 must be a code from 1 to 24, or 1111 "
            "(exempt), and cannot be left blank; Automated Underwriting System Result: 2 through "
            "Automated Underwriting System Result: 5 must each be a code from 1 to 16 or from 18 "
            "to 24, or be left blank."
        ),
        holds=all_of(
            one_of("aus_result_1", *_FIRST_RESULTS, 1111),
            *(blank(result) | one_of(result, *_FURTHER_RESULTS) for result in _RESULTS[1:]),
        ),
        breaks={"aus_result_1": 25},
    ),
    # Invalid codes count as well; V701 checks the positions.
    Edit(
        code="V696-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=between(2018, 2020) + quarterly_only(2021, 2021) + since(2022),
        fields=_BOTH,
        text=(
            "Each Automated Underwriting System must have an Automated Underwriting System Result: "
            "as many of one as of the other must be reported."
        ),
        holds=(
            how_many(*(~blank(system) for system in _SYSTEMS))
            == how_many(*(~blank(result) for result in _RESULTS))
        ),
        breaks={"aus_2": 1},
    ),
    Edit(
        code="V696-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=annual_only(2021, 2021),
        fields=_BOTH,
        text=(
            "From the second on, each Automated Underwriting System and the Automated Underwriting "
            "System Result in the same position must both be reported, or both be left blank."
        ),
        holds=all_of(*(iff(blank(system), blank(result)) for system, result in _PAIRS[1:])),
        breaks={"aus_2": 7},
    ),
    Edit(
        code="V699",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=annual_only(2018, 2018),
        fields=_BOTH,
        text=(
            "If any Automated Underwriting System is 5 (other), then the Automated Underwriting "
            "System Result in the same position must be a code from 1 to 16."
        ),
        holds=all_of(
            *(
                if_then(one_of(system, 5), one_of(result, *range(1, 17)))
                for system, result in _PAIRS
            )
        ),
        breaks={"aus_1": 5, "aus_free_form": "House system", "aus_result_1": 18},
    ),
    Edit(
        code="V699",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2019),
        fields=_BOTH,
        text=(
            "If any Automated Underwriting System is 5 (other), then the Automated Underwriting "
            "System Result in the same position must be a code from 1 to 16 or from 18 to 24."
        ),
        holds=all_of(
            *(
                if_then(one_of(system, 5), one_of(result, *_FURTHER_RESULTS))
                for system, result in _PAIRS
            )
        ),
        breaks={"aus_1": 5, "aus_free_form": "House system", "aus_result_1": 17},
    ),
    Edit(
        code="V700-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_BOTH,
        text=(
            "If Automated Underwriting System: 1 is 6 (not applicable), then Automated "
            "Underwriting System Result: 1 must be 17 (not applicable), and Automated Underwriting "
            "System: 2 through Automated Underwriting System: 5 and Automated Underwriting System "
            "Result: 2 through Automated Underwriting System Result: 5 must be left blank."
        ),
        holds=if_then(one_of("aus_1", 6), one_of("aus_result_1", 17) & _NOTHING_FURTHER),
        breaks={"aus_1": 6},
    ),
    Edit(
        code="V700-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_BOTH,
        text=(
            "If Automated Underwriting System Result: 1 is 17 (not applicable), then Automated "
            "Underwriting System: 1 must be 6 (not applicable), and Automated Underwriting System: "
            "2 through Automated Underwriting System: 5 and Automated Underwriting System Result: "
            "2 through Automated Underwriting System Result: 5 must be left blank."
        ),
        holds=if_then(one_of("aus_result_1", 17), one_of("aus_1", 6) & _NOTHING_FURTHER),
        breaks={"aus_result_1": 17},
    ),
    Edit(
        code="V701",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=(*_SYSTEMS[1:], *_RESULTS[1:]),
        text=(
            "If any of Automated Underwriting System: 2 through Automated Underwriting System: 5 "
            "is left blank, then the Automated Underwriting System Result in the same position "
            "must be left blank."
        ),
        holds=all_of(*(if_then(blank(system), blank(result)) for system, result in _PAIRS[1:])),
        # As many systems as results, or V696-3 would fail as well.
        breaks={"aus_result_2": 1, "aus_3": 1},
    ),
    Edit(
        code="V702-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=(*_SYSTEMS, "aus_free_form"),
        text=(
            "If any Automated Underwriting System is 5 (other), then Automated Underwriting "
            "System: Conditional Free Form Text Field for Code 5 cannot be left blank."
        ),
        holds=if_then(_OTHER_SYSTEM, ~blank("aus_free_form")),
        breaks={"aus_1": 5},
    ),
    Edit(
        code="V702-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=(*_SYSTEMS, "aus_free_form"),
        text=(
            "If Automated Underwriting System: Conditional Free Form Text Field for Code 5 is not "
            "blank, then at least one Automated Underwriting System must be 5 (other)."
        ),
        holds=if_then(~blank("aus_free_form"), _OTHER_SYSTEM),
        breaks={"aus_free_form": "House system"},
    ),
    Edit(
        code="V703-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=(*_RESULTS, "aus_result_free_form"),
        text=(
            "If any Automated Underwriting System Result is 16 (other), then Automated "
            "Underwriting System Result: Conditional Free Form Text Field for Code 16 cannot be "
            "left blank."
        ),
        holds=if_then(_OTHER_RESULT, ~blank("aus_result_free_form")),
        breaks={"aus_1": 4, "aus_result_1": 16},
    ),
    Edit(
        code="V703-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=(*_RESULTS, "aus_result_free_form"),
        text=(
            "If Automated Underwriting System Result: Conditional Free Form Text Field for Code 16 "
            "is not blank, then at least one Automated Underwriting System Result must be 16 "
            "(other)."
        ),
        holds=if_then(~blank("aus_result_free_form"), _OTHER_RESULT),
        breaks={"aus_result_free_form": "Referred up"},
    ),
    Edit(
        code="V704-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken", "aus_1", "aus_result_1"),
        text=(
            "If Action Taken is 6 (purchased loan), then Automated Underwriting System: 1 must be "
            "6 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(one_of("action_taken", 6), one_of("aus_1", 6, 1111)),
        breaks=examples.PURCHASED | {"aus_1": 1, "aus_result_1": 1},
    ),
    Edit(
        code="V704-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken", "aus_1", "aus_result_1"),
        text=(
            "If Action Taken is 6 (purchased loan), then Automated Underwriting System Result: 1 "
            "must be 17 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(one_of("action_taken", 6), one_of("aus_result_1", 17, 1111)),
        breaks=examples.PURCHASED | {"aus_result_1": 1},
    ),
    Edit(
        code="V705-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_APPLICANTS,
        text=(
            f"If {NOT_NATURAL_APPLICANT} and {NO_CO_APPLICANT}, then Automated Underwriting "
            "System: 1 must be 6 (not applicable) or 1111 (exempt), and Automated Underwriting "
            "System Result: 1 must be 17 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(not_natural_person() & no_co_applicant(), _NO_SYSTEM),
        breaks=examples.TO_A_COMPANY | {"aus_1": 1, "aus_result_1": 1},
    ),
    Edit(
        code="V705-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_APPLICANTS,
        text=(
            f"If {NOT_NATURAL_APPLICANT} and {NOT_NATURAL_CO_APPLICANT}, then Automated "
            "Underwriting System: 1 must be 6 (not applicable) or 1111 (exempt), and Automated "
            "Underwriting System Result: 1 must be 17 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(not_natural_person() & not_natural_person("co_"), _NO_SYSTEM),
        breaks=examples.TO_TWO_COMPANIES | {"aus_1": 1, "aus_result_1": 1},
    ),
    # V696-1 and V696-2 check 1111 after the first position.
    Edit(
        code="V713",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=(*_SYSTEMS, "aus_free_form", *_RESULTS, "aus_result_free_form"),
        text=(
            "If Automated Underwriting System: 1 or Automated Underwriting System Result: 1 is "
            "1111 (exempt), then both must be 1111, and all other Automated Underwriting System "
            "and Automated Underwriting System Result fields must be left blank."
        ),
        holds=if_then(
            one_of("aus_1", 1111) | one_of("aus_result_1", 1111),
            all_of(
                one_of("aus_1", 1111),
                one_of("aus_result_1", 1111),
                _NOTHING_FURTHER,
                blank("aus_free_form"),
                blank("aus_result_free_form"),
            ),
        ),
        breaks={"aus_1": 1111},
    ),
)
