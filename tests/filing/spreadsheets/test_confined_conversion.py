"""A conversion has a process of its own: with limits, and without values in its errors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from filing.spreadsheets import confined_conversion
from filing.spreadsheets.accepted_files import MEGABYTE, ReadingLimits, SpreadsheetRefusal
from filing.spreadsheets.confined_conversion import ConvertedFile, ProgramError
from filing.spreadsheets.options import ConversionOptions

HEADERS = "Loan Type,Loan Amount,County,State,Income"
LIMITS = ReadingLimits()


def convert(
    folder: Path, text: str, limits: ReadingLimits = LIMITS, **wishes: Any
) -> ConvertedFile:
    path = folder / "file"
    path.write_text(text)
    return confined_conversion.convert_spreadsheet(
        path, limits=limits, shown=20, folder=folder, year=2024, **wishes
    )


def peak_megabytes() -> int:
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) // 1024


def test_the_process_that_asks_holds_nothing_of_a_large_table(tmp_path: Path) -> None:
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before = peak_megabytes()
    made = convert(tmp_path, f"{HEADERS}\n" + f"{'x' * 40},9,9,9,9\n" * 12_000)
    assert made.report["findings"]["total"] > 60_000
    assert made.report["file"]["lines"] == 12_001
    assert peak_megabytes() - before < 30


@pytest.mark.parametrize("limits", [ReadingLimits(memory=64 * MEGABYTE), ReadingLimits(seconds=0)])
def test_a_conversion_beyond_its_limits_is_refused(tmp_path: Path, limits: ReadingLimits) -> None:
    with pytest.raises(SpreadsheetRefusal) as refused:
        convert(tmp_path, f"{HEADERS}\n1,1,1,1,1\n", limits)
    assert (refused.value.status, refused.value.report) == (413, None)


def test_a_lar_of_very_many_short_lines_is_refused(tmp_path: Path) -> None:
    lar = "1|Bank" + "|" * 13 + "\n" + "2\n" * 100_001
    for call in (
        lambda: convert(tmp_path, lar),
        lambda: confined_conversion.write_spreadsheet(
            tmp_path / "file", limits=LIMITS, folder=tmp_path, kind="xlsx"
        ),
    ):
        with pytest.raises(SpreadsheetRefusal) as refused:
            call()
        assert (refused.value.status, "100,000 records" in refused.value.message) == (413, True)


def test_an_error_of_our_own_has_its_places_and_no_values(tmp_path: Path) -> None:
    with pytest.raises(ProgramError) as raised:
        convert(
            tmp_path,
            f"{HEADERS}\n1,1,1,1,1\n",
            options=ConversionOptions(fill={"Zyx": "Zyx"}),
            Zyx=1,
        )
    assert "TypeError in the conversion of a spreadsheet" in str(raised.value)
    assert "conversion_program.py" in str(raised.value)
    assert "Zyx" not in str(raised.value)
