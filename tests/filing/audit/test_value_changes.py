"""Values before and after, in words."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from filing.audit.value_changes import describe_change, describe_value
from filing.models import Announcement, Filing, Institution


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (False, True, "Required: no → yes"),
        ("", "x", "Required: (blank) → x"),
        (None, ["b", "a"], "Required: (blank) → b, a"),
        ('["bank.example"]', "[]", "Required: bank.example → (blank)"),
        ("[unclosed", 12, "Required: [unclosed → 12"),
        (date(2026, 3, 2), "None", "Required: 2026-03-02 → (blank)"),
    ],
)
def test_a_change_is_one_line(before: Any, after: Any, line: str) -> None:
    assert describe_change("required", before, after) == line


@pytest.mark.parametrize(
    ("model", "name", "text", "words"),
    [
        (Filing, "required", "True", "yes"),
        (Filing, "required", "false", "no"),
        (Institution, "agency", "3", "FDIC"),
        (Announcement, "level", "info", "news"),
        (Announcement, "ends", "not a time", "not a time"),
    ],
)
def test_columns_have_words_for_the_values_in_a_log(
    model: Any, name: str, text: str, words: str
) -> None:
    assert describe_value(text, field=model._meta.get_field(name)) == words


def test_a_recorded_time_is_in_the_time_zone_of_the_page() -> None:
    field = Announcement._meta.get_field("ends")
    recorded = describe_value("2026-03-02 05:00:00", field=field)
    assert recorded == describe_value("2026-03-02 05:00:00+00:00", field=field)
    assert recorded != "2026-03-02 05:00:00"
