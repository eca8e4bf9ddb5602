from __future__ import annotations

from django.urls import reverse

from config.pages import navigation


def test_sections_show_what_is_there_and_mark_where_one_is():
    shown = {each["label"]: each for each in navigation.navigation_sections(reverse("redoc"))}
    assert [*shown] == [each.label for each in navigation.SECTIONS if each.links]
    assert shown["API"]["current"]
    assert not shown["Help"]["current"]
    assert navigation.find_address("no-such-page") == ""
