"""LEIs: of all endings of a text, the one with its check digits makes a valid LEI."""

import string
from itertools import product

import pytest

from uliapi import checkdigit

BASES = [f"TESTBANK0000000{number:03d}" for number in range(300)]
ENDINGS = [f"{number:02d}" for number in range(100)]


def number(text: str) -> int:
    """Return the number that stands there when each letter is written as 10 to 35."""
    places = string.digits + string.ascii_uppercase
    return int("".join(str(places.index(character)) for character in text.upper()))


def digits(base: str) -> str:
    return f"{98 - number(base + '00') % 97:02d}"


def test_exactly_one_ending_of_each_base_is_right():
    for base in BASES:
        right = [end for end in ENDINGS if checkdigit.is_valid_lei(base + end)]
        assert right == [digits(base)]
        assert checkdigit.is_valid_lei((base + digits(base)).lower())


@pytest.mark.parametrize("length", [1, 19, 21])
def test_an_lei_has_twenty_characters(length):
    for base in BASES[:100]:
        text = f"{base}{'0' * 30}"[: length - 2] if length > 2 else ""
        assert not checkdigit.is_valid_lei(text + digits(text or "0"))
    assert not checkdigit.is_valid_lei("")


def test_an_lei_is_letters_and_digits_of_ascii():
    lei = BASES[0] + digits(BASES[0])
    for character, place in product("- ._é٣²/:@[`{", (0, 9, 17, 18, 19)):
        assert not checkdigit.is_valid_lei(lei[:place] + character + lei[place + 1 :])
