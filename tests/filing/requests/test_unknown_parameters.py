"""What is said of parameters that an address does not know, whatever their names hold."""

import pytest

from filing.requests import (
    encode_unknown_parameters,
)

pytestmark = pytest.mark.unit


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
