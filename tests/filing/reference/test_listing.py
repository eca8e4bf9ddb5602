"""Lists are read whole, or every bad line is named."""

import resource

import polars as pl
import pytest

from filing.reference.listing import BadLine, BadLines, ListColumn, read_list

COLUMNS = (
    ListColumn("code", "code", r"[0-9]{2}", "two digits"),
    ListColumn("people", "people", r"[0-9]+", "a whole number", pl.Int32, "0"),
    ListColumn("name", "name", ".*", "text", blank=""),
)


@pytest.mark.parametrize(
    ("lines", "bad"),
    [
        ("1|5|A", BadLine(2, "code is '1'", "two digits")),
        ("|5|A", BadLine(2, "code is blank", "two digits")),
        ("١٢|5|A", BadLine(2, "code is '١٢'", "two digits")),
        ("01|5.5|A", BadLine(2, "people is '5.5'", "a whole number, or blank")),
        ("01|5", BadLine(2, "the line has 2 columns", "3 columns separated by |")),
        ("01|5|A|", BadLine(2, "the line has 4 columns", "3 columns separated by |")),
        ("01|5|A\n\n02|5|A", BadLine(3, "the line has 1 columns", "3 columns separated by |")),
        ("01|5|A\n01|6|A", BadLine(3, "01 is on an earlier line already", "one line for each")),
    ],
)
def test_a_bad_line_is_named_with_what_would_be_right(lines, bad):
    with pytest.raises(BadLines) as refused:
        read_list(f"code|people|name\n{lines}\n".encode(), COLUMNS, unique=["code"])
    assert refused.value.lines == (bad,)


@pytest.mark.parametrize(
    ("data", "bad"),
    [
        (b"", "the file has no line below the header"),
        (b"code|people|name\n", "the file has no line below the header"),
        (b"01|5|A\n02|5|B\n", "the file begins with data"),
    ],
)
def test_a_file_without_a_header_or_lines_is_refused(data, bad):
    with pytest.raises(BadLines) as refused:
        read_list(data, COLUMNS)
    assert [(line.line, line.fault) for line in refused.value.lines] == [(1, bad)]


def test_of_very_many_bad_lines_the_first_are_named_and_all_are_counted():
    with pytest.raises(BadLines) as refused:
        read_list(b"code|people|name\n" + b"x|y|A\n01|5|A\n" * 5_000, COLUMNS)
    lines = refused.value.lines
    assert [bad.line for bad in lines] == [line for line in range(2, 2_001, 2) for _ in range(2)]
    assert refused.value.summary == "5,000 lines have errors"
    assert str(refused.value).splitlines()[-2:] == [
        "line 2000: people is 'y'; expected a whole number, or blank",
        "and 4,000 more lines",
    ]


def test_a_file_of_too_many_lines_is_not_read_as_a_list():
    with pytest.raises(BadLines) as refused:
        read_list(b"code|people|name\n" * 2 + b"\n" * 3_000_000 + b"01|5|A", COLUMNS)
    assert str(refused.value) == (
        "line 1000001: the file has more than 1,000,000 lines; expected a list of one year"
    )


@pytest.mark.parametrize("run", [b"\n", b"|", b"x\n", b"x|x|x\n", b" ", b"9"])
def test_a_large_file_that_is_no_list_takes_little_memory(run):
    data = b"code|people|name\n" + run * (8_000_000 // len(run)) + b"\xff|"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(BadLines):
        read_list(data, COLUMNS)
    megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    assert megabytes < 400
