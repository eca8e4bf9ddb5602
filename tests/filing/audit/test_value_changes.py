"""Values before and after, in words."""

from __future__ import annotations

from typing import Any

import pytest

from filing.audit.value_changes import describe_value
from filing.models import Announcement, Filing, Institution


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
