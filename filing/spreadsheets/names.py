"""The names by which columns are known, folded: lower case, `&` as `and`, letters and digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from filing.lar.fields import LAR, SHEET_PREFIX, TRANSMITTAL_SHEET, Field
from filing.spreadsheets.field_lists import (
    LOAN_ID,
    LOAN_ID_ALIASES,
    is_of_loan,
    list_aliases,
    reference_name,
)
from filing.spreadsheets.sheet_rows import fold_name

_SHEET_LABEL = "Transmittal Sheet"
_CO_APPLICANT = re.compile(r"\bco[\s_-]*(?:applicants?|borrowers?|appl?|borr?)\b")
_WORD = re.compile(r"[a-z]+|[0-9]+")
_ABBREVIATIONS = {
    "amt": "amount",
    "app": "application",
    "borr": "applicant",
    "borrower": "applicant",
    "dt": "date",
    "nbr": "number",
    "no": "number",
    "num": "number",
    "addr": "address",
    "prop": "property",
    "mfg": "manufactured",
    "mfd": "manufactured",
    "pmt": "payment",
    "pymt": "payment",
    "int": "interest",
    "eth": "ethnicity",
    "intro": "introductory",
    "prepay": "prepayment",
    "const": "construction",
    "constr": "construction",
    "occ": "occupancy",
    "val": "value",
    "orig": "origination",
    "purp": "purpose",
    "typ": "type",
    "pct": "percent",
    "dti": "debttoincome",
    "zipcode": "zip",
}
_FILLERS = {"of", "the", "or", "and", "for", "a", "an", "s"}


def qualify_name(field: Field) -> str:
    """Return the name of a field among all: `ts.` leads one of the transmittal sheet."""
    return field.name if is_of_loan(field) else f"{SHEET_PREFIX}{field.name}"


@cache
def list_known_names() -> dict[str, str]:
    """Return the field for each folded name that only one field of a file has."""
    return _unambiguous(_names())


@cache
def list_sheet_names() -> dict[str, str]:
    """Return the field of the transmittal sheet for each folded name, without the prefix."""
    names: dict[str, set[str]] = {}
    for field in TRANSMITTAL_SHEET:
        for text in _texts(field):
            names.setdefault(fold_name(text), set()).add(field.name)
    return _unambiguous(names)


def _unambiguous(names: dict[str, set[str]]) -> dict[str, str]:
    return {name: next(iter(keys)) for name, keys in names.items() if len(keys) == 1}


@cache
def _names() -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for field in LAR:
        for text in _texts(field):
            for name in (text, f"{field.number} {text}"):
                names.setdefault(fold_name(name), set()).add(field.name)
        names.setdefault(str(field.number), set()).add(field.name)
    for text in (LOAN_ID, *LOAN_ID_ALIASES):
        names.setdefault(fold_name(text), set()).add(LOAN_ID)
    for field in TRANSMITTAL_SHEET:
        for text in _texts(field):
            names.setdefault(fold_name(f"{_SHEET_LABEL} {text}"), set()).add(qualify_name(field))
            names.setdefault(fold_name(f"ts {text}"), set()).add(qualify_name(field))
            # The same name of a field of loans goes before.
            if all(name.startswith(SHEET_PREFIX) for name in names.get(fold_name(text), ())):
                names.setdefault(fold_name(text), set()).add(qualify_name(field))
    return names


def sheet_heading(field: Field, *, is_label: bool) -> str:
    """Return the header of a field of the transmittal sheet that stands among those of loans."""
    text = field.label if is_label else field.name
    if list_known_names().get(fold_name(text)) == qualify_name(field):
        return text
    return f"{_SHEET_LABEL} {text}" if is_label else f"ts_{text}"


def find_near_field(header: str) -> str | None:
    """Return the one field whose name has the same words, or None."""
    keys = _names_by_words().get(_words(header), set())
    return next(iter(keys)) if len(keys) == 1 else None


@cache
def _names_by_words() -> dict[tuple[str, ...], set[str]]:
    names: dict[tuple[str, ...], set[str]] = {}
    for field in LAR:
        for text in _texts(field):
            names.setdefault(_words(text), set()).add(field.name)
    return names


def _texts(field: Field) -> Iterator[str]:
    yield from (field.name, field.label, reference_name(field), field.json, *list_aliases(field))


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a name in the order of the alphabet, abbreviations written out."""
    plain = _CO_APPLICANT.sub(" coapplicant ", _spaced(text).lower())
    words = (_ABBREVIATIONS.get(word, word) for word in _WORD.findall(plain))
    singular = {_singular(word) for word in words}
    return tuple(sorted(singular - _FILLERS))


def _spaced(text: str) -> str:
    """Return the text with blanks between the words of camel case."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).replace("_", " ").replace("&", " and ")


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
