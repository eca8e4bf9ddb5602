"""Any bytes as a reference list: its rows, or every bad line with what is accepted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from filing.reference import census, kinds, limits
from filing.reference.listing import BadLine, BadLines, ListColumn, format_list_header
from tests.filing.reference import plain_listing
from tests.filing.reference.test_census import file_of
from tests.fuzzing import share, try_each

pytestmark = pytest.mark.slow

YEAR = 2020
CENSUS = [
    file_of({}),
    file_of({}, {"census_tract": "215700", "small_county": "S"}, {"msa_md": ""}),
    file_of(*({"census_tract": f"{tract:06}"} for tract in range(100, 112))),
]
LIMITS = [
    (
        format_list_header(limits.LIMIT_COLUMNS)
        + "".join(f"42|{county:03}|A|PA|42540.0|1|2|3|4\n" for county in some)
    ).encode()
    for some in ([79], [1, 3, 5, 7], range(1, 15))
]
NAMES = [
    (
        format_list_header(census.MSA_MD_COLUMNS) + "31080|Los Angeles, CA\n42540|Scranton\n"
    ).encode(),
    b'"MSA/MD","Name"\r\n"31080","Los Angeles, CA"\r\n 42540 ,"Scranton--Wilkes-Barre, PA" \r\n',
    b"Code,Name\n31080,Los Angeles, CA\n10100,Aberdeen\n",
]
UNIQUE = {kinds.COUNTY_LIMITS: ("state_fips", "county"), kinds.MSA_MD_NAMES: ("msa_md",)}
BETWEEN = {kinds.MSA_MD_NAMES: "| or a comma"}
VALID = {kinds.CENSUS: CENSUS, kinds.COUNTY_LIMITS: LIMITS, kinds.MSA_MD_NAMES: NAMES}


@pytest.mark.parametrize("name", VALID)
def test_any_bytes_are_a_list_or_all_its_bad_lines_are_named(name: str, fuzz_inputs: range) -> None:
    kind = kinds.REFERENCE_KINDS[name]
    before = kind.read(VALID[name][0], YEAR)

    def attempt(data: bytes, draw: Random) -> str:
        kinds.find_data_year(kind, data, name=f"list{draw.choice(('', '2020', '2031'))}.txt")
        expected = expected_of(name, data)
        try:
            lines = kind.read(data, YEAR)
        except BadLines as error:
            return refused(error, expected)
        assert not any(lines.null_count().row(0))
        if expected is not None:
            assert lines.height == len(expected)
            assert_same_values(name, lines.rows(named=True), expected)
        kind.counts(lines)
        kinds.compare_lists(kind, kind.resolved(lines), kind.resolved(before))
        return "rows"

    results = try_each(fuzz_inputs, VALID[name], attempt, name=name)
    assert set(results) == {"rows", "bad lines"}


def expected_of(name: str, data: bytes) -> Sequence[Any] | None:
    """Return what the plain reader reads; None for a list with commas, which it does not know."""
    if name == kinds.MSA_MD_NAMES and b"|" not in re.split(rb"[\r\n]", data)[0]:
        return None
    columns = kinds.REFERENCE_KINDS[name].columns(YEAR)
    return plain_listing.read(
        data, columns, unique=UNIQUE.get(name, ()), between=BETWEEN.get(name, "|")
    )


def refused(error: BadLines, expected: Sequence[Any] | None) -> str:
    assert error.summary
    if expected is not None:
        assert_same_lines(error.lines, expected)
    return "bad lines"


def assert_same_lines(lines: Sequence[BadLine], expected: Sequence[Any]) -> None:
    assert all(isinstance(each, BadLine) for each in expected)
    assert [line.line for line in lines] == [bad.line for bad in expected]
    for line, bad in zip(lines, expected, strict=True):
        assert (line.fault, line.accepted) == (bad.fault, bad.accepted)


Row = dict[str, Any]
SHOWN: dict[str, Callable[[Row], tuple[Any, ...]]] = {
    kinds.CENSUS: lambda row: (
        *(row["collection_year"], row["msa_md"], row["county"], row["census_tract"]),
        *(row["tract_population"], row["tract_minority_population_percent"], row["small_county"]),
        *(row["tract_median_age_of_housing_units"], row["msa_md_name"]),
    ),
    kinds.COUNTY_LIMITS: lambda row: (row["county"], row["county_name"], row["one_unit"]),
    kinds.MSA_MD_NAMES: lambda row: (row["msa_md"], row["msa_md_name"]),
}


def assert_same_values(name: str, rows: Sequence[Row], expected: Sequence[Any]) -> None:
    columns: Sequence[ListColumn] = kinds.REFERENCE_KINDS[name].columns(YEAR)
    names = [column.name for column in columns]
    for row, values in zip(rows, expected, strict=True):
        plain = dict(zip(names, values, strict=True))
        if name == kinds.CENSUS:
            plain["county"] = plain["state"] + plain["county"]
            plain["census_tract"] = plain["county"] + plain["census_tract"]
            plain["small_county"] = plain["small_county"] == "S"
        elif name == kinds.COUNTY_LIMITS:
            plain["county"] = plain["state_fips"] + plain["county"]
        assert SHOWN[name](row) == SHOWN[name](plain)


def test_facts_of_any_census_that_is_read_can_be_used(fuzz_inputs: range) -> None:
    def attempt(data: bytes, draw: Random) -> bool:
        try:
            rows = census.read_census(data, year=YEAR)
        except BadLines:
            return False
        facts = census.build_census(rows)
        assert set(facts.tracts.str.head(5)) == set(facts.counties) >= set(facts.small_counties)
        return True

    results = try_each(share(fuzz_inputs, 10), CENSUS, attempt, name="facts")
    assert set(results) == {True, False}
