"""LEIs: of all endings of a text, the one with its check digits makes a valid LEI."""

import string

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


@pytest.mark.parametrize("length", [1, 2, 18, 19, 21, 22, 40])
def test_an_lei_has_twenty_characters(length):
    for base in BASES:
        text = f"{base}{'0' * 30}"[: length - 2] if length > 2 else ""
        assert not checkdigit.is_valid_lei(text + digits(text or "0"))
    assert not checkdigit.is_valid_lei("")


@pytest.mark.parametrize(
    "character", ["-", " ", ".", "_", "é", "٣", "²", "/", ":", "@", "[", "`", "{"]
)
@pytest.mark.parametrize("place", [0, 9, 17, 18, 19])
def test_an_lei_is_letters_and_digits_of_ascii(character, place):
    for base in BASES[:10]:
        lei = base + digits(base)
        assert not checkdigit.is_valid_lei(lei[:place] + character + lei[place + 1 :])
