"""The arithmetic of check digits, for one loan identifier, for a column of them, and for an LEI.

Source: Regulation C, 12 CFR part 1003, appendix C; ISO/IEC 7064, MOD 97-10; for LEIs ISO 17442.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import polars as pl

LOAN_ID_LENGTHS = range(21, 44)
ULI_LENGTHS = range(23, 46)
LEI_LENGTH = 20

_MODULUS = 97
_ALPHANUMERIC = re.compile(r"[0-9A-Za-z]*")
_CHUNK = 10_000  # identifiers at a time, so that the working memory fits into the CPU cache

_WIDTH = 256  # entries of the table per remainder, one per byte

# The check digits by remainder; the last entry, for remainder -1, is null.
_DIGITS = pl.Series([*(f"{98 - remainder * 100 % 97:02d}" for remainder in range(97)), None])


def is_alphanumeric(text: str) -> bool:
    """Return whether the text has only ASCII letters and digits."""
    return _ALPHANUMERIC.fullmatch(text) is not None


def compute_check_digits(loan_id: str) -> str:
    """Return the two check digits of a loan identifier.

    Raises: ValueError when it is not 21 to 43 letters and digits.
    """
    if len(loan_id) not in LOAN_ID_LENGTHS or not is_alphanumeric(loan_id):
        raise ValueError(f"{loan_id!r} is not 21 to 43 letters and digits.")
    return f"{98 - _number(loan_id) * 100 % _MODULUS:02d}"


def is_valid_uli(uli: str) -> bool:
    """Return whether the text is 23 to 45 letters and digits that end in their check digits.

    By the congruence, 00, 01 and 99 are as valid as 97, 98 and 02.
    """
    return len(uli) in ULI_LENGTHS and is_alphanumeric(uli) and _number(uli) % _MODULUS == 1


def is_valid_lei(lei: str) -> bool:
    """Return whether the text is 20 letters and digits that end in their check digits.

    Check digits of LEIs are 02 to 98; others that meet the congruence are never issued.
    """
    return (
        len(lei) == LEI_LENGTH
        and is_alphanumeric(lei)
        and lei[-2:].isdecimal()
        and 2 <= int(lei[-2:]) <= 98
        and _number(lei) % _MODULUS == 1
    )


def validate_ulis(ulis: pl.Series) -> pl.Series:
    """Return, for each text of a column, whether it is a valid ULI; see `is_valid_uli`."""
    return pl.Series(ulis.name, _remainders(ulis, ULI_LENGTHS) == 1)


def generate_check_digits(loan_ids: pl.Series) -> pl.Series:
    """Return the check digits of each loan identifier; null where there are none."""
    return _DIGITS.gather(_remainders(loan_ids, LOAN_ID_LENGTHS)).alias(loan_ids.name)


def _number(text: str) -> int:
    """Return the number of a text with each letter replaced by 10 to 35."""
    return int("".join(str(int(character, 36)) for character in text))


def _remainders(texts: pl.Series, lengths: range) -> npt.NDArray[np.int32]:
    """Return the remainder of each number, -1 for a text with an invalid length or character."""
    remainders = np.full(len(texts), -1, np.int32)
    counts = texts.str.len_bytes().to_numpy()
    for length in set(np.unique(counts).tolist()).intersection(lengths):
        rows = np.flatnonzero(counts == length)
        joined = texts.filter(pl.Series(counts == length)).str.join("").item().encode()
        characters = np.frombuffer(joined, np.uint8).reshape(-1, length)
        for begin in range(0, len(rows), _CHUNK):
            some = slice(begin, begin + _CHUNK)
            remainders[rows[some]] = _remainders_of_equally_long(characters[some])
    return remainders


def _remainders_of_equally_long(characters: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    state, place = np.zeros((2, len(characters)), np.uint16)
    for column in np.ascontiguousarray(characters.T):
        np.add(state, column, out=place)
        np.take(_NEXT, place, out=state, mode="clip")  # every index is in the table
    remainders = (state // _WIDTH).astype(np.int32)
    remainders[remainders == _MODULUS] = -1
    return remainders


def _transitions() -> npt.NDArray[np.uint16]:
    """Return the next remainder for each remainder and character, times `_WIDTH`.

    Remainder 97 marks a text with another character than letters and digits, and stays.
    """
    table = np.full((_MODULUS + 1, _WIDTH), _MODULUS, np.uint16)
    remainders = np.arange(_MODULUS)
    for character in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        value = int(character, 36)
        shift = 10 if value < 10 else 100
        following = (remainders * shift + value) % _MODULUS
        table[:_MODULUS, [ord(character), ord(character.lower())]] = following[:, None]
    return (table * _WIDTH).ravel()


_NEXT = _transitions()
