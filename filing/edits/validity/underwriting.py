"""Validity edits of the automated underwriting systems and of what they returned."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, annual_only, between, quarterly_only, since
from filing.edits.vocabulary import (
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
_OF_WHOM = (
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=between(2018, 2020),
        fields=_BOTH,
        text=(
            "The first underwriting system must be a code from 1 to 6 or 1111; the others must be "
            "blank or a code from 1 to 5."
        ),
        holds=all_of(
            one_of("aus_1", 1, 2, 3, 4, 5, 6, 1111),
            *(blank(system) | one_of(system, 1, 2, 3, 4, 5) for system in _SYSTEMS[1:]),
        ),
        breaks={"aus_1": 7},
    ),
    Edit(
        code="V696-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2021),
        fields=_BOTH,
        text=(
            "The first underwriting system must be a code from 1 to 7 or 1111; the others must be "
            "blank or one of 1 to 5 and 7."
        ),
        holds=all_of(
            one_of("aus_1", 1, 2, 3, 4, 5, 6, 7, 1111),
            *(blank(system) | one_of(system, 1, 2, 3, 4, 5, 7) for system in _SYSTEMS[1:]),
        ),
        breaks={"aus_1": 8},
    ),
    # The wording of 2018 stopped at 17, but 18 to 24 have always been accepted.
    Edit(
        code="V696-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_BOTH,
        text=(
            "The first underwriting result must be a code from 1 to 24 or 1111; the others must be "
            "blank or a code from 1 to 24 except 17."
        ),
        holds=all_of(
            one_of("aus_result_1", *_FIRST_RESULTS, 1111),
            *(blank(result) | one_of(result, *_FURTHER_RESULTS) for result in _RESULTS[1:]),
        ),
        breaks={"aus_result_1": 25},
    ),
    # Codes that are not valid count as well; which places are filled, V701 looks at.
    Edit(
        code="V696-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=between(2018, 2020) + quarterly_only(2021, 2021) + since(2022),
        fields=_BOTH,
        text=(
            "The number of underwriting systems reported must equal the number of underwriting "
            "results reported."
        ),
        holds=(
            how_many(*(~blank(system) for system in _SYSTEMS))
            == how_many(*(~blank(result) for result in _RESULTS))
        ),
        breaks={"aus_2": 1},
    ),
    Edit(
        code="V696-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=annual_only(2021, 2021),
        fields=_BOTH,
        text=(
            "In each of positions 2 to 5, an underwriting system and its result must both be "
            "reported or both be blank."
        ),
        holds=all_of(*(iff(blank(system), blank(result)) for system, result in _PAIRS[1:])),
        breaks={"aus_2": 7},
    ),
    Edit(
        code="V699",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=annual_only(2018, 2018),
        fields=_BOTH,
        text=(
            "Where an underwriting system is 5 (other), the result in the same position must be a "
            "real result, 1 to 16."
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2019),
        fields=_BOTH,
        text=(
            "Where an underwriting system is 5 (other), the result in the same position must be a "
            "real result: 1 to 16 or 18 to 24."
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_BOTH,
        text=(
            "When the first underwriting system is 6 (not applicable), its result must be 17 and "
            "all other systems and results blank."
        ),
        holds=if_then(one_of("aus_1", 6), one_of("aus_result_1", 17) & _NOTHING_FURTHER),
        breaks={"aus_1": 6},
    ),
    Edit(
        code="V700-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_BOTH,
        text=(
            "When the first underwriting result is 17 (not applicable), its system must be 6 and "
            "all other systems and results blank."
        ),
        holds=if_then(one_of("aus_result_1", 17), one_of("aus_1", 6) & _NOTHING_FURTHER),
        breaks={"aus_result_1": 17},
    ),
    Edit(
        code="V701",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=(*_SYSTEMS[1:], *_RESULTS[1:]),
        text="In positions 2 to 5 no underwriting result may be given without a system.",
        holds=all_of(*(if_then(blank(system), blank(result)) for system, result in _PAIRS[1:])),
        # As many systems as results, or V696-3 would break too.
        breaks={"aus_result_2": 1, "aus_3": 1},
    ),
    Edit(
        code="V702-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=(*_SYSTEMS, "aus_free_form"),
        text=(
            "When one of the underwriting systems is 5 (other), the free-form system must be "
            "filled in."
        ),
        holds=if_then(_OTHER_SYSTEM, ~blank("aus_free_form")),
        breaks={"aus_1": 5},
    ),
    Edit(
        code="V702-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=(*_SYSTEMS, "aus_free_form"),
        text=(
            "A free-form underwriting system may only be given when one of the systems is 5 "
            "(other)."
        ),
        holds=if_then(~blank("aus_free_form"), _OTHER_SYSTEM),
        breaks={"aus_free_form": "House system"},
    ),
    Edit(
        code="V703-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=(*_RESULTS, "aus_result_free_form"),
        text=(
            "When one of the underwriting results is 16 (other), the free-form result must be "
            "filled in."
        ),
        holds=if_then(_OTHER_RESULT, ~blank("aus_result_free_form")),
        breaks={"aus_1": 4, "aus_result_1": 16},
    ),
    Edit(
        code="V703-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=(*_RESULTS, "aus_result_free_form"),
        text=(
            "A free-form underwriting result may only be given when one of the results is 16 "
            "(other)."
        ),
        holds=if_then(~blank("aus_result_free_form"), _OTHER_RESULT),
        breaks={"aus_result_free_form": "Referred up"},
    ),
    Edit(
        code="V704-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken", "aus_1", "aus_result_1"),
        text="For a purchased loan, the first underwriting system must be 6 or 1111.",
        holds=if_then(one_of("action_taken", 6), one_of("aus_1", 6, 1111)),
        breaks=examples.PURCHASED | {"aus_1": 1, "aus_result_1": 1},
    ),
    Edit(
        code="V704-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken", "aus_1", "aus_result_1"),
        text="For a purchased loan, the first underwriting result must be 17 or 1111.",
        holds=if_then(one_of("action_taken", 6), one_of("aus_result_1", 17, 1111)),
        breaks=examples.PURCHASED | {"aus_result_1": 1},
    ),
    Edit(
        code="V705-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_OF_WHOM,
        text=(
            "When the applicant is not a natural person and there is no co-applicant, underwriting "
            "system and result must be not applicable or exempt."
        ),
        holds=if_then(not_natural_person() & no_co_applicant(), _NO_SYSTEM),
        breaks=examples.TO_A_COMPANY | {"aus_1": 1, "aus_result_1": 1},
    ),
    Edit(
        code="V705-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_OF_WHOM,
        text=(
            "When neither applicant nor co-applicant is a natural person, underwriting system and "
            "result must be not applicable or exempt."
        ),
        holds=if_then(not_natural_person() & not_natural_person("co_"), _NO_SYSTEM),
        breaks=examples.TO_TWO_COMPANIES | {"aus_1": 1, "aus_result_1": 1},
    ),
    # 1111 behind the first position is left to V696-1 and V696-2.
    Edit(
        code="V713",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=(*_SYSTEMS, "aus_free_form", *_RESULTS, "aus_result_free_form"),
        text=(
            "If the underwriting exemption is used, system 1 and result 1 must both be 1111 and "
            "everything else about underwriting blank."
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
