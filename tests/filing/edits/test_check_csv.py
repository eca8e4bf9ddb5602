"""What a file check finds, as CSV: formatting errors first, then edit by edit with the values."""

import csv as csv_file
import io
from pathlib import Path

from filing.edits.check import check, csv
from filing.lar.period import Period
from tests.filing.edits.cases import CENSUS, LEI
from tests.filing.edits.files import write

YEAR = Period(2024)


def rows(path: Path) -> list[list[str]]:
    with check(path, YEAR, census=CENSUS) as checked:
        text = b"".join(csv(checked)).decode()
    return list(csv_file.reader(io.StringIO(text)))


def test_findings_of_records_have_their_line_and_values(tmp_path):
    path = tmp_path / "lar.txt"
    write(path, YEAR, [{}, {"loan_type": 9, "uli": "A"}], tax_id="12", total_lines=5)
    head, *found = rows(path)
    assert head == ["editType", "editId", "ULI", "editDescription", "rowNumber", "fields"]
    by_code = {row[1]: row for row in found}
    assert by_code["V611"][2] == "A"
    assert by_code["V611"][4:] == ["3", "Loan Type: 9"]
    assert by_code["V607"][2] == LEI
    assert by_code["V607"][4] == "1"
    # The file as a whole has the LEI in the place of a ULI, and its first line.
    assert by_code["S304"][2] == LEI
    assert by_code["S304"][4] == "1"
    assert "Entries Reported in Transmittal Sheet: 5" in by_code["S304"][5]
    kinds = [row[0].lower() for row in found]
    order = ["syntactical", "validity", "quality", "macro", "not run"]
    assert kinds == sorted(kinds, key=order.index)


def test_formatting_errors_come_first(tmp_path):
    path = tmp_path / "lar.txt"
    write(path, YEAR, [{"loan_type": 9}, {}])
    lines = path.read_text().split("\n")
    cells = lines[2].split("|")
    cells[4] = "x"
    path.write_text("\n".join([*lines[:2], "|".join(cells), *lines[3:]]))
    _, first, *others = rows(path)
    assert first[4] == "3"
    assert "Loan Type" in first[5]
    assert [row[1] for row in others if row[0] != "Not run"] == ["V611"]


def test_a_file_without_a_transmittal_sheet_that_can_be_read_has_no_lei(tmp_path):
    path = tmp_path / "lar.txt"
    write(path, YEAR, [{"loan_type": 9}])
    lines = path.read_text().split("\n")
    path.write_text("\n".join(["x" + lines[0], *lines[1:]]))
    head, *found = rows(path)
    assert head[0] == "editType"
    assert found[0][4] == "1"
    assert LEI not in {row[2] for row in found}
    assert "V611" in {row[1] for row in found}
