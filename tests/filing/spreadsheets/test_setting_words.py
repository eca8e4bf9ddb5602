"""A message names a setting in the words of the place where it is read, and every place has all."""

from __future__ import annotations

from pathlib import Path

import pytest

from filing.client import checking, converting
from filing.lar import setting_words
from filing.lar.setting_words import API_WORDS, say_setting, use_setting_words
from filing.pages import tool_pages
from filing.spreadsheets import conversion
from filing.spreadsheets.accepted_files import SpreadsheetRefusal
from publicapi.lar_tool import conversions, page_forms
from tests.publicapi.lar_tool.calls import as_csv, loans

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


def test_words_hold_within_a_place() -> None:
    with use_setting_words({"year": "Add --year."}):
        assert say_setting("year") == "Add --year."
        assert say_setting("map") == API_WORDS["map"]
        assert setting_words.copy_setting_words()["year"] == "Add --year."
    assert say_setting("year") == API_WORDS["year"]


@pytest.mark.parametrize("words", [API_WORDS, *PLACES.values()], ids=["api", *PLACES])
def test_a_refusal_is_in_the_words_of_the_place(words: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "loans.csv"
    path.write_bytes(as_csv(loans({})))
    with use_setting_words(words), pytest.raises(SpreadsheetRefusal) as refused:
        conversion.convert_spreadsheet(path, folder=tmp_path)
    assert words["year"] in refused.value.message


def test_the_process_that_converts_has_the_words_of_the_page(tmp_path: Path) -> None:
    path = tmp_path / "loans.csv"
    path.write_bytes(b"a,b\n1,2\n")
    with use_setting_words(page_forms.SETTING_WORDS), pytest.raises(conversions.FileRefusal) as no:
        conversions.match_columns(path, conversions.read_wishes())
    assert page_forms.SETTING_WORDS["header"] in no.value.message
