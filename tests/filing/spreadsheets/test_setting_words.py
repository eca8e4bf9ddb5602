"""A message names a setting in the words of the place where it is read, and every place has all."""

from __future__ import annotations

import pytest

from filing.client import checking, converting
from filing.lar.setting_words import API_WORDS
from filing.pages import tool_pages
from publicapi.lar_tool import page_forms

PLACES = {
    "page": {**tool_pages.SETTING_WORDS, **page_forms.SETTING_WORDS},
    "convert": converting.SETTING_WORDS,
    "check": checking.SETTING_WORDS,
}
# A command sends no form; a check writes no file.
LEFT_OUT = {"page": set(), "convert": {"file"}, "check": {"file", "as_typed"}}
OF_OTHERS = {"page": ("options.", "--", "map"), "convert": ("options.",), "check": ("options.",)}


@pytest.mark.parametrize("place", PLACES)
def test_a_place_has_words_of_its_own_for_each_setting(place: str) -> None:
    words = PLACES[place]
    assert set(words) == set(API_WORDS) - LEFT_OUT[place]
    assert [text for text in words.values() for other in OF_OTHERS[place] if other in text] == []
