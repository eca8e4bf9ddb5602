"""Ages in words."""

from __future__ import annotations

import pytest

from config.doctor.parts.ages import in_words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (7200, "2 hours"),
        (3 * 86_400, "3 days"),
    ],
)
def test_an_age_has_the_largest_unit_that_it_has_twice(seconds: int, words: str) -> None:
    assert in_words(seconds) == words
