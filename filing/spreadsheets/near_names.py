"""The field that a header or the values of its column come nearest to: a proposal, with a reason.

A proposal is used only if it is confirmed. There is none between applicant and co-applicant, and
none between fields that differ by a number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from difflib import SequenceMatcher
from functools import lru_cache

import polars as pl

from filing.lar.fields import LAR, LAR_BY_NAME, STATES
from filing.spreadsheets.aliases import HeaderAlias, list_staff_aliases, list_word_meanings
from filing.spreadsheets.names import list_texts

_CO_APPLICANT = re.compile(r"\b(?:co[\s_-]*(?:applicants?|borrowers?|appl?|borr?)|coa)\b")
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+|[0-9]+")
# Words that make another field of one with the same words besides.
_TELLING = {"applicant", "coapplicant", "observed", "free", "form", "other", "result", "date"}
_ALIKE = 0.8  # of two words, from which one is the other misspelled
_NEAREST = 0.7  # share of the words of both names that are alike
_CLEARLY = 0.1  # by which the nearest field leads the next one
_SHORTEST = 4  # letters of a word that may be misspelled

_LEI, _STATE_CODES = "[A-Za-z0-9]{18}[0-9]{2}", "|".join(STATES)
_VALUES = {
    "uli": (rf"^{_LEI}[A-Za-z0-9]{{3,25}}$", "Every value is a ULI"),
    "lei": (rf"^{_LEI}$", "Every value is an LEI"),
    "census_tract": (r"^\d{11}$", "Every value has the 11 digits of a census tract"),
    "state": (rf"^(?:{_STATE_CODES})$", "Every value is a state"),
    "county": (
        rf"^(?:{'|'.join(STATES.values())})\d\d[13579]$",
        "Every value has the five digits of a county",
    ),
    "application_date": ("", "Every value is a date, and no other column has this date"),
    "action_taken_date": ("", "Every value is a date, and no other column has this date"),
}
_DATE = r"^(?:(?:19|20)\d{6}|(?:19|20)\d\d-\d\d-\d\d|\d{1,2}[/-]\d{1,2}[/-](?:19|20)\d\d)$"
_FEWEST_COUNTIES = 3  # zip codes have five digits, too


def find_near_field(header: str) -> str | None:
    """Return the one field whose name has the same words, or None."""
    keys = _names_by_words(list_staff_aliases()).get(_words(header), set())
    return next(iter(keys)) if len(keys) == 1 else None


def find_similar_field(header: str) -> tuple[str, str] | None:
    """Return the one field whose name is clearly nearest, with the reason, or None."""
    words = _words(header)
    nearest: dict[str, float] = {}
    for name, fields in _names_by_words(list_staff_aliases()).items():
        likeness = _likeness(words, name)
        for field in fields if likeness >= _NEAREST else ():
            nearest[field] = max(likeness, nearest.get(field, 0.0))
    ranks = sorted(nearest.items(), key=lambda entry: -entry[1])
    if not ranks or (len(ranks) > 1 and ranks[0][1] - ranks[1][1] < _CLEARLY):
        return None
    return ranks[0][0], f"Spelled nearly like {LAR_BY_NAME[ranks[0][0]].label}"


def _likeness(words: tuple[str, ...], name: tuple[str, ...]) -> float:
    """Return the share of words that two names have in common, of all their words."""
    rest, others = set(words) - set(name), set(name) - set(words)
    common = len(set(words) & set(name))
    if common + min(len(rest), len(others)) < _NEAREST * max(len(words), len(name)):
        return 0.0
    for word in sorted(rest):
        alike = next((other for other in sorted(others) if _are_alike(word, other)), None)
        if alike is not None:
            rest.remove(word)
            others.remove(alike)
            common += 1
    if any(word.isdecimal() or word in _TELLING for word in rest | others):
        return 0.0
    return common / (len(words) + len(others))


def _are_alike(one: str, other: str) -> bool:
    if one[0] != other[0] or min(len(one), len(other)) < _SHORTEST:
        return False
    return SequenceMatcher(None, one, other).ratio() >= _ALIKE


def find_field_of_values(
    values: pl.Series, missing: Collection[str], tracts: pl.Series | None
) -> tuple[str, str] | None:
    """Return the one missing field that all values of a column are of, with the reason, or None.

    values: those that are not blank. tracts: those of the column of census tracts.
    """
    fields = [field for field in _VALUES if field in missing]
    fitting = [field for field in fields if _are_of(field, values, tracts)]
    return (fitting[0], _VALUES[fitting[0]][1]) if len(fitting) == 1 else None


def _are_of(field: str, values: pl.Series, tracts: pl.Series | None) -> bool:
    pattern = _VALUES[field][0] or _DATE
    if values.is_empty() or not values.head(1).str.contains(pattern).all():
        return False  # most columns, at once
    if field == "county" and tracts is not None:
        return set(values.unique()) == set(tracts.str.slice(0, 5).unique())
    if field == "county" and values.n_unique() < _FEWEST_COUNTIES:
        return False
    return bool(values.str.contains(pattern).all())


@lru_cache(2)
def _names_by_words(staff: tuple[HeaderAlias, ...]) -> Mapping[tuple[str, ...], set[str]]:
    names: dict[tuple[str, ...], set[str]] = {}
    for field in LAR:
        for text in list_texts(field):
            names.setdefault(_words(text), set()).add(field.name)
    return names


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a name in the order of the alphabet, abbreviations written out."""
    spaced = _CAMEL_CASE.sub(" ", text).replace("_", " ").replace("&", " and ").lower()
    meanings = list_word_meanings()
    words = _WORD.findall(_CO_APPLICANT.sub(" coapplicant ", spaced))
    return tuple(sorted({_singular(meanings.get(word, word)) for word in words} - {""}))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
