"""The texts of codes by field and year, and the words that people write for them.

Source of the years: the first ones of codes added later, by the validity edits V660-2, V665-2 and
V696-1.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from filing.lar.fields import AGENCIES, AGENCY_NAMES, EXEMPT_CODE, Field
from filing.spreadsheets.sheet_rows import fold_name

_TABLE = Path(__file__).with_name("code_texts.toml")
_OBSERVED = ("race_observed", "sex_observed")
# The first years of codes that were added after 2018.
_SINCE: dict[str, dict[int, int]] = {
    "credit_score_type": {11: 2022, 12: 2024, 13: 2024, 14: 2024, 15: 2024},
    "aus": {7: 2021},
}
_PERSON = re.compile(r"^(?:co_)?applicant_")
_NUMBER = re.compile(r"_[1-5]$")


def list_codes(field: Field, year: int) -> dict[int, str]:
    """Return the codes of a field in a year with their texts; empty if it has none."""
    return {code: words[0] for code, words in list_code_words(field, year).items()}


def list_code_words(field: Field, year: int) -> dict[int, list[str]]:
    """Return the codes of a field in a year, each with its text and other words for it."""
    subject = _subject(field.name)
    words, since = _words().get(subject, {}), _SINCE.get(subject, {})
    return {
        code: _of_code(field.name, words, code)
        for code in field.codes
        if year >= since.get(code, 0) and (code in words or code == EXEMPT_CODE)
    }


@cache
def list_state_names() -> dict[str, str]:
    """Return the codes of states by their names, folded."""
    return {fold_name(name): code for code, names in _table()["states"].items() for name in names}


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(_TABLE.read_text("utf-8"))


@cache
def _words() -> dict[str, dict[int, list[str]]]:
    subjects = {
        subject: {int(code): words for code, words in codes.items()}
        for subject, codes in _table()["codes"].items()
    }
    return subjects | {
        "federal_agency": {
            code: [f"{name} ({AGENCIES[code]})", name, AGENCIES[code]]
            for code, name in AGENCY_NAMES.items()
        }
    }


def _of_code(name: str, words: dict[int, list[str]], code: int) -> list[str]:
    if code == EXEMPT_CODE:
        return ["Exempt"]
    text, *others = words[code]
    if name == "co_applicant_sex" and text.startswith("Applicant"):
        text = f"Co-applicant{text.removeprefix('Applicant')}"
    return [text, *others]


def _subject(name: str) -> str:
    """Return the name without the person and the number: the key of the texts."""
    subject = _NUMBER.sub("", _PERSON.sub("", name))
    return "ethnicity_observed" if subject in _OBSERVED else subject
