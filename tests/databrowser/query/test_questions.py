"""What is asked becomes a question, or a refusal in the words of the contract."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from databrowser.dimensions.catalogue import BY_PARAMETER, DIMENSIONS
from databrowser.errors import QueryRefused
from databrowser.query import questions

ADDRESSES = {
    "nationwide": questions.NATIONWIDE,
    "nationwide groups": questions.NATIONWIDE_GROUPS,
    "placed": questions.PLACED,
    "placed groups": questions.PLACED_GROUPS,
    "count": questions.COUNT,
    "filers": questions.FILERS,
}
STATES = (
    "AK, AL, AR, AS, AZ, CA, CO, CT, DC, DE, FL, FM, GA, GU, HI, IA, ID, IL, IN, KS, KY, LA, MA, "
    "MD, ME, MH, MI, MN, MO, MP, MS, MT, NC, ND, NE, NH, NJ, NM, NV, NY, OH, OK, OR, PA, PR, PW, "
    "RI, SC, SD, TN, TX, UM, UT, VA, VI, VT, WA, WI, WV, WY"
)
ALL = "1,2,3,4,5,6,7,8"
LARGE = (
    f"years=2018&actions_taken={ALL}&total_units=1,2,3,4,5-24,25-49,50-99,100-149,>149"
    "&ageapplicant=8888,<25,25-34,35-44,45-54,55-64,65-74,>74&loan_purposes=1,2,31,32,4,5"
    "&loan_types=1,2,3,4"
)

# Address, query, error type, what is at fault, and what the message says.
REFUSALS = [
    ("placed groups", "", "provide-atleast-msamds-or-states", {},
     "provide year and either states or msamds or both"),
    ("placed", "states=MD&actions_taken=5", "provide-atleast-msamds-or-states", {},
     "provide year and either states or msamds or both"),
    ("nationwide", "actions_taken=5", "provide-years", {}, "years are needed for nationwide"),
    ("nationwide groups", "years=&actions_taken=5", "provide-years", {}, "years are needed"),
    ("filers", "states=MD", "provide-years", {}, "years are needed"),
    ("count", "states=MD", "provide-atleast-msamds-or-states", {}, "provide year and"),
    ("filers", "years=2017,abc,2018", "invalid-year", {"invalidYear": "2017,abc"},
     "valid years are 2018, 2019, 2020, 2021, 2022"),
    ("placed", "years=2018&actions_taken=5", "provide-only-msamds-or-states-or-counties-or-leis",
     {}, "provide at least one of states, msamds, counties and leis"),
    ("count", "years=2018", "provide-only-msamds-or-states-or-counties-or-leis", {}, "at least"),
    ("placed groups", "years=2018&states=MD", "provide-atleast-one-filter-criteria", {},
     "at least 1 filter criterion (eg. actions_taken, races"),
    ("nationwide", "years=2018", "provide-atleast-one-filter-criteria", {}, "at least 1 filter"),
    ("nationwide groups", LARGE, "too-many-groups", {}, "combine to 13,824 groups"),
    ("count", "years=2018&states=MD&races=White", "no-filters", {}, "no data filters"),
    ("placed", "years=2018&states=XX,md,1", "invalid-states", {"invalidStates": ["XX", "1"]},
     f"valid states are {STATES}"),
    ("filers", "years=2018&msamds=1234,31080,abcde", "invalid-msamds",
     {"invalidMsaMds": ["1234", "abcde"]}, "five digits"),
    ("filers", "years=2018&counties=6037", "invalid-counties", {"invalidCounties": ["6037"]},
     "five digits"),
    ("filers", f"years=2018&leis={','.join(map(str, range(301)))}", "too-many-values", {},
     "leis has 301 values; enter at most 300"),
    ("filers", "years=2018&leis=ABC", "invalid-LEIs", {"invalidLEIs": ["ABC"]},
     "20 letters or digits"),
    ("nationwide", "years=2018&actions_taken=9,x,1", "invalid-action-taken-type",
     {"invalidActions": ["9", "x"]}, "valid actions are 1, 2, 3, 4, 5, 6, 7, 8"),
    ("nationwide", "years=2018&races=Martian", "invalid-races", {"invalidRaces": ["Martian"]},
     "valid races are Asian, Native Hawaiian or Other Pacific Islander, Free Form Text Only, "
     "Race Not Available, American Indian or Alaska Native, Black or African American, "
     "2 or more minority races, White, Joint"),
    ("nationwide", "years=2018&sexes=x", "invalid-sexes", {"invalidSexes": ["x"]},
     "valid sexes are Male, Female, Joint, Sex Not Available"),
    ("nationwide", "years=2018&ethnicities=x", "invalid-ethnicities",
     {"invalidEthnicities": ["x"]},
     "valid ethnicities are Hispanic or Latino, Not Hispanic or Latino, Joint, "
     "Ethnicity Not Available, Free Form Text Only"),
    ("nationwide", "years=2018&loan_types=5", "invalid-loan-types", {"invalidLoanTypes": ["5"]},
     "valid loan types are 1, 2, 3, 4"),
    ("nationwide", "years=2018&loan_purposes=3", "invalid-loan-purposes",
     {"invalidLoanPurposes": ["3"]}, "valid loan purposes are 1, 2, 31, 32, 4, 5"),
    ("nationwide", "years=2018&lien_statuses=3", "invalid-lien-statuses",
     {"invalidLienStatuses": ["3"]}, "valid statuses are 1, 2"),
    ("nationwide", "years=2018&loan_products=N/A", "invalid-loan-products",
     {"invalidLoanProducts": ["N/A"]},
     "valid loan products are Conventional:First Lien, Conventional:Subordinate Lien, "
     "FHA:First Lien, FHA:Subordinate Lien, VA:First Lien, VA:Subordinate Lien, "
     "FSA/RHS:First Lien, FSA/RHS:Subordinate Lien"),
    ("nationwide", "years=2018&dwelling_categories=x", "invalid-dwelling-categories",
     {"invalidDwellingCategories": ["x"]},
     "valid dwelling categories are Single Family (1-4 Units):Site-Built, "
     "Multifamily:Site-Built, Single Family (1-4 Units):Manufactured, Multifamily:Manufactured"),
    ("nationwide", "years=2018&construction_methods=3", "invalid-construction-methods",
     {"invalidConstructionMethods": ["3"]}, "valid construction methods are 1, 2"),
    ("nationwide", "years=2018&total_units=5", "invalid-total-units", {"invalidTotalUnits": ["5"]},
     "valid total units are 1, 2, 3, 4, 5-24, 25-49, 50-99, 100-149, >149"),
    ("nationwide", "years=2018&ageapplicant=9999", "invalid-age-of-applicant",
     {"invalidAgeApplicant": ["9999"]},
     "valid age groups are 8888, <25, 25-34, 35-44, 45-54, 55-64, 65-74, >74"),
]  # fmt: skip

# With everything wrong at once, what is told when what stands before it is put right.
IN_ORDER = [
    ("years=x&states=x&actions_taken=x", "invalid-year"),
    ("years=2018&leis=x&counties=x&msamds=x&states=x&actions_taken=x", "invalid-states"),
    ("years=2018&leis=x&counties=x&msamds=x&actions_taken=x", "invalid-msamds"),
    ("years=2018&leis=x&counties=x&actions_taken=x", "invalid-counties"),
    ("years=2018&leis=x&actions_taken=x", "invalid-LEIs"),
    ("years=2018&actions_taken=x", "provide-only-msamds-or-states-or-counties-or-leis"),
    ("years=2018&states=MD&races=x&actions_taken=x", "invalid-action-taken-type"),
    ("years=2018&states=MD&races=x&actions_taken=1", "invalid-races"),
    ("years=2018&states=MD", "provide-atleast-one-filter-criteria"),
]


def read(query: str, address: str = "nationwide groups", published: tuple[int, ...] = ()):
    return questions.read_question(QueryDict(query), ADDRESSES[address], published=published)


@pytest.mark.parametrize(("address", "query", "error_type", "inputs", "message"), REFUSALS)
def test_a_question_that_cannot_be_answered_is_told_why(
    address, query, error_type, inputs, message
):
    with pytest.raises(QueryRefused) as refused:
        read(query, address)
    body = refused.value.body
    assert message in body.pop("message")
    assert body == {**inputs, "errorType": error_type}


def test_checks_come_in_the_order_of_the_contract():
    for query, error_type in IN_ORDER:
        with pytest.raises(QueryRefused) as refused:
            read(query, "placed groups")
        assert refused.value.error_type == error_type


def test_every_value_is_taken_in_any_case_and_told_as_it_is_published():
    for dimension in DIMENSIONS:
        for value in dimension.values:
            for written in (value, value.lower(), value.upper()):
                assert dimension.canonical(written) == value
    lei = BY_PARAMETER["leis"]
    assert lei.canonical("529900testbank000042") == "529900TESTBANK000042"


def test_values_stand_in_the_callers_order_once_and_trimmed():
    asked = read("years=2022, 2018,2022&races=white,,%20Asian ,WHITE&sexes=&actions_taken=6&x=1")
    assert asked.years == (2022, 2018)
    assert [(each.key, values) for each, values in asked.filters] == [
        ("actions_taken", ("6",)),
        ("races", ("White", "Asian")),
    ]
    assert list(asked.groups) == [("6", "White"), ("6", "Asian")]
