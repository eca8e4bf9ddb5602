"""The county loan limit list, with the irregularities of its years."""

import pytest
from django.conf import settings

from filing.reference import limits
from filing.reference.listing import BadLines

REAL = settings.BASE_DIR.parent / "shared" / "reference"
HEADER = "FIPSStateCode|FIPSCountyCode|CountyName|State|CBSANumber|1|2|3|4"
AUTAUGA = "01|001|AUTAUGA|AL|33860|453100|580150|701250|871450"
ST_JOHN = '78|020|"ST. JOHN,VI"|VI||679650|870225|1051875|1307175'
LOWEST_AND_HIGHEST = {
    2018: ((453100, 580150, 701250, 871450), (721050, 923050, 1115800, 1386650)),
    2019: ((484350, 620200, 749650, 931600), (726525, 930300, 1124475, 1397400)),
    2020: ((510400, 653550, 789950, 981700), (765600, 980325, 1184925, 1472550)),
    2021: ((548250, 702000, 848500, 1054500), (822375, 1053000, 1272750, 1581750)),
    2022: ((647200, 828700, 1001650, 1244850), (970800, 1243050, 1502475, 1867275)),
    2023: ((726200, 929850, 1123900, 1396800), (1089300, 1394775, 1685850, 2095200)),
    2024: ((766550, 981500, 1186350, 1474400), (1149825, 1472250, 1779525, 2211600)),
    2025: ((806500, 1032650, 1248150, 1551250), (1209750, 1548975, 1872225, 2326875)),
}
COUNTIES = {
    2018: 3234,
    2019: 3234,
    2020: 3233,
    2021: 3233,
    2022: 3233,
    2023: 3234,
    2024: 3243,
    2025: 3236,
}


def file_of(*lines: str) -> bytes:
    return "\n".join([HEADER, *lines, ""]).encode()


@pytest.mark.parametrize(
    ("line", "what", "right"),
    [
        (AUTAUGA.replace("01|", "1|", 1), "state is '1'", "two digits, such as 06"),
        (AUTAUGA.replace("|001|", "|1|"), "county is '1'", "three digits, such as 037"),
        (AUTAUGA.replace("|AL|", "|AA|"), "state abbreviation is 'AA'", "two letters, such as CA"),
        (AUTAUGA.replace("33860", "3386"), "CBSA number is '3386'", "five digits, or blank"),
        (AUTAUGA.replace("453100", ""), "one-unit limit is blank", "whole dollars"),
        (AUTAUGA.replace("580150", "0"), "two-unit limit is '0'", "whole dollars"),
        (AUTAUGA.replace("701250", "$701250"), "three-unit limit is '$701250'", "whole dollars"),
        (AUTAUGA.replace("871450", "8714.5"), "four-unit limit is '8714.5'", "whole dollars"),
        (ST_JOHN, "78|020 is on an earlier line already", "one line for each"),
    ],
)  # fmt: skip
def test_a_bad_line_is_refused(line, what, right):
    with pytest.raises(BadLines) as refused:
        limits.read_loan_limits(file_of(ST_JOHN, line))
    (bad,) = refused.value.lines
    assert (bad.line, bad.fault, bad.accepted) == (3, what, right)


def test_limits_are_given_by_county_and_bounded_by_state_and_nation():
    found = limits.build_loan_limits(
        limits.read_loan_limits(
            file_of(
                AUTAUGA,
                "01|003|BALDWIN|AL|19300|1|2|3|900000",
                "78|020|ST. JOHN|VI||679650|870225|1051875|1307175",
            )
        )
    )
    assert sorted(found.by_county.rows())[:4] == [
        ("01001", 1, 453100),
        ("01001", 2, 580150),
        ("01001", 3, 701250),
        ("01001", 4, 871450),
    ]
    assert found.by_state.rows()[:4] == [
        ("AL", 1, 1, 453100),
        ("AL", 2, 2, 580150),
        ("AL", 3, 3, 701250),
        ("AL", 4, 871450, 900000),
    ]
    assert found.overall.rows() == [
        (1, 1, 679650),
        (2, 2, 870225),
        (3, 3, 1051875),
        (4, 871450, 1307175),
    ]


@pytest.mark.published
@pytest.mark.parametrize("year", COUNTIES)
def test_the_published_list_of_a_year_is_read(year):
    rows = limits.read_loan_limits((REAL / f"FullCountyLoanLimitList{year}.txt").read_bytes())
    lowest, highest = LOWEST_AND_HIGHEST[year]
    assert limits.count_loan_limits(rows) == {"counties": COUNTIES[year], "states": 56}
    assert limits.build_loan_limits(rows).overall["least"].to_list() == list(lowest)
    assert limits.build_loan_limits(rows).overall["most"].to_list() == list(highest)
    assert rows["cbsa"].str.contains("^([0-9]{5})?$").all()
