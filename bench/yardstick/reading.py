"""A second parser of loan files, line by line in plain Python.

Slow and plain on purpose: it shares the table of fields with the parser, and no code, so that the
two can be held against each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache, lru_cache, partial
from typing import Any

from filing.lar.fields import LAR, LAR_BY_NAME, TRANSMITTAL_SHEET, Field, Parse

BOM = b"\xef\xbb\xbf"
MOST_BYTES = 65536  # of a line
LONGEST_NUMBER = 100  # characters
_NOISE = bytes(range(32)) + b'"'
_BLANKS = bytes(range(33))
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")
_WORDS = {
    Parse.INTEGER_OR_NA: ("NA",),
    Parse.INTEGER_NA_OR_EXEMPT: ("NA", "Exempt"),
    Parse.DECIMAL: (),
    Parse.DECIMAL_NA_OR_EXEMPT: ("NA", "Exempt"),
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: ("NA", "Exempt", ""),
}

Fault = tuple[str, str]  # the label of the field, and its value as it was typed


def line_end(content: bytes) -> bytes:
    """Return the line ending of a file: LF, also after a CR, or CR."""
    found = re.search(rb"\r\n|\r|\n", content.rstrip(_BLANKS))
    return b"\r" if found and found[0] == b"\r" else b"\n"


def lines(content: bytes) -> list[bytes]:
    """Return the lines of a file; one ended by CRLF still has its CR."""
    text = content.removeprefix(BOM).rstrip(_BLANKS)
    return text.split(line_end(content)) if text else []


def is_text(line: bytes) -> bool:
    """Return whether the line is UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def cells(line: bytes) -> list[str]:
    """Return the values between the pipes of a line, without noise and surrounding blanks."""
    text = line.translate(None, delete=_NOISE).replace(BOM, b"").decode()
    return [cell.strip(" ") for cell in text.split("|")]


def faults(row: int, line: bytes) -> list[Fault]:
    """Return the formatting errors of a line; row 0 is the transmittal sheet."""
    if len(line.removesuffix(b"\r")) > MOST_BYTES:
        return [("Line Length", f"more than {MOST_BYTES}")]
    fields: Sequence[Field] = LAR if row else TRANSMITTAL_SHEET
    values = cells(line)
    if len(values) == len(fields) + 1 and not values[-1]:
        values.pop()
    if len(values) != len(fields) or not values[-1]:
        return [(f"Incorrect Number of {'LAR' if row else 'TS'} Fields", _count(line, len(fields)))]
    readers = LAR_READERS if row else SHEET_READERS
    return [
        (field.error_label, value)
        for field, read, value in zip(fields, readers, values, strict=True)
        if not read(value)
    ]


def _count(line: bytes, wanted: int) -> str:
    """Return the number of fields to report: empty ones at the end count only if needed."""
    text = "|".join(cells(line))
    counted = len(text.rstrip("|").split("|"))
    return str(len(text.split("|")) if counted == wanted else counted)


def readable(field: Field, text: str) -> bool:
    """Return whether a value is accepted in a field."""
    parse = field.parse
    if parse is Parse.TEXT:
        return True
    if parse is Parse.NO_SPACE:
        return " " not in text and "," not in text
    if parse in (Parse.DATE, Parse.DATE_OR_NA):
        return _is_date(text) or (parse is Parse.DATE_OR_NA and text == "NA")
    if parse in _WORDS:
        whole = parse in (Parse.INTEGER_OR_NA, Parse.INTEGER_NA_OR_EXEMPT)
        number = (_WHOLE if whole else _DECIMAL).fullmatch(text)
        return text in _WORDS[parse] or bool(number and len(text) <= LONGEST_NUMBER)
    if parse is Parse.CODE_OR_BLANK and not text:
        return True
    return _fits_32_bits(text) and (parse is not Parse.AGENCY or int(text) in field.codes)


def _fits_32_bits(text: str) -> bool:
    digits = text.lstrip("+-0")
    return bool(_WHOLE.fullmatch(text)) and len(digits) <= 10 and -(2**31) <= int(text) < 2**31


def _is_date(text: str) -> bool:
    if not re.fullmatch(r"[0-9]{8}", text):
        return False
    try:
        datetime.strptime(text, "%Y%m%d")  # noqa: DTZ007 -- a day has no time zone
    except ValueError:
        return False
    return True


def value(field: Field, text: str) -> int | str:
    """Return the parsed value: a whole number, or text; numbers that stay text in full.

    Raises: ValueError where it cannot be read.
    """
    if not readable(field, text):
        raise ValueError(f"{field.name}: {text}")
    if field.dtype.is_integer():
        return int(text or 0)
    if field is LAR_BY_NAME["lei"]:
        return text.upper()
    if field.parse in _WORDS and text not in _WORDS[field.parse]:
        return format(Decimal(text), "f")  # without plus sign, leading zeros and exponent
    return text


# Most values come again and again, and a cache for each field asks for nothing but the text.
LAR_READERS, SHEET_READERS = (
    [cache(partial(readable, field)) for field in fields] for fields in (LAR, TRANSMITTAL_SHEET)
)


@dataclass(frozen=True, slots=True)
class Layout:
    """The names of all fields, and by their place the readers of those that are not just text."""

    names: tuple[str, ...]
    readers: tuple[tuple[int, Callable[[str], int | str]], ...]

    @classmethod
    def of(cls, fields: Sequence[Field]) -> Layout:
        return cls(
            tuple(field.name for field in fields),
            tuple(
                (place, lru_cache(maxsize=1 << 16)(partial(value, field)))
                for place, field in enumerate(fields)
                if field.parse is not Parse.TEXT
            ),
        )

    def record(self, line: str) -> dict[str, Any]:
        """Return the values by field name, and the line itself as `row_text`.

        Raises: ValueError for a wrong number of fields and for a value that cannot be read.
        """
        values: list[Any] = line.split("|")
        if len(values) != len(self.names):
            raise ValueError(f"{len(values)} fields")
        if " |" in line or "| " in line:
            values = [text.strip(" ") for text in values]
        for place, read in self.readers:
            values[place] = read(values[place])
        return {**dict(zip(self.names, values, strict=True)), "row_text": line}


SHEET, LOAN = Layout.of(TRANSMITTAL_SHEET), Layout.of(LAR)
