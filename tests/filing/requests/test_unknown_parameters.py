"""What is said of parameters that an address does not know, whatever their names hold."""

import pytest

from filing.requests import (
    LONGEST_NAME,
    MOST_NAMES,
    describe_unknown_parameters,
    encode_unknown_parameters,
    find_unknown_parameters,
)

pytestmark = pytest.mark.unit
KNOWN = ["years", "races"]


def test_known_and_blank_names_are_left_out():
    assert find_unknown_parameters(["race", "years", "", "b"], KNOWN) == ["race", "b"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("race", "race"),
        ("r\u0430ce", "r%D0%B0ce"),
        ("a,b", "a%2Cb"),
        ("a\r\nSet-Cookie: x", "a%0D%0ASet-Cookie%3A%20x"),
        ("\ud800", "%3F"),
    ],
)
def test_the_header_has_only_characters_that_are_safe_there(name: str, value: str):
    assert encode_unknown_parameters([name]) == value


def test_the_header_is_short_however_many_and_long_the_names_are():
    names = [f"{number}" + "\u0430" * 1_000 for number in range(100)]
    header = encode_unknown_parameters(find_unknown_parameters(names, KNOWN))
    assert len(header.split(", ")) == MOST_NAMES
    assert len(header) <= MOST_NAMES * (LONGEST_NAME + 2)


def test_people_are_told_the_parameter_that_is_most_like_it():
    like, unlike = describe_unknown_parameters(["race", "xyz", "years"], KNOWN)
    assert {"race", "races?"} <= set(like.split())
    assert "xyz" in unlike.split()
    assert "?" not in unlike
