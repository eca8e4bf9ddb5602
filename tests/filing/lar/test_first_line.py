"""What the first line of a file names, and whether that is the filing."""

import pytest

from filing.edits.examples import records
from filing.lar import first_line
from filing.lar.years import Period
from tests.conftest import LEI

YEAR, QUARTER = Period(2024), Period(2024, 2)
OTHER = "529900OTHERBANK00017"


def sheet(period: Period = YEAR, **changes: object) -> bytes:
    values = {**records.correct_transmittal_sheet(period, LEI, 1), **changes}
    return records.write_record_line(values).encode() + b"\n2|x\n"


@pytest.mark.parametrize(
    ("data", "period", "words"),
    [
        (sheet(), YEAR, ()), (sheet(lei=LEI.lower()), YEAR, ()), (sheet(QUARTER), QUARTER, ()),
        (sheet(lei=OTHER), YEAR, (OTHER, LEI)),
        (sheet(lei=LEI.replace("K", "\u212a")), YEAR, (LEI,)),
        (sheet(calendar_year=2023), YEAR, ("2023", "2024")),
        (sheet(calendar_quarter=3), QUARTER, ("quarter 3", "quarter 2")),
        (sheet(QUARTER), YEAR, ("quarter 2", "quarter 4")),
        # What the edits say better, or what is not readable.
        (sheet(lei=""), YEAR, ()), (sheet(calendar_year="last"), YEAR, ()),
        (sheet(calendar_quarter=""), YEAR, ()), (b"2|not a sheet", YEAR, ()),
    ],
)  # fmt: skip
def test_a_file_of_another_filing_is_told_apart(data, period, words):
    sentence = first_line.find_first_line_misfit(data, lei=LEI, period=period)
    assert bool(sentence) == bool(words)
    assert all(word in sentence for word in words)
