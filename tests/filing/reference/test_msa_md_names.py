"""The list of MSA/MD names: how it may be written, what is refused, whose name is handed out."""

from __future__ import annotations

import pytest

from filing.demo.loading import load_demo_census
from filing.reference import census
from filing.reference.listing import BadLines
from filing.reference_data import registry
from tests.filing.reference_data.storage import files  # noqa: F401 -- a fixture
from tests.fuzzing import within

PIPES = b"msa_md|name\n19124|Dallas-Plano-Irving, TX\n42540|Scranton--Wilkes-Barre, PA\n"
COMMAS = b'MSA/MD,Name\r\n19124,"Dallas-Plano-Irving, TX"\r\n"42540",Scranton--Wilkes-Barre, PA\r\n'
OUTSIDE = {"99999": "Outside of any MSA/MD"}


@pytest.mark.parametrize(
    ("line", "what", "right"),
    [
        ("1912|Dallas", "MSA/MD is '1912'", "five digits, such as 31080"),
        ("35620|", "name is blank", "a name"),
        ("35620", "the line has 1 columns", "2 columns separated by | or a comma"),
        ("19124|Elsewhere", "19124 is on an earlier line already", "one line for each"),
        ("x,Dallas", "MSA/MD is 'x'", "five digits, such as 31080"),
    ],
)
def test_a_line_that_names_nothing_is_refused(line: str, what: str, right: str) -> None:
    whole = PIPES if "," not in line else PIPES.replace(b"|", b",")
    with pytest.raises(BadLines) as refused:
        census.read_msa_md_names(whole + line.encode())
    (bad,) = refused.value.lines
    assert (bad.line, bad.fault, bad.accepted) == (4, what, right)


@pytest.mark.parametrize("run", [b" ", b'"'])
def test_a_long_line_without_a_comma_is_refused_at_once(run: bytes) -> None:
    with within(5), pytest.raises(BadLines) as refused:
        census.read_msa_md_names(COMMAS + run * 20_000 + b"x")
    (bad,) = refused.value.lines
    assert (bad.line, bad.fault) == (4, "the line has 1 columns")


def named(year: int, text: str) -> None:
    registry.load_file("msa-md-names", year, text.encode(), source="names.txt", by="test")


@pytest.mark.django_db
def test_names_come_from_the_census_of_the_year_and_a_list_of_names_goes_before_it() -> None:
    load_demo_census(2024, by="test")
    names = registry.find_msa_md_names([2024])
    assert names["10600"] == "Demo Area 10600"
    assert names["99999"] == OUTSIDE["99999"]
    assert len(names) == 2 * 51 + 1
    named(2024, "code|name\n10600|Bay, CA\n99999|NA\n")
    names = registry.find_msa_md_names([2024])
    assert (names["10600"], names["10602"]) == ("Bay, CA", "Demo Area 10602")
    assert names["99999"] == OUTSIDE["99999"]


@pytest.mark.django_db
def test_a_year_without_a_name_takes_that_of_the_newest_year_that_has_one() -> None:
    named(2019, "code|name\n10100|Old, AL\n10200|Gone, AK\n")
    named(2022, "code|name\n10100|New, AL\n10300|Newer, AZ\n")
    assert registry.find_msa_md_names([2018]) == OUTSIDE | {
        "10100": "New, AL",
        "10200": "Gone, AK",
        "10300": "Newer, AZ",
    }
    assert registry.find_msa_md_names([2019])["10100"] == "Old, AL"
    assert registry.find_msa_md_names([2019, 2022])["10100"] == "New, AL"
