"""Cutting lines into fields, held against a plain parser that reads character by character."""

import io
import random
from collections.abc import Callable, Iterator

import pytest

from filing.lar.blocks import BLOCK_BYTES, MAX_LINE_BYTES, Block, read_blocks
from filing.lar.cutting import Cut, cut_block
from filing.lar.raw_lines import cut_line

BOM = "\N{BYTE ORDER MARK}"
Line = Callable[..., bytes]


def blocks_of(data: bytes, size: int = BLOCK_BYTES) -> Iterator[Block]:
    return read_blocks(io.BytesIO(data), size=size)


def cut_whole(*lines: bytes) -> Cut:
    (block,) = blocks_of(b"sheet\n" + b"\n".join(lines) + b"\n")
    return cut_block(block)


def by_hand(line: str) -> list[str] | int:
    """Return the fields of a line, or how many there are if the number is wrong."""
    text = "".join(c for c in line if c >= " " and c not in f'"{BOM}').strip(" ")
    found = [value.strip(" ") for value in text.split("|")]
    fields = found[:-1] if len(found) == 111 and not found[-1] else found
    if len(fields) == 110 and fields[-1]:
        return fields
    filled = found.copy()
    while len(filled) > 1 and not filled[-1]:
        filled.pop()
    return len(filled) if len(filled) != 110 else len(found)


def mutated(line: str, dice: random.Random) -> str:
    """Return the line with some of the accidents that happen to lines."""
    for _ in range(dice.choice([0, 0, 1, 1, 2, 5])):
        at = dice.randrange(len(line) + 1)
        accident = dice.choice(
            ["|", " |", "| ", "   ", "\t", "\0", '"', BOM, "é", "\N{GRINNING FACE}", "\r", "\x7f"]
        )
        line = dice.choice(
            [
                line[:at] + accident + line[at:],
                line[:at] + line[at + 1 :],
                line + accident,
                accident + line,
                line + "|" * dice.randrange(4),
                line.replace("|", accident, dice.randrange(3)),
                line.rpartition("|")[0],
                line[:at],
            ]
        )
    return line


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blocks_agree_with_a_plain_parser(end: str, loan_line: Line) -> None:
    dice = random.Random(end)
    loan = loan_line(city="Łódź").decode()
    lines = ["sheet"] + [mutated(loan, dice).replace("\r", "") for _ in range(300)] + ["the last"]
    expected = [by_hand(line) for line in lines]
    data = end.join(lines).encode()
    for size in (BLOCK_BYTES, 1 << dice.randrange(4, 16)):
        found: dict[int, list[str] | int] = {}
        for block in blocks_of(data, size):
            parts = cut_block(block)
            found |= {row: list(fields) for row, *fields in parts.loans.iter_rows()}
            found |= {row: number for row, number, _ in parts.misfits.iter_rows()}
        assert found == dict(enumerate(expected[1:], start=1))
    assert [cut_line(line.encode()) for line in lines if isinstance(by_hand(line), list)] == [
        fields + cut_line(line.encode())[110:]
        for line, fields in zip(lines, expected, strict=True)
        if isinstance(fields, list)
    ]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: line + b"|",
        lambda line: line + b"\r",
        lambda line: line + b" | ",
        lambda line: b'"' + line.replace(b"|", b'"|"') + b'"',
        lambda line: line.replace(b"|", b" | "),
        lambda line: b"\xef\xbb\xbf\t" + line + b"\0",
    ],
    ids=["surplus pipe", "crlf", "blank and pipe", "quotes", "blanks", "marks and controls"],
)
def test_files_in_which_every_line_has_the_same_accident(
    spoil: Callable[[bytes], bytes], loan_line: Line
) -> None:
    lines = [loan_line(uli=f"ULI{row}", street="12  Elm") for row in range(50)]
    clean = cut_whole(*lines)
    assert clean.loans.shape == (50, 111)
    assert clean.loans["uli"].to_list() == [f"ULI{row}" for row in range(50)]
    spoilt = cut_whole(*map(spoil, lines))
    assert spoilt.loans.equals(clean.loans)
    assert spoilt.misfits.is_empty()


def test_lines_whose_pipes_cancel_out_are_misfits_all_the_same(loan_line: Line) -> None:
    loan = loan_line()
    short, long = loan.rpartition(b"|")[0], loan + b"|9"
    parts = cut_whole(short, loan, long, loan, short + b"|", long + b"||", loan + b"||")
    assert parts.loans["row"].to_list() == [2, 4]
    assert parts.misfits.rows() == [
        (1, 109, False),
        (3, 111, False),
        (5, 109, False),
        (6, 111, False),
        (7, 112, False),
    ]


def test_first_field_that_looks_like_compressed_data_is_text(loan_line: Line) -> None:
    parts = cut_whole(loan_line(record_id="x^"), loan_line())
    assert parts.loans["record_id"].to_list() == ["x^", "2"]


def test_line_that_is_too_long_is_a_misfit_without_a_count(loan_line: Line) -> None:
    room = MAX_LINE_BYTES - len(loan_line(city=""))
    longest, longer = loan_line(city="x" * room), loan_line(city="x" * (room + 1))
    parts = cut_whole(longest, longer, b"2", longest + b"\r", longer + b"\r", loan_line())
    assert parts.loans["row"].to_list() == [1, 4, 6]
    assert parts.misfits.rows() == [(2, 0, True), (3, 1, False), (5, 0, True)]
