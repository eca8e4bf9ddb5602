"""Made-up values of the same shape in place of what a file says about people.

What a value is replaced by depends on the value alone, within one file: what is equal stays equal.
Codes, NA, states and the words of code lists stay, so that what failed still fails.
"""

from __future__ import annotations

import random
import re
import secrets
import string
from functools import cache

from filing.lar.fields import LAR, STATES, TRANSMITTAL_SHEET
from filing.spreadsheets import code_texts
from uliapi import checkdigit

_YEAR = 2024
_KEPT_NUMBERS = {"1111", "2222", "3333", "4444", "5555", "6666", "7777", "8888", "9999"}
_YEARS = range(2017, 2100)
_SERIALS = range(45_292, 47_500)  # days from 2024 on, as a spreadsheet counts them
_WORD = re.compile(r"[^\W\d_]+")
_DATE = re.compile(r"(20\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])")
_PARTS_OF_DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}")
_IDENTIFIER = re.compile(r"(?=[A-Za-z]*\d)[A-Za-z0-9]{20,45}")
_TOKENS = re.compile(rf"{_PARTS_OF_DATE.pattern}|[A-Za-z0-9]{{20,45}}|\d+(?:\.\d+)?|[^\W\d_]+")
_USUAL_WORDS = "na exempt yes no true false total notes of not applicable lar file row"
_USUAL_WORDS += " html body pre table tr td jan feb mar apr may jun jul aug sep oct nov dec"


class MadeUpValues:
    """Replaces the values of one file. kept: texts that stay, such as headings."""

    def __init__(self, kept: frozenset[str] = frozenset()) -> None:
        self._salt = secrets.token_hex(8)
        self._kept = kept

    def replace(self, text: str) -> str:
        """Return a text with made-up names, identifiers, amounts and dates of the same shape."""
        if text.strip() in self._kept or text.strip().upper() in STATES:
            return text
        return _TOKENS.sub(lambda match: self._token(match.group()), text)

    def _token(self, token: str) -> str:
        chance = _random(self._salt, token)
        if _PARTS_OF_DATE.fullmatch(token):
            return re.sub(r"\d+", lambda part: _part_of_date(part.group(), chance), token)
        if _IDENTIFIER.fullmatch(token):
            return _identifier(token, self._salt)
        if token[0].isdigit():
            return _number(token, chance)
        if token.lower() in _known_words() or token.upper() in STATES:
            return token
        return "".join(_letter(one, chance) for one in token)


def _part_of_date(part: str, chance: random.Random) -> str:
    """Return another part of a date: a year stays; of a day or month the kind stays."""
    if len(part) == 4:
        return part
    most = 12 if int(part) <= 12 else 28
    least = 1 if most == 12 else 13
    low, high = (10, most) if len(part) == 2 and not part.startswith("0") else (1, min(9, most))
    value = chance.randint(max(least, low) if high >= least else low, high)
    return str(value).zfill(len(part))


def _identifier(token: str, salt: str) -> str:
    """Return another identifier: with the same LEI in front and valid digits if it has them."""
    if token.isdigit():
        return "".join(_random(salt, token).choices(string.digits, k=len(token)))
    lei = _random(salt, token[:20].upper())
    body = "529900EXAMPLE" + "".join(lei.choices(string.ascii_uppercase + string.digits, k=7))
    chance = _random(salt, token)
    body += "".join(_letter(one, chance) for one in token[20:])
    if checkdigit.is_valid_uli(token):
        body = body[:-2] + checkdigit.compute_check_digits(body[:-2])
    return body.lower() if token.islower() else body


def _random(salt: str, text: str) -> random.Random:
    return random.Random(f"{salt}{text}")


def _number(token: str, chance: random.Random) -> str:
    """Return another number with as many digits; codes and years stay."""
    whole, dot, fraction = token.partition(".")
    if date := _DATE.fullmatch(token):
        return f"{date[1]}{chance.randint(1, 12):02}{chance.randint(1, 28):02}"
    if (len(whole) <= 2 and not fraction.strip("0")) or whole in _KEPT_NUMBERS:
        return token
    if len(whole) == 4 and int(whole) in _YEARS and not dot:
        return token
    if len(whole) == 5 and int(whole) in _SERIALS and not dot:
        return str(_SERIALS[0] + chance.randrange(365))
    digits = "".join(_letter(one, chance) for one in whole)
    if whole[0] != "0" and digits[0] == "0":
        digits = f"{chance.randint(1, 9)}{digits[1:]}"
    if whole.startswith("0"):
        digits = f"0{digits[1:]}"
    return digits + dot + "".join(_letter(one, chance) for one in fraction)


def _letter(one: str, chance: random.Random) -> str:
    if one.isdigit():
        return chance.choice(string.digits)
    if not one.isalpha():
        return one
    letters = string.ascii_lowercase if one.isascii() else "áéñöü"
    other = chance.choice(letters)
    return other.upper() if one.isupper() else other


@cache
def _known_words() -> frozenset[str]:
    """Return the words of headings and of the texts of codes."""
    texts = [field.label for field in (*LAR, *TRANSMITTAL_SHEET)]
    texts += [field.name.replace("_", " ") for field in (*LAR, *TRANSMITTAL_SHEET)]
    texts += [_USUAL_WORDS, *_texts_of_codes()]
    return frozenset(word.lower() for text in texts for word in _WORD.findall(text))


def _texts_of_codes() -> list[str]:
    fields = (*LAR, *TRANSMITTAL_SHEET)
    return [text for field in fields for text in code_texts.list_codes(field, _YEAR).values()]
