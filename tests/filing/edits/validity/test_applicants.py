"""Validity edits of applicants: which codes of one column pass, by what stands in another."""

import itertools

from tests.filing.edits.codes import (
    ALWAYS,
    Row,
    all_but,
    by_code,
    only,
    require_right_codes,
)

ETHNICITIES = (1, 11, 12, 13, 14, 2)
RACES = (1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)
NUMBERS = range(1, 6)
OTHERS = range(2, 6)

# The co-applicant's columns have `co_` in front.
WHO = ("", "co_")
COMPANY = {"ethnicity_1": 4, "race_1": 7, "sex": 4}
NOBODY = {"ethnicity_1": 5, "race_1": 8, "sex": 5}
RACE_TEXTS = ("race_native_free_form", "race_asian_free_form", "race_pacific_free_form")


def person(who, columns):
    return {f"{who}applicant_{name}": value for name, value in columns.items()}


def each_alone(base):
    """Return, for each column, its name, its value, and the rest of the columns."""
    return [
        (name, value, {k: v for k, v in base.items() if k != name}) for name, value in base.items()
    ]


ETHNICITY: list[Row] = [
    *((code, ALWAYS, person(who, {"ethnicity_1": 0, "ethnicity_free_form": "Basque"}), field, of)
     for who, code, of, field in (("", "V628-1", only(0, *ETHNICITIES, 3, 4),
     "applicant_ethnicity_1"), ("co_", "V631-1", only(0, *ETHNICITIES, 3, 4, 5),
     "co_applicant_ethnicity_1"))),
    *((code, ALWAYS, person(who, {"ethnicity_1": 0, f"ethnicity_{one}": 13}),
     f"{who}applicant_ethnicity_{two}", of)
     for who, code in zip(WHO, ("V628-3", "V631-3"), strict=True)
     for one, two in itertools.permutations(NUMBERS, 2) for of in [all_but(13)]),
    *((code, ALWAYS, person(who, {"ethnicity_1": one}), f"{who}applicant_ethnicity_2", of)
     for who, code in zip(WHO, ("V628-3", "V631-3"), strict=True)
     for one, of in (*((known, all_but(known)) for known in (*ETHNICITIES, 3, 4, 5)),
     (6, all_but()))),
    *((code, ALWAYS, person(who, {f"ethnicity_{n}": 11}), f"{who}applicant_ethnicity_1", of)
     for who, code, of in (("", "V628-4", all_but(3, 4)), ("co_", "V631-4", all_but(3, 4, 5)))
     for n in OTHERS),
    *((code, ALWAYS, person(who, {"ethnicity_1": 4}), f"{who}applicant_ethnicity_{n}", only(0))
     for who, code in zip(WHO, ("V628-4", "V631-4"), strict=True) for n in OTHERS),
    *(row for who, seen, told, firm in (("", "V629-2", "V629-3", "V630"),
     ("co_", "V632-2", "V632-3", "V633"))
     for observed, first in [(f"{who}applicant_ethnicity_observed",
     f"{who}applicant_ethnicity_1")] for row in ((seen, ALWAYS, {observed: 1}, first, only(1, 2)),
     (seen, ALWAYS, {observed: 1, first: 1}, f"{who}applicant_ethnicity_2", only(0, 1, 2)),
     *((seen, ALWAYS, {observed: 1, first: 1}, f"{who}applicant_ethnicity_{n}", only(0))
     for n in (3, 4, 5)), (seen, ALWAYS, {first: 11}, observed, all_but(1)),
     (told, ALWAYS, {observed: 2}, first, only(*ETHNICITIES, 3)),
     (told, ALWAYS, {first: 4}, observed, all_but(2)),
     (firm, ALWAYS, {first: 4}, observed, only(3)),
     (firm, ALWAYS, {observed: 2}, first, all_but(4)))),
    ("V629-3", ALWAYS, {"applicant_ethnicity_observed": 2,
     "applicant_ethnicity_free_form": "Basque"}, "applicant_ethnicity_1", all_but()),
    ("V632-3", ALWAYS, {"co_applicant_ethnicity_observed": 2,
     "co_applicant_ethnicity_free_form": "Basque"}, "co_applicant_ethnicity_1",
     only(0, *ETHNICITIES, 3)),
]  # fmt: skip

RACE: list[Row] = [
    *((code, ALWAYS, person(who, {text: "Other"}), f"{who}applicant_race_1", all_but())
     for who, code in zip(WHO, ("V635-1", "V638-1"), strict=True) for text in RACE_TEXTS),
    *((code, ALWAYS, person(who, {"race_1": 0, f"race_{one}": 43}), f"{who}applicant_race_{two}",
     of) for who, code in zip(WHO, ("V635-3", "V638-3"), strict=True)
     for one, two in itertools.permutations(NUMBERS, 2) for of in [all_but(43)]),
    *((code, ALWAYS, person(who, {"race_1": one}), f"{who}applicant_race_2", of)
     for who, code in zip(WHO, ("V635-3", "V638-3"), strict=True)
     for one, of in (*((known, all_but(known)) for known in (*RACES, 6, 7, 8)), (9, all_but()))),
    *((code, ALWAYS, person(who, {f"race_{n}": 21}), f"{who}applicant_race_1", of)
     for who, code, of in (("", "V635-4", all_but(6, 7)), ("co_", "V638-4", all_but(6, 7, 8)))
     for n in OTHERS),
    *((code, ALWAYS, person(who, {"race_1": 7}), f"{who}applicant_race_{n}", only(0))
     for who, code in zip(WHO, ("V635-4", "V638-4"), strict=True) for n in OTHERS),
    *(row for who, seen, told, firm in (("", "V636-2", "V636-3", "V637"),
     ("co_", "V639-2", "V639-3", "V640"))
     for observed, first in [(f"{who}applicant_race_observed", f"{who}applicant_race_1")]
     for row in ((seen, ALWAYS, {observed: 1}, first, only(1, 2, 3, 4, 5)),
     (seen, ALWAYS, {first: 6}, observed, all_but(1)),
     (told, ALWAYS, {observed: 2}, first, only(*RACES, 6)),
     *((told, ALWAYS, {observed: 2} | person(who, {text: "Other"}), first, only(0, *RACES, 6))
     for text in RACE_TEXTS), (told, ALWAYS, {first: 7}, observed, all_but(2)),
     (firm, ALWAYS, {first: 7}, observed, only(3)),
     (firm, ALWAYS, {observed: 2}, first, all_but(7)),
     *((code, ALWAYS, {observed: sight, first: 5}, f"{who}applicant_race_{n}", only(0, *of))
     for code, sight, of in ((seen, 1, (1, 2, 3, 4, 5)), (told, 2, RACES)) for n in OTHERS))),
]  # fmt: skip

SEX: list[Row] = [
    row
    for who, seen, told, both, firm in (
        ("", "V643", "V644-1", "V644-2", "V645"),
        ("co_", "V647", "V648-1", "V648-2", "V649"),
    )
    for observed, sex in [(f"{who}applicant_sex_observed", f"{who}applicant_sex")]
    for row in (
        (seen, ALWAYS, {observed: 1}, sex, only(1, 2)),
        (seen, ALWAYS, {sex: 3}, observed, all_but(1)),
        (told, ALWAYS, {observed: 2}, sex, only(1, 2, 3, 6)),
        (told, ALWAYS, {sex: 4}, observed, all_but(2)),
        (both, "2018", {sex: 6}, observed, only(2)),
        (both, "2019-", {sex: 6}, observed, only(2, 3)),
        (both, ALWAYS, {observed: 1}, sex, all_but(6)),
        (firm, ALWAYS, {sex: 4}, observed, only(3)),
        (firm, ALWAYS, {observed: 2}, sex, all_but(4)),
    )
]

CO_APPLICANT: list[Row] = [
    row
    for code, what, nobody in (
        ("V634", "ethnicity", "ethnicity_1"),
        ("V641", "race", "race_1"),
        ("V650", "sex", "sex"),
    )
    for column, observed in [(f"co_applicant_{nobody}", f"co_applicant_{what}_observed")]
    for row in (
        (code, ALWAYS, {}, observed, only(4)),
        (code, ALWAYS, {}, column, only(NOBODY[nobody])),
        (code, ALWAYS, {column: 2}, observed, all_but(4)),
        (code, ALWAYS, {observed: 2}, column, all_but(NOBODY[nobody])),
    )
]

# Who is no natural person: where all three columns say so, and not where one of them does not.
NO_PERSON: list[Row] = [
    *((code, ALWAYS, person(who, COMPANY), f"{who}applicant_age", only(8888))
     for who, code in zip(WHO, ("V651-2", "V652-2"), strict=True)),
    *((code, ALWAYS, person(who, COMPANY), f"{who}applicant_credit_score", only(1111, 8888))
     for who, code in zip(WHO, ("V668-1", "V668-2"), strict=True)),
    *((code, ALWAYS, person(who, COMPANY), "action_taken", only(6))
     for who, codes in (("", ("V651-2", "V655-1")), ("co_", ("V652-2", "V655-2")))
     for code in codes),
    *((code, ALWAYS, rest | person(who, {"credit_score": 720}), name, all_but(value))
     for who, codes in (("", ("V651-2", "V655-1", "V668-1")),
     ("co_", ("V652-2", "V655-2", "V668-2"))) for code in codes
     for name, value, rest in each_alone(person(who, COMPANY))),
    *((code, ALWAYS, rest, name, all_but(value))
     for code, other in (*((code, NOBODY) for code in ("V680-1", "V705-1")),
     *((code, COMPANY) for code in ("V680-2", "V705-2")))
     for name, value, rest in each_alone(person("", COMPANY) | person("co_", other))),
    *((code, ALWAYS, person("", COMPANY) | person("co_", other) | rest, name, only(none, 1111))
     for code, other in (("V705-1", NOBODY), ("V705-2", COMPANY))
     for name, none, rest in (("aus_1", 6, {"aus_result_1": 17}),
     ("aus_result_1", 17, {"aus_1": 6}))),
]  # fmt: skip

AGE: list[Row] = [
    ("V721-1", "2022-", {}, "applicant_age", all_but(1111, 9999)),
    ("V721-2", "2022-", {}, "co_applicant_age", all_but(1111)),
]

ROWS: list[Row] = [*ETHNICITY, *RACE, *SEX, *CO_APPLICANT, *NO_PERSON, *AGE]


@by_code(ROWS)
def test_a_condition_asks_for_these_codes_and_no_others(code, rows):
    require_right_codes(rows)
