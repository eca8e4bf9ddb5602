"""What WCAG 2.2 AA asks of pages together, and of fields about oneself."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.browser.conftest import Look
from tests.browser.states_for_everyone import LIGHT_PAGES

pytestmark = pytest.mark.slow


def test_titles_are_unique(look: Look):
    titles: dict[str, list[str]] = {}
    for name in set(LIGHT_PAGES) - {"forgotten-sent"}:  # which says the same as that of the sign-up
        titles.setdefault(look.at(reverse(name)).title(), []).append(name)
    look.complaints.clear()  # of pages that were left before all of them had come
    assert not {title: names for title, names in titles.items() if len(names) > 1}


def test_help_stands_in_the_same_place_on_each_page(look: Look):
    places = set()
    for name in ("home", "help", "identity:login", "check-file", "data-browser", "edit-book"):
        page = look.at(reverse(name))
        links = page.locator("footer nav a").all_inner_texts()
        header = page.locator("header nav a").all_inner_texts()
        places.add((tuple(links), "How to file" in header))
    look.complaints.clear()
    assert len(places) == 1


@pytest.mark.parametrize(
    ("name", "field", "token"),
    [
        ("identity:login", "username", "username"),
        ("identity:login", "password", "current-password"),
        ("sign-up", "email", "email"),
        ("sign-up", "first_name", "given-name"),
        ("sign-up", "last_name", "family-name"),
        ("sign-up", "password", "new-password"),
        ("forgotten", "email", "email"),
    ],
)
def test_fields_about_oneself_are_filled_in_by_the_browser(
    tab: Look, name: str, field: str, token: str
):
    page = tab.at(reverse(name))
    assert page.locator(f"[name={field}]").get_attribute("autocomplete") == token


def test_a_password_may_be_pasted(look: Look):
    page = look.at(reverse("identity:login"))
    for event in ("paste", "drop"):
        kept = page.locator("[name=password]").evaluate(
            "(field, name) => field.dispatchEvent(new Event(name, { cancelable: true }))", event
        )
        assert kept
