"""Official files are recognized by their first line; lists saved by a spreadsheet are read."""

from __future__ import annotations

import pytest
from polars.testing import assert_frame_equal

from filing.lar import official_kinds
from filing.lar.official_kinds import OfficialKind
from filing.reference import census, kinds, limits, official_files
from filing.reference.kinds import CENSUS, COUNTY_LIMITS, MSA_MD_NAMES, REFERENCE_KINDS
from filing.reference.listing import BadLines

LIMITS = (
    "FIPS State Code|FIPS County Code|County Name|State|CBSA Number|One-Unit Limit|Two-Unit Limit"
    "|Three-Unit Limit|Four-Unit Limit\n"
    "01|001|AUTAUGA|AL|33860|453100|580150|701250|871450\n"
    "78|020|ST. JOHN,VI|VI||679650|870225|1051875|1307175\n"
)
# The same as a spreadsheet saves it: a title, a header of several lines, lost zeros, money signs.
SAVED = (
    "Conforming loan limits,,,,,,,,\n"
    '"FIPS\nState\nCode","FIPS\nCounty\nCode",County Name,State,CBSA,One,Two,Three,Four\n'
    '1,1,AUTAUGA,AL,33860.0,"$453,100"," $580,150 ",701250.0,"871,450"\n'
    '78,20,"ST. JOHN,VI",VI,,679650,870225,1051875,1307175\n'
)
TRACTS = (
    "Collection Year|MSA/MD|State|County|Census Tract|FFIEC Median Family Income|Population"
    "|Minority Population %|Number of Owner Occupied Units|Number of 1 to 4 Family Units|Tract MFI"
    "|Tract to MSA Income %|Median Age|Small County|MSA/MD Name\n"
    "2021|33860|01|001|020100|68100|1775|22.48|507|710|70699|103.79|40|T|\n"
    "2021|99999|01|003|010100||0|0.00||||0.00||S|\n"
)
FLAT_FIELDS = (1, 2, 3, 4, 5, 14, 15, 21, 916, 900, 581, 13, 953, 7)


def flat_file(text: str) -> bytes:
    """Return the lines of a census as a flat file has them."""
    lines = []
    for line in text.splitlines()[1:]:
        cells = ["7"] * 1212
        for number, cell in zip(FLAT_FIELDS, line.split("|"), strict=False):
            cells[number - 1] = cell
        lines.append(",".join(cells))
    return "\r\n".join(lines).encode()


@pytest.mark.parametrize(("line_end", "separator"), [("\n", ","), ("\r\n", ";"), ("\r", "\t")])
def test_limits_saved_by_a_spreadsheet_are_read(line_end: str, separator: str) -> None:
    saved = SAVED
    if separator != ",":
        saved = SAVED.replace(",", separator).replace(f'"ST. JOHN{separator}', '"ST. JOHN,')
        saved = saved.replace(f"$453{separator}", "$453,").replace(f"580{separator}", "580,")
        saved = saved.replace(f'"871{separator}', '"871,')
    data = b"\xef\xbb\xbf" + saved.replace("\n", line_end).encode()
    assert_frame_equal(limits.read_loan_limits(data), limits.read_loan_limits(LIMITS.encode()))


def test_a_wrong_cell_of_a_saved_list_is_named_with_its_line() -> None:
    with pytest.raises(BadLines) as refused:
        limits.read_loan_limits(SAVED.replace("33860.0", "x").encode())
    assert str(refused.value) == "line 7: CBSA number is 'x'; expected five digits, or blank"


def test_a_census_with_commas_and_a_flat_file_are_read() -> None:
    expected = census.read_census(TRACTS.encode(), year=2021)
    saved = TRACTS.replace("|", ",").replace("|01|", "|1|").replace("020100", "20100")
    assert_frame_equal(census.read_census(saved.encode(), year=2021), expected)
    flat = flat_file(TRACTS)
    assert_frame_equal(census.read_census(flat, year=2021), expected)
    with pytest.raises(BadLines, match=r"line 2: .*county is 'x'"):
        census.read_census(flat.replace(b",003,", b",x,"), year=2021)
    with pytest.raises(BadLines, match="layout of 2022 is not known"):
        census.read_census(flat.replace(b"2021,", b"2022,"), year=2022)


RATES = ["1/2/2017", *["3.5"] * 50]
FIRST_LINES = {
    "activity_year|lei|derived_msa-md|derived_race|action_taken": OfficialKind.PUBLIC_LAR,
    ",".join(["2020", "A" * 20, *["1"] * 97]): OfficialKind.PUBLIC_LAR,
    "activity_year|lei|loan_type|loan_amount|action_taken": OfficialKind.MODIFIED_LAR,
    "|".join(["2020", "A" * 20, *["1"] * 83]): OfficialKind.MODIFIED_LAR,
    "1|Bank|2024|4|Jo|1|jo@x|1 St|X|IL|60000|9|3|12-3456789|" + "A" * 20: OfficialKind.LAR,
    ",".join(official_kinds.PANEL_HEADINGS): OfficialKind.PANEL,
    '"Activity Year","LEI","Respondent Name","Other Lender Code"': OfficialKind.PANEL,
    "|".join(official_kinds.SHEET_HEADINGS): OfficialKind.TRANSMITTAL_SHEET,
    "activity_year,lei,name,email_domains": OfficialKind.INSTITUTIONS,
    "Term of Loan in Years|1|2": OfficialKind.FIXED_RATES,
    "Years to First Adjustment,1,2": OfficialKind.VARIABLE_RATES,
    "|".join(RATES): OfficialKind.RATES,
    ",".join(RATES): OfficialKind.RATES,
    LIMITS.partition("\n")[0]: OfficialKind.COUNTY_LIMITS,
    TRACTS.partition("\n")[0]: OfficialKind.CENSUS,
    flat_file(TRACTS).decode().partition("\r")[0]: OfficialKind.FLAT_CENSUS,
    "<html>": OfficialKind.WEB_PAGE,
    "": None,
    "lei,name": None,
    '"': None,
}


@pytest.mark.parametrize(("line", "kind"), FIRST_LINES.items())
def test_a_file_is_recognized_by_its_first_line(line: str, kind: OfficialKind | None) -> None:
    for data in (line, f"\ufeff{line}\r\nx", f"{line}\rx"):
        assert official_files.recognize_file(data.encode()) is kind
    wanted = "" if kind is None else str(kind)
    assert official_files.describe_other_kind(f"{line}\n".encode()) == wanted


@pytest.mark.parametrize("name", [CENSUS, COUNTY_LIMITS, MSA_MD_NAMES])
def test_a_list_of_another_kind_is_named(name: str) -> None:
    panel = ",".join(official_kinds.PANEL_HEADINGS) + "\n" + "2022,x\n" * 3_000
    with pytest.raises(BadLines) as refused:
        kinds.read_reference_file(REFERENCE_KINDS[name], panel.encode(), year=2024)
    (line,) = refused.value.lines
    assert line.fault == "the file is a panel file"
    with pytest.raises(BadLines, match="the file is a gzip archive"):
        kinds.read_reference_file(REFERENCE_KINDS[name], b"\x1f\x8b\x08", year=2024)


def test_packed_files_are_unpacked_only_where_they_are_text() -> None:
    assert official_files.unpack_text(b"PK\x03\x04broken", most=9) == b"PK\x03\x04broken"
    with pytest.raises(ValueError, match="cannot be unpacked"):
        official_files.unpack_text(b"\x1f\x8b\x08", most=9)


def test_a_byte_that_is_not_text_is_no_kind() -> None:
    assert official_files.recognize_file(b"\xff\xfel\n") is None
    assert official_files.fold_heading(" Co-Applicant  Race-1 ") == "co_applicant_race_1"
