"""What a format error says of each column: its name, the value, and what is accepted there."""

import csv
from pathlib import Path

import pytest

from filing.lar.errors import FieldError, find_line_errors
from filing.lar.fields import LAR, TRANSMITTAL_SHEET

LIST = Path(__file__).with_name("accepted_values.csv")
with LIST.open(newline="") as file:
    ROWS = [[" ".join(cell.split()) for cell in row] for row in csv.reader(file, delimiter="|")][1:]

RECORDS = {"transmittal sheet": (0, TRANSMITTAL_SHEET), "loan": (1, LAR)}
CODES = [*map(str, range(21)), "-1", "1111", "8888", "9999"]


def columns(record):
    return [row[1:] for row in ROWS if row[0] == record]


def messages(row, pieces):
    errors = find_line_errors([row], ["|".join(pieces).encode()])
    return [message for error in errors for message in error.messages]


def told(record, value, refusing):
    """Return the messages about a line with one value in all columns, of those that refuse it."""
    return [
        FieldError(called, value, accepts)
        for _, called, accepts in columns(record)
        if refusing(accepts)
    ]


def is_free(accepts):
    return accepts in {"Text", "Letters and digits only"}


@pytest.mark.parametrize("record", RECORDS)
def test_the_list_has_every_column_in_its_place(record):
    assert [name for name, *_ in columns(record)] == [f.name for f in RECORDS[record][1]]


@pytest.mark.parametrize("record", RECORDS)
@pytest.mark.parametrize(
    ("value", "refusing"),
    [
        ("no value", lambda accepts: accepts != "Text"),
        ("a,b", lambda accepts: accepts != "Text"),
        ("x", lambda accepts: not is_free(accepts)),
        ("na", lambda accepts: not is_free(accepts)),
        ("EXEMPT", lambda accepts: not is_free(accepts)),
        ("NA", lambda accepts: not is_free(accepts) and "NA" not in accepts),
        ("Exempt", lambda accepts: not is_free(accepts) and "Exempt" not in accepts),
        ("1.5", lambda accepts: accepts.startswith(("Integer", "Date"))),
        ("20240101", lambda accepts: accepts == "Integer: 1, 2, 3, 5, 7, 9"),
        ("20240231", lambda accepts: accepts.startswith("Date") or accepts.endswith("5, 7, 9")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_column_that_refuses_a_value_says_what_it_accepts(record, value, refusing):
    row, fields = RECORDS[record]
    assert messages(row, [value] * len(fields)) == told(record, value, refusing)


@pytest.mark.parametrize("record", RECORDS)
def test_only_columns_that_say_so_may_be_blank(record):
    row, fields = RECORDS[record]
    # A line that ends in a blank is one field short: what stands last is given a value.
    pieces = [*[""] * (len(fields) - 1), "1"]
    expected = told(record, "", lambda accepts: not is_free(accepts) and "Blank" not in accepts)
    assert messages(row, pieces) == [m for m in expected if m.field != columns(record)[-1][1]]


@pytest.mark.parametrize("code", CODES)
def test_an_unknown_agency_is_refused_at_once(code):
    refusing = [m.field for m in messages(0, [code] * len(TRANSMITTAL_SHEET))]
    assert refusing == ([] if code in {"1", "2", "3", "5", "7", "9"} else ["Federal Agency"])
