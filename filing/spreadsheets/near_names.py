"""The field that a header or the values of its column come nearest to: a proposal, with a reason.

A proposal is used only if it is confirmed. There is none between applicant and co-applicant, and
none between fields that differ by a number.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import lru_cache
from operator import itemgetter

import polars as pl

from filing.lar.fields import LAR, LAR_BY_NAME, STATES
from filing.spreadsheets.aliases import (
    HeaderAlias,
    keep_until_changed,
    list_staff_aliases,
    list_word_meanings,
)
from filing.spreadsheets.names import list_texts

_CO_APPLICANT = re.compile(
    r"\b(?:co[\s_-]*(?:applicants?|borrowers?|appl?|borr?)|coa"
    r"|co(?=[\s_-]+(?:age|credit|eth\w*|race|sex)\b))\b"
)
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+|[0-9]+")
# Words that make another field of one with the same words besides.
_TELLING = {"applicant", "coapplicant", "observed", "free", "form", "other", "result", "date"}
_ALIKE = 0.8  # of two words, from which one is the other misspelled
_NEAREST = 0.7  # share of the words of both names that are alike
_CLEARLY = 0.1  # by which the nearest field leads the next one
_SHORTEST, _LONGEST = 4, 20  # letters of a word that may be misspelled
_LONGEST_HEADER = 300  # characters that are looked at
_NONE = (("", 0.0), ("", 0.0))  # behind all fields

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
    keys = _names_by_words().get(_words(header), set())
    return next(iter(keys)) if len(keys) == 1 else None


def find_similar_field(header: str) -> tuple[str, str] | None:
    """Return the one field whose name is clearly nearest, with the reason, or None."""
    words = {_correct_word(word, list_staff_aliases()) for word in _words(header)}
    nearest: dict[str, float] = {}
    for name, fields in _names_by_words().items():
        likeness = len(words.intersection(name)) / len(words.union(name) or {""})
        others = words.symmetric_difference(name) if likeness >= _NEAREST - _CLEARLY else ()
        if not any(word.isdecimal() or word in _TELLING for word in others):
            nearest |= {field: max(likeness, nearest.get(field, 0.0)) for field in fields}
    first, second = heapq.nlargest(2, [*nearest.items(), *_NONE], key=itemgetter(1))
    if first[1] < _NEAREST or first[1] - second[1] < _CLEARLY:
        return None
    return first[0], f"Spelled nearly like {LAR_BY_NAME[first[0]].label}"


@lru_cache(1 << 12)
def _correct_word(word: str, staff: tuple[HeaderAlias, ...]) -> str:
    """Return the word of a name that a word is, misspelled or not; the word itself if of none."""
    known, meanings = _known_words(), list_word_meanings()
    if word in known or not _SHORTEST <= len(word) <= _LONGEST:
        return word
    alike = get_close_matches(word, [each for each in known if each[0] == word[0]], 1, _ALIKE)
    return meanings.get(alike[0], alike[0]) if alike else word


@keep_until_changed
def _known_words() -> dict[str, None]:
    words = {word for name in _names_by_words() for word in name}
    return dict.fromkeys(sorted(words | set(list_word_meanings())))


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


@keep_until_changed
def _names_by_words() -> Mapping[tuple[str, ...], set[str]]:
    names: dict[tuple[str, ...], set[str]] = {}
    for field in LAR:
        for text in list_texts(field):
            names.setdefault(_words(text), set()).add(field.name)
    return names


def is_of_co_applicant(header: str) -> bool:
    """Return whether a header has a word for the co-applicant."""
    return "coapplicant" in _words(header)


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a name in the order of the alphabet, abbreviations written out."""
    spaced = (
        _CAMEL_CASE.sub(" ", text[:_LONGEST_HEADER]).replace("_", " ").replace("&", " and ").lower()
    )
    meanings = list_word_meanings()
    words = _WORD.findall(_CO_APPLICANT.sub(" coapplicant ", spaced))
    return tuple(sorted({_singular(meanings.get(word, word)) for word in words} - {""}))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
