"""The bodies of reports computed once more, record by record, from the published rules.

Nothing here comes from the service: two ways to the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Record = dict[str, Any]
Test = Callable[[Record], bool]

COLUMNS = {
    "FHA, FSA/RHS & VA (A)": lambda r: r["purpose"] == 1 and r["type"] in (2, 3, 4) and r["few"],
    "Conventional (B)": lambda r: r["purpose"] == 1 and r["type"] == 1 and r["few"],
    "Refinancings (C)": lambda r: r["purpose"] in (31, 32) and r["few"],
    "Home Improvement Loans (D)": lambda r: r["purpose"] == 2 and r["few"],
    "Loans on Dwellings For 5 or More Families (E)": lambda r: not r["few"],
    "Nonoccupant Loans from Columns A, B, C ,& D (F)": lambda r: (
        r["few"] and r["purpose"] in (1, 2, 31, 32) and r["occupancy"] in (2, 3)
    ),
    "Loans On Manufactured Home Dwellings From Columns A, B, C & D (G)": lambda r: (
        r["few"] and r["purpose"] in (1, 2, 31, 32) and r["method"] == 2
    ),
}
ROWS = {
    "Applications Received": {1, 2, 3, 4, 5},
    "Loans Originated": {1},
    "Applications Approved but not Accepted": {2},
    "Applications Denied by Financial Institution": {3},
    "Applications Withdrawn by Applicant": {4},
    "File Closed for Incompleteness": {5},
    "Purchased Loans": {6},
}
OUTCOMES = list(ROWS)[1:6]
RACES = {
    "American Indian or Alaska Native": "A",
    "Asian": "B",
    "Black or African American": "C",
    "Native Hawaiian or Other Pacific Islander": "D",
    "White": "E",
    "2 or more minority races": "F",
    "Joint": "H",
    "Free Form Text Only": "I",
    "Race Not Available": "J",
}
ETHNICITIES = {
    "Hispanic or Latino": "A",
    "Not Hispanic or Latino": "B",
    "Joint": "C",
    "Free Form Text Only": "D",
    "Ethnicity Not Available": "E",
}
SEXES = {"Male": "A", "Female": "B", "Joint": "C", "Sex Not Available": "D"}
INCOMES = {
    "LESS THAN 50% OF MSA/MD MEDIAN": "A",
    "50-79% OF MSA/MD MEDIAN": "B",
    "80-99% OF MSA/MD MEDIAN": "C",
    "100-119% OF MSA/MD MEDIAN": "D",
    "120% OR MORE OF MSA/MD MEDIAN": "E",
}
AGES = {
    "2011 - Present": "A",
    "2000 - 2010": "B",
    "1990 - 1999": "C",
    "1980 - 1989": "D",
    "1970 - 1979": "E",
    "1969 or Earlier": "F",
    "Age Unknown": "G",
}


def make_body(
    loans: Iterable[Record],
    report: str,
    msa_md: str,
    *,
    lei: str = "",
    places: dict[str, str],
    names: dict[str, str],
) -> Record:
    """Return the body of a report. places: county and state, by their five digits."""
    counted = [
        _read(loan)
        for loan in loans
        if loan["derived_msa_md"] == msa_md
        and loan["census_tract"] not in ("NA", "")
        and (not lei or loan["lei"] == lei)
    ]
    if report in ("1", "2"):
        return {"tracts": _tracts(counted, report, places)}
    if report == "3":
        return {"races": _by_sex(counted, "race", "race", RACES)}
    if report == "4":
        return {"ethnicities": _by_sex(counted, "ethnicity", "ethnicityName", ETHNICITIES)}
    if report == "5":
        return {"applicantIncomes": [_income(counted, income) for income in INCOMES]}
    if report == "9":
        return {
            "characteristic": "Census Tracts by Median Age of Homes",
            "medianAges": [_age(counted, age) for age in AGES],
        }
    return {"institutions": sorted({names[loan["lei"]].upper() for loan in counted})}


def _read(loan: Record) -> Record:
    return {
        "lei": loan["lei"],
        "tract": loan["census_tract"],
        "action": int(loan["action_taken"]),
        "amount": int(loan["loan_amount"]),
        "purpose": int(loan["loan_purpose"]),
        "type": int(loan["loan_type"]),
        "few": loan["total_units"] in ("1", "2", "3", "4"),
        "occupancy": int(loan["occupancy_type"]),
        "method": int(loan["construction_method"]),
        "race": loan["derived_race"],
        "ethnicity": loan["derived_ethnicity"],
        "sex": loan["derived_sex"],
        "income": _income_of(loan),
        "age": _age_of(loan),
    }


def _income_of(loan: Record) -> str:
    if loan["income"] in ("NA", "") or int(loan["ffiec_msa_md_median_family_income"]) == 0:
        return ""
    income, median = int(loan["income"]), int(loan["ffiec_msa_md_median_family_income"])
    percent = 100 * 1000 * income  # of the median, once more times the median
    for end, name in zip((50, 80, 100, 120), INCOMES, strict=False):
        if percent < end * median:
            return name
    return list(INCOMES)[-1]


def _age_of(loan: Record) -> str:
    age = int(loan["tract_median_age_of_housing_units"])
    if age == -1 or (age == 0 and int(loan["tract_population"]) == 0):
        return "Age Unknown"
    year = loan["activity_year"] - age
    for first, name in zip((2011, 2000, 1990, 1980, 1970), AGES, strict=False):
        if year >= first:
            return name
    return "1969 or Earlier"


def _cell(loans: Iterable[Record]) -> Record:
    amounts = [loan["amount"] for loan in loans]
    return {"count": len(amounts), "value": sum(amounts)}


def _rows(loans: list[Record], names: list[str], key: str) -> list[Record]:
    return [
        {
            key: name,
            **_cell(loan for loan in loans if loan["action"] in ROWS[name]),
            f"{key}ForSorting": f"{name} - ({letter})",
        }
        for name, letter in zip(names, "ABCDEFG", strict=False)
    ]


def _tracts(loans: list[Record], report: str, places: dict[str, str]) -> list[Record]:
    def name(tract: str) -> str:
        return f"{places.get(tract[:5], 'NA/NA')}/{tract[5:]}"

    listed = []
    for tract in sorted({loan["tract"] for loan in loans}, key=lambda each: name(each).upper()):
        here = [loan for loan in loans if loan["tract"] == tract]
        if report == "2":
            listed.append({"tract": name(tract), "values": _values(here, {6})})
            continue
        dispositions = [
            {
                "title": title,
                "values": _values(here, ROWS[title]),
                "titleForSorting": f"{title} - ({letter})",
            }
            for title, letter in zip([*OUTCOMES, "Applications Received"], "ABCDEF", strict=True)
        ]
        listed.append({"tract": name(tract), "dispositions": dispositions})
    return listed


def _values(loans: list[Record], actions: set[int]) -> list[Record]:
    return [
        {"dispositionName": name, **_cell(r for r in loans if r["action"] in actions and test(r))}
        for name, test in COLUMNS.items()
    ]


def _by_sex(loans: list[Record], group: str, key: str, letters: dict[str, str]) -> list[Record]:
    rows = [*OUTCOMES, "Purchased Loans"]
    return [
        {
            key: name,
            "dispositions": _rows([r for r in loans if r[group] == name], rows, "disposition"),
            "gender": [
                {
                    "gender": sex,
                    "dispositions": _rows(
                        [r for r in loans if r[group] == name and r["sex"] == sex],
                        rows,
                        "disposition",
                    ),
                    "genderForSorting": f"{sex} - ({of_sex})",
                }
                for sex, of_sex in SEXES.items()
            ],
            f"{key}ForSorting": f"{name} - ({letter})",
        }
        for name, letter in letters.items()
    ]


def _income(loans: list[Record], income: str) -> Record:
    rows = ["Applications Received", *OUTCOMES, "Purchased Loans"]
    here = [loan for loan in loans if loan["income"] == income]

    def by(group: str, key: str, sorting: str, letters: dict[str, str]) -> list[Record]:
        return [
            {
                key: name,
                "dispositions": _rows([r for r in here if r[group] == name], rows, "name"),
                sorting: f"{name} - ({letter})",
            }
            for name, letter in letters.items()
        ]

    return {
        "applicantIncome": income,
        "borrowerCharacteristics": {
            "race": {
                "characteristic": "Race",
                "races": by("race", "race", "raceForSorting", RACES),
            },
            "ethnicity": {
                "characteristic": "Ethnicity",
                "ethnicities": by("ethnicity", "ethnicityName", "ethnicityForSorting", ETHNICITIES),
            },
        },
        "applicantIncomeSorting": f"{income} - ({INCOMES[income]})",
    }


def _age(loans: list[Record], age: str) -> Record:
    here = [loan for loan in loans if loan["age"] == age]
    return {
        "medianAge": age,
        "loanCategories": [
            {
                "loanCategory": name,
                "dispositions": [
                    {
                        "disposition": row,
                        **_cell(r for r in here if r["action"] in ROWS[row] and test(r)),
                    }
                    for row in [*OUTCOMES, "Applications Received"]
                ],
            }
            for name, test in COLUMNS.items()
        ],
        "ageForSorting": f"{age} - ({AGES[age]})",
    }
